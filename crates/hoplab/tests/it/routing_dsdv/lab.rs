//! DSDV in the network of ideal links.

use crate::routing_lab;
pub(crate) use crate::routing_lab::{FAILURE, HOP, Step};
use hoplab::kernel::{NodeId, Radios, Span};
use hoplab::net::routing::RoutingConfig;
use hoplab::net::routing::dsdv::message::Update;
use hoplab::net::routing::dsdv::{Dsdv, DsdvConfig};
use hoplab::sim::Ctx;
use std::sync::Arc;

pub(crate) type Lab = routing_lab::Lab<Dsdv, Update>;
pub(crate) type Sent = routing_lab::Sent<Update>;

/// Hops that mean: no route.
pub(crate) const INFINITY: u8 = 250;

/// DSDV by ns-2.
pub(crate) fn ns2() -> DsdvConfig {
    DsdvConfig::ns2()
}

/// DSDV by ns-2 without settling: routes spread in seconds.
pub(crate) fn quick() -> DsdvConfig {
    DsdvConfig { settling_time: Span::ZERO, ..DsdvConfig::ns2() }
}

/// DSDV without settling, with link failures of the MAC.
pub(crate) fn rfc() -> DsdvConfig {
    DsdvConfig { settling_time: Span::ZERO, ..DsdvConfig::rfc() }
}

/// Nodes 0 to `nodes` - 1 with these links, and random streams of this seed.
pub(crate) fn network(config: &DsdvConfig, nodes: u32, links: &[(u32, u32)], seed: u64) -> Lab {
    with(Ctx::new(seed, 1, nodes as usize), config, nodes, links)
}

/// Nodes with radios on these channels, and links of radios.
pub(crate) fn with_radios(config: &DsdvConfig, channels: &[&[u16]], links: &[(u32, u32)]) -> Lab {
    let radios = Radios::new(channels.iter().copied());
    with(Ctx::with_radios(1, 1, channels.len(), radios), config, channels.len() as u32, links)
}

fn with(ctx: Ctx, config: &DsdvConfig, nodes: u32, links: &[(u32, u32)]) -> Lab {
    let ttl = config.ttl;
    let config = Arc::new(config.clone());
    let agents = (0..nodes).map(|node| Dsdv::new(NodeId(node), Arc::clone(&config), &ctx.streams)).collect();
    Lab::start(ctx, agents, links, (512 + RoutingConfig::ns2().udp_header.0, ttl))
}

/// A chain of `hops` hops.
pub(crate) fn chain(config: &DsdvConfig, hops: u32, seed: u64) -> Lab {
    let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
    network(config, hops + 1, &links, seed)
}

/// Hops of the route of one node to another.
pub(crate) fn hops(lab: &Lab, from: u32, to: u32) -> Option<u8> {
    lab.nodes[from as usize].route(NodeId(to)).map(|route| route.hops)
}
