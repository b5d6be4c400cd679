//! OLSR in the network of ideal links.

use crate::routing_lab;
pub(crate) use crate::routing_lab::{FAILURE, HOP, Step};
use hoplab::kernel::{NodeId, Radios};
use hoplab::net::routing::RoutingConfig;
use hoplab::net::routing::olsr::message::{Body, Message, OlsrPacket};
use hoplab::net::routing::olsr::{Olsr, OlsrConfig};
use hoplab::sim::Ctx;

pub(crate) type Lab = routing_lab::Lab<Olsr, OlsrPacket>;
pub(crate) type Sent = routing_lab::Sent<OlsrPacket>;

/// Nodes 0 to `nodes` - 1 with these links, and random streams of this seed.
pub(crate) fn network(config: &OlsrConfig, nodes: u32, links: &[(u32, u32)], seed: u64) -> Lab {
    with(Ctx::new(seed, 1, nodes as usize), config, nodes, links)
}

/// Nodes with radios on these channels, and links of radios.
pub(crate) fn with_radios(config: &OlsrConfig, channels: &[&[u16]], links: &[(u32, u32)]) -> Lab {
    let radios = Radios::new(channels.iter().copied());
    with(Ctx::with_radios(1, 1, channels.len(), radios), config, channels.len() as u32, links)
}

fn with(ctx: Ctx, config: &OlsrConfig, nodes: u32, links: &[(u32, u32)]) -> Lab {
    let agents = Olsr::all((0..nodes).map(NodeId), config, &ctx.streams);
    Lab::start(ctx, agents, links, (512 + RoutingConfig::rfc().udp_header.0, config.ttl))
}

/// A chain of `hops` hops.
pub(crate) fn chain(config: &OlsrConfig, hops: u32, seed: u64) -> Lab {
    let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
    network(config, hops + 1, &links, seed)
}

/// Hops of the route of one node to another.
pub(crate) fn hops(lab: &Lab, from: u32, to: u32) -> Option<u16> {
    lab.nodes[from as usize].route(NodeId(to)).map(|route| route.hops)
}

/// Next hop of the route of one node to another.
pub(crate) fn next_hop(lab: &Lab, from: u32, to: u32) -> Option<u32> {
    lab.nodes[from as usize].route(NodeId(to)).map(|route| route.next_hop.0)
}

/// MPRs of a node.
pub(crate) fn mprs(lab: &Lab, node: u32) -> Vec<u32> {
    lab.nodes[node as usize].mprs().map(|node| node.0).collect()
}

/// Messages in the packets of a node, of all kinds.
pub(crate) fn messages(lab: &Lab, node: u32) -> impl Iterator<Item = &Message> {
    lab.sent.iter().filter(move |sent| sent.node == node).flat_map(|sent| &sent.message.messages)
}

/// TC messages in the packets of a node that `origin` has created.
pub(crate) fn tcs(lab: &Lab, node: u32, origin: u32) -> usize {
    messages(lab, node).filter(|message| message.origin.0 == origin && matches!(message.body, Body::Tc(_))).count()
}
