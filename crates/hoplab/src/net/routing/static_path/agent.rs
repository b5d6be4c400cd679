//! Static routing at one node: it looks up next hops in a table, and sets no timer.

use super::table::{StaticTable, routes};
use crate::kernel::{NodeId, RadioId};
use crate::net::routing::config::RoutingProfile;
use crate::net::routing::protocol::{RouteCtx, Routing};
use crate::net::routing::setup::{EngineRouting, RoutingConstants, RoutingSetup, Rule};
use crate::packet::PacketId;
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Static routing at one node.
#[derive(Clone, Debug)]
pub struct StaticPath {
    table: StaticTable,
}

/// Static routing has no constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoConstants;

/// Known paths end, so the TTL limits nothing.
const TTL: u8 = u8::MAX;

impl RoutingConstants for NoConstants {
    fn of_profile(_: RoutingProfile) -> NoConstants {
        NoConstants
    }

    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }
}

impl EngineRouting for StaticPath {
    const SUMMARY: &'static str = "shortest paths by hops, known from the start and kept throughout";

    const ROUTE_BYTES: u32 = 0;

    const DISCOVERS_ROUTES: bool = false;
    const SEVERAL_RADIOS: bool = true;

    type Constants = NoConstants;

    fn build(_: &NoConstants, setup: &mut RoutingSetup<'_>) -> Vec<StaticPath> {
        let graph = (setup.graph)();
        let tables = routes(&graph, setup.pairs, &setup.paths);
        tables.into_iter().map(|table| StaticPath { table }).collect()
    }
}

impl Routing for StaticPath {
    fn start(&mut self, _: &mut RouteCtx<'_>) {}

    #[inline]
    fn fixed_next_hop(&self, dst: NodeId) -> Option<NodeId> {
        if dst.is_broadcast() { Some(dst) } else { self.table.next_hop(dst) }
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        match self.fixed_next_hop(cx.ctx.packet(packet).dst) {
            Some(next_hop) => cx.send(packet, next_hop),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: RadioId) {
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: RadioId, reason: DropReason) {
        cx.drop(packet, reason);
    }

    fn on_timer(&mut self, _: &mut RouteCtx<'_>, timer: RoutingTimer) {
        unreachable!("static routing sets no timer: {timer:?}");
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.table.hops(dst)
    }

    fn source_ttl(&self) -> u8 {
        TTL
    }

    fn each_waiting(&self, _: &mut dyn FnMut(PacketId)) {}
}
