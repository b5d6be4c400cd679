//! Algorithms 1 and 2 of Cai 2013 as truth tables, and the effect of single frames on the neighbor table.

use super::*;

#[test]
fn congestion_holds_for_k_exchanges() {
    let longest = timing().exchange(552);
    for (rules, hold) in
        [(SemiTcpRules { k: 2, ..paper() }, longest * 2), (SemiTcpRules { k: 3, ..cai() }, Span::from_millis(18))]
    {
        let mut policy = policy(&rules);
        policy.on_frame(NOW, &rts(C, A, true));
        assert_eq!(policy.neighbors.congested_until(NOW, C), Some(NOW + hold));
    }
}

const CONTEND: Decision = Decision::Contend;
const CTS: RtsResponse = RtsResponse::Cts { order: false };
const CTSC: RtsResponse = RtsResponse::Cts { order: true };

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
        // A congested node never defers; another one defers to any neighbor. With T_c = 1 any packet is congestion.
        (SemiTcpRules { congested_at: CongestedAt::Tc, ..cai() }, true, true, 1, true, true),
        (cai(), true, false, 1, false, false),
        (cai(), true, false, 2, true, true),
    ] {
        let mut policy = policy(&config);
        let local = holding(&mut policy, Some(C), held - 1);
        for (is_congested, sender) in [(next_hop, C), (other, RadioId(7))] {
            if is_congested {
                policy.on_frame(NOW, &rts(sender, RadioId(9), true));
            }
        }
        let what = format!("{:?} {next_hop} {other} {held}", config.table);
        assert_eq!(policy.decide(NOW, &local, true) == CONTEND, contends, "{what}");
        assert_eq!(policy.rts_bits(&local).order, order, "{what}");
    }
}

#[test]
fn algorithm_2() {
    let silent = RtsResponse::Silence;
    let own_frame = RtsResponse::OwnFrame;
    // Packets held, next hop of the first, CTSC received of A, CTSC sent to A, RTSC -> response in `paper`, in `cai2013`.
    for (held, hol, owes_cts, is_granted, order, in_paper, in_cai) in [
        (0, None, false, false, false, CTS, CTS),
        (1, Some(C), false, false, false, CTS, CTS),
        (1, Some(C), false, false, true, CTS, CTS),
        (2, Some(C), false, false, false, own_frame, own_frame),
        (2, Some(A), false, false, false, own_frame, own_frame),
        (2, Some(A), false, false, true, CTSC, CTSC),
        (2, Some(C), false, false, true, silent, own_frame),
        (2, Some(A), false, true, true, silent, own_frame),
        (2, Some(C), true, false, false, CTS, own_frame),
        (2, Some(C), true, false, true, CTS, own_frame),
        // Rule 5: three packets are T_c + m + g.
        (3, Some(A), false, false, true, silent, CTSC),
    ] {
        for (config, expected) in [(paper(), in_paper), (cai(), in_cai)] {
            let mut policy = policy(&config);
            let local = holding(&mut policy, hol, u32::max(held, 1) - 1);
            if owes_cts {
                policy.on_granted(NOW, A, true);
            }
            if is_granted {
                send_ctsc(&mut policy, A);
            }
            let what = format!("{:?}: {held} {hol:?} {owes_cts} {is_granted} {order}", config.table);
            assert_eq!(policy.respond(NOW, &rts(A, ME, order), &local), expected, "{what}");
            if owes_cts && expected == CTS {
                assert_ne!(policy.respond(NOW, &rts(A, ME, order), &local), CTS, "a CTSC is repaid once: {what}");
            }
        }
    }
}

#[test]
fn rts_for_control_packet_is_marked_and_gets_a_cts() {
    for (urgent_rts, mark) in [
        (UrgentRts::MoreData, Urgency::MoreData),
        (UrgentRts::Subtype0e, Urgency::Subtype14),
        (UrgentRts::PlainRts, Urgency::None),
    ] {
        let mut policy = policy(&SemiTcpRules { urgent_rts, ..paper() });
        let local = holding(&mut policy, Some(C), 5);
        let urgent = Frame { urgency: Urgency::MoreData, ..rts(A, ME, false) };
        assert_eq!(policy.respond(NOW, &urgent, &local), CTS);
        let control = LocalState { control: Some(C), ..local };
        assert_eq!(policy.rts_bits(&control), RtsBits { order: false, urgency: mark });
    }
    for (config, marks) in [(paper(), false), (cai(), true)] {
        let mut policy = policy(&config);
        let local = holding(&mut policy, Some(C), 0);
        policy.on_frame(NOW, &Frame { urgency: Urgency::MoreData, ..rts(A, RadioId(9), false) });
        assert_eq!(policy.decide(NOW, &local, true) != CONTEND, marks);
    }
}

