//! The interface between a routing protocol and a scenario: its constants, and how the protocol of every node is built.

use super::config::{RoutingNeeds, RoutingProfile};
use super::graph::ReachGraph;
use super::protocol::Routing;
use super::static_path::PathRules;
use crate::kernel::{Bytes, NodeId, RandomStreams};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A routing protocol of the engine's list.
pub trait EngineRouting: Routing + Sized {
    /// What it does, in one line.
    const SUMMARY: &'static str;

    /// Memory per destination at each node, in bytes, of a protocol whose nodes have tables of all destinations; else 0.
    /// A run that needs too much is refused before it starts.
    const ROUTE_BYTES: u32;

    /// Whether it discovers routes during the run, between any two nodes.
    const DISCOVERS_ROUTES: bool = true;

    /// Whether it works at nodes with several radios: it notes the radio of a neighbor that a message comes from.
    const SEVERAL_RADIOS: bool = false;

    /// Whether it makes hosts known whose gateway a node is ([`Routing::serve`]).
    const SERVES_HOSTS: bool = true;

    /// Whether its messages carry MAC addresses, so that next hops need no ARP.
    const KNOWS_ADDRESSES: bool = false;

    /// Table of its constants.
    type Constants: RoutingConstants;

    /// The protocol at each node, in the order of nodes.
    fn build(constants: &Self::Constants, setup: &mut RoutingSetup<'_>) -> Vec<Self>;
}

/// Table `[routing.NAME]` of a scenario.
pub trait RoutingConstants: Clone + PartialEq + Serialize + DeserializeOwned + JsonSchema {
    /// Values of keys that are not given.
    fn of_profile(profile: RoutingProfile) -> Self;

    /// Bytes that the protocol adds to segments and acknowledgments at their source, unless `routing.extra_bytes` is given.
    fn extra_bytes(_profile: RoutingProfile) -> Bytes {
        Bytes(0)
    }

    /// What the protocol needs of other layers.
    fn needs(&self) -> RoutingNeeds {
        RoutingNeeds::default()
    }

    /// The table with all values that follow from others.
    #[must_use]
    fn resolved(&self) -> Self {
        self.clone()
    }

    /// Rules that the values must satisfy.
    fn rules(&self) -> Vec<Rule>;
}

/// A rule for one key, as whether it is satisfied, the key, and the values that are accepted.
pub type Rule = (bool, &'static str, &'static str);

/// What the protocols of a run are built from.
pub struct RoutingSetup<'a> {
    /// Number of nodes.
    pub nodes: u32,
    /// Source of the rules.
    pub profile: RoutingProfile,
    /// Random streams of the run.
    pub streams: RandomStreams,
    /// What static paths are found from, beside the links.
    pub paths: PathRules<'a>,
    /// Source and destination of each flow.
    pub pairs: &'a [(NodeId, NodeId)],
    /// Returns the graph of nodes in reception range of each other at the start; takes time among many nodes.
    pub graph: &'a mut dyn FnMut() -> ReachGraph,
}

impl RoutingSetup<'_> {
    /// All nodes.
    pub fn all_nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes).map(NodeId)
    }
}
