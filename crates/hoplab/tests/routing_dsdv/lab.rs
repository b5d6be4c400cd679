//! A network of ideal links: every packet takes one hop time, a packet over a broken link comes back.

use hoplab::kernel::{FlowId, NodeId, Span, Time};
use hoplab::net::routing::dsdv::message::{Advert, Update};
use hoplab::net::routing::{Dsdv, RouteCtx, RouteOut, Routing, RoutingConfig, RoutingKind};
use hoplab::packet::{Datagram, Hop, NewPacket, Packet, PacketId, Payload};
use hoplab::sim::{AppTimer, Ctx, Event, LinkTimer};
use hoplab::trace::{DropReason, class_of};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Time from a routing protocol to the neighbor's.
pub(crate) const HOP: Span = Span::from_millis(2);
/// Time until the MAC gives up.
pub(crate) const GIVING_UP: Span = Span::from_millis(7);
/// Hops that stand for: no way.
pub(crate) const INFINITY: u8 = 250;

/// Events of an ideal link: it has no queue, so that timer stands for a failure.
const ARRIVES: LinkTimer = LinkTimer::ToNetwork;
const FAILS: LinkTimer = LinkTimer::ToQueue;
const LEAVES: LinkTimer = LinkTimer::ToLink;

/// The network and what has happened in it.
pub(crate) struct Lab {
    pub(crate) ctx: Ctx,
    pub(crate) nodes: Vec<Dsdv>,
    links: BTreeSet<(u32, u32)>,
    script: Vec<Step>,
    out: Vec<RouteOut>,
    /// Updates put on the air.
    pub(crate) sent: Vec<Sent>,
    /// Datagrams that arrived: when, number, hops.
    pub(crate) delivered: Vec<(Time, u64, u16)>,
    next_number: u64,
    extra_bytes: u32,
    ttl: u8,
}

/// An update as it went on the air.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) node: u32,
    pub(crate) bytes: u32,
    pub(crate) ttl: u8,
    pub(crate) adverts: Vec<Advert>,
}

/// Something that the script lets happen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A datagram sets out.
    Send(u32, u32),
    /// A link breaks.
    Break(u32, u32),
    /// A link is there (again).
    Join(u32, u32),
}

impl Lab {
    /// Nodes 0 to `nodes` - 1 with these links, and chance from this seed.
    pub(crate) fn new(config: &RoutingConfig, nodes: u32, links: &[(u32, u32)], seed: u64) -> Lab {
        let ctx = Ctx::new(seed, 1, nodes as usize);
        let constants = Arc::new(config.dsdv());
        let bytes = config.source_bytes();
        let make = |node| Dsdv::new(NodeId(node), constants.clone(), bytes, &ctx.streams);
        let nodes: Vec<Dsdv> = (0..nodes).map(make).collect();
        let mut lab = Lab {
            ctx,
            nodes,
            links: links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect(),
            script: Vec::new(),
            out: Vec::new(),
            sent: Vec::new(),
            delivered: Vec::new(),
            next_number: 0,
            extra_bytes: config.udp_header.0,
            ttl: config.source_ttl(),
        };
        for node in 0..lab.nodes.len() as u32 {
            lab.routing(node, Routing::start);
        }
        lab
    }

    /// A chain of `hops` hops.
    pub(crate) fn chain(config: &RoutingConfig, hops: u32, seed: u64) -> Lab {
        let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
        Lab::new(config, hops + 1, &links, seed)
    }

    /// Lets something happen at a time in seconds.
    pub(crate) fn at(&mut self, secs: f64, step: Step) -> &mut Lab {
        self.script.push(step);
        let step = FlowId(self.script.len() as u32 - 1);
        let event = Event::App { flow: step, timer: AppTimer::Start };
        self.ctx.events.schedule(Time::from_secs(secs), event);
        self
    }

