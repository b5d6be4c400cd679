//! The network that `[topology]` describes: a layout, and nodes after those of the layout.

use super::families::{Invalid, clipped, invalid_positions};
use super::keys::TopologyConfig;
use super::layout::Layout;
use crate::mobility::Point;

/// Maximum number of nodes of a scenario.
pub const MAX_NODES: u64 = 1_000_000;

/// A network with its numbers of nodes, before positions and movements are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// The family, and the numbers that select a member of it.
    pub layout: Layout,
    /// Positions of nodes after those of the layout, in metres.
    pub extra: Vec<Point>,
    /// Nodes after those, without positions of their own.
    pub mobile_nodes: u32,
    /// Names of nodes, in order; empty without names.
    pub names: Vec<String>,
}

impl Topology {
    /// The network that the keys describe; `None` without the key that the family requires.
    pub(crate) fn from_keys(keys: &TopologyConfig) -> Option<Topology> {
        let extra = keys.extra.iter().flatten().map(|&[x, y]| (x, y)).collect();
        Some(Topology {
            layout: Layout::from_keys(keys)?,
            extra,
            mobile_nodes: clipped(keys.mobile_nodes.unwrap_or(0)),
            names: keys.names.clone().unwrap_or_default(),
        })
    }

    /// Values that no network can have.
    pub(crate) fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        let mut invalid = keys.kind.invalid(keys);
        invalid.extend(invalid_positions("extra", keys.extra.as_deref()));
        invalid
    }

    /// A network of nodes at these positions.
    pub(crate) fn at(positions: Vec<Point>) -> Topology {
        Topology { layout: Layout::at(positions), extra: Vec::new(), mobile_nodes: 0, names: Vec::new() }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u64 {
        self.layout.nodes() + self.extra.len() as u64 + u64::from(self.mobile_nodes)
    }

    /// Positions of all nodes but mobile ones, in metres; of a random layout only those of `extra`.
    pub fn positions(&self) -> Vec<Point> {
        let mut positions = self.layout.positions();
        positions.extend_from_slice(&self.extra);
        positions
    }

    /// A node in a message: its number, and its name if it has one.
    pub fn label(&self, node: u32) -> String {
        self.names.get(node as usize).map_or_else(|| node.to_string(), |name| format!("{node} ({name})"))
    }

    /// The table that describes this network.
    pub fn config(&self) -> TopologyConfig {
        let mut keys = TopologyConfig::new(self.layout.kind());
        self.layout.write_keys(&mut keys);
        if !self.extra.is_empty() {
            keys.extra = Some(self.extra.iter().map(|&(x, y)| [x, y]).collect());
        }
        keys.names = (!self.names.is_empty()).then(|| self.names.clone());
        keys.mobile_nodes = (self.mobile_nodes > 0).then_some(u64::from(self.mobile_nodes));
        keys
    }
}
