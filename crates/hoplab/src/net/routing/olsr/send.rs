//! Messages of a node: when they are created, what they contain, and in which packets they are sent (RFC 3626 sections 3.4,
//! 6.2, 9.3 and 12.2).

use super::agent::{FLUSH, HELLO, HNA, MID, Olsr, Queue, TC};
use super::emf::Emf;
use super::message::{Advertised, Body, Hello, Message, OlsrPacket, Tc};
use super::neighborhood::neighbors::Neighbor;
use super::quality::Quality;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::protocol::RouteCtx;
use std::sync::Arc;

/// TTL of a message that no node forwards, and of every packet.
const ONE_HOP: u8 = 1;
/// TTL of other messages (RFC 3626 section 9.3).
const ALL_HOPS: u8 = 255;

/// Values of `tc_redundancy` (RFC 3626 section 15.1).
const WITH_MPRS: u8 = 1;
const ALL_NEIGHBORS: u8 = 2;

impl Olsr {
    /// Schedules the first messages, at random times within the maximum jitter.
    pub(super) fn start_messages(&mut self, cx: &mut RouteCtx<'_>) {
        let radios = cx.ctx.radios.of(self.node);
        self.queues = radios.map(|radio| Queue { radio, packet_seq: 0, messages: Vec::new() }).collect();
        let first = cx.now() + self.first_wait();
        cx.set_timer(first, HELLO, self.node);
        let first = cx.now() + self.first_wait();
        self.next_tc = Some(cx.set_timer(first, TC, self.node));
        if !self.hosts.is_empty() {
            let first = cx.now() + self.first_wait();
            cx.set_timer(first, HNA, self.node);
        }
        if self.queues.len() > 1 {
            let first = cx.now() + self.first_wait();
            cx.set_timer(first, MID, self.node);
        }
    }

    /// A HELLO message is due, over each radio one of its own (RFC 3626 section 6.2).
    pub(super) fn on_hello_timer(&mut self, cx: &mut RouteCtx<'_>) {
        for index in 0..self.queues.len() {
            let own = self.queues[index].radio;
            let interval = self.constants.hello_interval;
            let (here, neighbors) = self.here(cx);
            let hello = Hello {
                interval,
                willingness: here.config.willingness,
                links: neighbors.listed(&here, own),
                has_quality: here.config.has_quality(),
            };
            let message = self.message(self.constants.hello_validity, ONE_HOP, Body::Hello(Arc::new(hello)));
            self.queues[index].messages.push(message);
        }
        self.send_soon(cx);
        let next = cx.now() + self.wait(self.config().hello_interval);
        cx.set_timer(next, HELLO, self.node);
    }

