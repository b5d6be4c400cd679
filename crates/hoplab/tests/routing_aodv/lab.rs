//! A network of ideal links: every packet takes one hop time, a packet over a broken link comes back.

use hoplab::kernel::{FlowId, NodeId, Span, Time, TimerId};
use hoplab::net::routing::aodv::message::AodvMessage;
use hoplab::net::routing::{Aodv, RouteCtx, RouteOut, Routing, RoutingConfig, RoutingKind};
use hoplab::packet::{Datagram, Hop, NewPacket, Packet, PacketId, Payload};
use hoplab::sim::{AppTimer, Ctx, Event, LinkTimer};
use hoplab::trace::{DropReason, class_of};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Time from a routing protocol to the neighbor's.
pub(crate) const HOP: Span = Span::from_millis(2);
/// Time until the MAC gives up.
pub(crate) const GIVING_UP: Span = Span::from_millis(7);

/// Events of an ideal link: it has no queue, so that timer stands for a failure.
const ARRIVES: LinkTimer = LinkTimer::ToNetwork;
const FAILS: LinkTimer = LinkTimer::ToQueue;
const LEAVES: LinkTimer = LinkTimer::ToLink;

/// The network and what has happened in it.
pub(crate) struct Lab {
    pub(crate) ctx: Ctx,
    pub(crate) nodes: Vec<Aodv>,
    links: BTreeSet<(u32, u32)>,
    script: Vec<Step>,
    in_queue: Vec<Queued>,
    out: Vec<RouteOut>,
    /// Routing messages put on the air.
    pub(crate) sent: Vec<Sent>,
    /// Datagrams that arrived: when, number, hops.
    pub(crate) delivered: Vec<(Time, u64, u16)>,
    /// Queue purges: when, where, which neighbor.
    pub(crate) purges: Vec<(Time, u32, u32)>,
    next_number: u64,
    extra_bytes: u32,
}

/// A routing message as it went on the air.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) node: u32,
    pub(crate) to: NodeId,
    pub(crate) bytes: u32,
    pub(crate) ttl: u8,
    pub(crate) message: AodvMessage,
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

struct Queued {
    node: u32,
    next_hop: NodeId,
    packet: PacketId,
    timer: TimerId,
}

impl Lab {
    /// Nodes 0 to `nodes` - 1 with these links.
    pub(crate) fn new(config: &RoutingConfig, nodes: u32, links: &[(u32, u32)]) -> Lab {
        let mut ctx = Ctx::new(7, 1, nodes as usize);
        ctx.trace.keep_records();
        let constants = Arc::new(config.aodv());
        let bytes = config.source_bytes();
        let make = |node| Aodv::new(NodeId(node), constants.clone(), bytes, &ctx.streams);
        let nodes: Vec<Aodv> = (0..nodes).map(make).collect();
        let mut lab = Lab {
            ctx,
            nodes,
            links: BTreeSet::new(),
            script: Vec::new(),
            in_queue: Vec::new(),
            out: Vec::new(),
            sent: Vec::new(),
            delivered: Vec::new(),
            purges: Vec::new(),
            next_number: 0,
            extra_bytes: config.udp_header.0,
        };
        for &(a, b) in links {
            lab.links.insert((a.min(b), a.max(b)));
        }
        for node in 0..lab.nodes.len() as u32 {
            lab.routing(node, Routing::start);
        }
        lab
    }

    /// A chain of `hops` hops.
    pub(crate) fn chain(config: &RoutingConfig, hops: u32) -> Lab {
        let links: Vec<_> = (0..hops).map(|node| (node, node + 1)).collect();
        Lab::new(config, hops + 1, &links)
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
        self.run_with(secs, |_| {})
    }

    /// Runs until a time in seconds and looks at the network after each event.
    pub(crate) fn run_with(&mut self, secs: f64, mut look: impl FnMut(&Lab)) -> &mut Lab {
        let end = Time::from_secs(secs);
        while self.ctx.events.next_time().is_some_and(|next| next <= end) {
            let (key, event) = self.ctx.events.pop().expect("an event, as there is a next time");
            self.ctx.now = key.time();
            self.handle(event);
            look(self);
        }
        self.ctx.now = end;
        self
    }

