//! A scenario that has been read and checked: every value is there, in range, and typed.

use crate::app::AppConfig;
use crate::kernel::{Bytes, FlowId, NodeId, Span, Time, Watts};
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::{IdleGapConfig, ObserverKind, WinfConfig};
use crate::mobility::{MobilityConfig, RadioSchedule};
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::RoutingConfig;
use crate::packet::ExplicitConfig;
use crate::phy::RadioConfig;
use crate::scenario::imports::movement::Replay;
use crate::scenario::schema::external_controller::ExternalController;
use crate::scenario::schema::file::Profile;
use crate::scenario::schema::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::topology::Topology;
use crate::scenario::schema::traffic::TrafficConfig;
use crate::scenario::scheme::{Admission, Scheme};
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use crate::transport::{self, TcpConfig};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A checked scenario: what a [`crate::world::World`] is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// For tables and figures; the file's name if it gives none.
    pub name: String,
    /// Whose rules each part follows unless it says otherwise.
    pub profile: Profile,
    /// Length of the run.
    pub duration: Span,
    /// What is not measured at its beginning.
    pub warmup: Span,
    /// Time between two counts of what flows have delivered, if they are counted.
    pub progress: Option<Span>,
    /// Root of all random streams, unless the caller gives another.
    pub seed: u64,
    /// How the network was described.
    pub topology: Topology,
    /// Where the nodes are at the start, in metres, by node; of a random topology or movement, with `seed`.
    pub positions: Vec<(f64, f64)>,
    /// How they move. The area of `waypoint` is set.
    pub mobility: MobilityConfig,
    /// Movements that a file gives.
    pub(crate) replay: Option<Replay>,
    /// The radio. Thresholds are set: `reach` and `cs_range` are `None`.
    pub radio: RadioConfig,
    /// The MAC of nodes without settings of their own.
    pub mac: MacConfig,
    /// ARP and delays.
    pub link: LinkConfig,
    /// The interface queue of nodes without settings of their own.
    pub queue: QueueConfig,
    /// Routing, with every constant of the chosen profile written out.
    pub routing: RoutingConfig,
    /// TCP.
    pub tcp: TcpConfig,
    /// Semi-TCP, with every key of the chosen preset written out.
    pub semi_tcp: SemiTcpConfig,
    /// What nodes without settings of their own decide in the RTS/CTS exchange.
    pub handshake: HandshakeKind,
    /// Split TCP.
    pub split_tcp: SplitTcpConfig,
    /// Protocols with explicit feedback.
    pub explicit: ExplicitConfig,
    /// rt-Winf.
    pub winf: WinfConfig,
    /// IdleGap.
    pub idle_gap: IdleGapConfig,
    /// Nodes that differ, in order of number.
    pub nodes: Vec<NodeSettings>,
    /// Flows, in order of number.
    pub flows: Vec<FlowSpec>,
    /// How those of them came about that each run draws anew.
    pub traffic: Option<DrawnTraffic>,
    /// What is allowed and yet probably not meant, a sentence each.
    pub warnings: Vec<String>,
}

/// What holds for one node, whole: its own values over those of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSettings {
    /// Which node.
    pub id: NodeId,
    /// Its MAC.
    pub mac: MacConfig,
    /// Its interface queue.
    pub queue: QueueConfig,
    /// Power that it sends with.
    pub tx_power: Watts,
    /// When its radio is on.
    pub radio_schedule: RadioSchedule,
    /// What it decides in the RTS/CTS exchange, if it says so itself.
    pub handshake: Option<HandshakeKind>,
    /// Whether it may act as proxy.
    pub is_proxy: bool,
    /// Its router assist.
    pub assist: Part<FeedbackKind>,
    /// Its observer.
    pub observer: Part<ObserverKind>,
}

/// A part that a node may have of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part<K> {
    /// Those that the flows' protocols ask for.
    #[default]
    Usual,
    /// None.
    Without,
    /// This one only.
    Only(K),
}

/// Flows that `[traffic]` draws.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnTraffic {
    /// How.
    pub config: TrafficConfig,
    /// Number of the first of them.
    pub first: usize,
    /// What they have in place of their scheme's congestion control.
    pub controller: Option<Arc<ExternalController>>,
}

