//! DCF, calls of the handshake policy: whether data contend or are parked, and what an overheard frame changes.
//!
//! A parked packet has left the service: neither backoff nor SIFS runs for it, and parking leaves CW and retry counters as
//! they are. Meanwhile the station responds to RTSs, and serves control packets, which use the same CW and counters.
//! When it contends again, the backoff is drawn anew. Cai 2013, Algorithms 1 and 2; `docs/protocols/semi_tcp.md`.
//!
//! With aggregation, a parked packet stands for its window: control packets are sent outside of windows then. With access
//! categories each function parks a packet of its own.

use super::state::{SentFrame, Service, data_packets};
use super::station::Mac;
use crate::kernel::{RadioId, Time};
use crate::mac::handshake::{Decision, Handshake, HandshakePolicy, LocalState, Taken, Turn};
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Backlog, Category, Frame, FrameKind, PacketId};
use crate::trace::Step;

impl Mac {
    /// What the station has to send itself; with access categories, in the selected one.
    pub(super) fn local_state(&self) -> LocalState {
        let data = self.outgoing.data().or(self.parking.service());
        LocalState {
            data: data.map(|service| service.frame.ra),
            is_parked: self.parking.is_parked(),
            control: self.outgoing.control().map(|service| service.frame.ra),
            is_contending: self.outgoing.service.as_ref().is_some_and(Service::contends),
            packets: self.data_packets(),
            turn: self.turn.packets(),
            category: self.selected().unwrap_or_default(),
        }
    }

    /// Data packets in service, parked, and in windows, of all access categories.
    pub fn data_packets(&self) -> u32 {
        let originator = self.aggregation.as_ref().map(|aggregation| &aggregation.originator);
        let is_windowed = |service: &Service| self.is_windowed(service);
        let others = self.functions.as_ref().map_or(0, |functions| functions.data_packets(is_windowed));
        data_packets(&self.outgoing, &self.parking, originator, is_windowed) + others
    }

    /// Whether the MAC holds a data packet, in service or parked.
    pub fn holds_data(&self) -> bool {
        let has_own = self.parking.is_parked() || self.outgoing.data().is_some();
        has_own || self.functions.as_ref().is_some_and(|functions| functions.has_data())
    }

    /// Its handshake policy.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// What one grant lets through.
    pub fn turn(&self) -> &Turn {
        &self.turn
    }

