//! Updates: when they are sent, and which entries they contain (Perkins and Bhagwat 1994; ns-2's `makeUpdate`).

use super::agent::{Dsdv, PERIODIC, TRIGGERED};
use super::clocks::Trigger;
use super::entry::Entry;
use super::message::{Advert, Update};
use crate::kernel::{NodeId, Span, Time};
use crate::net::routing::protocol::RouteCtx;

/// The entries of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All that have settled.
    Full,
    /// Those that have changed.
    Changes,
}

/// The first update is sent within this time (ns-2: `DSDV_STARTUP_JITTER`).
const START_JITTER: Span = Span::from_millis(2_000);
/// Minimum time between triggered updates, and after a periodic one (ns-2: `DSDV_MIN_TUP_PERIOD`).
const MIN_SPACING: Span = Span::from_millis(1_000);
/// Minimum time between periodic updates, as a share of the update period.
const MIN_PERIOD: f64 = 0.75;
/// A triggered update becomes a full one if it has more entries than this, and more than one in `MANY_OF` of the table.
const MANY: usize = 3;
const MANY_OF: usize = 3;

/// TTL of an update, which no node forwards (ns-2: `IP_DEF_TTL`).
const TTL: u8 = 32;

impl Dsdv {
    /// Schedules the first update.
    pub(super) fn start_updates(&mut self, cx: &mut RouteCtx<'_>) {
        let wait = self.draw(START_JITTER);
        self.set_periodic(cx, wait);
    }

    /// A periodic update is due.
    pub(super) fn on_periodic(&mut self, cx: &mut RouteCtx<'_>) {
        self.periodic = None;
        self.send_update(cx, Extent::Full);
        self.set_next_periodic(cx);
        // It contains all changes: it counts as a triggered one, too.
        self.last_update = Some(cx.now());
    }

    /// The triggered update that the entry of `dst` has requested is due.
    pub(super) fn on_triggered(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let now = cx.now();
        self.table.set_trigger(dst, None);
        let earliest = self.last_update.map_or(now, |last| last + MIN_SPACING);
        if now < earliest {
            self.trigger(cx, dst, earliest);
            self.cancel_triggers_before(cx, earliest);
            return;
        }
        let Some(sent) = self.send_update(cx, Extent::Changes) else { return };
        if sent == Extent::Full {
            self.set_next_periodic(cx);
        }
        self.last_update = Some(now);
    }

    /// Requests a triggered update at `at` for the entry of `dst`, in place of an earlier request.
    pub(super) fn trigger(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, at: Time) {
        let timer = cx.set_timer(at, TRIGGERED, dst);
        if let Some(before) = self.table.set_trigger(dst, Some(Trigger { at, timer })) {
            cx.cancel_timer(before.timer);
        }
    }

    /// A neighbor considers this node lost: sends a full update at once.
    pub(super) fn contradict(&mut self, cx: &mut RouteCtx<'_>) {
        self.set_periodic(cx, Span::ZERO);
    }

    /// Cancels requests before `at`: the update at that time contains their changes.
    fn cancel_triggers_before(&mut self, cx: &mut RouteCtx<'_>, at: Time) {
        self.table.withdraw_triggers_before(at, |timer| cx.cancel_timer(timer));
    }

    fn set_next_periodic(&mut self, cx: &mut RouteCtx<'_>) {
        let share = MIN_PERIOD + (1.0 - MIN_PERIOD) * self.jitter.unit();
        self.set_periodic(cx, Span::from_secs(self.config.update_period.secs() * share));
    }

    fn set_periodic(&mut self, cx: &mut RouteCtx<'_>, wait: Span) {
        let timer = cx.set_timer(cx.now() + wait, PERIODIC, self.node);
        if let Some(before) = self.periodic.replace(timer) {
            cx.cancel_timer(before);
        }
    }

    /// Broadcasts an update. Returns its extent, or `None` if there was nothing to send.
    fn send_update(&mut self, cx: &mut RouteCtx<'_>, wanted: Extent) -> Option<Extent> {
        let now = cx.now();
        let changes = self.table.due(now);
        let is_much = changes > MANY && changes * MANY_OF > self.table.known();
        let extent = if is_much { Extent::Full } else { wanted };
        if extent == Extent::Full {
            self.raise_seq();
        }
        let update = Update(self.adverts(now, extent));
        if update.0.is_empty() {
            return None;
        }
        let bytes = update.bytes();
        let packet = cx.originate(update, NodeId::BROADCAST, bytes, TTL);
        let delay = self.draw_jitter();
        cx.send_after(packet, NodeId::BROADCAST, delay);
        Some(extent)
    }

    /// A full update has a new, even number of this node, and of the hosts whose gateway it is.
    fn raise_seq(&mut self) {
        self.seq += 2;
        self.table.set_seq(self.node, self.seq);
        for &host in &self.hosts {
            self.table.set_seq(host, self.seq);
        }
    }

    fn adverts(&mut self, now: Time, extent: Extent) -> Vec<Advert> {
        let advertise = |entry: &mut Entry| {
            entry.note_advertised(extent == Extent::Full);
            Advert { dst: entry.dst, hops: entry.hops(), seq: entry.seq() }
        };
        self.table.advertise(now, extent == Extent::Changes, advertise)
    }
}
