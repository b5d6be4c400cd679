//! HWMP in the network of ideal links, where each link has metric 1.

use crate::routing_lab;
pub(crate) use crate::routing_lab::{FAILURE, HOP, Step};
use hoplab::kernel::{NodeId, Span};
use hoplab::net::routing::hwmp::message::HwmpMessage;
use hoplab::net::routing::hwmp::{Hwmp, HwmpConfig};
use hoplab::packet::ControlMessage;
use hoplab::sim::Ctx;

pub(crate) type Lab = routing_lab::Lab<Hwmp, HwmpMessage>;

/// Time unit of 802.11.
pub(crate) const TU: Span = Span::from_micros(1_024);

/// Nodes 0 to `nodes` - 1 with these links.
pub(crate) fn network(config: &HwmpConfig, nodes: u32, links: &[(u32, u32)]) -> Lab {
    let ctx = Ctx::new(1, 1, nodes as usize);
    let agents = Hwmp::all((0..nodes).map(NodeId), config, &ctx.streams);
    Lab::start(ctx, agents, links, (532, config.ttl))
}

/// A chain of `hops` hops.
pub(crate) fn chain(config: &HwmpConfig, hops: u32) -> Lab {
    let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
    network(config, hops + 1, &links)
}

/// Next hop and hops of the path of one node to another.
pub(crate) fn path(lab: &Lab, from: u32, to: u32) -> Option<(u32, u8)> {
    lab.nodes[from as usize].path(NodeId(to)).map(|path| (path.next_hop.0, path.hops))
}

/// Names of the messages of a node.
pub(crate) fn names(lab: &Lab, node: u32) -> Vec<&'static str> {
    lab.sent_by(node).iter().map(|sent| sent.message.name()).collect()
}

/// Messages of this name.
pub(crate) fn count(lab: &Lab, name: &str) -> usize {
    lab.sent.iter().filter(|sent| sent.message.name() == name).count()
}
