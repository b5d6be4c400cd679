//! Why a scenario has no run with some seed, and the key that is reported.

use super::movement::PlacementError;
use super::resolved::Resolved;
use crate::scenario::schema::network::mobility;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{exceeds, not_before_end};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::{Node, Value};

/// Why a scenario has no run with a certain seed.
#[derive(Clone, Debug)]
pub(super) enum DrawError {
    Placement(PlacementError),
    /// Fewer than two moving nodes for `traffic.ends = "mobile"`.
    TooFewMobileNodes {
        mobile: u32,
    },
    /// No two nodes for a flow.
    SingleNode,
    /// Fewer pairs of nodes than `traffic.connections`.
    TooFewPairs {
        found: usize,
        /// Nodes that may be ends.
        nodes: u32,
        connections: u32,
    },
    /// All flows start after the end of the run.
    AllLate,
}

impl DrawError {
    /// Reports the key. `scenario` is the one without draws.
    pub(super) fn report(self, reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
        let traffic = Section { key: "traffic", table: tree.get("traffic") };
        match self {
            DrawError::Placement(PlacementError::Mobility(error)) => {
                mobility::refuse(reader, tree.get("mobility"), error);
            }
            DrawError::Placement(PlacementError::Unconnected(error)) => {
                let key = "topology.connected".to_owned();
                let table = tree.get("topology");
                let origin = table.and_then(|table| table.get("connected")).or(table);
                let origin = origin.map_or(Origin::Nowhere, |node| node.origin.clone());
                let hint = Some("increase topology.nodes or radio.rx_range, or decrease topology.area".to_owned());
                let message = format!("{key}: {error}");
                reader.refuse(&origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
            }
            DrawError::TooFewMobileNodes { mobile } => {
                let what = format!("requires 2 mobile nodes, found {mobile}");
                let expected = "topology.mobile_nodes of at least 2";
                traffic.rule(reader, "ends", false, &what, expected);
            }
            DrawError::SingleNode => {
                traffic.rule(reader, "pairs", false, "requires 2 nodes, found 1", "a topology of at least 2 nodes");
            }
            DrawError::TooFewPairs { found, nodes, connections } => {
                let what = exceeds("connections", connections, "available node pairs", found);
                let expected = "at most the number of pairs with distinct ends and a path of at least min_hops";
                let limit =
                    scenario.traffic.as_ref().and_then(|traffic| traffic.config.max_flows_per_node).unwrap_or(1);
                let min_hops = scenario.traffic.as_ref().map_or(1, |traffic| traffic.config.min_hops);
                // Of n nodes each may be in 2 (n - 1) pairs; all but the last pairs are found.
                let needed = (2 * connections).div_ceil(nodes) + 1;
                let hint = (min_hops == 1 && needed > limit && needed < nodes)
                    .then(|| format!("set traffic.max_flows_per_node = {needed}"));
                traffic.rule_with_hint(reader, "connections", false, &what, expected, hint.as_deref());
            }
            DrawError::AllLate => report_late(reader, tree, scenario),
        }
    }
}

fn report_late(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
    let what = not_before_end(scenario.end().write());
    let expected = "time before the end of the run";
    let first = match tree.get("flow").map(|list| &list.value) {
        Some(Value::List(items)) => items.first(),
        _ => None,
    };
    if first.is_some() {
        let section = Section { key: "flow.0", table: first };
        section.rule(reader, "start", false, &what, expected);
    } else {
        let section = Section { key: "traffic", table: tree.get("traffic") };
        section.rule(reader, "file", false, &format!("start of all flows {what}"), expected);
    }
}
