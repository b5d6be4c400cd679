//! A network of ideal links for one routing protocol: each packet takes one hop time, a packet over a broken link fails.

pub(crate) mod mesh;
pub(crate) mod whole_run;

use hoplab::kernel::{FlowId, NodeId, RadioId, Span, Time, TimerId};
use hoplab::net::routing::{RouteCtx, RouteOut, Routing};
use hoplab::packet::{ControlMessage, Datagram, Hop, NewPacket, Packet, PacketId, Payload, Unobserved};
use hoplab::sim::{AppTimer, Ctx, Event, LinkTimer};
use hoplab::trace::{DropReason, class_of};
use std::collections::BTreeSet;

/// Time of a packet from a node to its neighbor.
pub(crate) const HOP: Span = Span::from_millis(2);
/// Time until the MAC reports a link failure.
pub(crate) const FAILURE: Span = Span::from_millis(7);

/// Events of an ideal link. It has no queue, so that timer stands for a failure.
const ARRIVES: LinkTimer = LinkTimer::ToNetwork;
const FAILS: LinkTimer = LinkTimer::ToQueue;
const LEAVES: LinkTimer = LinkTimer::ToLink;

/// The network, and a record of its run. `M` is the protocol's type of messages.
pub(crate) struct Lab<R, M> {
    pub(crate) ctx: Ctx,
    pub(crate) nodes: Vec<R>,
    links: BTreeSet<(u32, u32)>,
    script: Vec<Step>,
    in_queue: Vec<Queued>,
    out: Vec<RouteOut>,
    /// Routing messages sent.
    pub(crate) sent: Vec<Sent<M>>,
    /// Datagrams delivered: time, number, hops.
    pub(crate) delivered: Vec<(Time, u64, u16)>,
    /// Purges of queues: time, node, neighbor.
    pub(crate) purges: Vec<(Time, u32, u32)>,
    next_number: u64,
    /// Length of a datagram, and its TTL.
    datagram: (u32, u8),
}

/// A routing message as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent<M> {
    pub(crate) at: Time,
    pub(crate) node: u32,
    /// The radio over which it was sent.
    #[allow(dead_code, reason = "some protocols run on one radio alone")]
    pub(crate) radio: u32,
    pub(crate) to: RadioId,
    pub(crate) bytes: u32,
    pub(crate) ttl: u8,
    pub(crate) message: M,
}

/// An event of the script.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A node sends a datagram.
    Send(u32, u32),
    /// A link breaks. Links are those of radios, which have the numbers of nodes if each has one.
    Break(u32, u32),
    /// A link appears.
    Join(u32, u32),
}

struct Queued {
    node: u32,
    next_hop: RadioId,
    packet: PacketId,
    timer: TimerId,
}

impl<R: Routing, M: ControlMessage + Clone> Lab<R, M> {
    /// These nodes with these links. `datagram` is the length of a datagram and its TTL.
    pub(crate) fn start(ctx: Ctx, nodes: Vec<R>, links: &[(u32, u32)], datagram: (u32, u8)) -> Lab<R, M> {
        let mut lab = Lab {
            ctx,
            nodes,
            links: links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect(),
            script: Vec::new(),
            in_queue: Vec::new(),
            out: Vec::new(),
            sent: Vec::new(),
            delivered: Vec::new(),
            purges: Vec::new(),
            next_number: 0,
            datagram,
        };
        for node in 0..lab.nodes.len() as u32 {
            lab.routing(node, Routing::start);
        }
        lab
    }

    /// Adds a step to the script, at a time in seconds.
    pub(crate) fn at(&mut self, secs: f64, step: Step) -> &mut Self {
        self.script.push(step);
        let step = FlowId(self.script.len() as u32 - 1);
        let event = Event::App { flow: step, timer: AppTimer::Start };
        self.ctx.events.schedule(Time::from_secs(secs), event);
        self
    }

    /// Runs until a time in seconds, events at that time included.
    pub(crate) fn run(&mut self, secs: f64) -> &mut Self {
        self.run_while(secs, |_| true);
        self
    }