    /// Runs until a time in seconds, events at that time included.
    pub(crate) fn run(&mut self, secs: f64) -> &mut Lab {
        self.run_while(secs, |_| true);
        self
    }

    /// Runs until a time in seconds, or until `goes_on` says no after an event; whether that time was reached.
    pub(crate) fn run_while(&mut self, secs: f64, mut goes_on: impl FnMut(&Lab) -> bool) -> bool {
        let end = Time::from_secs(secs);
        while self.ctx.events.next_time().is_some_and(|next| next <= end) {
            let (key, event) = self.ctx.events.pop().expect("an event, as there is a next time");
            self.ctx.now = key.time();
            self.handle(event);
            if !goes_on(self) {
                return false;
            }
        }
        self.ctx.now = end;
        true
    }

    /// Updates of a node.
    pub(crate) fn updates(&self, node: u32) -> Vec<&Sent> {
        self.sent.iter().filter(|sent| sent.node == node).collect()
    }

    /// Hops from one node to another as its routing believes.
    pub(crate) fn hops(&self, from: u32, to: u32) -> Option<u8> {
        self.nodes[from as usize].route(NodeId(to)).map(|route| route.hops)
    }

    /// Datagrams dropped for this reason.
    pub(crate) fn dropped(&self, reason: DropReason) -> u64 {
        self.ctx.trace.counters.data(FlowId(0)).dropped[reason as usize]
    }

    /// Every packet is somewhere: begun = ended + held, in each class.
    pub(crate) fn assert_conservation(&self) {
        let mut held = [0; 3];
        for (_, packet) in self.ctx.packets.iter() {
            held[class_of(packet)] += 1;
        }
        for (life, held) in self.ctx.trace.counters.classes().iter().zip(held) {
            assert_eq!(life.begun(), life.ended() + held, "{life:?}");
        }
        let waiting: usize = self.nodes.iter().map(Routing::waiting).sum();
        assert!(waiting <= held[1] as usize);
    }

