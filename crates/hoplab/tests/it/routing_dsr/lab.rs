//! DSR in the network of ideal links.

use crate::routing_lab;
pub(crate) use crate::routing_lab::{FAILURE, HOP, Step};
use hoplab::kernel::{NodeId, Time};
use hoplab::net::routing::Routing;
use hoplab::net::routing::dsr::message::{DsrMessage, Rerr, Rreq};
use hoplab::net::routing::dsr::{Dsr, DsrConfig};
use hoplab::sim::Ctx;
use std::sync::Arc;

pub(crate) type Lab = routing_lab::Lab<Dsr, DsrMessage>;
pub(crate) type Sent = routing_lab::Sent<DsrMessage>;

/// Nodes 0 to `nodes` - 1 with these links.
pub(crate) fn network(config: &DsrConfig, nodes: u32, links: &[(u32, u32)]) -> Lab {
    let mut ctx = Ctx::new(7, 1, nodes as usize);
    ctx.trace.keep_records();
    let config = Arc::new(config.clone());
    let node = |node| Dsr::new(NodeId(node), Arc::clone(&config), &ctx.streams);
    let agents = (0..nodes).map(node).collect();
    Lab::start(ctx, agents, links, (532, config.ttl))
}

/// A chain of `hops` hops.
pub(crate) fn chain(config: &DsrConfig, hops: u32) -> Lab {
    let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
    network(config, hops + 1, &links)
}

/// Without replies from caches and overheard routes.
pub(crate) fn plain() -> DsrConfig {
    DsrConfig { reply_from_cache: false, promiscuous: false, ..DsrConfig::rfc() }
}

/// RREQs that a node has originated: time and TTL.
pub(crate) fn requests(lab: &Lab, node: u32) -> Vec<(Time, u8)> {
    let is_own = |sent: &&Sent| matches!(&sent.message, DsrMessage::Rreq(rreq) if rreq.path == [NodeId(node)]);
    lab.sent_by(node).into_iter().filter(is_own).map(|sent| (sent.at, sent.ttl)).collect()
}

/// RREQs that a node has sent.
pub(crate) fn rreqs(lab: &Lab, node: u32) -> Vec<&Rreq> {
    lab.sent_by(node)
        .into_iter()
        .filter_map(|sent| if let DsrMessage::Rreq(rreq) = &sent.message { Some(rreq) } else { None })
        .collect()
}

/// Paths of the RREPs that a node has sent, with their lengths in bytes.
pub(crate) fn replies(lab: &Lab, node: u32) -> Vec<(Vec<u32>, u32)> {
    lab.sent_by(node)
        .into_iter()
        .filter_map(|sent| match &sent.message {
            DsrMessage::Rrep(path) => Some((path.iter().map(|node| node.0).collect(), sent.bytes)),
            _ => None,
        })
        .collect()
}

/// RERRs that a node has sent: time, recipient and unreachable destinations.
pub(crate) fn errors(lab: &Lab, node: u32) -> Vec<(Time, u32, Rerr)> {
    lab.sent_by(node)
        .into_iter()
        .filter_map(|sent| match &sent.message {
            DsrMessage::Rerr(rerr) => Some((sent.at, sent.to.0, *rerr)),
            _ => None,
        })
        .collect()
}

/// Hops to `dst` in a node's cache.
pub(crate) fn hops(lab: &Lab, node: u32, dst: u32) -> Option<u16> {
    lab.nodes[node as usize].hops_to(NodeId(dst))
}

/// Times in seconds and TTLs, to compare with [`requests`].
pub(crate) fn at(requests: &[(f64, u8)]) -> Vec<(Time, u8)> {
    requests.iter().map(|&(secs, ttl)| (Time::from_secs(secs), ttl)).collect()
}
