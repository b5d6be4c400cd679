//! The parts of a run as measures read them: all layers, read-only.

use super::airtime::NodeState;
use crate::kernel::{FlowId, NodeId, RadioId, Span, Time};
use crate::mac::Mac;
use crate::mac::observer::clean;
use crate::net::Net;
use crate::net::wires::Wires;
use crate::packet::LinkEstimate;
use crate::phy::Medium;
use crate::sim::Ctx;
use crate::transport::proxy::AnyProxy;
use crate::transport::{Connection, Flow};

/// A run between two events.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// Clock, events, packets, trace.
    pub ctx: &'a Ctx,
    /// Radios and transmissions.
    pub medium: &'a Medium,
    /// Stations, by radio; hosts have none.
    pub macs: &'a [Mac],
    /// Network layers, by node.
    pub nets: &'a [Net],
    /// Wires, if there are any.
    pub wires: Option<&'a Wires>,
    /// Proxies, by node; empty if no flow uses any.
    pub proxies: &'a [Option<AnyProxy>],
    /// Flows, by number.
    pub flows: &'a [Flow],
}

impl<'a> RunView<'a> {
    /// The current time.
    pub fn now(&self) -> Time {
        self.ctx.now
    }

    /// All nodes with a radio.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.ctx.radios.nodes() as u32).map(NodeId)
    }

    /// The MAC of the first radio of a node.
    pub fn mac(&self, node: NodeId) -> &'a Mac {
        &self.macs[self.ctx.radios.first(node).index()]
    }

    /// A radio as airtime accounts read it.
    pub fn state(&self, radio: RadioId) -> NodeState<'a> {
        NodeState::new(self.now(), radio, self.medium, self.macs)
    }

    /// The connection of a flow.
    pub fn connection(&self, flow: FlowId) -> &'a Connection {
        &self.flows[flow.index()].connection
    }

    /// The proxy at a node.
    pub fn proxy(&self, node: NodeId) -> Option<&'a AnyProxy> {
        self.proxies.get(node.index())?.as_ref()
    }

    /// All proxies, in order of node.
    pub fn proxies(&self) -> impl Iterator<Item = (NodeId, &'a AnyProxy)> + use<'a> {
        let by_node = self.proxies.iter().enumerate();
        by_node.filter_map(|(node, proxy)| Some((NodeId(node as u32), proxy.as_ref()?)))
    }

    /// Estimates of the observers at a node for its links, over the window before now: those of its first radio.
    pub fn links(&self, node: NodeId, window: Span) -> impl Iterator<Item = (&'static str, LinkEstimate)> + use<'a> {
        self.mac(node).observers().links(self.now(), window)
    }

    /// The stations of a node's radios, in order.
    pub fn macs_of(&self, node: NodeId) -> impl Iterator<Item = &'a Mac> + use<'a> {
        let macs = self.macs;
        self.ctx.radios.of(node).map(|radio| &macs[radio.index()])
    }

    /// Capacity of an idle link for packets of this many bytes at a node, in bytes per second (rt-Winf, eq. 14).
    pub fn clean_capacity(&self, node: NodeId, packet: u32) -> f64 {
        clean(self.mac(node).timing(), packet)
    }

    /// Payload bits of a flow that have arrived in order so far; of datagrams, distinct ones.
    pub fn delivered_bits(&self, flow: FlowId) -> f64 {
        self.connection(flow).meter().total().in_order as f64 * 8.0
    }
}
