//! AODV as a [`Routing`]: how it handles packets, messages, link failures and timers (RFC 3561 section 6).

use super::agent::{Aodv, HELLO, NEIGHBORS, PURGE, REPAIR, REQUEST};
use super::config::AodvConfig;
use super::failure::Recipients;
use super::message::{AodvMessage, Rrep, Rreq, Unreachable};
use super::state::entry::State;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingSetup};
use crate::packet::{Packet, PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::sync::Arc;

impl EngineRouting for Aodv {
    const SUMMARY: &'static str = "routes found by flooding when needed, dropped when the MAC drops a frame";

    const ROUTE_BYTES: u32 = 0;

    const SEVERAL_RADIOS: bool = true;

    type Constants = AodvConfig;

    fn build(config: &AodvConfig, setup: &mut RoutingSetup<'_>) -> Vec<Aodv> {
        let config = Arc::new(config.clone());
        let aodv = |node| Aodv::new(node, setup.profile, Arc::clone(&config), &setup.streams);
        setup.all_nodes().map(aodv).collect()
    }
}

impl Routing for Aodv {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        if self.neighbors.is_some() {
            self.start_hello(cx);
        }
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let arrived = cx.ctx.packet(packet);
        let &Packet { src, dst, hop, .. } = arrived;
        let is_own = self.is_own(arrived);
        if dst.is_broadcast() {
            cx.send(packet, dst);
            return;
        }
        let index = self.entry(cx.now(), dst);
        match self.table[index].state {
            State::Up => {
                self.forward(cx, index, packet, Span::ZERO);
                if self.rules.learns_neighbors {
                    let next_hop = cx.owner(self.table[index].next_hop);
                    self.refresh_path(cx.now(), src, hop.prev, next_hop);
                }
            }
            State::Down | State::InRepair if is_own => {
                self.keep(cx, packet, dst);
                self.discover(cx, index);
            }
            State::InRepair => self.keep(cx, packet, dst),
            State::Down => {
                let seq = self.table[index].seq;
                cx.drop(packet, DropReason::NoRoute);
                self.send_rerr(cx, &[Unreachable { dst, seq }], &Recipients::All, Span::ZERO);
            }
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        let received = cx.ctx.packet_mut(packet);
        received.ttl = received.ttl.saturating_sub(1);
        let Payload::Control(message) = &received.payload else {
            unreachable!("a packet that is no routing message");
        };
        let message = message.clone();
        match message.get() {
            Some(&AodvMessage::Rreq(rreq)) => {
                self.on_rreq(cx, packet, from, &Rreq { hops: rreq.hops.saturating_add(1), ..rreq });
            }
            Some(&AodvMessage::Rrep(rrep)) => {
                self.on_rrep(cx, packet, from, &Rrep { hops: rrep.hops.saturating_add(1), ..rrep });
            }
            Some(AodvMessage::Rerr(unreachable)) => {
                self.on_rerr(cx, unreachable, cx.owner(from));
                cx.ctx.consume(packet);
            }
            Some(&AodvMessage::Hello { seq }) => {
                self.on_hello(cx, from, seq);
                cx.ctx.consume(packet);
            }
            None => cx.ctx.consume(packet),
        }
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason) {
        self.on_failure(cx, packet, next_hop, reason);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        let subject = timer.subject();
        match timer.kind() {
            PURGE => self.on_purge_timer(cx),
            REPAIR => self.on_repair_timer(cx, subject),
            REQUEST => self.on_request_timer(cx, subject),
            HELLO => self.on_hello_timer(cx),
            NEIGHBORS => self.on_neighbors_timer(cx),
            kind => unreachable!("AODV timer {kind}"),
        }
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.route(dst).filter(|route| !route.is_in_repair).map(|route| u16::from(route.hops))
    }

    fn forget_route(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, through: NodeId) -> bool {
        let Some(index) = self.known(cx.now(), dst) else { return false };
        let entry = &self.table[index];
        if entry.state == State::Up && cx.owner(entry.next_hop) == through {
            // As the RERR of the neighbor does, which may be lost or late.
            let seq = entry.seq.wrapping_add(u32::from(entry.is_seq_known));
            self.on_rerr(cx, &[Unreachable { dst, seq }], through);
        }
        self.table[index].state == State::Up
    }

    fn source_ttl(&self) -> u8 {
        self.config.network_diameter
    }

    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        self.buffer.iter().for_each(visit);
    }

    fn serve(&mut self, hosts: &Arc<Hosts>) -> bool {
        self.first_host = hosts.first;
        self.hosts = hosts.of(self.node).collect();
        true
    }

    fn waiting(&self) -> usize {
        self.buffer.len()
    }
}
