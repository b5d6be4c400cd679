//! Semi-TCP's exchange: RTS and CTS signal congestion, and a congested node refuses RTSs.
//!
//! # Model
//! A node is congested while it holds `t_c + m` packets (other thresholds: `congested_at`). Its RTSs then carry the Order
//! bit (RTSC). A node that decodes one parks its packet until that neighbor has sent `k` data frames, or a time has passed
//! (Cai 2013, Algorithm 1).
//! A congested node responds to an RTS by one of its own, which refuses and releases. Two congested nodes whose first packets
//! are for each other would deadlock: one of them sends a CTS with the Order bit (CTSC), once until that is repaid
//! (Algorithm 2). Where RTS and CTS are not used, data and ACK can carry the bit (`signal_in`).
//!
//! # Source
//! Cai, Jiang, Guan, Yu 2013, sections 3.2 to 3.4; where the paper leaves a rule open, the program that the first author
//! published in 2013.
//!
//! # Deviations
//! See `docs/protocols/semi_tcp.md`, where the two presets are compared rule by rule.
//!
//! # Parameters
//! Table `[semi_tcp]`.

mod neighbors;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::{
    CongestedAt, CtscAttribution, DeferCheck, ForwardCount, NeighborTable, OnMonopoly, RefuseWhileParked, RefusedBy,
    Reserve, SemiTcpRules, SignalFrame, Signals, UrgentRts,
};

use super::policy::{Decision, HandshakePolicy, LocalState, RtsBits, RtsResponse};
use super::setup::{EngineHandshake, HandshakeSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::timing::Timing;
use crate::packet::{Backlog, Category, Frame, FrameKind, Urgency};
use neighbors::Neighbors;
use std::sync::Arc;

/// The policy at one node.
#[derive(Clone, Debug)]
pub struct SemiTcp {
    radio: RadioId,
    rules: SemiTcpRules,
    /// Time after which a neighbor's congestion is over: k exchanges.
    hold: Span,
    backlog: Backlog,
    neighbors: Neighbors,
    /// TA, RA and time of the last RTS that was decoded. Its RA sends the CTS that follows.
    last_rts: Option<(RadioId, RadioId, Time)>,
    /// TA, RA and time of the last unicast data frame that was decoded. Its RA sends the ACK that follows.
    last_data: Option<(RadioId, RadioId, Time)>,
    /// Longest time from the end of an RTS to the end of its CTS.
    cts_within: Span,
    /// Longest time from the end of data to the end of their ACK.
    ack_within: Span,
    /// The CTSC that is sent next breaks a deadlock.
    breaks_deadlock: bool,
    /// RA of the CTSC in the current exchange, where it breaks a deadlock.
    ctsc_for: Option<RadioId>,
    /// The packets in service, by access category.
    services: [Tries; Category::COUNT],
    /// Until when backoffs are drawn from a smaller CW.
    small_window_until: Time,
}

/// What the policy has decided about the packet in service.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    /// Times that it has been parked since its last RTS; parking it again counts.
    parks: u32,
    /// It contends once, regardless of the neighbor table.
    must_contend: bool,
}

impl SemiTcp {
    /// The policy of `node`, with an empty neighbor table. `exchange` is the length of an exchange, unless the rules give it.
    pub fn new(radio: RadioId, rules: SemiTcpRules, exchange: Span, timing: &Timing) -> SemiTcp {
        let hold = rules.exchange.unwrap_or(exchange) * u64::from(rules.k);
        let table = neighbors::Rules {
            is_global: rules.table == NeighborTable::Global,
            k: rules.k,
            hold,
            granted_ttl: rules.granted_ttl,
        };
        SemiTcp {
            radio,
            backlog: Backlog::default(),
            neighbors: Neighbors::new(table),
            last_rts: None,
            last_data: None,
            cts_within: timing.sifs + timing.cts + timing.round_trip,
            ack_within: timing.sifs + timing.ack + timing.round_trip,
            breaks_deadlock: false,
            ctsc_for: None,
            services: [Tries::default(); Category::COUNT],
            small_window_until: Time::ZERO,
            hold,
            rules,
        }
    }

    /// What the node holds, as far as it counts for packets from neighbors: N of rules 4 and 5, in turns.
    fn held(&self, local: &LocalState) -> u32 {
        let waiting = match self.rules.n_fwd_counts {
            ForwardCount::All => self.backlog.waiting + self.backlog.unresolved + self.backlog.coming,
            ForwardCount::IfqAndService => 0,
        };
        (self.backlog.queued() + self.backlog.elsewhere + waiting + local.packets).div_ceil(local.turn.max(1))
    }

