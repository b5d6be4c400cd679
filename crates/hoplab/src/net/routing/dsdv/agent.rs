//! DSDV at one node: its state, and how it forwards packets (ns-2's `DSDV_Agent`).

use super::config::DsdvConfig;
use super::entry::Offer;
use super::further_radios::FurtherRadios;
use super::send_buffer::SendBuffer;
use super::table::Table;
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, RandomStreams, Span, Time, TimerId};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::PacketId;
use std::sync::Arc;

/// DSDV at one node.
#[derive(Debug)]
pub struct Dsdv {
    pub(super) node: NodeId,
    pub(super) config: Arc<DsdvConfig>,
    pub(super) jitter: RandomStream,
    /// Own sequence number.
    pub(super) seq: u32,
    pub(super) table: Table,
    pub(super) further_radios: FurtherRadios,
    pub(super) buffer: SendBuffer,
    /// The next periodic update.
    pub(super) periodic: Option<TimerId>,
    /// Time of the last update.
    pub(super) last_update: Option<Time>,
    /// Hosts that this node advertises as their gateway.
    pub(super) hosts: Vec<NodeId>,
    /// All hosts, if one of them has several gateways: its packets go to the nearest.
    pub(super) shared: Option<Arc<Hosts>>,
}

/// A route as other code sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DsdvRoute {
    /// Radio of the next hop.
    pub next_hop: RadioId,
    /// Hops to the destination.
    pub hops: u8,
    /// Sequence number.
    pub seq: u32,
    /// Time from which it is advertised; [`Time::NEVER`] if not before the next number.
    pub advertised_from: Time,
}

/// Own sequence number at the start; the first update raises it.
const FIRST_SEQ: u32 = 2;

/// Broadcasts are delayed by up to this time, at random (ns-2: `DSDV_BROADCAST_JITTER`).
const JITTER: Span = Span::from_millis(10);

/// Timer kind: a periodic update is due.
pub(super) const PERIODIC: u8 = 0;
/// Timer kind: the triggered update of an entry is due.
pub(super) const TRIGGERED: u8 = 1;
/// Timer kind: a neighbor may have sent no update for too long.
pub(super) const SILENT: u8 = 2;

impl Dsdv {
    /// DSDV at `node`, with a route to itself only.
    pub fn new(node: NodeId, config: Arc<DsdvConfig>, streams: &RandomStreams) -> Dsdv {
        Dsdv {
            node,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            seq: FIRST_SEQ,
            table: Table::new(node, &config),
            further_radios: FurtherRadios::default(),
            buffer: SendBuffer::new(node, config.buffer_per_destination),
            periodic: None,
            last_update: None,
            hosts: Vec::new(),
            shared: None,
            config,
        }
    }

    /// The route to `dst`, if there is one.
    pub fn route(&self, dst: NodeId) -> Option<DsdvRoute> {
        let entry = self.table.get(dst)?;
        let (next_hop, hops, seq) = (entry.next_hop, entry.hops(), entry.seq());
        entry.has_route().then_some(DsdvRoute { next_hop, hops, seq, advertised_from: entry.advertised_from })
    }

    /// The node's own sequence number.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// Number of destinations with an entry, the node itself included.
    pub fn known(&self) -> usize {
        self.table.known()
    }

    /// The gateways of a host that has several.
    pub(super) fn gateways_of(&self, dst: NodeId) -> Option<&[(NodeId, u8)]> {
        self.shared.as_ref()?.shared(dst)
    }

    /// The nearest of the gateways of a host, and the hops to the host; of equally near ones the first.
    pub(super) fn nearest(&self, gateways: &[(NodeId, u8)]) -> Option<(NodeId, u16)> {
        let hops = |&(node, wires): &(NodeId, u8)| {
            let radio = self.table.get(node).filter(|entry| entry.has_route())?.hops();
            Some((node, u16::from(radio) + u16::from(wires)))
        };
        gateways.iter().filter_map(hops).min_by_key(|&(_, hops)| hops)
    }

    /// Sends a packet for a host by the nearest of its gateways, or buffers it until there is a route to one.
    fn forward_to_host(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, host: NodeId) {
        let nearest = self.gateways_of(host).and_then(|gateways| self.nearest(gateways));
        match nearest {
            Some((gateway, _)) => cx.send_to(packet, self.table[gateway].next_hop, Span::ZERO),
            None => self.buffer.push(cx.ctx, packet, host),
        }
    }

    /// Sends a packet, or buffers it until there is a route.
    pub(super) fn forward(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId) {
        if self.gateways_of(dst).is_some() {
            self.forward_to_host(cx, packet, dst);
            return;
        }
        self.table.add(Offer::unknown(dst), cx.now(), &self.config);
        let entry = &self.table[dst];
        if entry.has_route() {
            cx.send_to(packet, entry.next_hop, Span::ZERO);
        } else {
            self.buffer.push(cx.ctx, packet, dst);
        }
    }

    /// Sends the packets that wait for a route to `dst`, or for a host behind it, all at once.
    pub(super) fn flush(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let next_hop = self.table[dst].next_hop;
        let behind = self.shared.iter().flat_map(|hosts| hosts.of(dst)).filter(|served| served.is_shared);
        for end in std::iter::once(dst).chain(behind.map(|served| served.host)) {
            while let Some(packet) = self.buffer.pop(end) {
                cx.send_to(packet, next_hop, Span::ZERO);
            }
        }
    }

    /// A random time up to `max`.
    pub(super) fn draw(&mut self, max: Span) -> Span {
        Span::from_secs(max.secs() * self.jitter.unit())
    }

    /// The delay of a broadcast.
    pub(super) fn draw_jitter(&mut self) -> Span {
        self.draw(JITTER)
    }
}
