//! Proxies between the network layers and their packets: who stands where, what they are shown, what they send.

use super::World;
use crate::kernel::{FlowId, NodeId, Purpose, Span, Stream, Time, TimerId, exponential};
use crate::mobility::RadioSchedule;
use crate::net::Net;
use crate::packet::{Lack, Packet, PacketId, Payload};
use crate::scenario::Resolved;
use crate::sim::{Event, ProxyTimer};
use crate::trace::What;
use crate::transport::Protocol;
use crate::transport::proxy::split_tcp::{FailureConfig, FailureMode, LackRouting, SplitProxy, stream_digest};
use crate::transport::proxy::{AnyProxy, Proxy, ProxyCounts, ProxyOut, ProxyView, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// All proxies of a run, and how local acknowledgments travel.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// By node; empty if there is no proxy anywhere.
    stations: Vec<Option<Station>>,
    out: Vec<ProxyOut>,
    /// Whether local acknowledgments are addressed to who they are for, rather than to the flow's source.
    pub(super) is_direct: bool,
    /// Length of a local acknowledgment, in bytes, before routing adds to it.
    pub(super) lack_bytes: u32,
}

/// A proxy at its node.
#[derive(Debug)]
struct Station {
    proxy: AnyProxy,
    is_up: bool,
    armed: Option<(Time, TimerId)>,
    unrest: Option<FailureProcess>,
}

/// When a proxy fails and works again, at random.
#[derive(Debug)]
pub(super) struct FailureProcess {
    /// Mean time that it works, in seconds.
    pub(super) mean_up: f64,
    /// Mean time that it does not.
    pub(super) mean_down: f64,
    /// Both are exponential.
    pub(super) chance: Stream,
    /// Whether its node's radio is off meanwhile.
    pub(super) takes_radio: bool,
}

/// One proxy's line in the results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProxyReport {
    /// Its node.
    pub node: u32,
    /// What it has done.
    #[serde(flatten)]
    pub counts: ProxyCounts,
}

/// What a flow through proxies has beyond other flows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SplitReport {
    /// The flow's number.
    pub flow: u32,
    /// Segments delivered in order.
    pub delivered: u64,
    /// Whether these are, by their checksum, those that were sent.
    pub is_whole: bool,
    /// Segments that the source keeps: the destination has not acknowledged them.
    pub kept: u64,
    /// Local acknowledgments that came to the source.
    pub lacks_received: u64,
    /// Local acknowledgments that the destination sent.
    pub lacks_sent: u64,
    /// End-to-end acknowledgments that the destination sent.
    pub e2e_acks: u64,
    /// Those of them sent because nothing came for a while.
    pub idle_acks: u64,
    /// End-to-end timers that ended.
    pub e2e_timeouts: u64,
    /// Segments sent again from the source after that.
    pub e2e_resent: u64,
    /// Segments that came to the destination more than once.
    pub duplicates: u64,
}

impl FailureProcess {
    fn draw(&mut self, is_up: bool) -> Span {
        let mean = if is_up { self.mean_up } else { self.mean_down };
        Span::from_secs(exponential(mean, self.chance.unit()))
    }
}

