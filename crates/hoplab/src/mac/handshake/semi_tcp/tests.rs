//! Algorithms 1 and 2 as truth tables, and what single frames do to a node's knowledge.

use super::super::{Handshake, Own};
use super::*;
use crate::mac::dcf::test_station::Station;
use crate::mac::{MacConfig, MacOut};
use crate::phy::Reception;
use crate::trace::Step;

const ME: NodeId = NodeId(1);
const A: NodeId = NodeId(0);
const C: NodeId = NodeId(2);
const NOW: Time = Time(1_000_000_000);

fn timing() -> Timing {
    Timing::new(&MacConfig::default())
}

fn policy(rules: &SemiTcpRules) -> SemiTcp {
    SemiTcp::new(ME, rules.clone(), &timing())
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
        hold: timing().exchange(552),
        congested_at: CongestedAt::TcPlusM,
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

/// The published program's, but for its threshold.
fn cai() -> SemiTcpRules {
    SemiTcpRules {
        limits_deadlock_grants: false,
        hold: Span::from_millis(6),
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

fn frame(kind: FrameKind, ta: NodeId, ra: NodeId, order: bool) -> Frame {
    Frame { bytes: 20, airtime: Span::from_micros(352), order, ..Frame::blank(kind, ta, ra) }
}

fn rts(ta: NodeId, ra: NodeId, order: bool) -> Frame {
    frame(FrameKind::Rts, ta, ra, order)
}

/// A node with a packet for `next_hop` in service, and this many more in its queue.
fn holding(policy: &mut SemiTcp, next_hop: Option<NodeId>, queued: u32) -> Own {
    policy.on_backlog(Backlog { data: queued, head: next_hop.filter(|_| queued > 0), ..Backlog::default() });
    Own { data: next_hop, is_contending: next_hop.is_some(), ..Own::default() }
}

const CONTEND: Decision = Decision::Contend;
const GRANT: Answer = Answer::Grant { order: false };
const HELP: Answer = Answer::Grant { order: true };

#[test]
fn algorithm_1() {
    // Preset, next hop congested, another neighbor congested, packets held -> contends, with the Order bit.
    for (config, next_hop, other, held, contends, order) in [
        (paper(), false, false, 1, true, false),
        (paper(), false, false, 2, true, true),
        (paper(), false, true, 1, false, false),
        (paper(), false, true, 2, true, true),
        (paper(), true, false, 1, false, false),
        (paper(), true, false, 2, false, true),
        (paper(), true, true, 2, false, true),
        (SemiTcpRules { congested_at: CongestedAt::Tc, ..paper() }, false, true, 1, true, true),
        // Whoever is congested himself never waits; otherwise for anybody. With T_c = 1 any packet is congestion.
        (SemiTcpRules { congested_at: CongestedAt::Tc, ..cai() }, true, true, 1, true, true),
        (cai(), true, false, 1, false, false),
        (cai(), true, false, 2, true, true),
    ] {
        let mut policy = policy(&config);
        let own = holding(&mut policy, Some(C), held - 1);
        for (is_congested, who) in [(next_hop, C), (other, NodeId(7))] {
            if is_congested {
                policy.on_frame(NOW, &rts(who, NodeId(9), true));
            }
        }
        let what = format!("{:?} {next_hop} {other} {held}", config.table);
        assert_eq!(policy.decide(NOW, &own, true) == CONTEND, contends, "{what}");
        assert_eq!(policy.marks(&own).order, order, "{what}");
    }
}

#[test]
fn algorithm_2() {
    let silent = Answer::Silence;
    let reuse = Answer::Reuse;
    // Packets held, next hop of the first, helped by A, A helped already, RTSC -> answer in `paper`, in `cai2013`.
    for (held, hol, was_helped, is_granted, order, in_paper, in_cai) in [
        (0, None, false, false, false, GRANT, GRANT),
        (1, Some(C), false, false, false, GRANT, GRANT),
        (1, Some(C), false, false, true, GRANT, GRANT),
        (2, Some(C), false, false, false, reuse, reuse),
        (2, Some(A), false, false, false, reuse, reuse),
        (2, Some(A), false, false, true, HELP, HELP),
        (2, Some(C), false, false, true, silent, reuse),
        (2, Some(A), false, true, true, silent, reuse),
        (2, Some(C), true, false, false, GRANT, reuse),
        (2, Some(C), true, false, true, GRANT, reuse),
        // Rule 5: three packets are T_c + m + g.
        (3, Some(A), false, false, true, silent, HELP),
    ] {
        for (config, expected) in [(paper(), in_paper), (cai(), in_cai)] {
            let mut policy = policy(&config);
            let own = holding(&mut policy, hol, u32::max(held, 1) - 1);
            if was_helped {
                policy.on_granted(NOW, A, true);
            }
            if is_granted {
                policy.on_granting(NOW, A, true);
            }
            let what = format!("{:?}: {held} {hol:?} {was_helped} {is_granted} {order}", config.table);
            assert_eq!(policy.answer(NOW, &rts(A, ME, order), &own), expected, "{what}");
            if was_helped && expected == GRANT {
                assert_ne!(policy.answer(NOW, &rts(A, ME, order), &own), GRANT, "help is repaid once: {what}");
            }
        }
    }
}

#[test]
fn requests_for_control_packets_are_always_granted_and_marked() {
    for (urgent_rts, mark) in [
        (UrgentRts::MoreData, Urgency::MoreData),
        (UrgentRts::Subtype0e, Urgency::Subtype14),
        (UrgentRts::PlainRts, Urgency::None),
    ] {
        let mut policy = policy(&SemiTcpRules { urgent_rts, ..paper() });
        let own = holding(&mut policy, Some(C), 5);
        let asked = Frame { urgency: Urgency::MoreData, ..rts(A, ME, false) };
        assert_eq!(policy.answer(NOW, &asked, &own), GRANT);
        let control = Own { control: Some(C), ..own };
        assert_eq!(policy.marks(&control), Marks { order: false, urgency: mark });
    }
    for (config, marks) in [(paper(), false), (cai(), true)] {
        let mut policy = policy(&config);
        let own = holding(&mut policy, Some(C), 0);
        policy.on_frame(NOW, &Frame { urgency: Urgency::MoreData, ..rts(A, NodeId(9), false) });
        assert_eq!(policy.decide(NOW, &own, true) != CONTEND, marks);
    }
}

#[test]
fn a_control_packet_in_service_is_sent_to_refuse_only_where_that_is_said() {
    for (config, answer) in [(paper(), Answer::Silence), (cai(), Answer::Reuse)] {
        let mut policy = policy(&config);
        let own = Own { control: Some(C), ..holding(&mut policy, Some(A), 2) };
        let own = Own { is_parked: true, ..own };
        assert_eq!(policy.answer(NOW, &rts(A, ME, false), &own), answer);
    }
    // A deadlock is one of data: whoever serves a control packet grants none of those.
    let mut policy = policy(&paper());
    let own = Own { control: Some(A), ..holding(&mut policy, Some(A), 1) };
    assert_eq!(policy.answer(NOW, &rts(A, ME, true), &own), Answer::Silence);
}

#[test]
fn who_sent_a_ctsc_follows_from_the_rts_before() {
    let gap = Span::from_micros(10 + 304);
    let ctsc = |at: Time, config: SemiTcpRules| {
        let mut policy = policy(&config);
        policy.on_frame(NOW, &rts(A, C, true));
        policy.on_frame(NOW, &frame(FrameKind::Data, A, C, false));
        policy.on_frame(at, &frame(FrameKind::Cts, C, A, true));
        let known = policy.neighbors.congested_until(at, C).is_some();
        (known, policy.neighbors.any_congested_until(at).is_some())
    };
    assert_eq!(ctsc(NOW + gap, paper()), (true, true));
    assert_eq!(ctsc(NOW + gap + Span::from_micros(5), paper()), (false, true));
    let anonymous = SemiTcpRules { ctsc_attribution: CtscAttribution::Anonymous, ..paper() };
    assert_eq!(ctsc(NOW + gap, anonymous), (false, true));
    let named = SemiTcpRules { ctsc_attribution: CtscAttribution::TaField, ..paper() };
    assert_eq!(ctsc(NOW + gap * 9, named), (true, true));
}

#[test]
fn a_plain_rts_or_cts_says_that_all_is_well() {
    for (config, clears) in [(paper(), true), (SemiTcpRules { rts_clears: false, ..paper() }, false)] {
        let mut policy = policy(&config);
        policy.on_frame(NOW, &rts(C, A, true));
        assert_eq!(policy.on_frame(NOW, &rts(C, A, false)), clears);
        assert_eq!(policy.neighbors.congested_until(NOW, C).is_none(), clears);
        policy.on_frame(NOW, &rts(C, A, true));
        policy.on_frame(NOW, &rts(A, C, false));
        assert_eq!(policy.on_frame(NOW + Span::from_micros(314), &frame(FrameKind::Cts, C, A, false)), clears);
    }
}

#[test]
fn a_packet_parked_too_often_contends_once_whatever_is_known() {
    let mut policy = policy(&SemiTcpRules { max_park: 3, ..paper() });
    let own = holding(&mut policy, Some(C), 0);
    let mut now = NOW;
    let mut parked = 0;
    for round in 0..8 {
        policy.on_frame(now, &rts(C, A, true));
        match policy.decide(now, &own, round == 0) {
            Decision::Park { until } => {
                parked += 1;
                assert!(until > now);
                now = until;
            }
            Decision::Contend => {
                assert_eq!(round % 4, 3);
                // It stays so until the request is on the air.
                assert_eq!(policy.decide(now, &own, false), CONTEND);
                policy.marks(&own);
            }
        }
    }
    assert_eq!(parked, 6);
}

/// Parks in a row are those without a request between them: each refused request begins a new row, with the park that
/// follows it.
#[test]
fn a_request_in_between_begins_the_row_of_parks_anew() {
    let mut policy = policy(&SemiTcpRules { max_park: 2, ..paper() });
    let own = holding(&mut policy, Some(C), 0);
    let parks = |policy: &mut SemiTcp, is_first| {
        policy.on_frame(NOW, &rts(C, A, true));
        policy.decide(NOW, &own, is_first) != CONTEND
    };
    assert!(parks(&mut policy, true) && parks(&mut policy, false), "two parks are allowed");
    for round in 0..5 {
        // C is clear: the packet contends, and is refused.
        policy.on_frame(NOW, &rts(C, A, false));
        assert_eq!(policy.decide(NOW, &own, false), CONTEND);
        policy.marks(&own);
        policy.on_refused(NOW, C);
        assert!(parks(&mut policy, false), "round {round}");
    }
    assert!(!parks(&mut policy, false), "the third in a row");
    // A control packet's request, sent meanwhile, is not the packet's.
    policy.marks(&Own { control: Some(A), is_parked: true, ..own });
    assert!(!parks(&mut policy, false));
    policy.marks(&own);
    assert!(parks(&mut policy, false));
}

#[test]
fn asked_once_only_a_packet_is_parked_for_the_whole_time_and_then_contends() {
    let mut policy = policy(&cai());
    let own = holding(&mut policy, Some(C), 0);
    policy.on_frame(NOW, &rts(C, A, true));
    let later = NOW + Span::from_millis(4);
    assert_eq!(policy.decide(later, &own, true), Decision::Park { until: later + Span::from_millis(6) });
    policy.on_frame(later, &rts(C, A, true));
    assert_eq!(policy.decide(later, &own, false), CONTEND);
}

#[test]
fn places_can_follow_the_number_of_neighbors() {
    let config = SemiTcpRules { t_c: 2, m_from: Reserve::Neighbors, g: 2, ..paper() };
    let mut policy = policy(&config);
    (10..14).for_each(|id| {
        policy.on_frame(NOW, &rts(NodeId(id), A, false));
    });
    assert_eq!(policy.transit_limit(), 6);
    let own = holding(&mut policy, Some(A), 5);
    assert!(policy.is_congested(&own));
    assert_eq!(policy.answer(NOW, &rts(A, ME, true), &own), HELP);
    let own = holding(&mut policy, Some(A), 4);
    assert!(!policy.is_congested(&own));
    let own = holding(&mut policy, Some(A), 7);
    assert_eq!(policy.answer(NOW, &rts(A, ME, true), &own), Answer::Silence, "rule 5");
}

#[test]
fn thresholds_hold_at_every_answer() {
    for t_c in 1..=4 {
        for m in 1..=3 {
            for g in 0..=3 {
                let mut policy = policy(&SemiTcpRules { t_c, m, g, ..paper() });
                for held in 1..=12 {
                    let own = holding(&mut policy, Some(A), held - 1);
                    let transit = policy.answer(NOW, &rts(A, ME, false), &own);
                    assert_eq!(transit == GRANT, held < t_c + m, "{t_c} {m} {g}: {held}");
                    let help = policy.answer(NOW, &rts(A, ME, true), &own);
                    assert_eq!(help == Answer::Silence, held >= t_c + m + g, "{t_c} {m} {g}: {held}");
                }
            }
        }
    }
}

#[test]
fn waiting_packets_count_unless_told_otherwise() {
    for (n_fwd_counts, is_congested) in [(ForwardCount::All, true), (ForwardCount::IfqAndService, false)] {
        let mut policy = policy(&SemiTcpRules { n_fwd_counts, ..paper() });
        policy.on_backlog(Backlog { waiting: 1, ..Backlog::default() });
        let own = Own { data: Some(C), is_contending: true, ..Own::default() };
        assert_eq!(policy.is_congested(&own), is_congested);
    }
    // A control packet in service counts for nothing, one that waits does.
    let mut policy = policy(&paper());
    policy.on_backlog(Backlog { control: 1, ..Backlog::default() });
    assert!(!policy.is_congested(&Own { control: Some(C), ..Own::default() }));
    assert!(policy.is_congested(&Own { data: Some(C), ..Own::default() }));
}

#[test]
fn silence_towards_a_monopolist_makes_the_window_small() {
    for (min_congestion, windows) in [(7, [7, 15]), (15, [15, 31]), (31, [31, 63])] {
        let mut policy = policy(&SemiTcpRules { min_congestion, ..paper() });
        let own = holding(&mut policy, Some(C), 1);
        assert_eq!(policy.window(NOW, 31, 31), 31);
        assert_eq!(policy.answer(NOW, &rts(A, ME, true), &own), Answer::Silence);
        assert_eq!([policy.window(NOW, 31, 31), policy.window(NOW, 63, 31)], windows);
        let later = NOW + timing().exchange(552);
        assert_eq!(policy.window(later, 63, 31), 63, "its time is over");
        policy.answer(NOW, &rts(A, ME, true), &own);
        policy.on_acknowledged(C);
        assert_eq!(policy.window(NOW, 63, 31), 63, "the own packet is through");
    }
}

#[test]
fn grants_end_with_their_exchange_the_own_data_and_failure() {
    let mut policy = policy(&paper());
    let own = holding(&mut policy, Some(A), 1);
    assert!(!policy.on_grant_over(NOW, A, false, &own), "nothing was granted");
    policy.on_granting(NOW, A, true);
    assert!(policy.on_grant_over(NOW, A, false, &own), "the data has not come, and the own packet is for that node");
    assert!(!policy.neighbors.is_granted(NOW, A));
    policy.on_granting(NOW, A, true);
    assert!(policy.on_grant_over(NOW, A, true, &own) && policy.neighbors.is_granted(NOW, A));
    policy.on_acknowledged(A);
    assert!(!policy.neighbors.is_granted(NOW, A));
    policy.on_granting(NOW, A, true);
    policy.on_granted(NOW, A, true);
    assert!(!policy.neighbors.is_granted(NOW, A), "A has granted in turn");
    policy.on_frame(NOW, &rts(A, C, true));
    policy.on_failed(A);
    assert_eq!(policy.neighbors.congested_until(NOW, A), None);
}

/// What is cleared and looked at again belongs to the CTSC, not to any exchange with the neighbor that has got one.
#[test]
fn an_exchange_behind_a_plain_cts_leaves_a_grant_against_a_deadlock_alone() {
    let mut policy = policy(&paper());
    let own = holding(&mut policy, Some(A), 1);
    policy.on_granting(NOW, A, true);
    assert!(policy.on_grant_over(NOW, A, true, &own));
    for has_come in [true, false] {
        policy.on_granting(NOW, A, false);
        assert!(!policy.on_grant_over(NOW, A, has_come, &own));
        assert!(policy.neighbors.is_granted(NOW, A));
    }
    // Nor does data that nobody was asked for.
    assert!(!policy.on_grant_over(NOW, A, true, &own));
}

#[test]
fn what_refuses_a_request() {
    for (config, plain) in [(paper(), true), (cai(), false)] {
        let policy = policy(&config);
        assert_eq!(policy.is_refusal(&rts(C, A, false)), plain);
        assert!(policy.is_refusal(&rts(C, A, true)));
        assert!(policy.is_refusal(&Frame { urgency: Urgency::MoreData, ..rts(C, A, false) }));
    }
    let timing = timing();
    assert_eq!(policy(&paper()).answer_airtime(&timing), timing.rts);
    let short = SemiTcpRules { cts_timeout_extended: false, ..paper() };
    assert_eq!(policy(&short).answer_airtime(&timing), timing.cts);
}

#[test]
fn whoever_is_parked_may_refuse_everybody() {
    let always = SemiTcpRules { refuse_while_parked: RefuseWhileParked::Always, ..paper() };
    for (config, answer) in [(paper(), GRANT), (always, Answer::Silence)] {
        let mut policy = policy(&config);
        let own = Own { is_parked: true, is_contending: false, ..holding(&mut policy, Some(C), 0) };
        assert_eq!(policy.answer(NOW, &rts(A, ME, false), &own), answer);
    }
}

#[test]
fn a_request_that_is_granted_already_refuses_nobody() {
    let mut policy = policy(&paper());
    let own = Own { is_contending: false, ..holding(&mut policy, Some(C), 1) };
    assert_eq!(policy.answer(NOW, &rts(A, ME, false), &own), Answer::Silence);
    let parked = Own { is_parked: true, ..own };
    assert_eq!(policy.answer(NOW, &rts(A, ME, false), &parked), Answer::Reuse);
}

/// Spec sections 4 and 12 (T6): a request in place of a CTS wants a medium that is neither reserved nor busy. Otherwise
/// the station says nothing.
#[test]
fn no_request_refuses_on_a_medium_that_is_reserved_or_busy() {
    for config in [MacConfig::default(), MacConfig::std()] {
        for (is_reserved, is_busy) in [(false, false), (true, false), (false, true)] {
            let mut station = Station::new(&config, Handshake::SemiTcp(Box::new(policy(&paper()))));
            station.mac.set_backlog(Backlog { data: 1, head: Some(C), ..Backlog::default() });
            station.send(C, 552);
            if is_reserved {
                station
                    .hear(&Frame { duration: 5_000, ..frame(FrameKind::Cts, C, NodeId(3), false) }, Reception::Clean);
            }
            station.hear(&Frame { duration: 4_000, ..rts(A, ME, false) }, Reception::Clean);
            station.has_carrier(is_busy);
            station.run_until(station.ctx.now + timing().sifs);
            let reused = station.ctx.trace.counters.steps(Step::Reused);
            assert_eq!(reused, u64::from(!is_reserved && !is_busy), "{config:?}: {is_reserved} {is_busy}");
            assert_eq!(station.mac.retry_state(), (31, 0));
        }
    }
}

/// How long a station's packet for C is parked here, once C has told of its congestion.
const HOLD: Span = Span::from_millis(50);

/// A station that has just heard of C's congestion.
fn beside_congestion() -> Station {
    let rules = SemiTcpRules { hold: HOLD, ..paper() };
    let mut station = Station::new(&MacConfig::default(), Handshake::SemiTcp(Box::new(policy(&rules))));
    station.hear(&rts(C, NodeId(3), true), Reception::Clean);
    station
}

/// A asks now. Until when its data is awaited, which does not come.
fn ask(station: &mut Station) -> Time {
    let timing = timing();
    let duration = timing.rts_duration(timing.data(552, false));
    station.hear(&Frame { duration, ..rts(A, ME, false) }, Reception::Clean);
    station.ctx.now + timing.sifs + timing.cts_timeout(timing.cts_duration(duration))
}

#[test]
fn parked_in_the_middle_of_an_answer_a_station_takes_control_packets_after_it() {
    let mut station = beside_congestion();
    let over = ask(&mut station);
    station.send(C, 552);
    assert!(station.mac.is_parked() && station.out.is_empty());
    station.run_until(Time(over.0 - 1));
    assert!(station.out.is_empty());
    station.run_until(over);
    assert_eq!(station.out, [MacOut::Parked]);
}

#[test]
fn free_again_in_the_middle_of_an_answer_a_packet_draws_after_it() {
    let mut station = beside_congestion();
    station.send(C, 552);
    station.run_until(Time(HOLD.0 - 5_000));
    let over = ask(&mut station);
    station.run_until(Time::ZERO + HOLD);
    assert_eq!(station.out, [MacOut::Parked, MacOut::Unparked]);
    for (until, has_drawn) in [(Time::ZERO + HOLD, false), (Time(over.0 - 1), false), (over, true)] {
        station.run_until(until);
        assert_eq!(station.mac.has_backoff(), has_drawn, "{until}");
    }
}
