//! Messages of a node: when they are created, what they contain, and in which packets they are sent (RFC 3626 sections 3.4,
//! 6.2, 9.3 and 12.2).

use super::agent::{FLUSH, HELLO, HNA, Olsr, TC};
use super::emf::Emf;
use super::message::{Advertised, Body, Hello, Message, OlsrPacket, Tc};
use super::neighbors::Neighbor;
use super::quality::Quality;
use crate::kernel::{NodeId, Span};
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
        let first = cx.now() + self.first_wait();
        cx.set_timer(first, HELLO, self.node);
        let first = cx.now() + self.first_wait();
        self.next_tc = Some(cx.set_timer(first, TC, self.node));
        if !self.hosts.is_empty() {
            let first = cx.now() + self.first_wait();
            cx.set_timer(first, HNA, self.node);
        }
    }

    /// A HELLO message is due.
    pub(super) fn on_hello_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let config = self.config();
        let hello = Hello {
            interval: self.constants.hello_interval,
            willingness: config.willingness,
            links: self.neighbors.listed(cx.now(), config),
            has_quality: config.has_quality(),
        };
        let validity = self.constants.hello_validity;
        self.create(cx, validity, ONE_HOP, Body::Hello(Arc::new(hello)));
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
            let quality = if config.has_quality() { neighbor.quality(now, config) } else { Quality::default() };
            Advertised { to: neighbor.node, quality }
        };
        advertised.map(link).collect()
    }

    /// Creates a message of this node.
    fn create(&mut self, cx: &mut RouteCtx<'_>, validity: Emf, ttl: u8, body: Body) {
        self.message_seq = self.message_seq.wrapping_add(1);
        self.queue.push(Message { validity, origin: self.node, ttl, hops: 0, seq: self.message_seq, body });
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
        self.queue.push(Message { ttl, hops, ..message.clone() });
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
        while !self.queue.is_empty() {
            self.packet_seq = self.packet_seq.wrapping_add(1);
            let packet = OlsrPacket::fill(self.packet_seq, &mut self.queue);
            let bytes = packet.bytes();
            let packet = cx.originate(packet, NodeId::BROADCAST, bytes, ONE_HOP);
            cx.send(packet, NodeId::BROADCAST);
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
