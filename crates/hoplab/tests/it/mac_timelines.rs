//! Frames of small networks against the rules of IEEE 802.11-1999, clause 9: senders, frame kinds and interframe spaces.
//!
//! Air times are worked out here from clause 18 rather than taken from the engine.

use hoplab::kernel::Time;
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::What;
use hoplab::world::World;
use std::collections::BTreeMap;

/// A frame on the air: times in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: u64,
    until: u64,
    node: u32,
    to: u32,
    kind: FrameKind,
    is_broadcast: bool,
}

/// What the air times follow from.
#[derive(Clone, Copy)]
struct Phy {
    data_mbps: f64,
    basic_mbps: f64,
    is_short: bool,
}

const LEGACY: Phy = Phy { data_mbps: 2.0, basic_mbps: 1.0, is_short: false };

const SIFS: u64 = 10_000;
const SLOT: u64 = 20_000;
const DIFS: u64 = SIFS + 2 * SLOT;

/// The longest way of a frame here, there and back, at the speed of light: 600 m each.
const WAY: u64 = 4_003;

impl Phy {
    /// PLCP preamble and header (clause 18.2.2), then the bytes at the rate of the frame.
    fn airtime(self, kind: FrameKind, is_broadcast: bool, bytes: u32) -> u64 {
        let plcp = if self.is_short { 72.0 + 48.0 / 2.0 } else { 144.0 + 48.0 };
        let is_data = kind == FrameKind::Data && !is_broadcast;
        let rate = if is_data { self.data_mbps } else { self.basic_mbps };
        ((plcp + 8.0 * f64::from(bytes) / rate) * 1000.0).round() as u64
    }
}

fn sent_in(text: &str, phy: Phy, seconds: f64) -> (Vec<Sent>, BTreeMap<&'static str, u64>) {
    let scenario = Resolved::parse(text, "timeline.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(Time::from_secs(seconds)).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let report = world.report(&scenario, 1, 0.0);
    let sent = |record: hoplab::trace::Record| match record.what {
        What::FrameSent { kind, to, bytes } => {
            let (at, is_broadcast) = (record.time.0, to.is_broadcast());
            let until = at + phy.airtime(kind, is_broadcast, bytes);
            Some(Sent { at, until, node: record.node.0, to: to.0, kind, is_broadcast })
        }
        _ => None,
    };
    let drops = report.drops.into_iter().filter(|&(_, count)| count > 0).collect();
    (world.take_records().into_iter().filter_map(sent).collect(), drops)
}

/// Nodes in a row at these places, in metres, and what else there is to say.
fn row(places: &[u32], more: &str) -> String {
    let places: Vec<_> = places.iter().map(|x| format!("[{x}.0, 0.0]")).collect();
    format!(
        "duration = \"2 s\"\n[link]\narp = false\n[topology]\nkind = \"positions\"\npositions = [{}]\n{more}",
        places.join(", ")
    )
}

fn packets(from: u32, to: u32, bytes: u32, kbps: u32) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nrate = \"{kbps} kb/s\"\nsegment = {bytes}\ntransport = \"udp\"\n"
    )
}

fn kinds(sent: &[Sent]) -> Vec<(u32, FrameKind)> {
    sent.iter().map(|frame| (frame.node, frame.kind)).collect()
}

/// Every frame of an exchange follows a SIFS after the one before, by the receiver's clock.
fn assert_sifs(exchange: &[Sent]) {
    for pair in exchange.windows(2) {
        let gap = pair[1].at as i64 - pair[0].until as i64 - SIFS as i64;
        assert!((0..WAY as i64).contains(&gap), "{gap} ns beyond SIFS in {pair:?}");
    }
}

