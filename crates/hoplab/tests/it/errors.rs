//! What error models do to a link, against closed forms.

use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::{Loss, Record, What};
use hoplab::world::World;

/// One hop of datagrams, each sent once, with this in `[radio.errors]` and in `[mac]`.
fn link(errors: &str, mac: &str) -> (World, Vec<Record>) {
    let text = format!(
        "duration = \"200 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[link]\narp = false\n\
         [radio.errors]\n{errors}\n[mac]\n{mac}\n[routing]\nlink_failure_feedback = false\n\
         [[flow]]\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"400 kb/s\"\nsegment = 1000\n"
    );
    let scenario = Resolved::parse(&text, "link.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let records = world.take_records();
    (world, records)
}

/// Share of the frames of a kind that their addressee could not read, and how many there were.
fn corrupted_share(records: &[Record], kind: FrameKind) -> (f64, f64) {
    let (mut sent, mut lost) = (0.0, 0.0);
    for record in records {
        match record.what {
            What::FrameSent { kind: of, .. } if of == kind => sent += 1.0,
            What::FrameLost { kind: of, loss: Loss::Noise, .. } if of == kind => lost += 1.0,
            _ => {}
        }
    }
    (lost / sent, sent)
}

/// Within four standard deviations of a share of `count` independent trials.
fn close(got: f64, expected: f64, count: f64) -> bool {
    (got - expected).abs() < 4.0 * (expected * (1.0 - expected) / count).sqrt() + 1e-12
}

#[test]
fn a_datagram_sent_once_is_lost_with_its_frame() {
    let (world, records) = link("model = \"uniform_packet\"\nframe_error_rate = 0.1", "rts_threshold = 3000\nssrl = 1");
    let flow = world.ctx().trace.counters.data(hoplab::kernel::FlowId(0)).clone();
    let lost = 1.0 - flow.delivered as f64 / flow.originated as f64;
    assert!(close(lost, 0.1, flow.originated as f64), "{lost}");
    let (ack, count) = corrupted_share(&records, FrameKind::Ack);
    assert!(close(ack, 0.1, count), "{ack}");
}

#[test]
fn mac_retries_recover_corrupted_frames() {
    // An exchange fails unless RTS, CTS and data (and the ACK) come through; seven RTS, four rounds.
    let (world, records) = link("model = \"uniform_packet\"\nframe_error_rate = 0.05", "");
    for kind in [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack] {
        let (share, count) = corrupted_share(&records, kind);
        assert!(close(share, 0.05, count), "{kind:?}: {share}");
    }
    let flow = world.ctx().trace.counters.data(hoplab::kernel::FlowId(0));
    assert!(flow.originated - flow.delivered < flow.originated / 500, "{flow:?}");
}

#[test]
fn bits_spoil_long_frames_more() {
    let (_, records) = link("model = \"uniform_bit\"\nbit_error_rate = 1e-5", "");
    // A datagram of 1000 bytes has 20 of IP and 34 of the MAC around it.
    for (kind, bytes) in [(FrameKind::Rts, 20.0), (FrameKind::Data, 1054.0)] {
        let (share, count) = corrupted_share(&records, kind);
        let expected = 1.0 - libm::pow(1.0 - 1e-5, 8.0 * bytes);
        assert!(close(share, expected, count), "{kind:?}: {share} and not {expected}");
    }
}

#[test]
fn only_data_may_be_concerned() {
    let (_, records) = link("model = \"uniform_packet\"\nframe_error_rate = 0.2\nscope = \"data_only\"", "");
    let (data, count) = corrupted_share(&records, FrameKind::Data);
    assert!(close(data, 0.2, count), "{data}");
    assert_eq!(corrupted_share(&records, FrameKind::Rts).0, 0.0);
}

#[test]
fn bursts_lose_their_share_of_time() {
    let model =
        "model = \"gilbert\"\ngood_mean = \"300 ms\"\nbad_mean = \"100 ms\"\nbad_loss = 1.0\nper = \"receiver\"";
    let (world, _) = link(model, "rts_threshold = 3000\nssrl = 1");
    let flow = world.ctx().trace.counters.data(hoplab::kernel::FlowId(0)).clone();
    let lost = 1.0 - flow.delivered as f64 / flow.originated as f64;
    // A quarter of the time is bad; 200 s hold 500 pairs of states.
    assert!((lost - 0.25).abs() < 4.0 * (0.25f64 * 0.75 / 500.0).sqrt(), "{lost}");
}

#[test]
fn a_frame_that_noise_spoils_ends_in_eifs() {
    // Nothing can be read, so that stations send nothing but RTS: after one of the other station, EIFS and DIFS pass.
    let flow = "[[flow]]\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"1 Mb/s\"\nsegment = 1000\n";
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[link]\narp = false\n[radio.errors]\n\
         model = \"uniform_packet\"\nframe_error_rate = 1.0\n{flow}from = 0\nto = 1\n{flow}from = 1\nto = 0\n"
    );
    let scenario = Resolved::parse(&text, "eifs.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    let records = world.take_records();
    let sent: Vec<_> = records.iter().filter(|record| matches!(record.what, What::FrameSent { .. })).collect();
    let mut gaps = Vec::new();
    for pair in sent.windows(2) {
        // 352 us of airtime, 667 ns of propagation.
        let heard = pair[0].time.0 + 352_667;
        if pair[0].node != pair[1].node && pair[1].time.0 > heard {
            gaps.push(pair[1].time.0 - heard);
        }
    }
    assert!(gaps.len() > 1000, "{}", gaps.len());
    // A waiting station has at least one slot left; EIFS ends on a whole microsecond.
    assert_eq!(gaps.iter().map(|gap| gap / 1000 * 1000).min(), Some(434_000));
}
