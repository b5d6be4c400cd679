//! PHY indications to MACs: signal starts and ends, NAV expiry, and switched radios.

use super::run::World;
use crate::kernel::{AnyRun, NodeId, RadioId, RunKind, Time};
use crate::mac::Mac;
use crate::measure::{AccountProbe, Measures};
use crate::phy::{
    ArrivalProbe, Compiled, Cumulative, Detection, Edge, Impaired, NoProbe, Ofdm, Pairwise, PhyIndication, Reception,
    ReceptionKind, Switched,
};
use crate::sim::PhyTimer;
use crate::trace::{Loss, What};

/// Whether the airtime of nodes is accounted for: chosen once per event, and compiled into the arrival path.
trait Accounting {
    /// What the arrival path shows radios to.
    type Probe<'a>: ArrivalProbe;

    fn probe<'a>(measures: &'a mut Measures, macs: &'a [Mac]) -> Self::Probe<'a>;
}

/// No accounts.
struct Off;

/// Accounts of all nodes.
struct On;

impl Accounting for Off {
    type Probe<'a> = NoProbe;

    #[inline]
    fn probe<'a>(_: &'a mut Measures, _: &'a [Mac]) -> NoProbe {
        NoProbe
    }
}

impl Accounting for On {
    type Probe<'a> = AccountProbe<'a>;

    #[inline]
    fn probe<'a>(measures: &'a mut Measures, macs: &'a [Mac]) -> AccountProbe<'a> {
        let accounts = measures.airtime.as_deref_mut().expect("airtime is accounted for");
        AccountProbe { accounts, macs, collisions: &mut measures.collisions }
    }
}

impl World {
    /// Switches the radios of a node. Its MACs and the layers above continue, and notice by themselves.
    pub(super) fn switch(&mut self, node: NodeId, is_on: bool) {
        self.ctx.note(node, What::Switched { is_on });
        for radio in self.ctx.radios.of(node) {
            self.switch_radio(radio, is_on);
        }
    }

    fn switch_radio(&mut self, radio: RadioId, is_on: bool) {
        self.before_change(radio);
        let switched = self.medium.switch(self.ctx.now, radio, is_on);
        let (mac, mut cx) = self.mac(radio);
        match switched {
            Switched::Released(frame) => mac.on_frame_end(&mut cx, &frame, Reception::Transmitting),
            Switched::Idle => mac.on_idle(&mut cx),
            Switched::Busy if cx.medium.radio_mut(radio).on_carrier(cx.ctx.now) => mac.on_busy(&mut cx),
            Switched::Busy | Switched::Unnoticed => {}
        }
        self.carry_up::<AnyRun>(radio);
    }

    /// Delivers a signal start or end to the receivers of a frame. Reception model and accounting are selected here, once per
    /// event: the path is the same code, compiled for each case.
    #[inline]
    pub(super) fn pass_signal<E: Edge, R: RunKind>(&mut self, id: u32, until: Time) {
        let is_usual = self.measures.airtime.is_none() && self.medium.reception() == ReceptionKind::Pairwise;
        if R::IS_PLAIN || is_usual {
            self.pass::<E, Pairwise, Off, R>(id, until);
        } else {
            self.pass_apart::<E>(id, until);
        }
    }

    /// The less frequent cases, apart from the code of the first one.
    #[inline(never)]
    fn pass_apart<E: Edge>(&mut self, id: u32, until: Time) {
        match (self.medium.reception(), self.measures.airtime.is_some()) {
            (ReceptionKind::Pairwise, true) => self.pass::<E, Pairwise, On, AnyRun>(id, until),
            (ReceptionKind::Pairwise, false) => self.pass::<E, Pairwise, Off, AnyRun>(id, until),
            (ReceptionKind::Impaired, true) => self.pass::<E, Impaired, On, AnyRun>(id, until),
            (ReceptionKind::Impaired, false) => self.pass::<E, Impaired, Off, AnyRun>(id, until),
            (ReceptionKind::Cumulative, true) => self.pass::<E, Cumulative, On, AnyRun>(id, until),
            (ReceptionKind::Cumulative, false) => self.pass::<E, Cumulative, Off, AnyRun>(id, until),
            (ReceptionKind::Ofdm, true) => self.pass::<E, Ofdm, On, AnyRun>(id, until),
            (ReceptionKind::Ofdm, false) => self.pass::<E, Ofdm, Off, AnyRun>(id, until),
        }
    }