    /// Runs until a time in seconds, or until `goes_on` returns false after an event. Returns whether the time was reached.
    pub(crate) fn run_while(&mut self, secs: f64, mut goes_on: impl FnMut(&Self) -> bool) -> bool {
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

    /// Messages of a node.
    pub(crate) fn sent_by(&self, node: u32) -> Vec<&Sent<M>> {
        self.sent.iter().filter(|sent| sent.node == node).collect()
    }

    /// Datagrams dropped for this reason.
    pub(crate) fn dropped(&self, reason: DropReason) -> u64 {
        self.ctx.trace.counters.data(FlowId(0)).dropped[reason as usize]
    }

    /// Packets are conserved: begun = ended + in the network, in each class.
    pub(crate) fn assert_conservation(&self) {
        let mut present = [0; 4];
        for (_, packet) in self.ctx.packets.iter() {
            present[class_of(packet)] += 1;
        }
        for (life, present) in self.ctx.trace.counters.classes().iter().zip(present) {
            assert_eq!(life.begun(), life.ended() + present, "{life:?}");
        }
        let waiting: usize = self.nodes.iter().map(Routing::waiting).sum();
        let in_transit = present[2] - waiting as u64;
        assert!(in_transit <= self.next_number);
    }

    fn has_link(&self, a: RadioId, b: RadioId) -> bool {
        self.links.contains(&(a.0.min(b.0), a.0.max(b.0)))
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Routing { node, timer } => self.routing(node.0, |routing, cx| routing.on_timer(cx, timer)),
            Event::App { flow: step, .. } => self.play(self.script[step.index()]),
            Event::Link { radio, timer, packet } => self.on_link(radio, timer, packet),
            other => unreachable!("event {other:?}"),
        }
    }

