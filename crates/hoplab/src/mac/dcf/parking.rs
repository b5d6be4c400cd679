//! Parking: a data packet in service that does not contend, because a neighbor is congested; and what the station does
//! at the turns of an exchange that a handshake policy decides.
//!
//! A parked packet has left the service: neither backoff nor gap runs for it, and parking leaves window and retry counters
//! as they are. Meanwhile the station answers requests, and serves control packets, which use the same window and
//! counters. Contending again begins with a fresh draw.

use super::station::{Mac, Service, TxState};
use crate::kernel::{NodeId, Time, TimerId};
use crate::mac::handshake::{Decision, HandshakePolicy, Own};
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Backlog, Frame, FrameKind};
use crate::sim::MacTimer;
use crate::trace::Step;

/// A data packet that does not contend for now.
#[derive(Debug)]
pub(super) struct Parked {
    pub(super) service: Service,
    /// When it is looked at again. None: it may contend as soon as the control packet in service is done with.
    timer: Option<TimerId>,
}

impl Mac {
    /// What the station has to send itself.
    pub(super) fn own(&self) -> Own {
        let data = self.service.as_ref().filter(|service| !service.is_control);
        let parked = self.parked.as_ref().map(|parked| &parked.service);
        let is_contending = self.rts.is_some() || self.service.as_ref().is_some_and(|service| !service.uses_rts);
        Own {
            data: data.or(parked).map(|service| service.frame.ra),
            is_parked: parked.is_some(),
            control: self.service.as_ref().filter(|service| service.is_control).map(|service| service.frame.ra),
            is_contending,
        }
    }

    /// Whether the MAC holds a data packet, in service or parked.
    pub fn holds_data(&self) -> bool {
        self.parked.is_some() || self.service.as_ref().is_some_and(|service| !service.is_control)
    }

    /// Whether the MAC wants to know what waits above it.
    pub fn wants_backlog(&self) -> bool {
        !self.handshake.is_plain()
    }

    /// Whether the MAC can take a control packet, and no other.
    pub fn is_parked(&self) -> bool {
        self.parked.is_some() && self.service.is_none()
    }

    /// Contention window and short retry counter.
    #[cfg(test)]
    pub(crate) fn retry_state(&self) -> (u32, u32) {
        (self.cw, self.ssrc)
    }

    /// Whether slots remain to be counted.
    #[cfg(test)]
    pub(crate) fn has_backoff(&self) -> bool {
        self.backoff.is_on()
    }

    /// What waits above the MAC, as of now. The node's own congestion follows from it and from what the MAC holds.
    pub fn set_backlog(&mut self, backlog: Backlog) {
        self.handshake.on_backlog(backlog);
    }

    /// Counts and records that the node has become congested, or is so no longer.
    pub fn note_congestion(&mut self, cx: &mut MacCtx<'_>) {
        let is_congested = self.handshake.is_congested(&self.own());
        if is_congested != self.was_congested {
            self.was_congested = is_congested;
            cx.ctx.step(self.node, if is_congested { Step::Congested } else { Step::Uncongested }, self.node);
        }
    }

    /// Asks the policy whether the data packet in service contends; parks it if not. Whether it was parked.
    pub(super) fn parks(&mut self, cx: &mut MacCtx<'_>, is_first: bool) -> bool {
        if self.handshake.is_plain() || self.service.as_ref().is_none_or(|service| service.is_control) {
            return false;
        }
        let own = self.own();
        match self.handshake.decide(cx.ctx.now, &own, is_first) {
            Decision::Contend => false,
            Decision::Park { until } => {
                self.park(cx, until);
                true
            }
        }
    }

    fn park(&mut self, cx: &mut MacCtx<'_>, until: Time) {
        let Some(service) = self.service.take() else { return };
        self.observers.on_contending(cx.ctx.now, false);
        self.rts = None;
        self.backoff.cancel(cx.ctx);
        if self.response.is_none() {
            self.stop_sifs(cx);
        }
        let timer = cx.ctx.events.schedule(until, self.event(MacTimer::Park));
        self.parked = Some(Parked { service, timer: Some(timer) });
        cx.ctx.step(self.node, Step::Parked, service.frame.ra);
        self.watch(cx);
    }

    /// Tells the layer above that a control packet may come, unless the station is in the middle of an answer: then it
    /// is told when that is over.
    pub(super) fn offer(&mut self, cx: &mut MacCtx<'_>) {
        let is_free = self.response.is_none() && self.response_timer.is_none();
        if is_free && self.service.is_none() && self.owes_ready {
            self.owes_ready = false;
            cx.out.push(MacOut::Parked);
        }
    }