    /// One grant lets this through from now on.
    pub fn limit_turns(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// Whether the MAC needs the queue lengths above it.
    pub fn wants_backlog(&self) -> bool {
        !self.handshake.is_plain()
    }

    /// Whether the MAC can take a control packet, and no other.
    pub fn is_parked(&self) -> bool {
        self.parking.is_parked() && self.outgoing.service.is_none()
    }

    /// The same of a category.
    pub fn is_parked_in(&mut self, category: Category) -> bool {
        let other = self.functions.as_mut().and_then(|functions| functions.other_mut(category));
        match other {
            Some(function) => function.parking.is_parked() && function.outgoing.service.is_none(),
            None => self.is_parked(),
        }
    }

    /// Contention window and short retry counter.
    #[cfg(test)]
    pub(crate) fn retry_state(&self) -> (u32, u32) {
        (self.access.cw(), self.outgoing.retries.short())
    }

    /// Whether slots remain to be counted.
    #[cfg(test)]
    pub(crate) fn has_backoff(&self) -> bool {
        self.access.backoff.is_pending()
    }

    /// Queue lengths above the MAC, as of now. The node's own congestion follows from them and from what the MAC holds.
    pub fn set_backlog(&mut self, backlog: Backlog) {
        self.handshake.on_backlog(backlog);
    }

    /// Counts and records that the node has become congested, or is so no longer.
    pub fn note_congestion(&mut self, cx: &mut MacCtx<'_>) {
        let is_congested = self.handshake.is_congested(&self.local_state());
        if is_congested != self.was_congested {
            self.was_congested = is_congested;
            cx.ctx.step(self.radio, if is_congested { Step::Congested } else { Step::Uncongested }, self.radio);
        }
    }

    /// Asks the policy whether the data packet in service contends, and parks it if not. Returns whether it is parked.
    pub(super) fn parks(&mut self, cx: &mut MacCtx<'_>, is_first: bool) -> bool {
        if self.handshake.is_plain() || self.outgoing.data().is_none() {
            return false;
        }
        let local = self.local_state();
        match self.handshake.decide(cx.ctx.now, &local, is_first) {
            Decision::Contend => false,
            Decision::Park { until } => {
                self.park(cx, until);
                true
            }
        }
    }

    /// The hops that are left for the packet that comes down next, as routing counts them.
    pub fn set_hops_left(&mut self, hops: Option<u16>) {
        self.hops_left = hops;
    }

    /// Calls `put` for each next hop whose packets would be parked now. Returns whether a parked packet makes way for others.
    pub fn withheld(&mut self, now: Time, put: &mut dyn FnMut(RadioId)) -> bool {
        self.handshake.withheld(now, put);
        let has_arrived = self.parking.service().is_some_and(|service| service.reached_next_hop);
        self.handshake.swaps() && self.aggregation.is_none() && self.functions.is_none() && !has_arrived
    }

    /// The station takes a packet: one that is parked makes way for data.
    #[cold]
    pub(super) fn note_taken(&mut self, cx: &mut MacCtx<'_>, packet: PacketId, is_control: bool) {
        let hops_left = self.hops_left.take();
        if is_control {
            return;
        }
        if let Some(parked) = self.parking.withdraw(cx.ctx) {
            cx.ctx.step(self.radio, Step::Unparked, parked.frame.ra);
            cx.out.push(MacOut::Returned { packet: parked.packet });
        }
        let taken = cx.ctx.packet(packet);
        let (next, dst) = (taken.hop.next, cx.ctx.radios.first(taken.dst));
        let is_own = taken.origin() == cx.ctx.radios.owner(self.radio);
        let (bytes, category) = (taken.bytes, taken.category);
        self.handshake.on_taken(&Taken { next, dst, bytes, is_own, hops_left, category });
    }

    fn park(&mut self, cx: &mut MacCtx<'_>, until: Time) {
        let Some(service) = self.outgoing.service.take() else { return };
        debug_assert!(
            !self.exchange.is_in_sifs() || self.exchange.owes_response() || self.txop.goes_on(),
            "data are not parked after their grant"
        );
        self.note_service(cx.ctx.now, false);
        self.access.backoff.cancel(cx.ctx);
        self.parking.park(cx.ctx, self.radio, service, until);
        cx.ctx.step(self.radio, Step::Parked, service.frame.ra);
        self.update_cca_reporting(cx);
    }

    /// Reports to the layer above that the MAC can take a control packet. While the station responds, [`Mac::resume`] does so
    /// later.
    pub(super) fn offer(&mut self, cx: &mut MacCtx<'_>) {
        if self.exchange.is_open() && self.outgoing.service.is_none() && self.outgoing.owes_ready {
            self.outgoing.owes_ready = false;
            cx.out.push(self.parked());
        }
    }

    /// The parked packet of a category is reconsidered; without categories, of best effort.
    pub(super) fn on_park_over(&mut self, cx: &mut MacCtx<'_>, category: Category) {
        let holder = self.selected();
        self.select(category);
        self.reconsider(cx);
        self.select(holder.unwrap_or(category));
    }

    fn reconsider(&mut self, cx: &mut MacCtx<'_>) {
        let local = self.local_state();
        let decision = self.handshake.decide(cx.ctx.now, &local, false);
        self.parking.on_timer();
        match decision {
            Decision::Park { until } => {
                self.parking.park_again(cx.ctx, self.radio, until);
                self.offer_again(cx);
            }
            Decision::Contend => self.unpark(cx),
        }
    }

    /// The packet stays parked: another one may take its place, whose next hop was withheld as well.
    fn offer_again(&mut self, cx: &mut MacCtx<'_>) {
        let is_idle = self.exchange.is_open() && self.outgoing.service.is_none() && !self.outgoing.owes_ready;
        if is_idle && self.handshake.swaps() {
            cx.out.push(self.parked());
        }
    }

    /// Lets the parked packet contend: now, or after the control packet in service.
    fn unpark(&mut self, cx: &mut MacCtx<'_>) {
        self.release_parked(cx);
        if self.outgoing.service.is_some() {
            return;
        }
        self.take_up_parked(cx);
        // Between the exchanges of a burst it is next, without a backoff.
        if self.exchange.is_open() && !self.txop.goes_on() {
            self.draw_if_off(cx);
        }
    }

    fn release_parked(&mut self, cx: &mut MacCtx<'_>) {
        if self.parking.release(cx.ctx) {
            self.handshake.on_unparked();
        }
    }

    /// Returns the parked packets that are due to the services of their functions.
    pub(super) fn take_up_due(&mut self, cx: &mut MacCtx<'_>) {
        self.take_up_parked(cx);
        if self.functions.as_ref().is_some_and(|functions| functions.has_due()) {
            self.each_function(cx, Mac::take_up_parked);
        }
    }

    /// Returns a parked packet that is due to the service, unless another one is there.
    fn take_up_parked(&mut self, cx: &mut MacCtx<'_>) {
        if self.outgoing.service.is_some() {
            return;
        }
        let Some(parked) = self.parking.take_due() else { return };
        cx.ctx.step(self.radio, Step::Unparked, parked.frame.ra);
        self.note_service(cx.ctx.now, true);
        self.outgoing.service = Some(Service { next: parked.first(), ..parked });
        // A pending backoff belongs to a control packet that was sent before.
        self.access.backoff.cancel(cx.ctx);
        self.update_cca_reporting(cx);
        if !self.outgoing.owes_ready {
            self.outgoing.owes_ready = true;
            cx.out.push(self.selected().map_or(MacOut::Unparked, |category| MacOut::UnparkedFor { category }));
        }
    }

    /// Selects the function whose packet refuses a neighbor's: that of the highest priority that has data.
    pub(super) fn select_own(&mut self) {
        let has_own = |mac: &Mac| mac.outgoing.data().is_some() || mac.parking.is_parked();
        let Some(holder) = self.selected() else { return };
        for category in Category::ALL.into_iter().rev() {
            self.select(category);
            if has_own(self) {
                return;
            }
        }
        self.select(holder);
    }

    /// Whether the own frame that would refuse a neighbor's is an RTS: a request for a Block Ack refuses nothing.
    pub(super) fn can_refuse(&mut self) -> bool {
        let is_windowed = self.parking.service().is_some() || self.has_window();
        self.aggregation.is_none() || !is_windowed || !self.originator().owes_request()
    }

    /// Sends a frame of this station in place of a response to the RTS of `refused`, SIFS after it.
    pub(super) fn refuse_by_own(&mut self, cx: &mut MacCtx<'_>, refused: RadioId) {
        if self.is_parked() {
            self.release_parked(cx);
            self.take_up_parked(cx);
            if self.handshake.counts_refusal() {
                self.outgoing.retries.add_short();
            }
        }
        self.access.backoff.cancel(cx.ctx);
        self.update_cca_reporting(cx);
        cx.ctx.step(self.radio, Step::Reused, refused);
        self.begin_txop(cx.ctx.now);
        if self.has_window() {
            self.take_turn(cx);
        } else {
            self.send_next(cx);
        }
    }

    /// A station whose policy is not plain has decoded a frame.
    pub(super) fn on_decoded(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let is_clear = self.handshake.on_frame(cx.ctx.now, frame);
        if frame.kind == FrameKind::Rts && self.is_refused_by(frame) {
            self.on_refused(cx, frame.ta);
        } else if is_clear {
            self.each_function(cx, Mac::reconsider_early);
        }
    }

    /// A neighbor's congestion is over: the parked packet may contend again.
    fn reconsider_early(&mut self, cx: &mut MacCtx<'_>) {
        if !self.parking.is_waiting() {
            return;
        }
        let local = self.local_state();
        if self.handshake.may_unpark(cx.ctx.now, &local) {
            self.unpark(cx);
        } else if let Some(until) = self.handshake.parked_until(cx.ctx.now, &local) {
            self.parking.release(cx.ctx);
            self.parking.park_again(cx.ctx, self.radio, until);
        }
    }

    fn is_refused_by(&self, rts: &Frame) -> bool {
        self.exchange.sent() == Some(SentFrame::Rts)
            && self.outgoing.data().is_some_and(|service| service.frame.ra == rts.ta)
            && self.handshake.is_refusal(rts)
    }

    /// The neighbor whose CTS was awaited sends an RTS of its own instead: no failure, but a reason to defer.
    fn on_refused(&mut self, cx: &mut MacCtx<'_>, by: RadioId) {
        cx.ctx.step(self.radio, Step::Refused, by);
        self.exchange.stop(cx.ctx);
        let until = self.handshake.on_refused(cx.ctx.now, by, &self.local_state());
        self.park(cx, until);
        self.resume(cx);
    }

    /// The exchange that this station has granted `to` is over; `is_received`: its data have arrived.
    pub(super) fn on_grant_over(&mut self, cx: &mut MacCtx<'_>, to: RadioId, is_received: bool) {
        if self.handshake.is_plain() {
            return;
        }
        let local = self.local_state();
        if self.handshake.on_grant_over(cx.ctx.now, to, is_received, &local) {
            // The caller resumes, which draws.
            self.each_function(cx, Mac::release_parked);
        }
    }
}
