//! AODV at one node: its state, and what all of its events use (ns-2's class `AODV`).

use super::config::AodvConfig;
use super::rules::{Rules, Upkeep};
use super::state::entry::State;
use super::state::limits::Limits;
use super::state::neighbors::Neighbors;
use super::state::rreq_cache::RreqCache;
use super::state::send_buffer::SendBuffer;
use super::state::table::Table;
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, RandomStreams, Span, Time, TimerId};
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::hosts::Served;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{Packet, PacketId};
use crate::trace::DropReason;
use std::sync::Arc;

/// AODV at one node.
#[derive(Debug)]
pub struct Aodv {
    pub(super) node: NodeId,
    pub(super) config: Arc<AodvConfig>,
    pub(super) rules: &'static Rules,
    pub(super) jitter: RandomStream,
    /// Own sequence number.
    pub(super) seq: u32,
    /// Number of the next RREQ.
    pub(super) next_id: u32,
    pub(super) table: Table,
    pub(super) buffer: SendBuffer,
    pub(super) rreqs: RreqCache,
    /// Next tick of the purge timer, if it is set.
    pub(super) purge_timer: Option<(Time, TimerId)>,
    pub(super) limits: Limits,
    pub(super) neighbors: Option<Box<Neighbors>>,
    /// Hosts that this node answers for as their gateway.
    pub(super) hosts: Vec<Served>,
    /// The lowest number of a host, in a run with wires; otherwise higher than any.
    pub(super) first_host: NodeId,
}

/// A route as other code sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Radio of the next hop.
    pub next_hop: RadioId,
    /// Hops to the destination.
    pub hops: u8,
    /// Sequence number.
    pub seq: u32,
    /// End of its lifetime unless it is used.
    pub expire: Time,
    /// Whether it is in local repair.
    pub is_in_repair: bool,
}

/// Timer kind: a tick of the purge timer (ns-2).
pub(super) const PURGE: u8 = 0;
/// Timer kind: a local repair has failed (RFC).
pub(super) const REPAIR: u8 = 1;
/// Timer kind: no RREP has arrived in time (RFC).
pub(super) const REQUEST: u8 = 2;
/// Timer kind: a hello message is due.
pub(super) const HELLO: u8 = 3;
/// Timer kind: a check for lost neighbors is due.
pub(super) const NEIGHBORS: u8 = 4;

/// Broadcasts that respond to another are delayed by up to this time, at random.
const JITTER: Span = Span::from_millis(10);

impl Aodv {
    /// AODV at `node`, with an empty table.
    pub fn new(node: NodeId, profile: RoutingProfile, config: Arc<AodvConfig>, streams: &RandomStreams) -> Aodv {
        let rules = Rules::of(profile);
        Aodv {
            node,
            rules,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            seq: rules.numbering.first(),
            next_id: 1,
            table: Table::default(),
            buffer: SendBuffer::new(node, config.buffer_limit, config.buffer_timeout),
            rreqs: RreqCache::new(config.request_memory),
            purge_timer: None,
            limits: Limits::default(),
            neighbors: config.hello.then(Box::default),
            hosts: Vec::new(),
            first_host: NodeId::BROADCAST,
            config,
        }
    }

    /// The route to `dst`, if there is one or one is in local repair.
    pub fn route(&self, dst: NodeId) -> Option<Route> {
        let entry = &self.table[self.table.find(dst)?];
        (entry.state != State::Down).then_some(Route {
            next_hop: entry.next_hop,
            hops: entry.hops,
            seq: entry.seq,
            expire: entry.expire,
            is_in_repair: entry.state == State::InRepair,
        })
    }

    /// Whether a packet starts its path by radio at this node, which created it or received it over a wire.
    pub(super) fn is_own(&self, packet: &Packet) -> bool {
        packet.origin() == self.node || packet.hop.prev >= self.first_host
    }

    /// A host that this node answers for.
    pub(super) fn served(&self, host: NodeId) -> Option<Served> {
        self.hosts.iter().find(|served| served.host == host).copied()
    }

    /// The node's own sequence number.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// Index of a destination's entry, which is added if there is none.
    pub(super) fn entry(&mut self, now: Time, dst: NodeId) -> usize {
        let index = self.table.find_or_add(dst, self.rules.numbering.knows_zero());
        self.age(index, now);
        index
    }

    /// Index of a destination's entry, if there is one.
    pub(super) fn known(&mut self, now: Time, dst: NodeId) -> Option<usize> {
        let index = self.table.find(dst)?;
        self.age(index, now);
        Some(index)
    }

    /// Replaces a route, and ends the discovery for it.
    pub(super) fn install(
        &mut self,
        cx: &mut RouteCtx<'_>,
        index: usize,
        seq: u32,
        hops: u8,
        next_hop: RadioId,
        expire: Time,
    ) {
        let entry = &mut self.table[index];
        if entry.state != State::Up || entry.next_hop != next_hop {
            cx.route_changed(entry.dst, cx.owner(next_hop));
        }
        entry.update(seq, hops, next_hop, expire);
        match self.rules.upkeep {
            Upkeep::PurgeTimer => self.purge_after_expiry(cx, expire),
            Upkeep::Lifetimes => self.end_discovery(cx, index),
        }
    }

    /// Sends a packet along a route, which extends the route's lifetime.
    pub(super) fn forward(&mut self, cx: &mut RouteCtx<'_>, index: usize, packet: PacketId, delay: Span) {
        if cx.ctx.packet(packet).ttl == 0 {
            cx.drop(packet, DropReason::Ttl);
            return;
        }
        let used_until = cx.now() + self.config.active_route_timeout;
        let entry = &mut self.table[index];
        entry.expire = match self.rules.upkeep {
            Upkeep::PurgeTimer => used_until,
            Upkeep::Lifetimes => entry.expire.max(used_until),
        };
        cx.send_to(packet, entry.next_hop, delay);
    }

    /// Sends the packets that wait for a route.
    pub(super) fn flush(&mut self, cx: &mut RouteCtx<'_>, index: usize, spacing: Span) {
        let dst = self.table[index].dst;
        let mut delay = Span::ZERO;
        while let Some(packet) = self.buffer.pop(cx.ctx, dst) {
            self.forward(cx, index, packet, delay);
            delay += spacing;
        }
    }

    /// Buffers a packet until there is a route.
    pub(super) fn keep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId) {
        self.buffer.push(cx.ctx, packet, dst);
        if self.rules.upkeep == Upkeep::PurgeTimer {
            self.purge_at_next_tick(cx);
        }
    }

    /// Starts route discovery, unless it is in progress.
    pub(super) fn discover(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        match self.rules.upkeep {
            Upkeep::PurgeTimer => self.request(cx, index),
            Upkeep::Lifetimes => self.start_discovery(cx, index),
        }
    }

    /// The delay of a broadcast that responds to another.
    pub(super) fn draw_jitter(&mut self) -> Span {
        Span::from_secs(JITTER.secs() * self.jitter.unit())
    }
}