    /// The time has come to look at the parked packet.
    pub(super) fn on_park_over(&mut self, cx: &mut MacCtx<'_>) {
        let own = self.own();
        let decision = self.handshake.decide(cx.ctx.now, &own, false);
        let event = self.event(MacTimer::Park);
        let Some(parked) = &mut self.parked else { return };
        parked.timer = None;
        match decision {
            Decision::Park { until } => parked.timer = Some(cx.ctx.events.schedule(until, event)),
            Decision::Contend => self.unpark(cx),
        }
    }

    /// Lets the parked packet contend: now, or after the control packet in service.
    pub(super) fn unpark(&mut self, cx: &mut MacCtx<'_>) {
        self.unblock(cx);
        if self.service.is_some() {
            return;
        }
        self.take_up_parked(cx);
        if self.response.is_none() && self.response_timer.is_none() {
            self.draw_if_off(cx);
        }
    }

    fn unblock(&mut self, cx: &mut MacCtx<'_>) {
        if let Some(parked) = &mut self.parked {
            if let Some(timer) = parked.timer.take() {
                cx.ctx.events.cancel(timer);
            }
            self.handshake.on_unparked();
        }
    }

    /// Takes a packet that may contend again back into service, if nothing else is there.
    pub(super) fn take_up_parked(&mut self, cx: &mut MacCtx<'_>) {
        if self.service.is_some() || self.parked.as_ref().is_none_or(|parked| parked.timer.is_some()) {
            return;
        }
        let Some(parked) = self.parked.take() else { return };
        cx.ctx.step(self.node, Step::Unparked, parked.service.frame.ra);
        self.observers.on_contending(cx.ctx.now, true);
        self.service = Some(parked.service);
        self.rts = Some(self.new_rts());
        // A backoff that runs is what a control packet has left behind.
        self.backoff.cancel(cx.ctx);
        self.watch(cx);
        if !self.owes_ready {
            self.owes_ready = true;
            cx.out.push(MacOut::Unparked);
        }
    }

    /// Sends what the station has itself in place of an answer to `refused`, SIFS after its request.
    pub(super) fn reuse(&mut self, cx: &mut MacCtx<'_>, refused: NodeId) {
        self.response = None;
        if self.service.is_none() && self.parked.is_some() {
            self.unblock(cx);
            self.take_up_parked(cx);
            self.ssrc += u32::from(self.handshake.counts_reuse());
        }
        self.backoff.cancel(cx.ctx);
        self.watch(cx);
        cx.ctx.step(self.node, Step::Reused, refused);
        self.request_or_send(cx);
    }

    /// A frame was read by a station whose handshake wants to know.
    pub(super) fn overhear(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let is_clear = self.handshake.on_frame(cx.ctx.now, frame);
        if frame.kind == FrameKind::Rts && self.is_refused_by(frame) {
            self.on_refused(cx, frame.ta);
        } else if is_clear && self.parked.as_ref().is_some_and(|parked| parked.timer.is_some()) {
            let own = self.own();
            if self.handshake.may_unpark(cx.ctx.now, &own) {
                self.unpark(cx);
            }
        }
    }

    fn is_refused_by(&self, rts: &Frame) -> bool {
        self.state == TxState::Rts
            && self.rts.is_some_and(|own| own.ra == rts.ta)
            && self.service.as_ref().is_some_and(|service| !service.is_control)
            && self.handshake.is_refusal(rts)
    }

    /// The neighbor whose CTS was awaited sends a request of its own instead: no failure, but a reason to wait.
    fn on_refused(&mut self, cx: &mut MacCtx<'_>, by: NodeId) {
        cx.ctx.step(self.node, Step::Refused, by);
        self.stop_timers(cx);
        let until = self.handshake.on_refused(cx.ctx.now, by);
        self.park(cx, until);
        self.resume(cx);
    }

    /// The exchange that this station has granted is over.
    pub(super) fn on_grant_over(&mut self, cx: &mut MacCtx<'_>, to: NodeId, has_come: bool) {
        if self.handshake.is_plain() {
            return;
        }
        let own = self.own();
        let is_due = self.handshake.on_grant_over(cx.ctx.now, to, has_come, &own);
        if is_due && self.parked.is_some() {
            // The caller resumes, which draws.
            self.unblock(cx);
        }
    }
}
