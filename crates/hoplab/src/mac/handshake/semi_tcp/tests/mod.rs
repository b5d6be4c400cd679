//! Semi-TCP at one node: frames, rules and states for the tests of its parts.

mod policy;
mod signals;
mod station;

use super::*;
use crate::kernel::{Bytes, RadioId};
use crate::mac::dcf::test_station::Station;
use crate::mac::handshake::Handshake;
use crate::mac::{MacConfig, MacOut};
use crate::phy::Reception;
use crate::trace::{EVENTS, Step};

const ME: RadioId = RadioId(1);
const A: RadioId = RadioId(0);
const C: RadioId = RadioId(2);
const NOW: Time = Time(1_000_000_000);
/// How long the packet for C is parked after an RTSC of C.
const HOLD: Span = Span::from_millis(50);

fn timing() -> Timing {
    Timing::new(&MacConfig::default())
}

fn policy(rules: &SemiTcpRules) -> SemiTcp {
    SemiTcp::new(ME, rules.clone(), timing().exchange(552), &timing())
}

/// The paper's rules, for segments of 512 bytes.
fn paper() -> SemiTcpRules {
    SemiTcpRules {
        t_c: 1,
        m: 1,
        m_from: Reserve::Fixed,
        g: 1,
        g_from: Reserve::Fixed,
        limits_deadlock_grants: true,
        k: 1,
        exchange: None,
        congested_at: CongestedAt::TcPlusM,
        ctsc_while_congested: false,
        signals: Signals::of(&[SignalFrame::Rts, SignalFrame::Cts]),
        n_fwd_counts: ForwardCount::All,
        table: NeighborTable::PerNeighbor,
        rts_clears: true,
        ctsc_attribution: CtscAttribution::InferElseAnonymous,
        urgent_rts: UrgentRts::MoreData,
        urgent_rts_marks_congestion: false,
        defer_when_self_congested: true,
        defer_check: DeferCheck::EveryContention,
        max_park: 8,
        refuse_while_parked: RefuseWhileParked::IfCongested,
        refusal_frees_nav: None,
        refused_by: RefusedBy::AnyRts,
        reciprocity: true,
        on_monopoly: OnMonopoly::SilentMinCw,
        min_congestion: 15,
        refusal_bumps_ssrc: true,
        cts_timeout_extended: true,
        answer_with_control_hol: false,
        granted_ttl: Span::from_millis(1000),
    }
}

/// The rules of the published program, except its threshold.
fn cai() -> SemiTcpRules {
    SemiTcpRules {
        limits_deadlock_grants: false,
        exchange: Some(Span::from_millis(6)),
        table: NeighborTable::Global,
        rts_clears: false,
        ctsc_attribution: CtscAttribution::Anonymous,
        urgent_rts_marks_congestion: true,
        defer_when_self_congested: false,
        defer_check: DeferCheck::FirstOnly,
        max_park: 0,
        refused_by: RefusedBy::MarkedRts,
        reciprocity: false,
        on_monopoly: OnMonopoly::Rtsc,
        answer_with_control_hol: true,
        ..paper()
    }
}

fn frame(kind: FrameKind, ta: RadioId, ra: RadioId, order: bool) -> Frame {
    Frame { bytes: 20, airtime: Span::from_micros(352), order, ..Frame::blank(kind, ta, ra) }
}

fn rts(ta: RadioId, ra: RadioId, order: bool) -> Frame {
    frame(FrameKind::Rts, ta, ra, order)
}

/// A node with a packet for `next_hop` in service, and this many more in its queue.
fn holding(policy: &mut SemiTcp, next_hop: Option<RadioId>, queued: u32) -> LocalState {
    policy.on_backlog(Backlog { data: queued, head: next_hop.filter(|_| queued > 0), ..Backlog::default() });
    let packets = u32::from(next_hop.is_some());
    LocalState { data: next_hop, is_contending: packets > 0, packets, ..LocalState::default() }
}

/// A CTSC against a deadlock.
fn send_ctsc(policy: &mut SemiTcp, to: RadioId) {
    policy.breaks_deadlock = true;
    policy.on_granting(NOW, to, true);
}
