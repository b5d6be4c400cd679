//! DSDV as a [`Routing`]: how it handles packets, updates, link failures and timers (Perkins and Bhagwat 1994).

use super::agent::{Dsdv, PERIODIC, SILENT, TRIGGERED};
use super::config::DsdvConfig;
use super::message::Update;
use crate::kernel::{NodeId, RadioId};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingSetup};
use crate::packet::{PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::sync::Arc;

impl EngineRouting for Dsdv {
    const SUMMARY: &'static str = "routes to all destinations, broadcast to neighbors every 15 s and on changes";

    const ROUTE_BYTES: u32 = 64;

    const SEVERAL_RADIOS: bool = true;

    type Constants = DsdvConfig;

    fn build(config: &DsdvConfig, setup: &mut RoutingSetup<'_>) -> Vec<Dsdv> {
        let config = Arc::new(config.clone());
        setup.all_nodes().map(|node| Dsdv::new(node, Arc::clone(&config), &setup.streams)).collect()
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
            cx.send_after(packet, dst, delay);
        } else {
            self.forward(cx, packet, dst);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        if let Payload::Control(message) = &cx.ctx.packet(packet).payload {
            let message = message.clone();
            if let Some(Update(adverts)) = message.get() {
                self.on_update(cx, adverts, from);
            }
        }
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, _: DropReason) {
        let failed = cx.ctx.packet(packet);
        let (dst, is_message) = (failed.dst, failed.is_control());
        if is_message || !self.config.use_mac {
            // ns-2's DSDV counts a failed ARP resolution like a retry limit.
            cx.drop(packet, DropReason::MacRetry);
            return;
        }
        self.on_broken_link(cx, next_hop);
        self.forward(cx, packet, dst);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        match timer.kind() {
            PERIODIC => self.on_periodic(cx),
            TRIGGERED => self.on_triggered(cx, timer.subject()),
            SILENT => self.on_silence(cx, timer.radio()),
            kind => unreachable!("DSDV timer {kind}"),
        }
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        if let Some(gateways) = self.gateways_of(dst) {
            return self.nearest(gateways).map(|(_, hops)| hops);
        }
        self.route(dst).map(|route| u16::from(route.hops))
    }

    fn serve(&mut self, hosts: &Arc<Hosts>) -> bool {
        for served in hosts.of(self.node).filter(|served| !served.is_shared) {
            self.table.serve(served.host, served.hops, &self.config);
            self.hosts.push(served.host);
        }
        self.shared = hosts.behind.iter().any(|behind| behind.gateways.len() > 1).then(|| Arc::clone(hosts));
        true
    }

    fn source_ttl(&self) -> u8 {
        self.config.ttl
    }

    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        self.buffer.iter().for_each(visit);
    }

    fn waiting(&self) -> usize {
        self.buffer.len()
    }
}