#[test]
fn control_packet_refuses_with_answer_with_control_hol_alone() {
    for (config, response) in [(paper(), RtsResponse::Silence), (cai(), RtsResponse::OwnFrame)] {
        let mut policy = policy(&config);
        let local = LocalState { control: Some(C), ..holding(&mut policy, Some(A), 2) };
        let local = LocalState { is_parked: true, ..local };
        assert_eq!(policy.respond(NOW, &rts(A, ME, false), &local), response);
    }
    // A deadlock is one of data: a node that serves a control packet sends no CTSC.
    let mut policy = policy(&paper());
    let local = LocalState { control: Some(A), ..holding(&mut policy, Some(A), 1) };
    assert_eq!(policy.respond(NOW, &rts(A, ME, true), &local), RtsResponse::Silence);
}

#[test]
fn ctsc_is_attributed_by_the_rts_before_it() {
    let sifs_and_cts = Span::from_micros(10 + 304);
    let ctsc = |at: Time, config: SemiTcpRules| {
        let mut policy = policy(&config);
        policy.on_frame(NOW, &rts(A, C, true));
        policy.on_frame(NOW, &frame(FrameKind::Data, A, C, false));
        policy.on_frame(at, &frame(FrameKind::Cts, C, A, true));
        let known = policy.neighbors.congested_until(at, C).is_some();
        (known, policy.neighbors.any_congested_until(at).is_some())
    };
    assert_eq!(ctsc(NOW + sifs_and_cts, paper()), (true, true));
    assert_eq!(ctsc(NOW + sifs_and_cts + Span::from_micros(5), paper()), (false, true));
    let anonymous = SemiTcpRules { ctsc_attribution: CtscAttribution::Anonymous, ..paper() };
    assert_eq!(ctsc(NOW + sifs_and_cts, anonymous), (false, true));
    let named = SemiTcpRules { ctsc_attribution: CtscAttribution::TaField, ..paper() };
    assert_eq!(ctsc(NOW + sifs_and_cts * 9, named), (true, true));
}

