//! Updates: when they are sent, and what is in them.

use super::message::{Advert, Update};
use super::table::{Entry, Trigger};
use super::{Dsdv, PERIODIC, RouteCtx, RouteOut, TRIGGERED, TTL};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Control, NewPacket, Payload};

/// How much of the table an update tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Everything that has settled.
    Full,
    /// Only news.
    News,
}

/// The first update comes within this time (ns-2: DSDV_STARTUP_JITTER).
const START_JITTER: Span = Span::from_millis(2_000);
/// Broadcasts are spread over this time (ns-2: DSDV_BROADCAST_JITTER).
const JITTER: Span = Span::from_millis(10);
/// Triggered updates are at least this far apart, and from the last periodic one (ns-2: DSDV_MIN_TUP_PERIOD).
const SPACING: Span = Span::from_millis(1_000);
/// Least part of the update period that lies between two periodic updates.
const LEAST_PERIOD: f64 = 0.75;
/// More changes than this, and than one part in `MANY_PARTS` of the table, make a triggered update a full one.
const MANY: usize = 3;
const MANY_PARTS: usize = 3;

impl Dsdv {
    /// The run begins: the first update is soon due.
    pub(super) fn start_updates(&mut self, cx: &mut RouteCtx<'_>) {
        let wait = self.draw(START_JITTER);
        self.set_periodic(cx, wait);
    }

    /// Time for a full update.
    pub(super) fn on_periodic(&mut self, cx: &mut RouteCtx<'_>) {
        self.periodic = None;
        self.send_update(cx, Extent::Full);
        self.set_next_periodic(cx);
        // It serves for whatever a triggered update was to tell.
        self.last_update = Some(cx.ctx.now);
    }

    /// Time for the triggered update that the entry of `dst` has asked for.
    pub(super) fn on_triggered(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let now = cx.ctx.now;
        self.table.set_trigger(dst, None);
        let earliest = self.last_update.map_or(now, |last| last + SPACING);
        if now < earliest {
            self.trigger(cx, dst, earliest);
            self.cancel_triggers_before(cx, earliest);
            return;
        }
        let Some(sent) = self.send_update(cx, Extent::News) else { return };
        if sent == Extent::Full {
            self.set_next_periodic(cx);
        }
        self.last_update = Some(now);
    }

    /// The entry of `dst` wants an update at `at`, whatever it wanted before.
    pub(super) fn trigger(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, at: Time) {
        let timer = self.schedule(cx, at, TRIGGERED, dst);
        if let Some(before) = self.table.set_trigger(dst, Some(Trigger { at, timer })) {
            cx.ctx.events.cancel(before.timer);
        }
    }

    /// Somebody believes this node lost: it says at once that it is not.
    pub(super) fn contradict(&mut self, cx: &mut RouteCtx<'_>) {
        self.set_periodic(cx, Span::ZERO);
    }

    /// What these would tell, the update at `at` tells too.
    fn cancel_triggers_before(&mut self, cx: &mut RouteCtx<'_>, at: Time) {
        self.table.withdraw_triggers_before(at, |timer| cx.ctx.events.cancel(timer));
    }

    fn set_next_periodic(&mut self, cx: &mut RouteCtx<'_>) {
        let share = LEAST_PERIOD + (1.0 - LEAST_PERIOD) * self.jitter.unit();
        self.set_periodic(cx, Span::from_secs(self.constants.update_period.secs() * share));
    }

    fn set_periodic(&mut self, cx: &mut RouteCtx<'_>, wait: Span) {
        let timer = self.schedule(cx, cx.ctx.now + wait, PERIODIC, self.node);
        if let Some(before) = self.periodic.replace(timer) {
            cx.ctx.events.cancel(before);
        }
    }

    /// Broadcasts an update, a full one if there is much news; which it was, or none if there is nothing to tell.
    fn send_update(&mut self, cx: &mut RouteCtx<'_>, wanted: Extent) -> Option<Extent> {
        let now = cx.ctx.now;
        let news = self.table.due(now);
        let is_much = news > MANY && news * MANY_PARTS > self.table.known();
        let extent = if is_much { Extent::Full } else { wanted };
        if extent == Extent::Full {
            self.raise_seq();
        }
        let update = Update(self.adverts(now, extent));
        if update.0.is_empty() {
            return None;
        }
        let packet = cx.ctx.originate(
            NewPacket {
                flow: FlowId::NONE,
                src: self.node,
                dst: NodeId::BROADCAST,
                bytes: update.bytes(),
                payload: Payload::Control(Control::new(update)),
            },
            TTL,
        );
        let delay = self.draw(JITTER);
        cx.out.push(RouteOut::Send { packet, next_hop: NodeId::BROADCAST, delay });
        Some(extent)
    }

    /// A full update carries a new number of this node, even as all numbers that a node gives itself.
    fn raise_seq(&mut self) {
        self.seq += 2;
        self.table.set_seq(self.node, self.seq);
    }

    fn adverts(&mut self, now: Time, extent: Extent) -> Vec<Advert> {
        let tell = |entry: &mut Entry| {
            entry.tell(extent == Extent::Full);
            Advert { dst: entry.dst, hops: entry.hops(), seq: entry.seq() }
        };
        self.table.tell(now, extent == Extent::News, tell)
    }

    /// A random part of `most`.
    pub(super) fn draw(&mut self, most: Span) -> Span {
        Span::from_secs(most.secs() * self.jitter.unit())
    }

    /// A random part of the time over which broadcasts are spread.
    pub(super) fn draw_jitter(&mut self) -> Span {
        self.draw(JITTER)
    }
}