/// A flow between two different nodes of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Its number.
    pub id: FlowId,
    /// Where data starts.
    pub src: NodeId,
    /// Where data goes.
    pub dst: NodeId,
    /// Traffic.
    pub app: AppConfig,
    /// Protocol that carries it.
    pub scheme: &'static Scheme,
    /// Congestion control in place of the scheme's, if that comes from outside the engine.
    pub controller: Option<Arc<ExternalController>>,
    /// Payload of a packet.
    pub segment: Bytes,
    /// Limit of the window, in segments.
    pub window: u32,
    /// When traffic begins.
    pub start: Time,
    /// It begins up to this much later, by chance.
    pub start_spread: Span,
    /// When it ends, if before the run does.
    pub stop: Option<Time>,
    /// Packets after which there is nothing more to send.
    pub max_packets: Option<u32>,
}

impl FlowSpec {
    /// Whether it sends only when the node below asks.
    pub fn is_pulled(&self, semi_tcp: &SemiTcpConfig) -> bool {
        self.scheme.admission == Admission::Pull || (self.scheme.is_udp() && semi_tcp.udp_source_admission)
    }

    /// What it is called in results: its protocol, or the controller in that one's place.
    pub fn transport(&self) -> &str {
        self.controller.as_ref().map_or(self.scheme.name, |controller| &controller.name)
    }

    /// What its connection is made from.
    pub fn connection(&self, semi_tcp: &SemiTcpConfig) -> transport::FlowSpec {
        transport::FlowSpec {
            id: self.id,
            protocol: self.scheme.protocol,
            segment: self.segment.0,
            window: self.window,
            app: self.app,
            pull: self.is_pulled(semi_tcp).then(|| semi_tcp.pull()),
        }
    }
}

impl Resolved {
    /// What a node has of its own, if anything.
    pub fn settings(&self, node: NodeId) -> Option<&NodeSettings> {
        let at = self.nodes.binary_search_by_key(&node, |settings| settings.id).ok()?;
        Some(&self.nodes[at])
    }

    /// The MAC of a node.
    pub fn mac_of(&self, node: NodeId) -> &MacConfig {
        self.settings(node).map_or(&self.mac, |settings| &settings.mac)
    }

    /// The interface queue of a node.
    pub fn queue_of(&self, node: NodeId) -> &QueueConfig {
        self.settings(node).map_or(&self.queue, |settings| &settings.queue)
    }

    /// What a node decides in the RTS/CTS exchange.
    pub fn handshake_of(&self, node: NodeId) -> HandshakeKind {
        self.settings(node).and_then(|settings| settings.handshake).unwrap_or(self.handshake)
    }

    /// Whether a node may act as proxy.
    pub fn may_be_proxy(&self, node: NodeId) -> bool {
        self.settings(node).is_none_or(|settings| settings.is_proxy)
    }

    /// The router assists of a node, in order.
    pub fn assists_of(&self, node: NodeId) -> Vec<FeedbackKind> {
        let usual = self.flows.iter().filter_map(|flow| flow.scheme.nodes.assist);
        self.settings(node).map_or(Part::Usual, |settings| settings.assist).or(usual)
    }

    /// The observers of a node, in order.
    pub fn observers_of(&self, node: NodeId) -> Vec<ObserverKind> {
        let everywhere = self.winf.everywhere.then_some(ObserverKind::Winf);
        let idle_gap = self.idle_gap.everywhere.then_some(ObserverKind::IdleGap);
        let of_flows = self.flows.iter().flat_map(|flow| flow.scheme.nodes.observers).copied();
        let usual = of_flows.chain(everywhere).chain(idle_gap);
        self.settings(node).map_or(Part::Usual, |settings| settings.observer).or(usual)
    }

    /// The power that a node sends with.
    pub fn tx_power_of(&self, node: NodeId) -> Watts {
        self.settings(node).map_or(self.radio.tx_power, |settings| settings.tx_power)
    }
}

impl<K: Copy + Ord> Part<K> {
    /// The word that stands for it in a scenario, if one must.
    pub(crate) fn word(self, name: fn(K) -> &'static str) -> Option<&'static str> {
        match self {
            Part::Usual => None,
            Part::Without => Some("none"),
            Part::Only(kind) => Some(name(kind)),
        }
    }

    /// What the node has: its own choice, or else each of the `usual` once.
    fn or(self, usual: impl Iterator<Item = K>) -> Vec<K> {
        match self {
            Part::Usual => usual.collect::<BTreeSet<K>>().into_iter().collect(),
            Part::Without => Vec::new(),
            Part::Only(kind) => vec![kind],
        }
    }
}
