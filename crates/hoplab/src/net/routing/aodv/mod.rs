//! AODV: routes are found by flooding a request when a packet needs one, and given up when the MAC drops a frame.
//!
//! # Model
//! Per destination a node keeps a sequence number, the hops, the next hop and an expiry. A request leaves a route back
//! to its origin wherever it passes; the destination, or a node with a route that is new enough, answers along it. A
//! frame that the MAC gives up is a broken link: the node repairs the route if the packet has come farther than it
//! still has to go (`ns2`), and otherwise gives up all routes through that neighbor and says so (RERR).
//!
//! # Source
//! RFC 3561; profile `ns2` (default) does what ns-2.35 does with its usual compile-time switches: link-layer detection
//! and local repair on, hello messages and gratuitous replies off.
//!
//! # Deviations
//! See `docs/protocols/aodv.md`. Profile `ns2`: a reply is not sent if the way back is unknown (ns-2 sends it to node
//! 0); the purge timers run only while there is something to purge, with the same outcome at the same moments.
//!
//! # Parameters
//! | name | unit | default (ns2, rfc) | source |
//! | --- | --- | --- | --- |
//! | `active_route_timeout` | time | 10 s, 3 s | ACTIVE_ROUTE_TIMEOUT |
//! | `my_route_timeout` | time | 10 s, 6 s | MY_ROUTE_TIMEOUT |
//! | `reverse_route_life` | time | 6 s, by hops | REV_ROUTE_LIFE, MinimalLifetime |
//! | `request_memory` | time | 6 s, 5.6 s | BCAST_ID_SAVE, PATH_DISCOVERY_TIME |
//! | `rreq_retries` | count | 3, 2 | RREQ_RETRIES |
//! | `max_rreq_timeout` | time | 10 s, unused | MAX_RREQ_TIMEOUT |
//! | `ttl_start`, `ttl_increment`, `ttl_threshold` | hops | 5, 2, 7 and 1, 2, 7 | same names |
//! | `node_traversal_time` | time | 30 ms, 40 ms | NODE_TRAVERSAL_TIME |
//! | `network_diameter` | hops | 30, 35 | NETWORK_DIAMETER, NET_DIAMETER |
//! | `buffer_limit`, `buffer_timeout` | packets, time | 64, 30 s | AODV_RTQ_MAX_LEN, AODV_RTQ_TIMEOUT |
//! | `local_repair` | switch | on | AODV_LOCAL_REPAIR |
//! | `hello`, `hello_interval`, `allowed_hello_loss` | switch, time, count | off, 1 s, 3 or 2 | same names |

mod failure;
mod hello;
pub mod message;
mod ns2;
mod receive;
mod rfc;
mod rreq_cache;
mod send;
mod send_buffer;
mod table;

use super::config::{AodvConstants, AodvProfile, SourceBytes};
use super::{RouteCtx, RouteOut, Routing};
use crate::kernel::{NodeId, Purpose, Span, Stream, Streams, Time, TimerId};
use crate::packet::{PacketId, Payload};
use crate::sim::{Event, RoutingTimer};
use crate::trace::DropReason;
use hello::Neighbors;
use message::{AodvMessage, Rrep, Rreq, Unreachable};
use rfc::Limits;
use rreq_cache::RreqCache;
use send_buffer::SendBuffer;
use std::sync::Arc;
use table::{State, Table};

/// AODV at one node.
#[derive(Debug)]
pub struct Aodv {
    node: NodeId,
    constants: Arc<AodvConstants>,
    bytes: SourceBytes,
    jitter: Stream,
    /// Own sequence number.
    seq: u32,
    /// Number of the next request.
    next_id: u32,
    table: Table,
    buffer: SendBuffer,
    seen: RreqCache,
    /// The armed tick of the purge timer (ns2).
    clock: Option<(Time, TimerId)>,
    limits: Limits,
    neighbors: Option<Box<Neighbors>>,
}

