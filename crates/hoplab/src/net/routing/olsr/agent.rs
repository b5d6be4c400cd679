//! OLSR at one node: its state, and what all of its events use.

use super::config::OlsrConfig;
use super::emf::Emf;
use super::message::Message;
use super::neighborhood::interfaces::Interfaces;
use super::neighborhood::neighbors::{Changes, Here, Neighbors};
use super::table::{OlsrRoute, Table, View};
use super::topology::Topology;
use super::{message::Tc, mpr};
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, RandomStreams, Span, Time, TimerId};
use crate::net::routing::protocol::RouteCtx;
use std::sync::Arc;

/// OLSR at one node.
#[derive(Debug)]
pub struct Olsr {
    pub(super) node: NodeId,
    pub(super) constants: Arc<Constants>,
    pub(super) jitter: RandomStream,
    pub(super) neighbors: Neighbors,
    pub(super) topology: Topology,
    /// Further radios of other nodes.
    pub(super) interfaces: Interfaces,
    pub(super) table: Table,
    /// Number of the last message.
    pub(super) message_seq: u16,
    /// Links of the last TC message.
    pub(super) advertised: Arc<Tc>,
    /// Until then a TC message is sent even without links.
    pub(super) advertise_until: Time,
    /// Hosts whose gateway this node is.
    pub(super) hosts: Arc<[NodeId]>,
    /// Messages that wait for their packet, by radio.
    pub(super) queues: Vec<Queue>,
    /// Time of these packets.
    pub(super) flush: Option<TimerId>,
    /// The next TC message, and when the last one was created.
    pub(super) next_tc: Option<TimerId>,
    pub(super) last_tc: Time,
    /// When something may end, and its timer.
    expiry: Option<(Time, TimerId)>,
}

/// Messages that wait for their packet over one radio.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) radio: RadioId,
    /// Number of the last packet.
    pub(super) packet_seq: u16,
    pub(super) messages: Vec<Message>,
}

/// Constants of all nodes.
#[derive(Debug)]
pub(super) struct Constants {
    pub(super) config: OlsrConfig,
    pub(super) hello_interval: Emf,
    pub(super) hello_validity: Emf,
    pub(super) tc_validity: Emf,
}

/// Timer kind: a HELLO message is due.
pub(super) const HELLO: u8 = 0;
/// Timer kind: a TC message is due.
pub(super) const TC: u8 = 1;
/// Timer kind: a HNA message is due.
pub(super) const HNA: u8 = 2;
/// Timer kind: messages that wait are due.
pub(super) const FLUSH: u8 = 3;
/// Timer kind: something may have ended.
pub(super) const EXPIRY: u8 = 4;
/// Timer kind: a MID message is due.
pub(super) const MID: u8 = 5;

impl Constants {
    /// Those of a table.
    pub(super) fn new(config: &OlsrConfig) -> Arc<Constants> {
        Arc::new(Constants {
            config: config.clone(),
            hello_interval: Emf::of(config.hello_interval),
            hello_validity: Emf::of(config.neighbor_hold()),
            tc_validity: Emf::of(config.topology_hold()),
        })
    }
}

impl Olsr {
    /// OLSR at each of `nodes` nodes, without neighbors.
    pub fn all(nodes: impl Iterator<Item = NodeId>, config: &OlsrConfig, streams: &RandomStreams) -> Vec<Olsr> {
        let constants = Constants::new(config);
        nodes.map(|node| Olsr::new(node, Arc::clone(&constants), *streams)).collect()
    }

    fn new(node: NodeId, constants: Arc<Constants>, streams: RandomStreams) -> Olsr {
        Olsr {
            node,
            constants,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            neighbors: Neighbors::default(),
            topology: Topology::default(),
            interfaces: Interfaces::default(),
            table: Table::default(),
            message_seq: 0,
            advertised: Arc::default(),
            advertise_until: Time::ZERO,
            hosts: Arc::new([]),
            queues: Vec::new(),
            flush: None,
            next_tc: None,
            last_tc: Time::ZERO,
            expiry: None,
        }
    }

    /// The route to `dst`, if there is one.
    pub fn route(&self, dst: NodeId) -> Option<OlsrRoute> {
        self.table.get(dst)
    }

    /// Number of destinations with a route.
    pub fn known(&self) -> usize {
        self.table.len()
    }

    /// Neighbors that this node has selected as MPRs, by number.
    pub fn mprs(&self) -> impl Iterator<Item = NodeId> {
        self.neighbors.iter().filter(|neighbor| neighbor.is_mpr).map(|neighbor| neighbor.node)
    }

    /// Neighbors that have selected this node as MPR, by number.
    pub fn selectors(&self) -> impl Iterator<Item = NodeId> {
        self.neighbors.iter().filter(|neighbor| neighbor.is_selector()).map(|neighbor| neighbor.node)
    }

    pub(super) fn config(&self) -> &OlsrConfig {
        &self.constants.config
    }

    /// The node at the current event, and its neighbors.
    pub(super) fn here<'a>(&'a mut self, cx: &'a RouteCtx<'_>) -> (Here<'a>, &'a mut Neighbors) {
        let (interfaces, config) = (&self.interfaces, &self.constants.config);
        (Here { node: self.node, radios: &cx.ctx.radios, interfaces, config, now: cx.now() }, &mut self.neighbors)
    }

    /// A random time up to the maximum jitter.
    pub(super) fn draw_jitter(&mut self) -> Span {
        Span::from_secs(self.config().max_jitter().secs() * self.jitter.unit())
    }

    /// Selects MPRs and calculates routes after changes. `links`: whether links of other nodes have changed, too.
    pub(super) fn update(&mut self, cx: &mut RouteCtx<'_>, changes: Changes, links: bool) {
        if changes.neighborhood {
            mpr::select(self.node, &cx.ctx.radios, self.neighbors.as_mut_slice());
        }
        if changes.neighborhood || changes.selectors || links {
            let (neighbors, topology, config) = (&self.neighbors, &self.topology, &self.constants.config);
            let radios = Arc::clone(&cx.ctx.radios);
            let view = View { node: self.node, neighbors, topology, config, now: cx.now(), radios: &radios };
            self.table.calculate(&view, |dst, next_hop| match next_hop {
                Some(next_hop) => cx.route_changed(dst, radios.owner(next_hop)),
                None => cx.route_lost(dst),
            });
        }
        self.watch(cx);
    }

    /// Sets the timer for the first end, unless one fires before.
    fn watch(&mut self, cx: &mut RouteCtx<'_>) {
        // Nothing new ends before.
        let shortest = self.config().neighbor_hold().min(self.config().topology_hold());
        if self.expiry.is_some_and(|(at, _)| at <= cx.now() + shortest) {
            return;
        }
        let at = self.neighbors.next_end().min(self.topology.next_end()).min(self.interfaces.next_end());
        if at == Time::NEVER {
            return;
        }
        let timer = cx.set_timer(at, EXPIRY, self.node);
        if let Some((_, before)) = self.expiry.replace((at, timer)) {
            cx.cancel_timer(before);
        }
    }

    /// Something may have ended.
    pub(super) fn on_expiry(&mut self, cx: &mut RouteCtx<'_>) {
        self.expiry = None;
        let now = cx.now();
        let changes = self.neighbors.expire(now);
        let links = self.topology.expire(now);
        self.interfaces.expire(now);
        self.update(cx, changes, links);
    }
}
