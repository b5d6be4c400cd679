//! HWMP as a [`Routing`]: how it handles packets, messages, link failures and timers.

use super::agent::{DISCOVERY, ERROR, EXPIRY, Hwmp, REQUEST, ROOT};
use super::config::HwmpConfig;
use super::message::HwmpMessage;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingSetup};
use crate::packet::{Packet, PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::sync::Arc;

impl EngineRouting for Hwmp {
    const SUMMARY: &'static str = "paths of least airtime on demand, and a tree of a root (802.11s, IEEE 802.11-2016)";

    const ROUTE_BYTES: u32 = 160;

    const KNOWS_ADDRESSES: bool = true;

    const SEVERAL_RADIOS: bool = true;

    type Constants = HwmpConfig;

    fn build(config: &HwmpConfig, setup: &mut RoutingSetup<'_>) -> Vec<Hwmp> {
        Hwmp::all(setup.all_nodes(), config, &setup.streams)
    }
}

impl Routing for Hwmp {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        self.start_root(cx);
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let arrived = cx.ctx.packet(packet);
        let &Packet { src, dst, hop, .. } = arrived;
        let is_entering = self.is_host(hop.prev);
        let is_own = arrived.origin() == self.node || is_entering;
        if dst.is_broadcast() {
            cx.send(packet, dst);
            return;
        }
        if is_own && (is_entering || self.is_host(dst)) {
            cx.ctx.packet_mut(packet).bytes += EXTENSION;
        }
        if let Some(index) = self.paths.active(dst) {
            let next_hop = self.paths[index].next_hop;
            self.renew(cx.now(), index);
            self.facing.send(cx, packet, next_hop, Span::ZERO);
            if is_own {
                self.maintain(cx, index);
            } else {
                self.on_relayed(cx, index, (src, hop.prev));
            }
            return;
        }
        let prev = if is_own { self.node } else { hop.prev };
        let is_root = self.config.root == Some(self.node.0);
        if let Some(next_hop) = self.up(prev) {
            self.facing.send(cx, packet, next_hop, Span::ZERO);
            if is_own {
                self.discover(cx, dst);
            }
        } else if is_own || is_root {
            self.keep(cx, packet, dst);
        } else {
            cx.drop(packet, DropReason::NoRoute);
            self.on_missing_path(cx, dst, prev);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        self.facing.note(cx, from, false);
        if let Payload::Control(message) = &cx.ctx.packet(packet).payload {
            let message = message.clone();
            match message.get() {
                Some(HwmpMessage::Preq(preq)) => self.on_preq(cx, preq, from),
                Some(HwmpMessage::Prep(prep)) => self.on_prep(cx, prep, from),
                Some(HwmpMessage::Perr(perr)) => self.on_perr(cx, perr, cx.owner(from)),
                Some(HwmpMessage::Rann(rann)) => self.on_rann(cx, rann, from),
                None => {}
            }
        }
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason) {
        cx.drop(packet, reason);
        self.on_failed_packet(cx, next_hop);
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        match timer.kind() {
            DISCOVERY => self.on_discovery_timer(cx, timer.subject()),
            REQUEST => self.on_request_timer(cx),
            ERROR => self.on_error_timer(cx),
            EXPIRY => self.on_expiry(cx),
            ROOT => self.on_root_timer(cx),
            kind => unreachable!("HWMP timer {kind}"),
        }
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.path(dst).map(|path| u16::from(path.hops))
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
        let left = cx.ctx.packet_mut(packet);
        if left.hop.count > 0 && !self.is_host(left.hop.prev) {
            left.bytes -= EXTENSION;
        }
    }

    fn waiting(&self) -> usize {
        self.buffer.len()
    }
}

/// Bytes of the two further addresses of a frame from or to a station outside of the mesh (Address Extension, IEEE 802.11-2016
/// clause 9.2.4.7.3).
const EXTENSION: u32 = 12;

impl Hwmp {
    /// Whether a node is a host, outside of the mesh.
    pub(super) fn is_host(&self, node: NodeId) -> bool {
        self.hosts.as_ref().is_some_and(|hosts| hosts.are(node))
    }

    /// A packet of another node takes a path: renews the path back to its source, and notes the neighbors that use both
    /// (IEEE 802.11-2016 clause 10.35.4.2).
    fn on_relayed(&mut self, cx: &RouteCtx<'_>, ahead: usize, (src, prev): (NodeId, NodeId)) {
        let next_hop = self.paths[ahead].next_hop;
        self.paths[ahead].add_precursor(prev);
        if let Some(back) = self.paths.active(src) {
            self.renew(cx.now(), back);
            self.paths[back].add_precursor(next_hop);
        }
    }
}