    /// T_c + m.
    fn transit_limit(&self) -> u32 {
        self.rules.t_c.saturating_add(self.reserve(self.rules.m, self.rules.m_from))
    }

    fn reserve(&self, count: u32, from: Reserve) -> u32 {
        match from {
            Reserve::Fixed => count,
            Reserve::Neighbors => self.neighbors.len().max(count),
        }
    }

    /// Until when the packet in service is parked, if it is (Cai 2013, Algorithm 1).
    fn deferred_until(&self, now: Time, local: &LocalState) -> Option<Time> {
        let next_hop = local.data?;
        let by_next_hop = self.neighbors.congested_until(now, next_hop);
        if self.rules.defer_when_self_congested && by_next_hop.is_some() {
            return by_next_hop;
        }
        if self.is_congested(local) { None } else { self.neighbors.any_congested_until(now) }
    }

    /// Whether a plain CTS says that its sender is not congested.
    fn cts_clears(&self) -> bool {
        self.rules.rts_clears && self.rules.signals.cts
    }

    /// Whether a packet of a neighbor is refused: rule 4.
    fn refuses(&self, local: &LocalState) -> bool {
        let limit = match self.rules.congested_at {
            CongestedAt::TcPlusM | CongestedAt::TcAndM => self.transit_limit(),
            CongestedAt::Tc => self.rules.t_c,
        };
        self.held(local) >= limit
    }

    /// The sender of this CTS or ACK, which carries no TA.
    fn responder(&self, now: Time, response: &Frame) -> Option<RadioId> {
        match self.rules.ctsc_attribution {
            CtscAttribution::TaField if response.kind == FrameKind::Cts => Some(response.ta),
            CtscAttribution::Anonymous => None,
            CtscAttribution::InferElseAnonymous | CtscAttribution::TaField => {
                let is_cts = response.kind == FrameKind::Cts;
                let (from, to, at) = if is_cts { self.last_rts? } else { self.last_data? };
                let within = if is_cts { self.cts_within } else { self.ack_within };
                (from == response.ra && now <= at + within).then_some(to)
            }
        }
    }

    fn on_rts(&mut self, now: Time, rts: &Frame) -> bool {
        self.last_rts = Some((rts.ta, rts.ra, now));
        let is_urgent = rts.urgency != Urgency::None;
        if rts.order || (is_urgent && self.rules.urgent_rts_marks_congestion) {
            self.neighbors.mark(now, Some(rts.ta));
            false
        } else {
            let clears = self.rules.rts_clears && self.rules.signals.rts;
            !is_urgent && clears && self.neighbors.clear(now, rts.ta)
        }
    }

    fn on_cts(&mut self, now: Time, cts: &Frame) -> bool {
        // The response to the own RTS arrives by `on_granted`, with its sender.
        if cts.ra == self.radio {
            return false;
        }
        let granter = self.responder(now, cts);
        if cts.order {
            self.neighbors.mark(now, granter);
            return false;
        }
        match granter {
            Some(granter) if self.cts_clears() => self.neighbors.clear(now, granter),
            _ => false,
        }
    }

    /// Data without RTS say by their Order bit that their sender is congested; without it they count towards k.
    fn on_data(&mut self, now: Time, data: &Frame) -> bool {
        if !data.is_broadcast() {
            self.last_data = Some((data.ta, data.ra, now));
        }
        if data.order {
            self.neighbors.mark(now, Some(data.ta));
            return false;
        }
        self.neighbors.count(now, data.ta)
    }

    /// A Block Ack says by its Order bit that its sender is congested, which it names.
    fn on_block_ack(&mut self, now: Time, block_ack: &Frame) {
        if block_ack.order {
            self.neighbors.mark(now, Some(block_ack.ta));
        }
    }

    /// An ACK to another node. That to this one arrives by `on_acknowledged`, with its sender. One without the bit says
    /// nothing: after an RTS no ACK carries it.
    fn on_ack(&mut self, now: Time, ack: &Frame) {
        if ack.order && ack.ra != self.radio {
            let sender = self.responder(now, ack);
            self.neighbors.mark(now, sender);
        }
    }

    /// Whether the node may send a CTSC to `requester`: both are congested, and its own first packet is for that node.
    fn may_break_deadlock(&self, now: Time, requester: RadioId, local: &LocalState) -> bool {
        let hol = local.data.or(self.backlog.head);
        local.control.is_none()
            && hol == Some(requester)
            && !self.neighbors.is_granted(now, requester)
            && self.has_room_for_ctsc(local)
    }

