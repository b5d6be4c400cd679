//! OLSR as a [`Routing`]: how it handles packets, messages, link failures and timers.

use super::agent::{EXPIRY, FLUSH, HELLO, HNA, MID, Olsr, TC};
use super::config::OlsrConfig;
use super::message::OlsrPacket;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingSetup};
use crate::packet::{PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::sync::Arc;

impl EngineRouting for Olsr {
    const SUMMARY: &'static str = "shortest paths over links that nodes flood through multipoint relays (RFC 3626)";

    const ROUTE_BYTES: u32 = 96;

    const SEVERAL_RADIOS: bool = true;

    type Constants = OlsrConfig;

    fn build(config: &OlsrConfig, setup: &mut RoutingSetup<'_>) -> Vec<Olsr> {
        Olsr::all(setup.all_nodes(), config, &setup.streams)
    }
}

impl Routing for Olsr {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        self.start_messages(cx);
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let dst = cx.ctx.packet(packet).dst;
        if dst.is_broadcast() {
            cx.send(packet, dst);
        } else {
            self.forward(cx, packet, dst, DropReason::NoRoute);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        if let Payload::Control(message) = &cx.ctx.packet(packet).payload {
            let message = message.clone();
            if let Some(received) = message.get::<OlsrPacket>() {
                self.on_olsr_packet(cx, received, from);
            }
        }
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason) {
        let failed = cx.ctx.packet(packet);
        let (dst, is_message) = (failed.dst, failed.is_control());
        if is_message || !self.config().use_link_layer_feedback {
            cx.drop(packet, reason);
            return;
        }
        self.on_lost_link(cx, next_hop);
        self.forward(cx, packet, dst, reason);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        match timer.kind() {
            HELLO => self.on_hello_timer(cx),
            TC => self.on_tc_timer(cx),
            HNA => self.on_hna_timer(cx),
            MID => self.on_mid_timer(cx),
            FLUSH => self.on_flush_timer(cx),
            EXPIRY => self.on_expiry(cx),
            kind => unreachable!("OLSR timer {kind}"),
        }
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.route(dst).map(|route| route.hops)
    }

    fn source_ttl(&self) -> u8 {
        self.config().ttl
    }

    fn each_waiting(&self, _: &mut dyn FnMut(PacketId)) {}

    fn serve(&mut self, hosts: &Arc<Hosts>) -> bool {
        self.hosts = hosts.of(self.node).map(|served| served.host).collect();
        true
    }
}

impl Olsr {
    /// Sends a packet along its route, or drops it without one.
    fn forward(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId, reason: DropReason) {
        match self.route(dst) {
            Some(route) => cx.send_to(packet, route.next_hop, Span::ZERO),
            None => cx.drop(packet, reason),
        }
    }
}
