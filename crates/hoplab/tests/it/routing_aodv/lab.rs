//! AODV in the network of ideal links.

use crate::routing_lab;
pub(crate) use crate::routing_lab::{FAILURE, HOP, Step};
use hoplab::kernel::{NodeId, Radios, Time};
use hoplab::net::routing::aodv::message::AodvMessage;
use hoplab::net::routing::aodv::{Aodv, AodvConfig};
use hoplab::net::routing::{RoutingConfig, RoutingProfile};
use hoplab::sim::Ctx;
use std::sync::Arc;

pub(crate) type Lab = routing_lab::Lab<Aodv, AodvMessage>;
pub(crate) type Sent = routing_lab::Sent<AodvMessage>;

/// Profile and constants.
pub(crate) type Setup = (RoutingProfile, AodvConfig);

/// TTL of datagrams.
const TTL: u8 = 30;

/// AODV by ns-2.
pub(crate) fn ns2() -> Setup {
    (RoutingProfile::Ns2, AodvConfig::ns2())
}

/// AODV by RFC 3561.
pub(crate) fn rfc() -> Setup {
    (RoutingProfile::Rfc, AodvConfig::rfc())
}

/// Without local repair.
pub(crate) fn without_repair((profile, config): Setup) -> Setup {
    (profile, AodvConfig { local_repair: false, ..config })
}

/// With hello messages.
pub(crate) fn with_hello((profile, config): Setup) -> Setup {
    (profile, AodvConfig { hello: true, ..config })
}

/// Nodes 0 to `nodes` - 1 with these links.
pub(crate) fn network(setup: &Setup, nodes: u32, links: &[(u32, u32)]) -> Lab {
    with(Ctx::new(7, 1, nodes as usize), setup, nodes, links)
}

/// Nodes with radios on these channels, and links of radios.
pub(crate) fn with_radios(setup: &Setup, channels: &[&[u16]], links: &[(u32, u32)]) -> Lab {
    let radios = Radios::new(channels.iter().copied());
    with(Ctx::with_radios(7, 1, channels.len(), radios), setup, channels.len() as u32, links)
}

fn with(mut ctx: Ctx, (profile, config): &Setup, nodes: u32, links: &[(u32, u32)]) -> Lab {
    ctx.trace.keep_records();
    let config = Arc::new(config.clone());
    let node = |node| Aodv::new(NodeId(node), *profile, Arc::clone(&config), &ctx.streams);
    let agents = (0..nodes).map(node).collect();
    let routing = match profile {
        RoutingProfile::Ns2 => RoutingConfig::ns2(),
        RoutingProfile::Rfc => RoutingConfig::rfc(),
    };
    Lab::start(ctx, agents, links, (512 + routing.udp_header.0, TTL))
}

/// A chain of `hops` hops.
pub(crate) fn chain(setup: &Setup, hops: u32) -> Lab {
    let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
    network(setup, hops + 1, &links)
}

/// RREQs that a node has originated: time and TTL.
pub(crate) fn requests(lab: &Lab, node: u32) -> Vec<(Time, u8)> {
    let is_own =
        |sent: &&Sent| matches!(sent.message, AodvMessage::Rreq(rreq) if rreq.hops == 0 && rreq.origin.0 == node);
    lab.sent_by(node).into_iter().filter(is_own).map(|sent| (sent.at, sent.ttl)).collect()
}

/// Messages of one type that a node has sent.
pub(crate) fn messages(lab: &Lab, node: u32, is_type: fn(&AodvMessage) -> bool) -> Vec<&Sent> {
    lab.sent_by(node).into_iter().filter(|sent| is_type(&sent.message)).collect()
}

pub(crate) fn is_rreq(message: &AodvMessage) -> bool {
    matches!(message, AodvMessage::Rreq(_))
}

pub(crate) fn is_rrep(message: &AodvMessage) -> bool {
    matches!(message, AodvMessage::Rrep(_))
}

pub(crate) fn is_rerr(message: &AodvMessage) -> bool {
    matches!(message, AodvMessage::Rerr(_))
}

/// Times in seconds and TTLs, to compare with [`requests`].
pub(crate) fn at(requests: &[(f64, u8)]) -> Vec<(Time, u8)> {
    requests.iter().map(|&(secs, ttl)| (Time::from_secs(secs), ttl)).collect()
}