/// What is known of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Neighbor towards it.
    pub next_hop: NodeId,
    /// Hops to it.
    pub hops: u8,
    /// Sequence number.
    pub seq: u32,
    /// When the route ends unless it is used.
    pub expire: Time,
    /// Whether packets wait until it is found again.
    pub is_in_repair: bool,
}

/// Timer slot: the purge timer, every 0.5 s (ns2).
const CLOCK: u8 = 0;
/// Timer slot: a local repair has taken too long (rfc).
const REPAIR: u8 = 1;
/// Timer slot: no reply has come in time (rfc).
const REQUEST: u8 = 2;
/// Timer slot: time for a hello message.
const HELLO: u8 = 3;
/// Timer slot: which neighbors are silent?
const NEIGHBORS: u8 = 4;

/// Broadcasts that answer one another are spread over this time.
const JITTER: Span = Span::from_millis(10);
/// Buffered packets leave this far apart, so that ARP, which holds one packet, does not drop them (ns-2: ARP_DELAY).
const SPACING: Span = Span::from_millis(10);

impl Aodv {
    /// AODV at `node`, with an empty table.
    pub fn new(node: NodeId, constants: Arc<AodvConstants>, bytes: SourceBytes, streams: &Streams) -> Aodv {
        Aodv {
            node,
            bytes,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            seq: if constants.profile == AodvProfile::Ns2 { ns2::FIRST_SEQ } else { 0 },
            next_id: 1,
            table: Table::default(),
            buffer: SendBuffer::new(node, constants.buffer_limit, constants.buffer_timeout),
            seen: RreqCache::new(constants.request_memory),
            clock: None,
            limits: Limits::default(),
            neighbors: constants.hello.then(Box::default),
            constants,
        }
    }

    /// Bytes added at the source to a packet with this payload.
    pub fn extra_bytes(&self, payload: &Payload) -> u32 {
        self.bytes.of(payload)
    }

    /// Hops to `dst`, if there is a route.
    pub fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.route(dst).filter(|route| !route.is_in_repair).map(|route| u16::from(route.hops))
    }

    /// The packets that wait here for a route, in order of arrival.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.buffer.iter()
    }

    /// The route to `dst`, if there is one or one is under repair.
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

    /// The node's own sequence number.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    fn is_rfc(&self) -> bool {
        self.constants.profile == AodvProfile::Rfc
    }

    /// Place of a destination's entry, which is made if there is none.
    fn entry(&mut self, now: Time, dst: NodeId) -> usize {
        let is_rfc = self.is_rfc();
        let place = self.table.find_or_add(dst, !is_rfc);
        if is_rfc {
            self.age(place, now);
        }
        place
    }

    /// Place of a destination's entry, if there is one.
    fn known(&mut self, now: Time, dst: NodeId) -> Option<usize> {
        let place = self.table.find(dst)?;
        if self.is_rfc() {
            self.age(place, now);
        }
        Some(place)
    }

    /// Takes a route over, and ends the search for it.
    fn install(&mut self, cx: &mut RouteCtx<'_>, place: usize, seq: u32, hops: u8, next_hop: NodeId, expire: Time) {
        let entry = &mut self.table[place];
        if entry.state != State::Up || entry.next_hop != next_hop {
            cx.ctx.route_changed(self.node, entry.dst, next_hop);
        }
        entry.update(seq, hops, next_hop, expire);
        if self.is_rfc() {
            self.end_search(cx, place);
        } else {
            self.arm_for_expiry(cx, expire);
        }
    }

    /// Sends a packet along a route, which lives on by that.
    fn forward(&mut self, cx: &mut RouteCtx<'_>, place: usize, packet: PacketId, delay: Span) {
        if cx.ctx.packet(packet).ttl == 0 {
            cx.ctx.drop(self.node, packet, DropReason::Ttl);
            return;
        }
        let used_until = cx.ctx.now + self.constants.active_route_timeout;
        let entry = &mut self.table[place];
        entry.expire =
            if self.constants.profile == AodvProfile::Ns2 { used_until } else { entry.expire.max(used_until) };
        cx.out.push(RouteOut::Send { packet, next_hop: entry.next_hop, delay });
    }

    /// Sends the packets that have waited for a route.
    fn flush(&mut self, cx: &mut RouteCtx<'_>, place: usize, spacing: Span) {
        let dst = self.table[place].dst;
        let mut delay = Span::ZERO;
        while let Some(packet) = self.buffer.pop(cx.ctx, dst) {
            self.forward(cx, place, packet, delay);
            delay += spacing;
        }
    }

    /// Keeps a packet until there is a route.
    fn keep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId) {
        self.buffer.push(cx.ctx, packet, dst);
        if !self.is_rfc() {
            self.arm_for_buffer(cx);
        }
    }

    /// Looks for a route, unless that is going on already.
    fn request(&mut self, cx: &mut RouteCtx<'_>, place: usize) {
        if self.is_rfc() {
            self.search(cx, place);
        } else {
            self.request_ns2(cx, place);
        }
    }

    fn draw_jitter(&mut self) -> Span {
        Span::from_secs(JITTER.secs() * self.jitter.unit())
    }

    fn schedule(&self, cx: &mut RouteCtx<'_>, at: Time, kind: u8, subject: NodeId) -> TimerId {
        let timer = RoutingTimer::new(kind, subject);
        cx.ctx.events.schedule(at, Event::Routing { node: self.node, timer })
    }
}