    fn has_link(&self, a: u32, b: u32) -> bool {
        self.links.contains(&(a.min(b), a.max(b)))
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Routing { node, timer } => self.routing(node.0, |routing, cx| routing.on_timer(cx, timer)),
            Event::App { flow: step, .. } => self.play(self.script[step.index()]),
            Event::Link { node, timer, packet } => self.on_link(node.0, timer, packet),
            other => unreachable!("event {other:?}"),
        }
    }

    fn on_link(&mut self, node: u32, timer: LinkTimer, packet: PacketId) {
        match timer {
            LEAVES => self.leave(node, packet),
            ARRIVES => {
                let arrived = self.ctx.packet_mut(packet);
                let to = arrived.hop.next.0;
                arrived.hop.prev = NodeId(node);
                arrived.hop.count += 1;
                self.arrive(to, packet, NodeId(node));
            }
            FAILS => {
                let next_hop = self.ctx.packet(packet).hop.next;
                self.routing(node, |routing, cx| {
                    routing.on_link_failure(cx, packet, next_hop, DropReason::MacRetry);
                });
            }
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Break(a, b) => {
                self.links.remove(&(a.min(b), a.max(b)));
            }
            Step::Join(a, b) => {
                self.links.insert((a.min(b), a.max(b)));
            }
            Step::Send(src, dst) => {
                let datagram = Datagram { seq: self.next_number, payload: 512, sent_at: self.ctx.now };
                self.next_number += 1;
                let payload = Payload::Datagram(datagram);
                assert_eq!(self.nodes[src as usize].extra_bytes(&payload), self.extra_bytes);
                let packet = self.ctx.originate(
                    NewPacket {
                        flow: FlowId(0),
                        src: NodeId(src),
                        dst: NodeId(dst),
                        bytes: 512 + self.extra_bytes,
                        payload,
                    },
                    self.ttl,
                );
                self.routing(src, |routing, cx| routing.on_packet(cx, packet));
            }
        }
    }

    fn arrive(&mut self, node: u32, packet: PacketId, from: NodeId) {
        let arrived = self.ctx.packet_mut(packet);
        if matches!(arrived.payload, Payload::Control(_)) {
            self.routing(node, |routing, cx| routing.on_control(cx, packet, from));
        } else if arrived.dst.0 == node {
            let packet = self.ctx.deliver(NodeId(node), packet);
            let Payload::Datagram(datagram) = packet.payload else { unreachable!("only datagrams are sent") };
            self.delivered.push((self.ctx.now, datagram.seq, packet.hop.count));
        } else if arrived.src.0 == node {
            self.ctx.drop(NodeId(node), packet, DropReason::Loop);
        } else {
            arrived.ttl -= 1;
            if arrived.ttl == 0 {
                self.ctx.drop(NodeId(node), packet, DropReason::Ttl);
            } else {
                self.routing(node, |routing, cx| routing.on_packet(cx, packet));
            }
        }
    }

    fn routing(&mut self, node: u32, event: impl FnOnce(&mut Dsdv, &mut RouteCtx<'_>)) {
        let mut out = std::mem::take(&mut self.out);
        let mut cx = RouteCtx { ctx: &mut self.ctx, node: NodeId(node), out: &mut out };
        event(&mut self.nodes[node as usize], &mut cx);
        for action in out.drain(..) {
            match action {
                RouteOut::Send { packet, next_hop, delay } => {
                    self.ctx.packet_mut(packet).hop.next = next_hop;
                    if delay == Span::ZERO {
                        self.leave(node, packet);
                    } else {
                        self.after(delay, LEAVES, node, packet);
                    }
                }
                RouteOut::Purge { .. } => unreachable!("DSDV leaves the queue alone"),
            }
        }
        self.out = out;
    }

    fn leave(&mut self, node: u32, packet: PacketId) {
        let leaving = self.ctx.packet(packet).clone();
        let to = leaving.hop.next;
        if let Payload::Control(message) = &leaving.payload {
            let Update(adverts) = message.get().expect("an update");
            let (at, bytes, ttl, adverts) = (self.ctx.now, leaving.bytes, leaving.ttl, adverts.clone());
            self.sent.push(Sent { at, node, bytes, ttl, adverts });
        }
        if !to.is_broadcast() {
            let reached = self.has_link(node, to.0);
            let (delay, timer) = if reached { (HOP, ARRIVES) } else { (GIVING_UP, FAILS) };
            self.after(delay, timer, node, packet);
            return;
        }
        for neighbor in 0..self.nodes.len() as u32 {
            if neighbor != node && self.has_link(node, neighbor) {
                self.ctx.trace.counters.life(&leaving).copied += 1;
                let copy = PacketId(
                    self.ctx
                        .packets
                        .insert(Packet { hop: Hop { next: NodeId(neighbor), ..leaving.hop }, ..leaving.clone() }),
                );
                self.after(HOP, ARRIVES, node, copy);
            }
        }
        self.ctx.consume(packet);
    }

    fn after(&mut self, delay: Span, timer: LinkTimer, node: u32, packet: PacketId) {
        let event = Event::Link { node: NodeId(node), timer, packet };
        self.ctx.events.schedule(self.ctx.now + delay, event);
    }
}

/// DSDV by ns-2.
pub(crate) fn ns2() -> RoutingConfig {
    RoutingConfig { protocol: RoutingKind::Dsdv, ..RoutingConfig::default() }
}

/// DSDV by ns-2 without settling: routes spread in seconds.
pub(crate) fn quick() -> RoutingConfig {
    RoutingConfig { settling_time: Some(Span::ZERO), ..ns2() }
}

/// DSDV that takes a frame given up by the MAC as a broken link.
pub(crate) fn rfc() -> RoutingConfig {
    RoutingConfig { protocol: RoutingKind::Dsdv, settling_time: Some(Span::ZERO), ..RoutingConfig::rfc() }
}