    /// Rule 5.
    fn has_room_for_ctsc(&self, local: &LocalState) -> bool {
        let limit = self.transit_limit().saturating_add(self.reserve(self.rules.g, self.rules.g_from));
        !self.rules.limits_deadlock_grants || self.held(local) < limit
    }

    /// Refuses by the node's own frame, if it has one to send.
    fn refuse(&self, local: &LocalState) -> RtsResponse {
        let can_send = match local.control {
            Some(_) => self.rules.answer_with_control_hol && local.is_contending,
            None => local.is_parked || (local.data.is_some() && local.is_contending),
        };
        if can_send { RtsResponse::OwnFrame } else { RtsResponse::Silence }
    }
}

impl HandshakePolicy for SemiTcp {
    /// Cai 2013, Algorithm 2.
    fn respond(&mut self, now: Time, rts: &Frame, local: &LocalState) -> RtsResponse {
        const CTS: RtsResponse = RtsResponse::Cts { order: false };
        self.breaks_deadlock = false;
        if rts.urgency != Urgency::None {
            return CTS;
        }
        if local.is_parked && self.rules.refuse_while_parked == RefuseWhileParked::Always {
            return RtsResponse::Silence;
        }
        let has_control = local.control.is_some() && self.rules.answer_with_control_hol;
        let has_own = local.data.is_some() || self.backlog.head.is_some() || has_control;
        let has_others = self.backlog.data + self.backlog.elsewhere > 0;
        if !self.refuses(local) || !(has_own || has_others) {
            return RtsResponse::Cts { order: self.rules.ctsc_while_congested && self.is_congested(local) };
        }
        if !has_own {
            // All data of the node leave by other radios: it has no frame here that refuses.
            let order = self.rules.signals.cts;
            return if self.has_room_for_ctsc(local) { RtsResponse::Cts { order } } else { RtsResponse::Silence };
        }
        // Algorithm 2 repays whatever the queue length; no queue slot is reserved for that (see Deviations).
        if self.rules.reciprocity && self.has_room_for_ctsc(local) && self.neighbors.repay(rts.ta) {
            return CTS;
        }
        if !rts.order {
            return self.refuse(local);
        }
        if self.may_break_deadlock(now, rts.ta, local) {
            self.breaks_deadlock = true;
            return RtsResponse::Cts { order: self.rules.signals.cts };
        }
        match self.rules.on_monopoly {
            OnMonopoly::Rtsc => self.refuse(local),
            OnMonopoly::SilentMinCw => {
                self.small_window_until = now + self.hold;
                RtsResponse::Silence
            }
        }
    }

    fn response_airtime(&self, timing: &Timing) -> Span {
        if self.rules.cts_timeout_extended { timing.cts.max(timing.rts) } else { timing.cts }
    }

    fn on_backlog(&mut self, backlog: Backlog) {
        self.backlog = backlog;
    }

    fn is_congested(&self, local: &LocalState) -> bool {
        let limit = match self.rules.congested_at {
            CongestedAt::TcPlusM => self.transit_limit(),
            CongestedAt::Tc | CongestedAt::TcAndM => self.rules.t_c,
        };
        self.held(local) >= limit
    }

    fn decide(&mut self, now: Time, local: &LocalState, is_first: bool) -> Decision {
        let tries = &mut self.services[local.category as usize];
        if is_first {
            *tries = Tries::default();
        } else if self.rules.defer_check == DeferCheck::FirstOnly || tries.must_contend {
            return Decision::Contend;
        }
        let Some(until) = self.deferred_until(now, local) else { return Decision::Contend };
        let tries = &mut self.services[local.category as usize];
        if self.rules.max_park > 0 && tries.parks >= self.rules.max_park {
            tries.must_contend = true;
            return Decision::Contend;
        }
        tries.parks += 1;
        // With `first_only` a packet is parked for the whole time, whenever the congestion began.
        let until = if self.rules.defer_check == DeferCheck::FirstOnly { now + self.hold } else { until };
        Decision::Park { until }
    }

    fn rts_bits(&mut self, local: &LocalState) -> RtsBits {
        if local.control.is_some() {
            return RtsBits { order: false, urgency: self.rules.urgent_rts.mark() };
        }
        self.services[local.category as usize] = Tries::default();
        RtsBits { order: self.rules.signals.rts && self.is_congested(local), urgency: Urgency::None }
    }

    fn decides_without_rts(&self) -> bool {
        self.rules.signals.data || self.rules.signals.ack
    }

    fn data_order(&mut self, local: &LocalState) -> bool {
        self.services[local.category as usize] = Tries::default();
        self.rules.signals.data && self.is_congested(local)
    }

    fn ack_order(&self, local: &LocalState) -> bool {
        self.rules.signals.ack && self.is_congested(local)
    }

