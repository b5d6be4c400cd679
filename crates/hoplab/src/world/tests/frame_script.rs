//! Exchanges as scripts of frames: networks without flows, in which a test sends packets.

use crate::kernel::{FlowId, Span, Time};
use crate::packet::{Datagram, FrameKind, NewPacket, Payload};
use crate::scenario::Resolved;
use crate::trace::{Record, Step, What};
use crate::world::World;

/// Nodes at these positions in steps of 200 m, with a handshake and routes between `pairs`, without traffic; without ARP
/// unless `more` has a table `[link]`.
pub(super) fn idle_world(steps: &[(f64, f64)], pairs: &[(u32, u32)], more: &str, seed: u64) -> World {
    let positions: Vec<_> = steps.iter().map(|(x, y)| [x * 200.0, y * 200.0]).collect();
    let link = if more.contains("[link]") { "" } else { "[link]\narp = false\n" };
    let mut text =
        format!("duration = \"60 s\"\n[topology]\nkind = \"positions\"\npositions = {positions:?}\n{link}{more}\n");
    for id in 0..steps.len() {
        if !more.contains(&format!("id = {id}\n")) {
            text += &format!("[[node]]\nid = {id}\nhandshake = \"semi_tcp\"\n");
        }
    }
    for (from, to) in pairs {
        text += &format!(
            "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nrate = \"1 kb/s\"\ntransport = \"udp\"\nsegment = 512\n\
             start = \"59 s\"\n"
        );
    }
    let scenario = Resolved::parse(&text, "idle.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, seed);
    world.keep_records();
    world
}

/// Sends this many packets of a flow at once.
pub(super) fn give(world: &mut World, flow: u32, count: u32) {
    let ends = &world.flows[flow as usize];
    let (src, dst) = (ends.src, ends.dst);
    for n in 0..count {
        let payload = Payload::Datagram(Datagram { seq: u64::from(n), payload: 512, sent_at: world.now() });
        let packet = NewPacket { flow: FlowId(flow), src, dst, bytes: 532, payload };
        world.inject(src, packet);
    }
}

pub(super) fn run(world: &mut World, millis: u64) -> Vec<Record> {
    let until = world.now() + Span::from_millis(millis);
    world.run_until(until).expect("a run without error");
    world.audit().expect("packets are conserved");
    world.take_records()
}

/// Frames as `RTSC 1>2`, with their times.
pub(super) fn frames(records: &[Record]) -> Vec<(Time, String)> {
    let mut mark = "";
    let mut found = Vec::new();
    for record in records {
        match record.what {
            What::Handshake { step: Step::Rtsc | Step::Ctsc, .. } => mark = "C",
            What::FrameSent { kind, to, .. } => {
                let name = match kind {
                    FrameKind::Rts => "RTS",
                    FrameKind::Cts => "CTS",
                    FrameKind::Data => "DATA",
                    FrameKind::Ack => "ACK",
                    FrameKind::Aggregate => "AMPDU",
                    FrameKind::BlockAck => "BA",
                    FrameKind::BlockAckRequest => "BAR",
                    FrameKind::CfEnd => "CFE",
                };
                found.push((record.time, format!("{name}{mark} {}>{}", record.node.0, to.0)));
                mark = "";
            }
            _ => {}
        }
    }
    found
}
