//! DSR as a [`Routing`]: how it handles packets, messages, link failures and timers.

use super::agent::{Dsr, REPLY, REQUEST};
use super::config::DsrConfig;
use super::message::DsrMessage;
use crate::kernel::{NodeId, RadioId, Span, Time};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingSetup};
use crate::packet::{PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::sync::Arc;

impl EngineRouting for Dsr {
    const SUMMARY: &'static str = "packets carry their route, which is found by flooding when needed (RFC 4728)";

    const ROUTE_BYTES: u32 = 0;

    const SEVERAL_RADIOS: bool = true;

    type Constants = DsrConfig;

    fn build(config: &DsrConfig, setup: &mut RoutingSetup<'_>) -> Vec<Dsr> {
        let config = Arc::new(config.clone());
        setup.all_nodes().map(|node| Dsr::new(node, Arc::clone(&config), &setup.streams)).collect()
    }
}

impl Routing for Dsr {
    fn start(&mut self, _: &mut RouteCtx<'_>) {}

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let arrived = cx.ctx.packet(packet);
        let (dst, from) = (arrived.dst, arrived.hop.prev);
        if dst.is_broadcast() {
            cx.send(packet, dst);
        } else if arrived.route.is_some() {
            self.relay(cx, packet, from);
        } else {
            self.send_own(cx, packet, dst, Span::ZERO);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        let radio = from;
        let from = cx.owner(radio);
        let received = cx.ctx.packet_mut(packet);
        received.ttl = received.ttl.saturating_sub(1);
        let Payload::Control(message) = &received.payload else {
            unreachable!("a packet that is no routing message");
        };
        let (message, dst, ttl) = (message.clone(), received.dst, received.ttl);
        self.facing.note(cx, radio, !dst.is_broadcast());
        match message.get() {
            Some(DsrMessage::Rreq(rreq)) => {
                self.on_rreq(cx, packet, rreq);
                return;
            }
            Some(DsrMessage::Rrep(path)) => self.learn_reply(cx, path, from),
            Some(DsrMessage::Rerr(rerr)) => self.on_rerr(cx, rerr),
            None => {}
        }
        if dst == self.node {
            cx.ctx.deliver(self.node, packet);
        } else if ttl == 0 {
            cx.drop(packet, DropReason::Ttl);
        } else {
            self.relay(cx, packet, from);
        }
    }

    fn overhears(&self) -> bool {
        self.config.promiscuous
    }

    fn on_overheard(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        self.overhear(cx, packet, from);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason) {
        self.on_failure(cx, packet, next_hop, reason);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        match timer.kind() {
            REQUEST => self.on_request_timer(cx, timer.subject()),
            REPLY => self.on_reply_timer(cx),
            kind => unreachable!("DSR timer {kind}"),
        }
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        // The time of the query is not known: paths that have expired since their last use count.
        self.cache.hops(Time::ZERO, dst).map(|hops| hops as u16)
    }

    fn source_ttl(&self) -> u8 {
        self.config.ttl
    }

    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        self.buffer.iter().for_each(visit);
    }

    fn serve(&mut self, hosts: &Arc<Hosts>) -> bool {
        self.hosts = Some(Arc::clone(hosts));
        true
    }

    fn on_exit(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let left = cx.ctx.packet(packet);
        if left.route.is_some() {
            let from = left.hop.prev;
            self.overhear(cx, packet, from);
            cx.ctx.packet_mut(packet).remove_route();
        }
    }

    fn waiting(&self) -> usize {
        self.buffer.len()
    }
}

impl Dsr {
    /// Sends a packet of another node to the next node of its route.
    fn relay(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        let relayed = cx.ctx.packet(packet);
        let (dst, route) = (relayed.dst, relayed.route.clone());
        let Some(route) = route else {
            cx.drop(packet, DropReason::NoRoute);
            return;
        };
        let next_hop = route.next_after(self.node);
        self.learn_from(cx, &route, dst, from);
        match next_hop {
            Some(next_hop) => self.facing.send(cx, packet, next_hop, Span::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}