    /// A TC message is due.
    pub(super) fn on_tc_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.now();
        let links = self.links_to_advertise(cx);
        let is_empty = links.is_empty();
        if links.iter().map(|link| link.to).ne(self.advertised.to.iter().map(|link| link.to)) {
            let ansn = self.advertised.ansn.wrapping_add(1);
            self.advertised = Arc::new(Tc { ansn, to: links, has_quality: self.config().has_quality() });
        } else if self.config().has_quality() {
            self.advertised = Arc::new(Tc { to: links, ..*self.advertised });
        }
        if !is_empty {
            self.advertise_until = now + self.config().topology_hold();
        }
        if !is_empty || now < self.advertise_until {
            let (validity, tc) = (self.constants.tc_validity, Arc::clone(&self.advertised));
            self.create(cx, validity, ALL_HOPS, Body::Tc(tc));
            self.last_tc = now;
        }
        let next = now + self.wait(self.config().tc_interval);
        self.next_tc = Some(cx.set_timer(next, TC, self.node));
    }

    /// A HNA message is due.
    pub(super) fn on_hna_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let (validity, hosts) = (self.constants.tc_validity, Arc::clone(&self.hosts));
        self.create(cx, validity, ALL_HOPS, Body::Hna(hosts));
        let next = cx.now() + self.wait(self.config().tc_interval);
        cx.set_timer(next, HNA, self.node);
    }

    /// A MID message is due.
    pub(super) fn on_mid_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let further: Arc<[RadioId]> = cx.ctx.radios.of(self.node).skip(1).collect();
        self.create(cx, self.constants.tc_validity, ALL_HOPS, Body::Mid(further));
        let next = cx.now() + self.wait(self.config().tc_interval);
        cx.set_timer(next, MID, self.node);
    }

    /// Sends a TC message soon, after the loss of a selector (RFC 3626 section 9.3): one HELLO interval after the last one at
    /// the earliest.
    pub(super) fn hasten_tc(&mut self, cx: &mut RouteCtx<'_>) {
        let earliest = (self.last_tc + self.config().hello_interval).max(cx.now());
        if let Some(timer) = self.next_tc.replace(cx.set_timer(earliest, TC, self.node)) {
            cx.cancel_timer(timer);
        }
    }

    /// Links for a TC message, by number of the neighbor.
    fn links_to_advertise(&self, cx: &RouteCtx<'_>) -> Vec<Advertised> {
        let (config, redundancy, now) = (self.config(), self.config().tc_redundancy(), cx.now());
        let advertised = self.neighbors.iter().filter(|neighbor| {
            let is_mpr = redundancy == WITH_MPRS && neighbor.is_mpr;
            neighbor.is_selector() || is_mpr || redundancy == ALL_NEIGHBORS && neighbor.is_symmetric
        });
        let link = |neighbor: &Neighbor| {
            let best = if config.has_quality() { neighbor.best_link(now, config) } else { None };
            let quality = best.map_or(Quality::default(), |link| link.quality(now, config));
            Advertised { to: neighbor.node, quality }
        };
        advertised.map(link).collect()
    }

    /// Creates a message of this node, for all radios.
    fn create(&mut self, cx: &mut RouteCtx<'_>, validity: Emf, ttl: u8, body: Body) {
        let message = self.message(validity, ttl, body);
        self.enqueue(message);
        self.send_soon(cx);
    }

    fn message(&mut self, validity: Emf, ttl: u8, body: Body) -> Message {
        self.message_seq = self.message_seq.wrapping_add(1);
        Message { validity, origin: self.node, ttl, hops: 0, seq: self.message_seq, body }
    }

    /// A message waits for the packets of all radios.
    fn enqueue(&mut self, message: Message) {
        if let Some((last, others)) = self.queues.split_last_mut() {
            for queue in others {
                queue.messages.push(message.clone());
            }
            last.messages.push(message);
        }
    }

    /// Sends messages of this node.
    fn send_soon(&mut self, cx: &mut RouteCtx<'_>) {
        if self.config().jitter_in_interval {
            if let Some(timer) = self.flush.take() {
                cx.cancel_timer(timer);
            }
            self.send_queue(cx);
        } else {
            self.delay_queue(cx);
        }
    }

    /// Forwards a message of another node, after a random time (RFC 3626 section 3.4.1).
    pub(super) fn forward_message(&mut self, cx: &mut RouteCtx<'_>, message: &Message) {
        let (ttl, hops) = (message.ttl - 1, message.hops.saturating_add(1));
        self.enqueue(Message { ttl, hops, ..message.clone() });
        self.delay_queue(cx);
    }

    /// Sends what waits after a random time, unless it is sent before.
    fn delay_queue(&mut self, cx: &mut RouteCtx<'_>) {
        if self.flush.is_none() {
            let at = cx.now() + self.draw_jitter();
            self.flush = Some(cx.set_timer(at, FLUSH, self.node));
        }
    }

    /// Messages that wait are due.
    pub(super) fn on_flush_timer(&mut self, cx: &mut RouteCtx<'_>) {
        self.flush = None;
        self.send_queue(cx);
    }

    fn send_queue(&mut self, cx: &mut RouteCtx<'_>) {
        for queue in &mut self.queues {
            while !queue.messages.is_empty() {
                queue.packet_seq = queue.packet_seq.wrapping_add(1);
                let packet = OlsrPacket::fill(queue.packet_seq, &mut queue.messages);
                let bytes = packet.bytes();
                let packet = cx.originate(packet, NodeId::BROADCAST, bytes, ONE_HOP);
                cx.broadcast_over(packet, queue.radio, Span::ZERO);
            }
        }
    }

    /// Time until the next message of a kind.
    fn wait(&mut self, interval: Span) -> Span {
        if self.config().jitter_in_interval { interval - self.draw_jitter() } else { interval }
    }

    /// Time until the first message of a kind: none where each is delayed anyway.
    fn first_wait(&mut self) -> Span {
        if self.config().jitter_in_interval { self.draw_jitter() } else { Span::ZERO }
    }
}