    /// The windows of an OFDM frame end, in which receivers detect it.
    #[inline(never)]
    pub(super) fn pass_detection(&mut self, id: u32, until: Time) {
        if self.measures.airtime.is_some() {
            self.pass::<Detection, Ofdm, On, AnyRun>(id, until);
        } else {
            self.pass::<Detection, Ofdm, Off, AnyRun>(id, until);
        }
    }

    #[expect(clippy::inline_always, reason = "one frequent caller, whose passage stays in registers")]
    #[inline(always)]
    fn pass<E: Edge, M: Compiled, A: Accounting, R: RunKind>(&mut self, id: u32, until: Time) {
        let mut passage = self.medium.begin_passage::<E>(id, until);
        loop {
            let found = {
                let mut probe = A::probe(&mut self.measures, &self.macs);
                self.medium.advance::<E, M, _>(&mut self.ctx, &mut passage, &mut probe)
            };
            if A::Probe::RECORDS {
                self.log_collisions();
            }
            let Some((radio, indication)) = found else { break };
            let before = self.medium.radio(radio).nav_until;
            self.indicate::<R>(radio, indication, passage.transmission());
            if A::Probe::RECORDS && is_unreadable(indication) {
                self.on_unreadable(radio, before);
            }
        }
        self.events.handled += passage.turns();
    }

    /// Writes the frames that have collided into the log, if there is one.
    fn log_collisions(&mut self) {
        for (time, radio, kind, from) in self.measures.collisions.found.drain(..) {
            if let Some(log) = self.ctx.trace.log_mut() {
                log.frame_collided(time, radio, kind, from);
            }
        }
    }

    /// Calls the stations on a list at which the NAV that a frame has set expires.
    pub(super) fn expire_nav<R: RunKind>(&mut self, id: u32, timer: PhyTimer, until: Time) {
        while let Some(radio) = self.medium.expire_nav(&mut self.ctx, id, timer, until) {
            let (mac, mut cx) = self.mac_in::<R>(radio);
            mac.on_nav_expired(&mut cx);
            self.carry_up::<R>(radio);
        }
    }

    /// Calls the MAC of a radio: the signal of this transmission has started or ended there.
    fn indicate<R: RunKind>(&mut self, radio: RadioId, indication: PhyIndication, transmission: u32) {
        if let PhyIndication::Missed { has_collided, .. } = indication {
            let frame = self.medium.frame(transmission);
            let loss = if has_collided { Loss::Collision } else { Loss::Busy };
            self.ctx.trace.frame_lost::<R>(self.ctx.now, radio, frame.kind, frame.ta, loss);
        }
        let (mac, mut cx) = self.mac_in::<R>(radio);
        match indication {
            PhyIndication::Idle | PhyIndication::Missed { is_idle: true, .. } => mac.on_idle(&mut cx),
            PhyIndication::Busy => mac.on_busy(&mut cx),
            PhyIndication::Suppressed => {
                let frame = cx.medium.frame(transmission);
                mac.on_capture(&mut cx, &frame);
            }
            PhyIndication::RxEnd(reception) => {
                let frame = cx.medium.frame(transmission);
                mac.on_frame_end(&mut cx, &frame, reception);
                self.carry_up::<R>(radio);
            }
            PhyIndication::Missed { is_idle: false, .. } => {}
        }
    }
}

/// Whether an indication is that of a frame that is not decoded.
fn is_unreadable(indication: PhyIndication) -> bool {
    match indication {
        PhyIndication::Suppressed => true,
        PhyIndication::RxEnd(reception) => reception != Reception::Clean,
        PhyIndication::Busy | PhyIndication::Idle | PhyIndication::Missed { .. } => false,
    }
}
