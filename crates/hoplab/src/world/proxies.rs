//! Proxies between the network layers (RFC 3135): placement, failures, the packets they accept and the packets they send.

use super::deadline::DeadlineTimer;
use super::proxy_station::{FailureProcess, ProxyControl, ProxyStation};
use super::run::World;
use crate::kernel::{AnyRun, FlowId, NodeId, Purpose, Span};
use crate::mobility::RadioSchedule;
use crate::net::Net;
use crate::net::routing::Routing;
use crate::packet::{Lack, NewPacket, PacketId, Payload};
use crate::scenario::Resolved;
use crate::sim::{Event, ProxyTimer};
use crate::trace::What;
use crate::transport::Protocol;
use crate::transport::proxy::split_tcp::{FailureConfig, FailureMode, LackRouting, ProxyPlace, SplitProxy};
use crate::transport::proxy::{AnyProxy, Proxy, ProxyOut, ProxyView, Verdict};
use std::sync::Arc;

impl World {
    /// Places proxies on the nodes, if a flow uses any.
    pub(super) fn place_proxies(&mut self, scenario: &Resolved) {
        if !scenario.flows.iter().any(|flow| flow.transport.protocol == Protocol::Split) {
            return;
        }
        let config = Arc::new(scenario.split_tcp.clone());
        self.proxy_control.is_direct = config.lack_routing != LackRouting::ViaSource;
        self.proxy_control.lack_bytes = config.lack_bytes.0 + config.option_bytes();
        if config.kick_on_route {
            self.ctx.new_routes = Some(Vec::new());
        }
        if config.lack_routing == LackRouting::ReverseHops {
            self.nets.iter_mut().for_each(Net::go_back_the_way);
        }
        let FailureConfig { mode, rate, mean_off } = config.failure;
        let may_switch_radio = |node: NodeId| {
            let is_end = scenario.flows.iter().any(|flow| flow.src == node || flow.dst == node);
            !is_end && scenario.settings(node).is_none_or(|settings| settings.radio_schedule == RadioSchedule::always())
        };
        for node in (0..self.nets.len() as u32).map(NodeId) {
            match scenario.proxy_of(node) {
                ProxyPlace::Never => continue,
                ProxyPlace::Distance => {}
                ProxyPlace::Gateway => self.proxy_control.gateways.push(node),
            }
            let failures = (rate > 0.0).then(|| FailureProcess {
                mean_up: mean_off.secs() * (1.0 - rate) / rate,
                mean_down: mean_off.secs(),
                stream: self.ctx.streams.stream(Purpose::ProxyFailure, node.0),
                switches_radio: mode == FailureMode::Node && may_switch_radio(node),
            });
            let proxy = SplitProxy::new(node, Arc::clone(&config));
            self.add_proxy(node, AnyProxy::SplitTcp(Box::new(proxy)), failures);
        }
    }

    /// Places a proxy at a node.
    pub fn set_proxy(&mut self, node: NodeId, proxy: AnyProxy) {
        self.add_proxy(node, proxy, None);
    }

    fn add_proxy(&mut self, node: NodeId, proxy: AnyProxy, mut failures: Option<FailureProcess>) {
        let nodes = self.nets.len();
        self.proxies.resize_with(nodes, || None);
        self.proxy_control.stations.resize_with(nodes, || None);
        if let Some(failures) = &mut failures {
            self.schedule_proxy_switch(node, failures.draw(true));
        }
        self.proxies[node.index()] = Some(proxy);
        let station = ProxyStation { is_up: true, timer: DeadlineTimer::default(), failures };
        self.proxy_control.stations[node.index()] = Some(station);
        self.nets[node.index()].has_proxy = true;
    }

    /// The proxy at a node.
    pub fn proxy(&self, node: NodeId) -> Option<&AnyProxy> {
        self.proxies.get(node.index())?.as_ref()
    }

    /// All proxies, in order of node.
    pub fn proxies(&self) -> impl Iterator<Item = (NodeId, &AnyProxy)> {
        self.view().proxies()
    }