impl World {
    /// Puts proxies on the nodes, if a flow takes any.
    pub(super) fn place_proxies(&mut self, scenario: &Resolved) {
        if !scenario.flows.iter().any(|flow| flow.scheme.protocol == Protocol::Split) {
            return;
        }
        let config = Arc::new(scenario.split_tcp.clone());
        self.proxies.is_direct = config.lack_routing != LackRouting::ViaSource;
        self.proxies.lack_bytes = config.lack_bytes.0 + config.option_bytes();
        self.ctx.new_routes = config.kick_on_route.then(Vec::new);
        if config.lack_routing == LackRouting::ReverseHops {
            self.nets.iter_mut().for_each(Net::go_back_the_way);
        }
        let FailureConfig { mode, rate, mean_off } = config.failure;
        let may_be_off = |node: NodeId| {
            let is_end = scenario.flows.iter().any(|flow| flow.src == node || flow.dst == node);
            !is_end && scenario.settings(node).is_none_or(|settings| settings.radio_schedule == RadioSchedule::always())
        };
        for node in (0..self.nets.len() as u32).map(NodeId).filter(|&node| scenario.may_be_proxy(node)) {
            let unrest = (rate > 0.0).then(|| FailureProcess {
                mean_up: mean_off.secs() * (1.0 - rate) / rate,
                mean_down: mean_off.secs(),
                chance: self.ctx.streams.stream(Purpose::ProxyFailure, node.0),
                takes_radio: mode == FailureMode::Node && may_be_off(node),
            });
            let proxy = SplitProxy::new(node, Arc::clone(&config));
            self.add_proxy(node, AnyProxy::SplitTcp(Box::new(proxy)), unrest);
        }
    }

    /// Puts a proxy at a node.
    pub fn set_proxy(&mut self, node: NodeId, proxy: AnyProxy) {
        self.add_proxy(node, proxy, None);
    }

    pub(super) fn add_proxy(&mut self, node: NodeId, proxy: AnyProxy, mut unrest: Option<FailureProcess>) {
        let nodes = self.nets.len();
        self.proxies.stations.resize_with(nodes, || None);
        if let Some(unrest) = &mut unrest {
            self.schedule_switch(node, unrest.draw(true));
        }
        self.proxies.stations[node.index()] = Some(Station { proxy, is_up: true, armed: None, unrest });
        self.nets[node.index()].has_proxy = true;
    }

    /// The proxy at a node.
    pub fn proxy(&self, node: NodeId) -> Option<&AnyProxy> {
        self.proxies.stations.get(node.index())?.as_ref().map(|station| &station.proxy)
    }

    /// All proxies, in order of node.
    pub fn proxies(&self) -> impl Iterator<Item = (NodeId, &AnyProxy)> {
        let all = self.proxies.stations.iter().enumerate();
        all.filter_map(|(node, station)| Some((NodeId(node as u32), &station.as_ref()?.proxy)))
    }

    /// Lets the proxy at a node fail: what it holds is lost, and packets pass it by. The node goes on relaying.
    /// Whether there was one at work.
    pub fn fail_proxy(&mut self, node: NodeId) -> bool {
        let Some(station) = self.station(node).filter(|station| station.is_up) else { return false };
        station.is_up = false;
        let lost = station.proxy.fail();
        let armed = station.armed.take();
        if let Some((_, timer)) = armed {
            self.ctx.events.cancel(timer);
        }
        self.nets[node.index()].has_proxy = false;
        self.ctx.note(node, What::ProxySwitched { is_up: false, lost });
        true
    }

    /// Lets the proxy at a node work again, with nothing in hand. Whether there was one that did not.
    pub fn recover_proxy(&mut self, node: NodeId) -> bool {
        let Some(station) = self.station(node).filter(|station| !station.is_up) else { return false };
        station.is_up = true;
        station.proxy.recover();
        self.nets[node.index()].has_proxy = true;
        self.ctx.note(node, What::ProxySwitched { is_up: true, lost: 0 });
        true
    }

    pub(super) fn proxy_reports(&self) -> Vec<ProxyReport> {
        let all = self.proxies().map(|(node, proxy)| ProxyReport { node: node.0, counts: proxy.counts() });
        all.filter(|report| report.counts != ProxyCounts::default()).collect()
    }

