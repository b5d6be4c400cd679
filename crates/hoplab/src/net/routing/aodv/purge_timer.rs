//! ns-2's purge timer: every 0.5 s it expires routes, and sends RREQs for packets that wait (ns-2's `aodv.cc`).

use super::agent::{Aodv, PURGE};
use super::rules::SPACING;
use super::state::entry::State;
use crate::kernel::{Span, Time};
use crate::net::routing::protocol::RouteCtx;
use crate::trace::DropReason;

/// The purge timer fires at multiples of this.
const TICK: Span = Span::from_millis(500);

impl Aodv {
    /// Sends a RREQ, waits, or gives up for a while (ns-2's `sendRequest`).
    pub(super) fn request(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        let now = cx.now();
        let config = self.config.clone();
        let entry = &mut self.table[index];
        if entry.state == State::Up {
            return;
        }
        let (dst, last) = (entry.dst, entry.last_ttl.max(entry.last_hops));
        let request = entry.request_mut();
        if request.timeout > now {
            return;
        }
        if request.count > config.rreq_retries {
            request.timeout = now + config.max_rreq_timeout;
            request.count = 0;
            self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
            return;
        }
        let ttl = if last == 0 {
            config.ttl_start
        } else if last < config.ttl_threshold {
            last.saturating_add(config.ttl_increment)
        } else {
            request.count += 1;
            config.network_diameter
        };
        let per_hop = request.per_hop_time().unwrap_or(config.node_traversal_time);
        let wait = per_hop * (2 * u64::from(ttl) * u64::from(request.count.max(1)));
        request.timeout = now + wait.min(config.max_rreq_timeout);
        entry.last_ttl = ttl;
        entry.expire = Time::ZERO;
        self.send_rreq(cx, index, ttl);
    }

    /// The purge timer fires: routes expire; packets that wait are sent, or a RREQ for them.
    pub(super) fn on_purge_timer(&mut self, cx: &mut RouteCtx<'_>) {
        self.purge_timer = None;
        let now = cx.now();
        let mut delay = Span::ZERO;
        for index in (0..self.table.len()).rev() {
            let entry = &mut self.table[index];
            let dst = entry.dst;
            if entry.state == State::Up && entry.expire < now {
                entry.break_route();
                if !self.buffer.is_empty() {
                    self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
                }
            } else if self.buffer.is_empty() {
                // Most ticks: no packet waits for any route.
            } else if entry.state == State::Up {
                while let Some(packet) = self.buffer.pop(cx.ctx, dst) {
                    self.forward(cx, index, packet, delay);
                    delay += SPACING;
                }
            } else if self.buffer.has(dst) {
                self.request(cx, index);
            }
        }
        if !self.buffer.is_empty() {
            self.purge_at_next_tick(cx);
        }
        let up = self.table.iter().filter(|entry| entry.state == State::Up);
        if let Some(first) = up.map(|entry| entry.expire).min() {
            self.purge_after_expiry(cx, first);
        }
    }

    /// Sets the purge timer for its next tick.
    pub(super) fn purge_at_next_tick(&mut self, cx: &mut RouteCtx<'_>) {
        self.set_purge_timer(cx, tick_after(cx.now()));
    }

    /// Sets the purge timer for the first tick at which a route with this lifetime has expired.
    pub(super) fn purge_after_expiry(&mut self, cx: &mut RouteCtx<'_>, expire: Time) {
        self.set_purge_timer(cx, tick_after(expire.max(cx.now())));
    }

    fn set_purge_timer(&mut self, cx: &mut RouteCtx<'_>, at: Time) {
        match self.purge_timer {
            Some((set, _)) if set <= at => return,
            Some((_, timer)) => cx.cancel_timer(timer),
            None => {}
        }
        self.purge_timer = Some((at, cx.set_timer(at, PURGE, self.node)));
    }
}

/// The first tick later than `time`.
fn tick_after(time: Time) -> Time {
    Time(time.0 - time.0 % TICK.0) + TICK
}