#[test]
fn plain_rts_or_cts_clears_its_sender() {
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
fn packet_parked_max_park_times_contends_once() {
    let mut policy = policy(&SemiTcpRules { max_park: 3, ..paper() });
    let local = holding(&mut policy, Some(C), 0);
    let mut now = NOW;
    let mut parked = 0;
    for round in 0..8 {
        policy.on_frame(now, &rts(C, A, true));
        match policy.decide(now, &local, round == 0) {
            Decision::Park { until } => {
                parked += 1;
                assert!(until > now);
                now = until;
            }
            Decision::Contend => {
                assert_eq!(round % 4, 3);
                // It contends until its RTS is sent.
                assert_eq!(policy.decide(now, &local, false), CONTEND);
                policy.rts_bits(&local);
            }
        }
    }
    assert_eq!(parked, 6);
}

/// Parks count while no own RTS is sent between them: a refused RTS resets the count, and the park after it is the first.
#[test]
fn own_rts_resets_the_count_of_parks() {
    let mut policy = policy(&SemiTcpRules { max_park: 2, ..paper() });
    let local = holding(&mut policy, Some(C), 0);
    let parks = |policy: &mut SemiTcp, is_first| {
        policy.on_frame(NOW, &rts(C, A, true));
        policy.decide(NOW, &local, is_first) != CONTEND
    };
    assert!(parks(&mut policy, true) && parks(&mut policy, false), "max_park is two");
    for round in 0..5 {
        // C is not congested: the packet contends, and is refused.
        policy.on_frame(NOW, &rts(C, A, false));
        assert_eq!(policy.decide(NOW, &local, false), CONTEND);
        policy.rts_bits(&local);
        policy.on_refused(NOW, C, &local);
        assert!(parks(&mut policy, false), "round {round}");
    }
    assert!(!parks(&mut policy, false), "the third in a row");
    // The RTS for a control packet, sent meanwhile, is not that of the packet.
    policy.rts_bits(&LocalState { control: Some(A), is_parked: true, ..local });
    assert!(!parks(&mut policy, false));
    policy.rts_bits(&local);
    assert!(parks(&mut policy, false));
}

#[test]
fn first_only_parks_for_the_whole_hold_time_once() {
    let mut policy = policy(&cai());
    let local = holding(&mut policy, Some(C), 0);
    policy.on_frame(NOW, &rts(C, A, true));
    let later = NOW + Span::from_millis(4);
    assert_eq!(policy.decide(later, &local, true), Decision::Park { until: later + Span::from_millis(6) });
    policy.on_frame(later, &rts(C, A, true));
    assert_eq!(policy.decide(later, &local, false), CONTEND);
}

#[test]
fn reserve_follows_the_number_of_neighbors() {
    let config = SemiTcpRules { t_c: 2, m_from: Reserve::Neighbors, g: 2, ..paper() };
    let mut policy = policy(&config);
    (10..14).for_each(|id| {
        policy.on_frame(NOW, &rts(RadioId(id), A, false));
    });
    assert_eq!(policy.transit_limit(), 6);
    let local = holding(&mut policy, Some(A), 5);
    assert!(policy.is_congested(&local));
    assert_eq!(policy.respond(NOW, &rts(A, ME, true), &local), CTSC);
    let local = holding(&mut policy, Some(A), 4);
    assert!(!policy.is_congested(&local));
    let local = holding(&mut policy, Some(A), 7);
    assert_eq!(policy.respond(NOW, &rts(A, ME, true), &local), RtsResponse::Silence, "rule 5");
}

#[test]
fn thresholds_hold_at_every_response() {
    for t_c in 1..=4 {
        for m in 1..=3 {
            for g in 0..=3 {
                let mut policy = policy(&SemiTcpRules { t_c, m, g, ..paper() });
                for held in 1..=12 {
                    let local = holding(&mut policy, Some(A), held - 1);
                    let transit = policy.respond(NOW, &rts(A, ME, false), &local);
                    assert_eq!(transit == CTS, held < t_c + m, "{t_c} {m} {g}: {held}");
                    let ctsc = policy.respond(NOW, &rts(A, ME, true), &local);
                    assert_eq!(ctsc == RtsResponse::Silence, held >= t_c + m + g, "{t_c} {m} {g}: {held}");
                }
            }
        }
    }
}

/// Equations 3 to 5 of Cai 2013: congested at T_c, transit refused at T_c + m, grants against deadlocks below T_c + m + g.
#[test]
fn tc_and_m_separates_three_thresholds() {
    for (t_c, m, g) in [(1, 1, 1), (2, 1, 3), (3, 2, 0)] {
        for says_so in [false, true] {
            let rules =
                SemiTcpRules { t_c, m, g, congested_at: CongestedAt::TcAndM, ctsc_while_congested: says_so, ..paper() };
            for held in 1..=8 {
                let mut policy = policy(&rules);
                let local = holding(&mut policy, Some(A), held - 1);
                let what = format!("{t_c} {m} {g}: {held}");
                assert_eq!(policy.rts_bits(&local).order, held >= t_c, "{what}");
                policy.on_frame(NOW, &rts(RadioId(7), RadioId(9), true));
                assert_eq!(policy.decide(NOW, &local, true) != CONTEND, held < t_c, "a neighbor is congested: {what}");
                let below_m = if says_so && held >= t_c { CTSC } else { CTS };
                let transit = if held < t_c + m { below_m } else { RtsResponse::OwnFrame };
                assert_eq!(policy.respond(NOW, &rts(A, ME, false), &local), transit, "{what}");
                let deadlock = if held < t_c + m { below_m } else { CTSC };
                let deadlock = if held < t_c + m + g { deadlock } else { RtsResponse::Silence };
                assert_eq!(policy.respond(NOW, &rts(A, ME, true), &local), deadlock, "{what}");
                policy.on_granting(NOW, A, deadlock == CTSC);
                let is_grant = (t_c + m..t_c + m + g).contains(&held);
                assert_eq!(policy.neighbors.is_granted(NOW, A), is_grant, "one below T_c + m is not repaid: {what}");
            }
        }
    }
}

#[test]
fn packets_without_route_count_with_n_fwd_counts_all() {
    for (n_fwd_counts, is_congested) in [(ForwardCount::All, true), (ForwardCount::IfqAndService, false)] {
        let mut policy = policy(&SemiTcpRules { n_fwd_counts, ..paper() });
        policy.on_backlog(Backlog { waiting: 1, ..Backlog::default() });
        let local = LocalState { data: Some(C), packets: 1, is_contending: true, ..LocalState::default() };
        assert_eq!(policy.is_congested(&local), is_congested);
    }
    // A control packet in service does not count, one in the queue does.
    let mut policy = policy(&paper());
    policy.on_backlog(Backlog { control: 1, ..Backlog::default() });
    assert!(!policy.is_congested(&LocalState { control: Some(C), ..LocalState::default() }));
    assert!(policy.is_congested(&LocalState { data: Some(C), packets: 1, ..LocalState::default() }));
}

#[test]
fn silence_towards_a_monopolist_reduces_the_window() {
    for (min_congestion, windows) in [(7, [7, 15]), (15, [15, 31]), (31, [31, 63])] {
        let mut policy = policy(&SemiTcpRules { min_congestion, ..paper() });
        let local = holding(&mut policy, Some(C), 1);
        assert_eq!(policy.window(NOW, 31, 31), 31);
        assert_eq!(policy.respond(NOW, &rts(A, ME, true), &local), RtsResponse::Silence);
        assert_eq!([policy.window(NOW, 31, 31), policy.window(NOW, 63, 31)], windows);
        let later = NOW + timing().exchange(552);
        assert_eq!(policy.window(later, 63, 31), 63, "the hold time is over");
        policy.respond(NOW, &rts(A, ME, true), &local);
        policy.on_acknowledged(NOW, C, false);
        assert_eq!(policy.window(NOW, 63, 31), 63, "the own packet is acknowledged");
    }
}

#[test]
fn ctsc_grant_ends_with_exchange_own_data_or_failure() {
    let mut policy = policy(&paper());
    let local = holding(&mut policy, Some(A), 1);
    assert!(!policy.on_grant_over(NOW, A, false, &local), "nothing was granted");
    send_ctsc(&mut policy, A);
    assert!(policy.on_grant_over(NOW, A, false, &local), "the data have not arrived, and the own packet is for A");
    assert!(!policy.neighbors.is_granted(NOW, A));
    send_ctsc(&mut policy, A);
    assert!(policy.on_grant_over(NOW, A, true, &local) && policy.neighbors.is_granted(NOW, A));
    policy.on_acknowledged(NOW, A, false);
    assert!(!policy.neighbors.is_granted(NOW, A));
    send_ctsc(&mut policy, A);
    policy.on_granted(NOW, A, true);
    assert!(!policy.neighbors.is_granted(NOW, A), "A has sent a CTSC in turn");
    policy.on_frame(NOW, &rts(A, C, true));
    policy.on_failed(A);
    assert_eq!(policy.neighbors.congested_until(NOW, A), None);
}

/// Only the exchange of a CTSC clears the grant, no other one with the same neighbor.
#[test]
fn exchange_after_plain_cts_keeps_an_earlier_ctsc_grant() {
    let mut policy = policy(&paper());
    let local = holding(&mut policy, Some(A), 1);
    send_ctsc(&mut policy, A);
    assert!(policy.on_grant_over(NOW, A, true, &local));
    for is_received in [true, false] {
        policy.on_granting(NOW, A, false);
        assert!(!policy.on_grant_over(NOW, A, is_received, &local));
        assert!(policy.neighbors.is_granted(NOW, A));
    }
    // Data without a CTS before them clear nothing.
    assert!(!policy.on_grant_over(NOW, A, true, &local));
}

#[test]
fn refusal_is_any_rts_or_a_marked_one() {
    for (config, plain) in [(paper(), true), (cai(), false)] {
        let policy = policy(&config);
        assert_eq!(policy.is_refusal(&rts(C, A, false)), plain);
        assert!(policy.is_refusal(&rts(C, A, true)));
        assert!(policy.is_refusal(&Frame { urgency: Urgency::MoreData, ..rts(C, A, false) }));
    }
    let timing = timing();
    assert_eq!(policy(&paper()).response_airtime(&timing), timing.rts);
    let short = SemiTcpRules { cts_timeout_extended: false, ..paper() };
    assert_eq!(policy(&short).response_airtime(&timing), timing.cts);
}

#[test]
fn parked_node_refuses_by_silence_with_always() {
    let always = SemiTcpRules { refuse_while_parked: RefuseWhileParked::Always, ..paper() };
    for (config, response) in [(paper(), CTS), (always, RtsResponse::Silence)] {
        let mut policy = policy(&config);
        let local = LocalState { is_parked: true, is_contending: false, ..holding(&mut policy, Some(C), 0) };
        assert_eq!(policy.respond(NOW, &rts(A, ME, false), &local), response);
    }
}

#[test]
fn granted_packet_is_not_sent_to_refuse() {
    let mut policy = policy(&paper());
    let local = LocalState { is_contending: false, ..holding(&mut policy, Some(C), 1) };
    assert_eq!(policy.respond(NOW, &rts(A, ME, false), &local), RtsResponse::Silence);
    let parked = LocalState { is_parked: true, ..local };
    assert_eq!(policy.respond(NOW, &rts(A, ME, false), &parked), RtsResponse::OwnFrame);
}