    pub(super) fn split_reports(&self) -> Vec<SplitReport> {
        let of = |(flow, ends): (usize, &super::Flow)| {
            let (source, sink) = ends.connection.split_ends()?;
            let flow = FlowId(flow as u32);
            Some(SplitReport {
                flow: flow.0,
                delivered: sink.rcv_nxt() as u64,
                is_whole: sink.digest() == stream_digest(flow, sink.rcv_nxt()),
                kept: (source.next() - source.una()) as u64,
                lacks_received: source.counts().lacks,
                lacks_sent: sink.counts().lacks,
                e2e_acks: sink.counts().e2e_acks,
                idle_acks: sink.counts().idle_acks,
                e2e_timeouts: source.counts().e2e_timeouts,
                e2e_resent: source.counts().e2e_resent,
                duplicates: sink.counts().duplicates,
            })
        };
        self.flows.iter().enumerate().filter_map(of).collect()
    }

    fn station(&mut self, node: NodeId) -> Option<&mut Station> {
        self.proxies.stations.get_mut(node.index())?.as_mut()
    }

    /// A packet for another node is shown to the proxy here.
    pub(super) fn divert(&mut self, node: NodeId, id: PacketId) {
        let packet = self.ctx.packet(id);
        let (flow, src, dst) = (packet.flow, packet.src, packet.dst);
        let split = match packet.payload {
            Payload::Lack(lack) => {
                self.ctx.deliver(node, id);
                self.on_lack(node, flow, &lack);
                return;
            }
            Payload::SplitSegment(split) => split,
            _ => unreachable!("proxies are shown segments and local acknowledgments only"),
        };
        let mut passing =
            ProxyView { flow, src, dst, bytes: packet.bytes, forwards: packet.forwards, hops_left: None, split };
        let now = self.ctx.now;
        let Some(station) = self.proxies.stations[node.index()].as_mut() else {
            unreachable!("packets are shown where there is a proxy");
        };
        // A flow's own ends are no proxies of it, even if the way leads through them.
        let verdict = if src == node {
            Verdict::PassOn
        } else {
            if station.proxy.wants_hops_left() {
                passing.hops_left = self.nets[node.index()].routing.hops_to(dst);
            }
            station.proxy.on_segment(now, &passing, &mut self.proxies.out)
        };
        match verdict {
            Verdict::Keep => self.ctx.consume(id),
            Verdict::PassOn | Verdict::Bypass => {
                if let (Verdict::Bypass, Payload::SplitSegment(split)) = (verdict, &mut self.ctx.packet_mut(id).payload)
                {
                    split.tag.is_bypass = true;
                }
                let (net, mut cx) = self.net(node);
                net.forward(&mut cx, id);
            }
        }
        self.carry_down_from_proxy(node);
    }

    /// A local acknowledgment has come to who it is for.
    pub(super) fn on_lack(&mut self, node: NodeId, flow: FlowId, lack: &Lack) {
        let now = self.ctx.now;
        let is_up = self.station(node).is_some_and(|station| station.is_up);
        if is_up && let Some(station) = self.proxies.stations[node.index()].as_mut() {
            station.proxy.on_lack(now, flow, lack, &mut self.proxies.out);
            self.carry_down_from_proxy(node);
        }
    }

    pub(super) fn on_proxy_timer(&mut self, node: NodeId, timer: ProxyTimer) {
        let now = self.ctx.now;
        if timer == ProxyTimer::Switch {
            return self.on_switch(node);
        }
        let Some(station) = self.proxies.stations[node.index()].as_mut() else { return };
        station.armed = None;
        if station.proxy.deadline().is_some_and(|at| at <= now) {
            station.proxy.on_deadline(now, &mut self.proxies.out);
        }
        self.carry_down_from_proxy(node);
    }

    /// Tells proxies and sources of the ways that routing has found at their nodes, if they want to know.
    #[inline]
    pub(super) fn tell_of_routes(&mut self) {
        if self.ctx.new_routes.as_ref().is_some_and(|news| !news.is_empty()) {
            let news = self.ctx.new_routes.replace(Vec::new()).unwrap_or_default();
            for (node, dst) in news {
                self.on_route_found(node, dst);
            }
        }
    }

