//! A pulled source continues after every kind of drop: each reason at least once (docs/specs/semi-tcp.md section 4,
//! T10).

use crate::kernel::{AnyRun, FlowId, RadioId, Time};
use crate::mac::MacOut;
use crate::packet::PacketId;
use crate::scenario::Resolved;
use crate::trace::DropReason;
use crate::world::World;

const FLOW: FlowId = FlowId(0);

/// A chain with a Semi-TCP flow between its ends, and what the case adds.
struct Case {
    reason: DropReason,
    hops: u32,
    tables: &'static str,
    /// Flows after the one under test.
    flows: &'static str,
    /// What is done to a packet in transit after 3 s.
    act: Option<fn(&mut World)>,
}

impl Case {
    fn scenario(&self, preset: &str) -> Resolved {
        let text = format!(
            "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = {}\n{}\n[semi_tcp]\npreset = \"{preset}\"\n\
             [[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"semi_tcp\"\nsegment = 512\n{}",
            self.hops, self.tables, self.flows
        );
        Resolved::parse(&text, "drops.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

const STATIC: &str = "[routing]\nprotocol = \"static\"\n";

/// Datagrams from the source of the flow under test, more than its node can send, for a time: segments wait behind them.
const FLOOD: &str = "[[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"2 Mb/s\"\ntransport = \"udp\"\nsegment = 500\n\
                     stop = \"3.5 s\"\n";

fn cases() -> Vec<Case> {
    let plain = |reason, hops, tables| Case { reason, hops, tables, flows: "", act: None };
    let by_hand = |reason, act: fn(&mut World)| Case { reason, hops: 2, tables: STATIC, flows: "", act: Some(act) };
    vec![
        plain(
            DropReason::MacRetry,
            2,
            "[routing]\nprotocol = \"static\"\nlink_failure_feedback = false\n[[node]]\nid = 1\nradio_off = [[\"3 s\", \"4 s\"]]\n",
        ),
        plain(
            DropReason::LinkFailure,
            3,
            "[routing]\nprotocol = \"aodv\"\n[[node]]\nid = 2\nradio_off = [[\"3 s\", \"6 s\"]]\n",
        ),
        Case {
            reason: DropReason::QueueFull,
            hops: 2,
            tables: "[routing]\nprotocol = \"static\"\n[queue]\nlimit = 2\n[[node]]\nid = 1\nhandshake = \"plain\"\n",
            flows: "[[flow]]\nfrom = 1\nto = 2\napp = \"cbr\"\nrate = \"2 Mb/s\"\ntransport = \"udp\"\nsegment = 500\n\
                    start = \"3 s\"\nstop = \"5 s\"\n",
            act: None,
        },
        Case {
            reason: DropReason::Arp,
            hops: 2,
            tables: "[routing]\nprotocol = \"static\"\n[[node]]\nid = 1\nradio_off = [[\"0 s\", \"4 s\"]]\n",
            flows: FLOOD,
            act: None,
        },
        plain(
            DropReason::NoRoute,
            3,
            "[routing]\nprotocol = \"aodv\"\n[[node]]\nid = 2\nradio_off = [[\"3 s\", \"20 s\"]]\n",
        ),
        plain(
            DropReason::RouteTimeout,
            2,
            "[routing]\nprotocol = \"aodv\"\naodv.buffer_timeout = \"0.1 s\"\n[[node]]\nid = 2\nradio_off = [[\"0 s\", \"20 s\"]]\n",
        ),
        Case {
            reason: DropReason::RouteBuffer,
            hops: 2,
            tables: "[routing]\nprotocol = \"aodv\"\naodv.buffer_limit = 2\n[[node]]\nid = 2\nradio_off = [[\"0 s\", \"10 s\"]]\n",
            flows: "[[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"200 kb/s\"\ntransport = \"udp\"\nsegment = 500\n\
                    stop = \"9 s\"\n",
            act: None,
        },
        by_hand(DropReason::Ttl, |world| {
            let (packet, _) = served_segment(world);
            world.ctx.packets.get_mut(packet.0).ttl = 1;
        }),
        by_hand(DropReason::Loop, |world| {
            // As if node 1, which has no packet in service, had sent it back.
            let packet = loop {
                let (packet, _) = served_segment(world);
                if world.macs[1].in_service().next().is_none() {
                    break packet;
                }
                world.advance(Time::from_secs(10.0), 1).expect("a run without error");
            };
            world.ctx.trace.counters.life(world.ctx.packets.get(packet.0)).copied += 1;
            world.carry_one::<AnyRun>(RadioId(0), MacOut::Received { packet, from: RadioId(1) });
        }),
    ]
}

/// The next segment in service at the source, and whether its next hop has received it.
fn served_segment(world: &mut World) -> (PacketId, bool) {
    loop {
        assert!(!world.advance(Time::from_secs(10.0), 1).expect("a run without error"), "a segment in service");
        let found = world.macs[0].in_service().find(|&(packet, reached_next_hop)| {
            let packet = world.ctx.packet(packet);
            !reached_next_hop && packet.flow == FLOW && packet.user_bytes() > 0
        });
        if let Some(found) = found {
            return found;
        }
    }
}

#[test]
fn pulled_source_resumes_after_every_drop_reason() {
    let mut failures = Vec::new();
    for case in cases() {
        for preset in ["paper", "cai2013"] {
            let scenario = case.scenario(preset);
            let mut world = World::new(&scenario, 1);
            if let Some(act) = case.act {
                world.run_until(Time::from_secs(3.0)).expect("a run without error");
                act(&mut world);
            }
            let what = format!("{:?}, {preset}", case.reason);
            let mut first = None;
            while world.now() < scenario.end() {
                let earlier = world.ctx().trace.counters.data(FLOW).dropped[case.reason as usize];
                world.run_until(world.now() + crate::kernel::Span::from_millis(100)).expect("a run without error");
                world.audit().unwrap_or_else(|error| panic!("{what}: {error}"));
                let life = world.ctx().trace.counters.data(FLOW);
                if first.is_none() && life.dropped[case.reason as usize] > earlier {
                    first = Some((world.now(), life.delivered));
                }
            }
            let total = world.ctx().trace.counters.data(FLOW);
            match first {
                None => failures.push(format!("{what}: no such drop: {:?}", total.dropped)),
                Some((at, then)) if total.delivered <= then + 20 => {
                    failures.push(format!("{what}: {then} delivered at {at}, {} at the end", total.delivered));
                }
                Some(_) => {}
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn failed_arp_is_no_mac_retry_drop() {
    // docs/protocols/link.md: after three ARP requests the next packet fails, and the waiting one.
    for feedback in [true, false] {
        let text = format!(
            "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[routing]\nprotocol = \"static\"\n\
             link_failure_feedback = {feedback}\n[[node]]\nid = 1\nradio_off = [[\"0 s\", \"9 s\"]]\n[[flow]]\napp = \"cbr\"\n\
             rate = \"40 kb/s\"\nsegment = 500\ntransport = \"udp\"\n"
        );
        let scenario = Resolved::parse(&text, "address.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut world = World::new(&scenario, 1);
        world.run_until(scenario.end()).expect("a run without error");
        let life = world.ctx().trace.counters.data(FLOW);
        let [arp, retry] = [DropReason::Arp, DropReason::MacRetry].map(|reason| life.dropped[reason as usize]);
        assert!(arp > 45 && retry == 0, "{:?}", life.dropped);
    }
}