    fn on_link(&mut self, radio: RadioId, timer: LinkTimer, packet: PacketId) {
        match timer {
            LEAVES => self.leave(radio, packet),
            ARRIVES => {
                self.in_queue.retain(|queued| queued.packet != packet);
                let prev = self.ctx.radios.owner(radio);
                let to = self.ctx.packet(packet).hop.next;
                self.overhear(radio, to, packet);
                let arrived = self.ctx.packet_mut(packet);
                arrived.hop.prev = prev;
                arrived.hop.count += 1;
                self.arrive(self.ctx.radios.owner(to).0, packet, radio);
            }
            FAILS => {
                self.in_queue.retain(|queued| queued.packet != packet);
                let next_hop = self.ctx.packet(packet).hop.next;
                self.routing(self.ctx.radios.owner(radio).0, |routing, cx| {
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
                let (payload, (bytes, ttl)) = (Payload::Datagram(datagram), self.datagram);
                let new = NewPacket { flow: FlowId(0), src: NodeId(src), dst: NodeId(dst), bytes, payload };
                let packet = self.ctx.originate(new, ttl);
                self.routing(src, |routing, cx| routing.on_packet(cx, packet));
            }
        }
    }

    /// Neighbors of the sender other than the next hop decode a packet, too.
    fn overhear(&mut self, sender: RadioId, to: RadioId, packet: PacketId) {
        for node in 0..self.nodes.len() as u32 {
            let radio = self.ctx.radios.first(NodeId(node));
            if radio != to && self.has_link(sender, radio) && self.nodes[node as usize].overhears() {
                let sender = self.ctx.radios.owner(sender);
                self.routing(node, |routing, cx| routing.on_overheard(cx, packet, sender));
            }
        }
    }

    fn arrive(&mut self, node: u32, packet: PacketId, from: RadioId) {
        let arrived = self.ctx.packet_mut(packet);
        if matches!(arrived.payload, Payload::Control(_)) {
            self.routing(node, |routing, cx| routing.on_control(cx, packet, from));
        } else if arrived.dst.0 == node {
            if arrived.route.is_some() {
                let from = arrived.hop.prev;
                self.routing(node, |routing, cx| routing.on_overheard(cx, packet, from));
            }
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

    fn routing(&mut self, node: u32, event: impl FnOnce(&mut R, &mut RouteCtx<'_>)) {
        let mut out = std::mem::take(&mut self.out);
        let mut cx = RouteCtx { ctx: &mut self.ctx, node: NodeId(node), hop: &Unobserved, out: &mut out };
        event(&mut self.nodes[node as usize], &mut cx);
        self.carry_out(node, &mut out);
        self.out = out;
    }

    fn carry_out(&mut self, node: u32, out: &mut Vec<RouteOut>) {
        for action in out.drain(..) {
            match action {
                RouteOut::Send { packet, next_hop, delay } => {
                    assert!(next_hop.is_broadcast() || !self.ctx.radios.has_several(), "a next hop without a radio");
                    let to = if next_hop.is_broadcast() { RadioId::BROADCAST } else { self.ctx.radios.first(next_hop) };
                    for further in self.ctx.radios.of(NodeId(node)).skip(1) {
                        let copy = self.ctx.copy_for_radio(packet);
                        self.send(further, copy, to, delay);
                    }
                    self.send(self.ctx.radios.first(NodeId(node)), packet, to, delay);
                }
                RouteOut::SendTo { packet, radio, delay } => {
                    self.send(self.ctx.radios.facing(NodeId(node), radio), packet, radio, delay);
                }
                RouteOut::Broadcast { packet, radio, delay } => self.send(radio, packet, RadioId::BROADCAST, delay),
                RouteOut::Purge { radio, reason } => self.purge(node, radio, reason),
                RouteOut::Return { radio: next_hop, reason } => {
                    for packet in self.take_queued(node, next_hop) {
                        self.routing(node, |routing, cx| routing.on_link_failure(cx, packet, next_hop, reason));
                    }
                }
                RouteOut::Wire { .. } => unreachable!("a wire in a network of radios"),
            }
        }
    }

    /// Sends a packet over radio `own` to a radio, or to all.
    fn send(&mut self, own: RadioId, packet: PacketId, to: RadioId, delay: Span) {
        self.ctx.packet_mut(packet).hop.next = to;
        if delay == Span::ZERO {
            self.leave(own, packet);
        } else {
            self.after(delay, LEAVES, own, packet);
        }
    }

    fn leave(&mut self, radio: RadioId, packet: PacketId) {
        let node = self.ctx.radios.owner(radio).0;
        let leaving = self.ctx.packet(packet).clone();
        let to = leaving.hop.next;
        if let Payload::Control(message) = &leaving.payload {
            let message: M = message.get().cloned().expect("a message of the protocol");
            let (at, bytes, ttl) = (self.ctx.now, leaving.bytes, leaving.ttl);
            self.sent.push(Sent { at, node, radio: radio.0, to, bytes, ttl, message });
        }
        if !to.is_broadcast() {
            let reached = self.has_link(radio, to);
            let (delay, timer) = if reached { (HOP, ARRIVES) } else { (FAILURE, FAILS) };
            let timer = self.after(delay, timer, radio, packet);
            self.in_queue.push(Queued { node, next_hop: to, packet, timer });
            return;
        }
        let radios = self.ctx.radios.all().count().max(self.nodes.len()) as u32;
        for neighbor in (0..radios).map(RadioId).filter(|&neighbor| neighbor != radio) {
            if self.has_link(radio, neighbor) {
                self.ctx.trace.counters.life(&leaving).copied += 1;
                let hop = Hop { next: neighbor, ..leaving.hop };
                let copy = PacketId(self.ctx.packets.insert(Packet { hop, ..leaving.clone() }));
                self.after(HOP, ARRIVES, radio, copy);
            }
        }
        self.ctx.consume(packet);
    }

    fn purge(&mut self, node: u32, next_hop: RadioId, reason: DropReason) {
        self.purges.push((self.ctx.now, node, next_hop.0));
        for packet in self.take_queued(node, next_hop) {
            self.ctx.drop(NodeId(node), packet, reason);
        }
    }

    /// Removes the packets of a node for a next hop.
    fn take_queued(&mut self, node: u32, next_hop: RadioId) -> Vec<PacketId> {
        let (taken, left): (Vec<_>, _) = std::mem::take(&mut self.in_queue)
            .into_iter()
            .partition(|queued| queued.node == node && queued.next_hop == next_hop);
        self.in_queue = left;
        for queued in &taken {
            self.ctx.events.cancel(queued.timer);
        }
        taken.into_iter().map(|queued| queued.packet).collect()
    }

    fn after(&mut self, delay: Span, timer: LinkTimer, radio: RadioId, packet: PacketId) -> TimerId {
        let event = Event::Link { radio, timer, packet };
        self.ctx.events.schedule(self.ctx.now + delay, event)
    }
}