    fn on_route_found(&mut self, node: NodeId, dst: NodeId) {
        let now = self.ctx.now;
        if let Some(station) = self.proxies.stations.get_mut(node.index()).and_then(Option::as_mut)
            && station.is_up
        {
            station.proxy.on_route(now, dst, &mut self.proxies.out);
            self.carry_down_from_proxy(node);
        }
        for flow in 0..self.flows.len() {
            let ends = &mut self.flows[flow];
            if (ends.src, ends.dst) == (node, dst) {
                ends.connection.on_route(now, &mut self.emits);
                self.carry_down(FlowId(flow as u32));
            }
        }
        self.settle(node);
    }

    fn on_switch(&mut self, node: NodeId) {
        let was_up = self.station(node).is_some_and(|station| station.is_up);
        if was_up {
            self.fail_proxy(node);
        } else {
            self.recover_proxy(node);
        }
        let Some(unrest) = self.station(node).and_then(|station| station.unrest.as_mut()) else { return };
        let (next, takes_radio) = (unrest.draw(!was_up), unrest.takes_radio);
        if takes_radio {
            self.switch(node, !was_up);
        }
        self.schedule_switch(node, next);
    }

    fn schedule_switch(&mut self, node: NodeId, after: Span) {
        let event = Event::Proxy { node, timer: ProxyTimer::Switch };
        self.ctx.events.schedule(self.ctx.now + after, event);
    }

    /// Carries what a proxy has said down to the network layer, and sets its timer.
    fn carry_down_from_proxy(&mut self, node: NodeId) {
        let mut said = std::mem::take(&mut self.proxies.out);
        for out in said.drain(..) {
            match out {
                ProxyOut::Segment { flow, src, dst, bytes, split } => {
                    let seq = split.segment.seq;
                    self.ctx.note(node, What::SegmentSent { flow, seq, again: split.tag.is_local_rtx });
                    self.resend(node, Packet { bytes, ..self.blank(flow, src, dst, Payload::SplitSegment(split)) });
                }
                ProxyOut::Lack { flow, src, lack } => {
                    self.ctx.note(node, What::LackSent { flow, seq: lack.seq, to: lack.resp });
                    let to = if self.proxies.is_direct { lack.resp } else { src };
                    let bytes = self.proxies.lack_bytes;
                    self.resend(node, Packet { bytes, ..self.blank(flow, node, to, Payload::Lack(lack)) });
                }
                ProxyOut::Took { flow, seq, held } => self.ctx.note(node, What::ProxyTook { flow, seq, held }),
                ProxyOut::Released { flow, seq, held } => self.ctx.note(node, What::ProxyReleased { flow, seq, held }),
            }
        }
        self.proxies.out = said;
        self.arm_proxy(node);
    }

    fn blank(&self, flow: FlowId, src: NodeId, dst: NodeId, payload: Payload) -> Packet {
        Packet {
            flow,
            src,
            dst,
            next_hop: dst,
            prev_hop: src,
            bytes: 0,
            ttl: 0,
            forwards: 0,
            uid: 0,
            made_at: self.ctx.now,
            queued_at: self.ctx.now,
            entered_at: Time::NEVER,
            payload,
        }
    }

    fn resend(&mut self, node: NodeId, packet: Packet) {
        let (net, mut cx) = self.net(node);
        net.resend(&mut cx, packet);
    }

    /// Makes sure that an event comes no later than the proxy's deadline; see [`World::arm`].
    fn arm_proxy(&mut self, node: NodeId) {
        let now = self.ctx.now;
        let Some(station) = self.proxies.stations[node.index()].as_mut() else { return };
        let Some(deadline) = station.proxy.deadline() else { return };
        let deadline = deadline.max(now);
        match station.armed {
            Some((at, _)) if at <= deadline => return,
            Some((_, timer)) => self.ctx.events.cancel(timer),
            None => {}
        }
        let event = Event::Proxy { node, timer: ProxyTimer::Deadline };
        station.armed = Some((deadline, self.ctx.events.schedule(deadline, event)));
    }
}