    /// Requests put on the air by a node of its own: when, and how far they may go.
    pub(crate) fn requests(&self, node: u32) -> Vec<(Time, u8)> {
        let own = |sent: &&Sent| matches!(sent.message, AodvMessage::Rreq(rreq) if rreq.hops == 0 && rreq.origin.0 == sent.node);
        self.sent.iter().filter(own).filter(|sent| sent.node == node).map(|sent| (sent.at, sent.ttl)).collect()
    }

    /// Messages of one kind that a node put on the air.
    pub(crate) fn messages(&self, node: u32, is_kind: fn(&AodvMessage) -> bool) -> Vec<&Sent> {
        self.sent.iter().filter(|sent| sent.node == node && is_kind(&sent.message)).collect()
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
        let on_the_way = held[1] as usize - waiting;
        assert!(on_the_way as u64 <= self.next_number);
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
                self.in_queue.retain(|queued| queued.packet != packet);
                let arrived = self.ctx.packet_mut(packet);
                let to = arrived.hop.next.0;
                arrived.hop.prev = NodeId(node);
                arrived.hop.count += 1;
                self.arrive(to, packet, NodeId(node));
            }
            FAILS => {
                self.in_queue.retain(|queued| queued.packet != packet);
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
                    30,
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

    fn routing(&mut self, node: u32, event: impl FnOnce(&mut Aodv, &mut RouteCtx<'_>)) {
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
                RouteOut::Purge { next_hop, reason } => self.purge(node, next_hop, reason),
            }
        }
        self.out = out;
    }

    fn leave(&mut self, node: u32, packet: PacketId) {
        let leaving = self.ctx.packet(packet).clone();
        let to = leaving.hop.next;
        if let Payload::Control(message) = &leaving.payload {
            let message: &AodvMessage = message.get().expect("a message of AODV");
            let (at, bytes, ttl, message) = (self.ctx.now, leaving.bytes, leaving.ttl, message.clone());
            self.sent.push(Sent { at, node, to, bytes, ttl, message });
        }
        if !to.is_broadcast() {
            let reached = self.has_link(node, to.0);
            let (delay, timer) = if reached { (HOP, ARRIVES) } else { (GIVING_UP, FAILS) };
            let timer = self.after(delay, timer, node, packet);
            self.in_queue.push(Queued { node, next_hop: to, packet, timer });
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

    fn purge(&mut self, node: u32, next_hop: NodeId, reason: DropReason) {
        self.purges.push((self.ctx.now, node, next_hop.0));
        let (gone, left) = std::mem::take(&mut self.in_queue)
            .into_iter()
            .partition(|queued| queued.node == node && queued.next_hop == next_hop);
        self.in_queue = left;
        for Queued { packet, timer, .. } in gone {
            self.ctx.events.cancel(timer);
            self.ctx.drop(NodeId(node), packet, reason);
        }
    }

    fn after(&mut self, delay: Span, timer: LinkTimer, node: u32, packet: PacketId) -> TimerId {
        let event = Event::Link { node: NodeId(node), timer, packet };
        self.ctx.events.schedule(self.ctx.now + delay, event)
    }
}

/// AODV by ns-2.
pub(crate) fn ns2() -> RoutingConfig {
    RoutingConfig { protocol: RoutingKind::Aodv, ..RoutingConfig::default() }
}

/// AODV by RFC 3561.
pub(crate) fn rfc() -> RoutingConfig {
    RoutingConfig { protocol: RoutingKind::Aodv, ..RoutingConfig::rfc() }
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

/// Times in seconds and TTLs, to compare with [`Lab::requests`].
pub(crate) fn at(requests: &[(f64, u8)]) -> Vec<(Time, u8)> {
    requests.iter().map(|&(secs, ttl)| (Time::from_secs(secs), ttl)).collect()
}