impl Routing for Aodv {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        if self.neighbors.is_some() {
            self.start_hello(cx);
        }
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let arrived = cx.ctx.packet(packet);
        let (src, dst, prev_hop) = (arrived.src, arrived.dst, arrived.hop.prev);
        let is_own = arrived.origin() == self.node;
        if dst.is_broadcast() {
            cx.out.push(RouteOut::Send { packet, next_hop: dst, delay: Span::ZERO });
            return;
        }
        let place = self.entry(cx.ctx.now, dst);
        match self.table[place].state {
            State::Up => {
                self.forward(cx, place, packet, Span::ZERO);
                if self.is_rfc() {
                    self.refresh_path(cx.ctx.now, src, prev_hop, self.table[place].next_hop);
                }
            }
            State::Down | State::InRepair if is_own => {
                self.keep(cx, packet, dst);
                self.request(cx, place);
            }
            State::InRepair => self.keep(cx, packet, dst),
            State::Down => {
                let seq = self.table[place].seq;
                cx.ctx.drop(self.node, packet, DropReason::NoRoute);
                self.send_rerr(cx, &[Unreachable { dst, seq }], NodeId::BROADCAST, Span::ZERO);
            }
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        let received = cx.ctx.packet_mut(packet);
        received.ttl = received.ttl.saturating_sub(1);
        let Payload::Control(message) = &received.payload else {
            unreachable!("only routing messages come here");
        };
        let message = message.clone();
        match message.get() {
            Some(&AodvMessage::Rreq(rreq)) => {
                self.on_rreq(cx, packet, from, &Rreq { hops: rreq.hops.saturating_add(1), ..rreq });
            }
            Some(&AodvMessage::Rrep(rrep)) => {
                self.on_rrep(cx, packet, from, &Rrep { hops: rrep.hops.saturating_add(1), ..rrep });
            }
            Some(AodvMessage::Rerr(unreachable)) => {
                self.on_rerr(cx, unreachable, from);
                cx.ctx.consume(packet);
            }
            Some(&AodvMessage::Hello { seq }) => {
                self.on_hello(cx, from, seq);
                cx.ctx.consume(packet);
            }
            None => cx.ctx.consume(packet),
        }
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason) {
        self.on_failure(cx, packet, next_hop, reason);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        let subject = timer.subject();
        match timer.kind() {
            CLOCK => self.on_clock(cx),
            REPAIR => self.on_repair_timer(cx, subject),
            REQUEST => self.on_request_timer(cx, subject),
            HELLO => self.on_hello_timer(cx),
            NEIGHBORS => self.on_neighbors_timer(cx),
            kind => unreachable!("AODV timer {kind}"),
        }
    }

    fn waiting(&self) -> usize {
        self.buffer.len()
    }
}