    /// Fails the proxy at a node: the segments that it holds are lost, and packets bypass it. The node continues to relay.
    /// Returns whether a proxy was up there.
    pub fn fail_proxy(&mut self, node: NodeId) -> bool {
        let World { ctx, proxies, proxy_control, .. } = self;
        let Some(station) = station(proxy_control, node).filter(|station| station.is_up) else { return false };
        station.is_up = false;
        station.timer.cancel(ctx);
        let lost = proxies[node.index()].as_mut().map_or(0, Proxy::fail);
        self.nets[node.index()].has_proxy = false;
        self.ctx.note(node, What::ProxySwitched { is_up: false, lost });
        true
    }

    /// Recovers the proxy at a node, with no segments. Returns whether a proxy was down there.
    pub fn recover_proxy(&mut self, node: NodeId) -> bool {
        let down = station(&mut self.proxy_control, node).filter(|station| !station.is_up);
        let (Some(station), Some(proxy)) = (down, self.proxies[node.index()].as_mut()) else { return false };
        station.is_up = true;
        proxy.recover();
        self.nets[node.index()].has_proxy = true;
        self.ctx.note(node, What::ProxySwitched { is_up: true, lost: 0 });
        true
    }

    /// A packet for another node has arrived at a node with a proxy.
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
            _ => unreachable!("only segments and local acknowledgments are diverted"),
        };
        let mut view = ProxyView {
            flow,
            src,
            dst,
            bytes: packet.bytes,
            forwards: packet.hop.count,
            hops_left: None,
            is_crossing: false,
            split,
        };
        let from = packet.hop.prev;
        if self.proxy_control.gateways.contains(&node)
            && let Some(wires) = &self.wires
        {
            let routing = &self.nets[node.index()].routing;
            view.is_crossing = wires.join(node, from) != routing.leaves_by_wire(dst);
        }
        let now = self.ctx.now;
        let Some(proxy) = self.proxies[node.index()].as_mut() else {
            unreachable!("packets are diverted where there is a proxy");
        };
        // The ends of a flow are no proxies of it, even if the route leads through them.
        let verdict = if src == node {
            Verdict::PassOn
        } else {
            if proxy.wants_hops_left() {
                view.hops_left = self.nets[node.index()].routing.hops_to(dst);
            }
            proxy.on_segment(now, &view, &mut self.proxy_control.outbox)
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

    /// A local acknowledgment has reached the node that is responsible for the segment.
    pub(super) fn on_lack(&mut self, node: NodeId, flow: FlowId, lack: &Lack) {
        let now = self.ctx.now;
        if let Some((proxy, outbox)) = self.proxy_up(node) {
            proxy.on_lack(now, flow, lack, outbox);
            self.carry_down_from_proxy(node);
        }
    }

    pub(super) fn on_proxy_timer(&mut self, node: NodeId, timer: ProxyTimer) {
        let now = self.ctx.now;
        if timer == ProxyTimer::Switch {
            return self.on_proxy_switch(node);
        }
        let station = station(&mut self.proxy_control, node);
        let (Some(station), Some(proxy)) = (station, self.proxies[node.index()].as_mut()) else { return };
        station.timer.on_fired();
        if proxy.deadline().is_some_and(|at| at <= now) {
            proxy.on_deadline(now, &mut self.proxy_control.outbox);
        }
        self.carry_down_from_proxy(node);
    }

    /// Reports new routes to the proxies and sources at their nodes.
    #[expect(clippy::inline_always, reason = "a check after every event")]
    #[inline(always)]
    pub(super) fn report_new_routes(&mut self) {
        if self.ctx.new_routes.as_ref().is_some_and(|routes| !routes.is_empty()) {
            self.on_routes_found();
        }
    }

    #[cold]
    #[inline(never)]
    fn on_routes_found(&mut self) {
        let routes = self.ctx.new_routes.replace(Vec::new()).unwrap_or_default();
        for (node, dst) in routes {
            self.on_route_found(node, dst);
        }
    }

    fn on_route_found(&mut self, node: NodeId, dst: NodeId) {
        let now = self.ctx.now;
        if let Some(reports) = &mut self.ctx.unreachable {
            reports.on_route(node, dst);
            self.report_unreachable();
        }
        if let Some((proxy, outbox)) = self.proxy_up(node) {
            proxy.on_route(now, dst, outbox);
            self.carry_down_from_proxy(node);
        }
        for flow in 0..self.flows.len() {
            let ends = &mut self.flows[flow];
            if (ends.src, ends.dst) == (node, dst) {
                ends.connection.on_route(now, &mut self.outbox.emits);
                self.carry_down::<AnyRun>(FlowId(flow as u32));
            }
        }
        self.settle::<AnyRun>(node);
    }

    fn on_proxy_switch(&mut self, node: NodeId) {
        let was_up = station(&mut self.proxy_control, node).is_some_and(|station| station.is_up);
        if was_up {
            self.fail_proxy(node);
        } else {
            self.recover_proxy(node);
        }
        let station = station(&mut self.proxy_control, node);
        let Some(failures) = station.and_then(|station| station.failures.as_mut()) else { return };
        let (next, switches_radio) = (failures.draw(!was_up), failures.switches_radio);
        if switches_radio {
            self.switch(node, !was_up);
        }
        self.schedule_proxy_switch(node, next);
    }

    fn schedule_proxy_switch(&mut self, node: NodeId, after: Span) {
        let event = Event::Proxy { node, timer: ProxyTimer::Switch };
        self.ctx.events.schedule(self.ctx.now + after, event);
    }

    /// Carries what a proxy has sent down to the network layer, and arms its timer.
    fn carry_down_from_proxy(&mut self, node: NodeId) {
        let mut outbox = std::mem::take(&mut self.proxy_control.outbox);
        for out in outbox.drain(..) {
            match out {
                ProxyOut::Segment { flow, src, dst, bytes, split } => {
                    let seq = split.segment.seq;
                    self.ctx.note(node, What::SegmentSent { flow, seq, again: split.tag.is_local_rtx });
                    self.resend(node, NewPacket { flow, src, dst, bytes, payload: Payload::SplitSegment(split) });
                }
                ProxyOut::Lack { flow, src, lack } => {
                    self.ctx.note(node, What::LackSent { flow, seq: lack.seq, to: lack.resp });
                    let to = if self.proxy_control.is_direct { lack.resp } else { src };
                    let bytes = self.proxy_control.lack_bytes;
                    self.resend(node, NewPacket { flow, src: node, dst: to, bytes, payload: Payload::Lack(lack) });
                }
                ProxyOut::Accepted { flow, seq, held } => self.ctx.note(node, What::ProxyTook { flow, seq, held }),
                ProxyOut::Released { flow, seq, held } => self.ctx.note(node, What::ProxyReleased { flow, seq, held }),
            }
        }
        self.proxy_control.outbox = outbox;
        self.arm_proxy(node);
    }

    fn resend(&mut self, node: NodeId, packet: NewPacket) {
        let (net, mut cx) = self.net(node);
        net.resend(&mut cx, packet);
    }

    /// Ensures an event no later than the proxy's deadline.
    fn arm_proxy(&mut self, node: NodeId) {
        let World { ctx, proxies, proxy_control, .. } = self;
        if let (Some(station), Some(proxy)) = (station(proxy_control, node), &proxies[node.index()]) {
            station.timer.arm(ctx, proxy.deadline(), Event::Proxy { node, timer: ProxyTimer::Deadline });
        }
    }

    /// The proxy at a node, if it is up, and the outbox of proxies.
    fn proxy_up(&mut self, node: NodeId) -> Option<(&mut AnyProxy, &mut Vec<ProxyOut>)> {
        station(&mut self.proxy_control, node).filter(|station| station.is_up)?;
        Some((self.proxies[node.index()].as_mut()?, &mut self.proxy_control.outbox))
    }
}

fn station(control: &mut ProxyControl, node: NodeId) -> Option<&mut ProxyStation> {
    control.stations.get_mut(node.index())?.as_mut()
}