#[test]
fn exchanges_of_every_rate_and_preamble() {
    // Clause 9.2.5.6: RTS, CTS, data, ACK; clause 9.3: data, ACK.
    let mut cases = 0;
    for (data_mbps, name) in [(1.0, "1"), (2.0, "2"), (5.5, "5.5"), (11.0, "11")] {
        for (basic_mbps, basic) in [(1.0, "1 Mb/s"), (2.0, "2 Mb/s")] {
            for is_short in [false, true] {
                if is_short && (data_mbps == 1.0 || basic_mbps == 1.0) {
                    continue; // There is no short preamble at 1 Mb/s (clause 18.2.2.2).
                }
                for threshold in [0, 3000] {
                    let preamble = if is_short { "short" } else { "long" };
                    let mac = format!(
                        "[mac]\ndata_rate = \"{name} Mb/s\"\nbasic_rate = \"{basic}\"\npreamble = \"{preamble}\"\n\
                         rts_threshold = {threshold}\n"
                    );
                    let text = row(&[0, 200], &format!("{mac}{}", packets(0, 1, 500, 1)));
                    let (sent, _) = sent_in(&text, Phy { data_mbps, basic_mbps, is_short }, 0.1);
                    let expected: &[_] = if threshold == 0 {
                        &[(0, FrameKind::Rts), (1, FrameKind::Cts), (0, FrameKind::Data), (1, FrameKind::Ack)]
                    } else {
                        &[(0, FrameKind::Data), (1, FrameKind::Ack)]
                    };
                    assert_eq!(kinds(&sent), expected, "{mac}");
                    assert_sifs(&sent);
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 22);
}

#[test]
fn a_broadcast_is_sent_once_and_not_acknowledged() {
    // Clause 9.2.7. The address is asked for by broadcast; the answer is for one node alone.
    let text = row(&[0, 200], &packets(0, 1, 500, 1)).replace("arp = false", "arp = true");
    let (sent, _) = sent_in(&text, LEGACY, 0.1);
    assert!(sent[0].is_broadcast && sent[0].node == 0, "{:?}", sent[0]);
    let answer: Vec<_> = kinds(&sent[1..5]);
    assert_eq!(answer, [(1, FrameKind::Rts), (0, FrameKind::Cts), (1, FrameKind::Data), (0, FrameKind::Ack)]);
    assert!(sent[1].at - sent[0].until >= DIFS, "the answer contends as everything does");
    assert_eq!(sent.iter().filter(|frame| frame.is_broadcast).count(), 1);
}

#[test]
fn missing_cts_doubles_cw() {
    // Clause 9.2.4: windows of 63, 127, ... 1023 slots after the first of 31; aShortRetryLimit attempts (9.2.5.3).
    for limit in [1, 2, 7, 9] {
        for threshold in [0, 3000] {
            let off = "[[node]]\nid = 1\nradio_off = [[\"0 s\", \"9 s\"]]\n";
            let mac = format!("[mac]\nssrl = {limit}\nrts_threshold = {threshold}\n[routing]\nprotocol = \"static\"\n");
            let text = row(&[0, 200], &format!("{mac}{off}{}", packets(0, 1, 500, 2)));
            let (sent, drops) = sent_in(&text, LEGACY, 1.9);
            let first = if threshold == 0 { FrameKind::Rts } else { FrameKind::Data };
            assert!(sent.iter().all(|frame| frame.node == 0 && frame.kind == first), "{sent:?}");
            assert_eq!(sent.len() as u64, limit * drops["mac_retry"], "every packet is tried {limit} times");
            for packet in sent.chunks(limit as usize) {
                let mut window = 31;
                for pair in packet.windows(2) {
                    window = (2 * window + 1).min(1023);
                    let gap = pair[1].at - pair[0].until;
                    // The answer is awaited for SIFS, its air time and a way to and fro, at most 400 us; then DIFS.
                    assert!(gap >= DIFS && gap <= 400_000 + DIFS + window * SLOT, "{gap} ns, window {window}");
                }
            }
        }
    }
}

#[test]
fn data_without_ack_is_tried_to_the_long_limit() {
    // Clause 9.2.5.3: aLongRetryLimit counts data longer than the threshold; each attempt begins with an RTS.
    for limit in [1, 2, 4, 6] {
        let mac = format!("[mac]\nslrl = {limit}\n");
        let errors = "[radio.errors]\nmodel = \"uniform_packet\"\nframe_error_rate = 1.0\nscope = \"data_only\"\n";
        let text = row(&[0, 200], &format!("{mac}{errors}{}", packets(0, 1, 500, 2)));
        let (sent, drops) = sent_in(&text, LEGACY, 1.9);
        let attempt = [(0, FrameKind::Rts), (1, FrameKind::Cts), (0, FrameKind::Data)];
        for exchange in sent.chunks(3) {
            assert_eq!(kinds(exchange), attempt);
            assert_sifs(exchange);
        }
        assert_eq!(sent.len() as u64, 3 * limit * drops["mac_retry"]);
    }
}

#[test]
fn who_hears_an_rts_stays_silent_for_its_exchange() {
    // Clause 9.2.5.4: three senders that hear each other, and all that they address; no exchange is broken into.
    for (places, flows) in [
        (vec![0, 100, 200], vec![(0, 1), (2, 1)]),
        (vec![0, 100, 200], vec![(0, 2), (1, 0), (2, 1)]),
        (vec![0, 60, 120, 180], vec![(0, 1), (2, 3)]),
    ] {
        let flows: String = flows.iter().map(|&(from, to)| packets(from, to, 500, 700)).collect();
        let (sent, _) = sent_in(&row(&places, &flows), LEGACY, 1.0);
        let mut whole = 0;
        for (at, frame) in sent.iter().enumerate() {
            let Some(next) = sent.get(at + 1) else { break };
            // Two that counted down to the same slot collide; otherwise the next frame belongs to the exchange.
            if frame.kind == FrameKind::Rts && next.kind == FrameKind::Cts {
                let Some(rest) = sent.get(at..at + 4) else { break };
                let order: Vec<_> = rest.iter().map(|frame| frame.kind).collect();
                assert_eq!(order, [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]);
                assert_sifs(rest);
                let contends = sent.get(at + 4).is_none_or(|after| after.at >= rest[3].until + DIFS);
                assert!(contends, "{:?} after {:?}", sent.get(at + 4), rest[3]);
                whole += 1;
            }
        }
        assert!(whole > 50, "{whole} exchanges");
    }
}

#[test]
fn who_cannot_read_a_frame_waits_longer() {
    // Clause 9.2.3.4: EIFS = SIFS + ACK at 1 Mb/s + DIFS. Node 2 senses node 1, 400 m away, and cannot read it.
    let eifs = SIFS + LEGACY.airtime(FrameKind::Ack, false, 14) + DIFS;
    let flows = packets(0, 1, 500, 600) + &packets(2, 3, 500, 600);
    let (sent, _) = sent_in(&row(&[0, 200, 600, 800], &flows), LEGACY, 1.5);
    let mut last_of_1 = None;
    let mut seen = 0;
    for frame in &sent {
        if frame.node == 2 && frame.kind == FrameKind::Rts {
            if let Some(until) = last_of_1 {
                assert!(frame.at >= until + eifs, "{} ns after a frame that it could not read", frame.at - until);
                seen += 1;
            }
            last_of_1 = None;
        }
        if frame.node == 1 {
            last_of_1 = Some(frame.until);
        } else if frame.node == 3 {
            // A frame that is read ends the longer wait (clause 9.2.3.4).
            last_of_1 = None;
        }
    }
    assert!(seen > 20, "{seen} times");
}

#[test]
fn the_stronger_first_frame_survives_by_the_capture_ratio() {
    // ns-2's rule: a frame that is under way survives a later one that is `capture_ratio` times weaker. Nodes 0 and 2
    // do not sense each other; node 0 is 50 m from the receiver, node 2 is 240 m away: 40 dB and more apart.
    let delivered = |ratio: &str| {
        let radio = format!("[radio]\nrx_range = \"250 m\"\ncs_range = \"250 m\"\ncapture_ratio = {ratio}\n");
        let mac = "[mac]\nrts_threshold = 3000\nssrl = 1\n[routing]\nprotocol = \"static\"\n";
        let flows = packets(0, 1, 1000, 300) + &packets(2, 1, 1000, 500);
        let text = row(&[0, 50, 290], &format!("{radio}{mac}{flows}"));
        let (sent, _) = sent_in(&text, LEGACY, 1.5);
        let acked = |node: u32| sent.iter().filter(|frame| frame.kind == FrameKind::Ack && frame.to == node).count();
        (acked(0), sent)
    };
    let (near, sent) = delivered("10");
    let (without, _) = delivered("1e6");
    assert!(near > without, "{near} of the near node's frames with capture, {without} without");
    let overlaps = sent.windows(2).any(|pair| pair[1].at < pair[0].until && pair[0].node != pair[1].node);
    assert!(overlaps, "some frames do overlap");
}

#[test]
fn data_above_threshold_uses_rts() {
    // Profile std: MPDU longer than dot11RTSThreshold (clause 9.2). ns2: with 58 bytes, and from the threshold on.
    let first = |profile: &str, threshold: u32| {
        let mac = format!("[mac]\nprofile = \"{profile}\"\nrts_threshold = {threshold}\n");
        let (sent, _) = sent_in(&row(&[0, 200], &format!("{mac}{}", packets(0, 1, 500, 1))), LEGACY, 0.1);
        sent[0].kind
    };
    // 500 bytes of payload, 20 of IP; by the standard 24 of MAC, 8 of LLC and SNAP, 4 of FCS.
    let (std, ns2) = (500 + 20 + 36, 500 + 20 + 58);
    assert_eq!([first("std", std - 1), first("std", std)], [FrameKind::Rts, FrameKind::Data]);
    assert_eq!([first("ns2", ns2), first("ns2", ns2 + 1)], [FrameKind::Rts, FrameKind::Data]);
}
