//! What only profile `ns2` does: requests paced by the purge timer.

use super::table::State;
use super::{Aodv, CLOCK, RouteCtx, SPACING};
use crate::kernel::{Span, Time};
use crate::trace::DropReason;

/// Own sequence number at the start; it stays even.
pub(super) const FIRST_SEQ: u32 = 2;

/// The purge timer ends at the multiples of this.
const TICK: Span = Span::from_millis(500);

impl Aodv {
    /// Sends a request, waits on, or gives up for a while: whatever it is time for.
    pub(super) fn request_ns2(&mut self, cx: &mut RouteCtx<'_>, place: usize) {
        let now = cx.ctx.now;
        let constants = self.constants.clone();
        let entry = &mut self.table[place];
        if entry.state == State::Up {
            return;
        }
        let (dst, last) = (entry.dst, entry.last_ttl.max(entry.last_hops));
        let request = entry.request_mut();
        if request.timeout > now {
            return;
        }
        if request.count > constants.rreq_retries {
            request.timeout = now + constants.max_rreq_timeout;
            request.count = 0;
            self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
            return;
        }
        let ttl = if last == 0 {
            constants.ttl_start
        } else if last < constants.ttl_threshold {
            last.saturating_add(constants.ttl_increment)
        } else {
            request.count += 1;
            constants.network_diameter
        };
        let per_hop = request.per_hop_time().unwrap_or(constants.node_traversal_time);
        let wait = per_hop * (2 * u64::from(ttl) * u64::from(request.count.max(1)));
        request.timeout = now + wait.min(constants.max_rreq_timeout);
        entry.last_ttl = ttl;
        entry.expire = Time::ZERO;
        self.seq += 2;
        self.send_rreq(cx, place, ttl);
    }

    /// The purge timer has ended: routes expire, packets that wait are sent or asked for.
    pub(super) fn on_clock(&mut self, cx: &mut RouteCtx<'_>) {
        self.clock = None;
        let now = cx.ctx.now;
        let mut delay = Span::ZERO;
        for place in (0..self.table.len()).rev() {
            let entry = &mut self.table[place];
            let dst = entry.dst;
            if entry.state == State::Up && entry.expire < now {
                entry.break_route();
                if !self.buffer.is_empty() {
                    self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
                }
            } else if self.buffer.is_empty() {
                // Nothing to send or to ask for.
            } else if entry.state == State::Up {
                while let Some(packet) = self.buffer.pop(cx.ctx, dst) {
                    self.forward(cx, place, packet, delay);
                    delay += SPACING;
                }
            } else if self.buffer.has(dst) {
                self.request_ns2(cx, place);
            }
        }
        if !self.buffer.is_empty() {
            self.arm_for_buffer(cx);
        }
        let up = self.table.iter().filter(|entry| entry.state == State::Up);
        if let Some(first) = up.map(|entry| entry.expire).min() {
            self.arm_for_expiry(cx, first);
        }
    }

    /// The purge timer is needed at its next tick.
    pub(super) fn arm_for_buffer(&mut self, cx: &mut RouteCtx<'_>) {
        self.arm(cx, tick_after(cx.ctx.now));
    }

    /// The purge timer is needed at the first tick at which a route with this expiry is past it.
    pub(super) fn arm_for_expiry(&mut self, cx: &mut RouteCtx<'_>, expire: Time) {
        self.arm(cx, tick_after(expire.max(cx.ctx.now)));
    }

    fn arm(&mut self, cx: &mut RouteCtx<'_>, at: Time) {
        match self.clock {
            Some((armed, _)) if armed <= at => return,
            Some((_, timer)) => cx.ctx.events.cancel(timer),
            None => {}
        }
        self.clock = Some((at, self.schedule(cx, at, CLOCK, self.node)));
    }
}

/// The first tick later than `time`.
fn tick_after(time: Time) -> Time {
    Time(time.0 - time.0 % TICK.0) + TICK
}