    fn on_frame(&mut self, now: Time, frame: &Frame) -> bool {
        match frame.kind {
            FrameKind::Rts => {
                self.neighbors.refresh(now, frame.ta);
                self.on_rts(now, frame)
            }
            FrameKind::Data | FrameKind::Aggregate => {
                self.neighbors.refresh(now, frame.ta);
                self.on_data(now, frame)
            }
            FrameKind::Cts => self.on_cts(now, frame),
            FrameKind::Ack => {
                self.on_ack(now, frame);
                false
            }
            FrameKind::BlockAck => {
                self.on_block_ack(now, frame);
                false
            }
            FrameKind::BlockAckRequest | FrameKind::CfEnd => false,
        }
    }

    fn is_refusal(&self, rts: &Frame) -> bool {
        self.rules.refused_by == RefusedBy::AnyRts || rts.order || rts.urgency != Urgency::None
    }

    fn refusal_frees_nav(&self) -> bool {
        self.rules.refusal_frees_nav == Some(true)
    }

    fn on_refused(&mut self, now: Time, by: RadioId, local: &LocalState) -> Time {
        self.neighbors.mark(now, Some(by));
        self.services[local.category as usize].parks += 1;
        now + self.hold
    }

    fn may_unpark(&mut self, now: Time, local: &LocalState) -> bool {
        self.deferred_until(now, local).is_none()
    }

    fn on_unparked(&mut self) {
        self.neighbors.clear_global();
    }

    fn counts_refusal(&self) -> bool {
        self.rules.refusal_bumps_ssrc
    }

    fn on_granted(&mut self, now: Time, by: RadioId, order: bool) {
        if order {
            self.neighbors.receive_ctsc(now, by);
            let named = self.rules.ctsc_attribution != CtscAttribution::Anonymous;
            self.neighbors.mark(now, named.then_some(by));
        } else if self.cts_clears() {
            self.neighbors.clear(now, by);
        }
    }

    /// A CTSC below T_c + m breaks no deadlock: it is no grant that must be repaid.
    fn on_granting(&mut self, now: Time, to: RadioId, _order: bool) {
        let breaks_deadlock = std::mem::take(&mut self.breaks_deadlock);
        self.ctsc_for = breaks_deadlock.then_some(to);
        if breaks_deadlock {
            self.neighbors.grant(now, to);
        }
    }

    /// An exchange after a plain CTS changes nothing, and repays no CTSC before it.
    fn on_grant_over(&mut self, _now: Time, to: RadioId, is_received: bool, local: &LocalState) -> bool {
        if self.ctsc_for.take() != Some(to) {
            return false;
        }
        if !is_received {
            self.neighbors.clear_grant(to);
        }
        is_received || local.data == Some(to)
    }

    fn on_acknowledged(&mut self, now: Time, by: RadioId, order: bool) {
        if order {
            let named = self.rules.ctsc_attribution != CtscAttribution::Anonymous;
            self.neighbors.mark(now, named.then_some(by));
        }
        self.neighbors.clear_grant(by);
        self.neighbors.repay(by);
        self.small_window_until = Time::ZERO;
    }

    fn on_failed(&mut self, neighbor: RadioId) {
        self.neighbors.remove(neighbor);
    }

    fn window(&mut self, now: Time, cw: u32, cw_min: u32) -> u32 {
        if now >= self.small_window_until {
            return cw;
        }
        // CW of the same number of failures, from a smaller first window.
        let slots = u64::from(cw + 1) * u64::from(self.rules.min_congestion + 1) / u64::from(cw_min + 1);
        (slots as u32).saturating_sub(1).max(1)
    }
}

impl EngineHandshake for SemiTcp {
    const PAGE: &'static str = "semi_tcp";
    type Rules = SemiTcpRules;

    fn timing(rules: &SemiTcpRules, setup: &HandshakeSetup<'_>) -> Arc<Timing> {
        match rules.ctsc_attribution {
            CtscAttribution::TaField => Arc::new(setup.timing.with_sender_in_cts()),
            CtscAttribution::InferElseAnonymous | CtscAttribution::Anonymous => Arc::clone(setup.timing),
        }
    }

    fn build(rules: &SemiTcpRules, setup: &HandshakeSetup<'_>) -> SemiTcp {
        let frees = rules.refusal_frees_nav.unwrap_or(setup.turn.packets() > 1);
        let rules = SemiTcpRules { refusal_frees_nav: Some(frees), ..rules.clone() };
        SemiTcp::new(setup.radio, rules, setup.turn.exchange(setup.timing), setup.timing)
    }
}
