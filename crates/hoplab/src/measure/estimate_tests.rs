//! Bandwidth estimators against closed forms and against the airtime accounts.

use crate::kernel::{NodeId, Span, Time};
use crate::mac::observer::{Observer, clean};
use crate::mac::{MacConfig, Timing};
use crate::packet::{ChannelView, FrameKind, LinkEstimate};
use crate::scenario::Resolved;
use crate::trace::What;
use crate::world::World;

const SECOND: Span = Span::from_millis(1000);

/// Two nodes, and datagrams of `packet` bytes above the MAC at this rate.
fn link(packet: u32, rate: f64, keys: &str) -> Resolved {
    let text = format!(
        "duration = \"6 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[mac]\ndata_rate = \"11 Mb/s\"\nbasic_rate = \"1 Mb/s\"\n\
         [routing]\nprotocol = \"static\"\n{keys}\n[[flow]]\napp = \"cbr\"\ntransport = \"udp\"\nsegment = \"{} B\"\n\
         rate = \"{:.0} b/s\"\nstart = \"1 s\"\n",
        packet - 20,
        (8.0 * rate * f64::from(packet - 20) / f64::from(packet)).max(1.0)
    );
    Resolved::parse(&text, "link.toml", &[]).expect("a scenario")
}

fn timing(scenario: &Resolved) -> Timing {
    Timing::new(&MacConfig::clone(&scenario.mac))
}

#[test]
fn idle_link_capacity_follows_equation_14() {
    for packet in [512, 1000, 1500] {
        let scenario = link(packet, 1e6, "[winf]\neverywhere = true");
        let mut world = World::new(&scenario, 1);
        world.run_until(scenario.end()).expect("a run");
        let exact = clean(&timing(&scenario), packet);
        for node in [0, 1] {
            let found = world.macs[node].observers().link(world.now(), SECOND).expect("an estimate").capacity;
            assert!((found / exact - 1.0).abs() < 0.02, "{packet} bytes at {node}: {found}, eq. 14 gives {exact}");
        }
    }
}

#[test]
fn available_bandwidth_is_the_idle_share() {
    for load in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let capacity = clean(&timing(&link(1000, 1.0, "")), 1000);
        // 1.5 times the load of a clean link, so that it is saturated.
        let rate = capacity * if load == 1.0 { 1.5 } else { load };
        let scenario = link(1000, rate, "[winf]\neverywhere = true");
        let mut world = World::new(&scenario, 1);
        world.ctx.trace.keep_records();
        let mut shares = Vec::new();
        let mut truths = Vec::new();
        let mut engaged: Vec<(Time, Time)> = Vec::new();
        let (mut began, mut waiting) = (None, 0u32);
        for second in 2..=5u64 {
            world.run_until(Time(second * 1_000_000_000)).expect("a run");
            for record in world.ctx.trace.take_records() {
                match record.what {
                    // A packet reaches the queue after the link layer's delay; the MAC is engaged until the last is done.
                    What::Originated { bytes, .. } if record.node == NodeId(0) && bytes > 100 => {
                        waiting += 1;
                        began.get_or_insert(record.time + scenario.link.delay);
                    }
                    What::FrameSent { kind: FrameKind::Ack, .. } if record.node == NodeId(1) => {
                        waiting -= 1;
                        let end = record.time + Span::from_micros(304 + 50);
                        if waiting == 0 {
                            engaged.extend(began.take().map(|from| (from, end)));
                        }
                    }
                    What::Dropped { .. } => waiting -= 1,
                    _ => {}
                }
            }
            let now = world.now();
            let from = Time(now.0 - SECOND.0);
            let open = began.map(|from| (from, now));
            let within = |&(a, b): &(Time, Time)| b.min(now).since(a.max(from)).secs();
            let busy: f64 = engaged.iter().chain(&open).map(within).sum();
            let LinkEstimate { capacity, available } =
                world.macs[0].observers().link(now, SECOND).expect("an estimate");
            shares.push(available / capacity);
            truths.push(1.0 - busy);
        }
        for (share, truth) in shares.iter().zip(&truths).skip(1) {
            assert!((share - truth).abs() < 0.03, "load {load}: {shares:?} against {truths:?}");
        }
        assert!(load > 0.0 || shares[3] > 0.99);
        assert!(load < 1.0 || shares[3] < 0.01);
    }
}

#[test]
fn estimators_without_ack_bytes_change_no_event() {
    let text = |keys: &str| {
        format!(
            "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[routing]\nprotocol = \"static\"\n{keys}\n\
             [[flow]]\nstart = \"1 s\"\n"
        )
    };
    let run = |keys: &str| {
        let scenario = Resolved::parse(&text(keys), "chain.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 2);
        world.run_until(scenario.end()).expect("a run");
        world.ctx.trace.fingerprints()
    };
    let plain = run("");
    assert_eq!(plain, run("[winf]\neverywhere = true"));
    assert_eq!(plain, run("[winf]\neverywhere = true\nmode = \"literal\""));
    let lengthened = run("[winf]\neverywhere = true\nack_extra = \"4 B\"");
    assert_ne!(plain, lengthened, "four bytes on the air count");
    let one = "[winf]\nack_extra = \"4 B\"\n[[node]]\nid = 0\nobserver = \"winf\"";
    assert_eq!(lengthened, run(one), "on every ACK, even with one observing node");
}

#[test]
fn idle_gap_overestimates_by_the_overhead() {
    let scenario = link(1500, 1e6, "[[node]]\nid = 0\nobserver = \"idle_gap\"");
    let mut world = World::new(&scenario, 1);
    assert!(matches!(world.macs[0].observers().iter().next(), Some(Observer::IdleGap(_))));
    world.run_until(scenario.end()).expect("a run");
    let link = world.macs[0].observers().link(world.now(), SECOND).expect("an estimate");
    // Saturated for five of six seconds: the idle second at the beginning, and inter-frame spaces and backoff.
    let share = link.available / (11e6 / 8.0);
    assert!((share - (1.0 + 5.0 * 0.135) / 6.0).abs() < 0.02, "{share}");
}
