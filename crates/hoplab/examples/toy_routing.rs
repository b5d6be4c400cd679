//! A routing protocol outside the engine: `cargo run -p hoplab --example toy_routing`.
//!
//! The scenario names it, `protocol = "program:Beacon@1"`; this program builds it. Each node announces the nodes it can reach
//! and in how many hops; a neighbor that offers fewer hops becomes the next hop. Lost routes are not repaired.

use hoplab::kernel::{NodeId, RadioId, Span};
use hoplab::net::routing::{RouteCtx, Routing};
use hoplab::packet::{ControlMessage, PacketId, Payload};
use hoplab::scenario::{RegisteredPart, Resolved};
use hoplab::sim::RoutingTimer;
use hoplab::trace::DropReason;
use hoplab::world::{ExternalRouting, Externals, World};
use std::collections::BTreeMap;

const SCENARIO: &str = r#"
duration = "20 s"

[topology]
kind = "chain"
hops = 4

[routing]
protocol = "program:Beacon@1"

[[flow]]
transport = "new_reno"
start = "5 s"
"#;

/// Time between beacons of a node.
const INTERVAL: Span = Span::from_millis(1_000);
/// The only timer: the next beacon.
const BEACON: u8 = 0;
/// Largest number of hops.
const TTL: u8 = 32;

/// The message: hops from its sender to each node that it can reach.
#[derive(Debug)]
struct Beacon(BTreeMap<NodeId, u16>);

impl Beacon {
    /// Length in bytes: IP, and six bytes per node.
    fn bytes(&self) -> u32 {
        20 + 6 * self.0.len() as u32
    }
}

impl ControlMessage for Beacon {
    fn name(&self) -> &'static str {
        "beacon"
    }

    fn port(&self) -> u16 {
        49_152
    }

    fn encode(&self, _src: NodeId) -> Vec<u8> {
        let entries = self.0.iter();
        entries.flat_map(|(node, hops)| [&node.0.to_be_bytes()[..], &hops.to_be_bytes()].concat()).collect()
    }
}

/// The protocol at one node.
#[derive(Debug, Default)]
struct BeaconRouting {
    /// Next hop and hops, by destination.
    routes: BTreeMap<NodeId, (NodeId, u16)>,
}

impl BeaconRouting {
    fn send_beacon(&mut self, cx: &mut RouteCtx<'_>) {
        let mut reachable: BTreeMap<NodeId, u16> = self.routes.iter().map(|(dst, (_, hops))| (*dst, *hops)).collect();
        reachable.insert(cx.node, 0);
        let beacon = Beacon(reachable);
        let bytes = beacon.bytes();
        let packet = cx.originate(beacon, NodeId::BROADCAST, bytes, 1);
        cx.send(packet, NodeId::BROADCAST);
        cx.set_timer(cx.now() + INTERVAL, BEACON, cx.node);
    }
}

impl Routing for BeaconRouting {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        // Nodes begin one after another, so that their first beacons do not collide.
        cx.set_timer(cx.now() + Span::from_millis(10 * u64::from(cx.node.0 + 1)), BEACON, cx.node);
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        match self.routes.get(&cx.ctx.packet(packet).dst) {
            Some((next_hop, _)) => cx.send(packet, *next_hop),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        let from = cx.owner(from);
        let message = match &cx.ctx.packet(packet).payload {
            Payload::Control(message) => message.clone(),
            _ => return,
        };
        cx.ctx.consume(packet);
        for (&dst, hops) in message.get::<Beacon>().into_iter().flat_map(|beacon| &beacon.0) {
            let hops = hops + 1;
            if dst != cx.node && self.routes.get(&dst).is_none_or(|(_, own)| hops < *own) {
                self.routes.insert(dst, (from, hops));
                cx.route_changed(dst, from);
            }
        }
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: RadioId, reason: DropReason) {
        cx.drop(packet, reason);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, _: RoutingTimer) {
        self.send_beacon(cx);
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.routes.get(&dst).map(|(_, hops)| *hops)
    }

    fn source_ttl(&self) -> u8 {
        TTL
    }

    fn each_waiting(&self, _: &mut dyn FnMut(PacketId)) {}
}

/// The parts that this program supplies.
struct Parts;

impl Externals for Parts {
    fn routing(&mut self, _: NodeId, named: &RegisteredPart) -> Result<ExternalRouting, String> {
        match named.part.as_str() {
            "Beacon" => Ok(Box::<BeaconRouting>::default()),
            other => Err(format!("{other} is not a routing protocol of this program")),
        }
    }
}

/// Goodput of the flow in bits per second, and routing packets sent.
///
/// # Errors
/// What is wrong with the scenario, or with the run.
pub fn run(seed: u64) -> Result<(f64, u64), String> {
    let scenario = Resolved::parse(SCENARIO, "toy.toml", &[]).map_err(|error| error.to_string())?;
    let mut world = World::build_with(&scenario, seed, &mut Parts).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    let report = world.report(&scenario, seed, 0.0);
    Ok((report.flows[0].goodput_bps, report.routing.messages))
}

fn main() -> Result<(), String> {
    for seed in 1..=3 {
        let (goodput, packets) = run(seed)?;
        println!("seed {seed}: {:.1} kb/s, {packets} routing packets", goodput / 1e3);
    }
    Ok(())
}
