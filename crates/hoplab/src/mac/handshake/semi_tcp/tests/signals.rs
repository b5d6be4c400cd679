//! Congestion in other frames than RTS and CTS (Cai 2013, section 5).

use super::*;

fn signals(frames: &[SignalFrame]) -> SemiTcpRules {
    SemiTcpRules { signals: Signals::of(frames), ..paper() }
}

#[test]
fn only_listed_frames_carry_congestion() {
    let all = [SignalFrame::Rts, SignalFrame::Cts, SignalFrame::Data, SignalFrame::Ack];
    for listed in 0..16u8 {
        let is_listed = |frame: &SignalFrame| listed >> (*frame as u8) & 1 == 1;
        let frames: Vec<_> = all.into_iter().filter(is_listed).collect();
        let mut policy = policy(&signals(&frames));
        let congested = holding(&mut policy, Some(A), 1);
        let has = |frame| frames.contains(&frame);
        assert_eq!(policy.rts_bits(&congested).order, has(SignalFrame::Rts));
        assert_eq!(policy.data_order(&congested), has(SignalFrame::Data));
        assert_eq!(policy.ack_order(&congested), has(SignalFrame::Ack));
        let grant = RtsResponse::Cts { order: has(SignalFrame::Cts) };
        assert_eq!(policy.respond(NOW, &rts(A, ME, true), &congested), grant);
        // Without its bit the grant against a deadlock is still one that is given once.
        policy.on_granting(NOW, A, has(SignalFrame::Cts));
        assert!(policy.neighbors.is_granted(NOW, A));
        assert_eq!(policy.decides_without_rts(), has(SignalFrame::Data) || has(SignalFrame::Ack));
        let free = holding(&mut policy, Some(A), 0);
        assert!(!policy.data_order(&free) && !policy.ack_order(&free));
    }
}

#[test]
fn data_and_ack_mark_their_sender() {
    let both = signals(&[SignalFrame::Data, SignalFrame::Ack]);
    let marked = |policy: &SemiTcp, id| policy.neighbors.congested_until(NOW, id).is_some();
    let mut node = policy(&both);
    node.on_frame(NOW, &frame(FrameKind::Data, A, C, true));
    assert!(marked(&node, A) && !marked(&node, C), "data name their sender");
    node.on_frame(NOW, &frame(FrameKind::Ack, C, A, true));
    assert!(marked(&node, C), "an ACK is that of the receiver of the data before it");
    assert!(node.on_frame(NOW, &frame(FrameKind::Data, A, C, false)) && !marked(&node, A), "k = 1");
    node.on_frame(NOW, &frame(FrameKind::Ack, C, A, false));
    assert!(marked(&node, C), "an ACK without the bit has no effect");
    let mut node = policy(&both);
    node.on_frame(NOW, &frame(FrameKind::Ack, C, A, true));
    assert!(!marked(&node, C) && node.neighbors.any_congested_until(NOW).is_some(), "whose data were not decoded");
    let mut node = policy(&both);
    node.on_acknowledged(NOW, C, true);
    assert!(marked(&node, C), "the own next hop");
    // What carries no congestion clears none.
    let mut node = policy(&both);
    node.on_frame(NOW, &frame(FrameKind::Data, A, C, true));
    node.on_frame(NOW, &rts(A, C, false));
    assert!(marked(&node, A));
}

/// A packet without RTS is parked and sent as data, with the bit; its ACK carries that of the receiver.
#[test]
fn station_without_rts_parks_and_marks_data_and_ack() {
    for (listed, is_parked) in [(&[SignalFrame::Data, SignalFrame::Ack][..], true), (&[SignalFrame::Rts][..], false)] {
        let config = MacConfig { rts_threshold: Bytes(3000), ..MacConfig::default() };
        let rules = SemiTcpRules { exchange: Some(HOLD), ..signals(listed) };
        let mut station = Station::new(&config, Handshake::SemiTcp(Box::new(policy(&rules))));
        station.ctx.trace.keep_log();
        let carries = is_parked;
        station.hear(&frame(FrameKind::Data, C, RadioId(3), carries), Reception::Clean);
        station.send(C, 552);
        assert_eq!(station.mac.is_parked(), is_parked);
        // Two packets are queued from now on, also after the retry limit of the first one.
        station.mac.set_backlog(Backlog { data: 2, head: Some(C), ..Backlog::default() });
        station.run_until(Time::ZERO + HOLD + Span::from_millis(4));
        let packet = station.packet(A, ME, 552);
        let data = Frame { packet: Some(packet), ..frame(FrameKind::Data, A, ME, false) };
        station.run_until(Time::ZERO + Span::from_millis(400));
        station.hear(&data, Reception::Clean);
        station.run_until(station.ctx.now + Span::from_micros(400));
        let rows = station.ctx.trace.log_mut().expect("a log").rows();
        let sent: Vec<_> = rows
            .iter()
            .filter(|row| EVENTS[usize::from(row.event)] == "frame_sent")
            .map(|row| (row.frame, row.congested))
            .collect();
        assert!(sent.contains(&(FrameKind::Data as u8, carries)), "{listed:?}: {sent:?}");
        assert!(
            !sent.contains(&(FrameKind::Data as u8, !carries)) && !sent.iter().any(|row| row.0 == FrameKind::Rts as u8)
        );
        assert!(sent.contains(&(FrameKind::Ack as u8, carries)), "{listed:?}: {sent:?}");
    }
}
