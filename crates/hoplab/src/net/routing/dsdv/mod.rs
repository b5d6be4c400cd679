//! DSDV: every node tells its neighbors regularly how far everybody is.
//!
//! # Model
//! Per destination a node keeps a sequence number, the hops and the next hop. Updates list them: all of them every
//! 11.25 to 15 s, news in between. A newer number always wins, of equal numbers the shorter route. Each destination
//! numbers itself, evenly, with every full update; who loses a route raises its number by one and calls it infinite.
//! A route is not passed on before it has settled: twice a running mean of how long better routes of the same number
//! used to come in. A neighbor not heard for three periods is lost. Packets without a route wait.
//!
//! # Source
//! Perkins and Bhagwat 1994; profile `ns2` (default) does what ns-2.35's `dsdv/` does. Profile `rfc` does the same, but
//! takes a frame that the MAC gives up as a broken link, as the paper does.
//!
//! # Deviations
//! See `docs/protocols/dsdv.md`. A packet that has waited gets no second header, a refused offer releases no packets
//! (in ns-2 that never ends), and an update may have more than 255 entries.
//!
//! # Parameters
//! | name | unit | default | source |
//! | --- | --- | --- | --- |
//! | `settling_time` | time | 6 s | `wst0_` |
//! | `settling_weight` | share | 0.875 | `alpha_` |
//! | `update_period` | time | 15 s | `perup_` |
//! | `neighbor_timeout` | time | 3 update periods | `min_update_periods_` |
//! | `dsdv_use_mac` | switch | off (ns2), on (rfc) | `use_mac_` |
//! | `buffer_per_destination` | packets | 5 | MAX_QUEUE_LENGTH |
//! | `network_diameter` | hops | 32 | IP_DEF_TTL: hops that a packet may travel |
//! | `extra_bytes` | bytes | 20 (ns2), 0 (rfc) | IP header, also on TCP's packets |

mod constants;
mod directory;
pub mod message;
mod receive;
mod send_buffer;
mod table;
mod update;

pub use constants::DsdvConstants;
pub(super) use constants::silence;

use super::config::SourceBytes;
use super::{RouteCtx, RouteOut, Routing};
use crate::kernel::{NodeId, Purpose, Span, Stream, Streams, Time, TimerId};
use crate::packet::{PacketId, Payload};
use crate::sim::{Event, RoutingTimer};
use crate::trace::DropReason;
use message::Update;
use send_buffer::SendBuffer;
use std::sync::Arc;
use table::{Offer, Table};

/// DSDV at one node.
#[derive(Debug)]
pub struct Dsdv {
    node: NodeId,
    constants: Arc<DsdvConstants>,
    bytes: SourceBytes,
    jitter: Stream,
    /// Own sequence number.
    seq: u32,
    table: Table,
    waiting: SendBuffer,
    /// The next periodic update.
    periodic: Option<TimerId>,
    /// When the last update was made.
    last_update: Option<Time>,
}

/// What is known of a destination with a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DsdvRoute {
    /// Neighbor towards it.
    pub next_hop: NodeId,
    /// Hops to it.
    pub hops: u8,
    /// Sequence number.
    pub seq: u32,
    /// From when on neighbors may be told; [`Time::NEVER`] if not before the next number.
    pub tell_from: Time,
}

/// Hops that a packet or update may travel unless said otherwise (ns-2: IP_DEF_TTL).
pub(super) const TTL: u8 = 32;

/// Own sequence number at the start; the first update raises it.
const FIRST_SEQ: u32 = 2;

/// Timer slot: time for a full update.
const PERIODIC: u8 = 0;
/// Timer slot: time for the update that an entry has asked for.
const TRIGGERED: u8 = 1;
/// Timer slot: a neighbor has been silent for too long.
const SILENT: u8 = 2;

impl Dsdv {
    /// DSDV at `node`, which knows only itself.
    pub fn new(node: NodeId, constants: Arc<DsdvConstants>, bytes: SourceBytes, streams: &Streams) -> Dsdv {
        Dsdv {
            node,
            bytes,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            seq: FIRST_SEQ,
            table: Table::new(node, &constants),
            waiting: SendBuffer::new(node, constants.buffer_per_destination),
            periodic: None,
            last_update: None,
            constants,
        }
    }

    /// Bytes added at the source to a packet with this payload.
    pub fn extra_bytes(&self, payload: &Payload) -> u32 {
        self.bytes.of(payload)
    }

    /// Hops to `dst`, if there is a route.
    pub fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.route(dst).map(|route| u16::from(route.hops))
    }

    /// The packets that wait here for a route, in order of arrival.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter()
    }

    /// The route to `dst`, if there is one.
    pub fn route(&self, dst: NodeId) -> Option<DsdvRoute> {
        let entry = self.table.get(dst)?;
        let (next_hop, hops, seq) = (entry.next_hop, entry.hops(), entry.seq());
        entry.has_route().then_some(DsdvRoute { next_hop, hops, seq, tell_from: entry.tell_from })
    }

    /// The node's own sequence number.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// How many destinations it has heard of, itself included.
    pub fn known(&self) -> usize {
        self.table.known()
    }

    /// Sends a packet on its way, or keeps it until there is one.
    fn forward(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId) {
        self.table.add(Offer::unknown(dst), cx.ctx.now, &self.constants);
        let entry = &self.table[dst];
        if entry.has_route() {
            cx.out.push(RouteOut::Send { packet, next_hop: entry.next_hop, delay: Span::ZERO });
        } else {
            self.waiting.push(cx.ctx, packet, dst);
        }
    }

    /// Sends the packets that have waited for a route, all at once.
    fn flush(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let next_hop = self.table[dst].next_hop;
        while let Some(packet) = self.waiting.pop(dst) {
            cx.out.push(RouteOut::Send { packet, next_hop, delay: Span::ZERO });
        }
    }

    fn schedule(&self, cx: &mut RouteCtx<'_>, at: Time, kind: u8, subject: NodeId) -> TimerId {
        let timer = RoutingTimer::new(kind, subject);
        cx.ctx.events.schedule(at, Event::Routing { node: self.node, timer })
    }
}

impl Routing for Dsdv {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        self.start_updates(cx);
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let dst = cx.ctx.packet(packet).dst;
        if dst.is_broadcast() {
            let delay = self.draw_jitter();
            cx.out.push(RouteOut::Send { packet, next_hop: dst, delay });
        } else {
            self.forward(cx, packet, dst);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        if let Payload::Control(message) = &cx.ctx.packet(packet).payload {
            let message = message.clone();
            if let Some(Update(adverts)) = message.get() {
                self.on_update(cx, adverts, from);
            }
        }
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, _: DropReason) {
        let failed = cx.ctx.packet(packet);
        let (dst, is_message) = (failed.dst, failed.is_control());
        if is_message || !self.constants.use_mac {
            // Whatever the reason: ns-2's DSDV counts both alike.
            cx.ctx.drop(self.node, packet, DropReason::MacRetry);
            return;
        }
        self.on_broken_link(cx, next_hop);
        self.forward(cx, packet, dst);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        let subject = timer.subject();
        match timer.kind() {
            PERIODIC => self.on_periodic(cx),
            TRIGGERED => self.on_triggered(cx, subject),
            SILENT => self.on_silence(cx, subject),
            kind => unreachable!("DSDV timer {kind}"),
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
