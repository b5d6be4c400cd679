//! Errors of the draws of a seed, such as an unconnected placement, and the key that is reported.

use super::memory::{Blamed, TooLarge};
use crate::scenario::model::movement::PlacementError;
use crate::scenario::model::resolved::Resolved;
use crate::scenario::model::workload::WorkloadSpec;
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
pub(in crate::scenario::model) enum DrawError {
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
    /// A workload begins more flows than a run may have.
    TooManyFlows {
        workload: usize,
        most: usize,
    },
    /// Workloads, and no flow.
    NothingBegins,
    /// All flows start after the end of the run.
    AllLate,
    /// More memory than a run may have.
    TooLarge(Box<TooLarge>),
}

impl DrawError {
    /// Reports the key. `scenario` is the one without draws.
    pub(in crate::scenario::model) fn report(self, reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
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
            DrawError::TooManyFlows { workload, most } => {
                let key = format!("workload.{workload}");
                let table = match tree.get("workload").map(|list| &list.value) {
                    Some(Value::List(items)) => items.get(workload),
                    _ => None,
                };
                let section = Section { key: &key, table };
                let what = format!("makes more than {most} flows");
                let blamed = section.blamed(&["rate", "load", "connections", "count", "kind"]);
                let hint = match blamed {
                    "connections" | "count" => "decrease it",
                    _ => "decrease it, or set stop or count",
                };
                section.rule_with_hint(reader, blamed, false, &what, &format!("at most {most} flows"), Some(hint));
            }
            DrawError::NothingBegins => {
                let table = match tree.get("workload").map(|list| &list.value) {
                    Some(Value::List(items)) => items.first(),
                    _ => None,
                };
                let section = Section { key: "workload.0", table };
                let spreads = scenario.workloads.first().is_some_and(WorkloadSpec::spreads_starts);
                let (blamed, what, expected) = if spreads {
                    let what = format!("no start is before stop or the end of the run ({})", scenario.end().write());
                    ("start_spread", what, "a shorter time, or a longer duration")
                } else {
                    let what = "no transfer begins before the end of the run".to_owned();
                    let blamed = section.blamed(&["rate", "load", "stop", "kind"]);
                    (blamed, what, "a higher rate, a longer duration, or a [[flow]]")
                };
                section.rule(reader, blamed, false, &what, expected);
            }
            DrawError::AllLate => report_late(reader, tree, scenario),
            DrawError::TooLarge(error) => report_large(reader, tree, scenario, &error),
        }
    }
}

/// Reports the key that contributes most to the memory of a run.
fn report_large(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved, error: &TooLarge) {
    let size_key = || {
        let keys = scenario.topology.layout.kind().size_keys().iter().chain(&["mobile_nodes", "extra"]);
        let mut given = keys.copied().filter(|key| tree.get("topology").is_some_and(|table| table.get(key).is_some()));
        given.next_back().unwrap_or("kind")
    };
    let flows = match tree.get("flow").map(|list| &list.value) {
        Some(Value::List(items)) => items.first(),
        _ => None,
    };
    let of_traffic = if scenario.traffic.as_ref().is_some_and(|traffic| traffic.config.per_node.is_some()) {
        ("traffic", "per_node")
    } else {
        ("traffic", "connections")
    };
    let (table, key) = match error.most.key {
        Blamed::Nodes | Blamed::Density if tree.get("topology").is_none() => ("mobility", "file"),
        Blamed::Nodes | Blamed::Density => ("topology", size_key()),
        Blamed::Flows if flows.is_some() => ("flow.0", "transport"),
        Blamed::Flows => of_traffic,
        Blamed::Queue => ("queue", "limit"),
        Blamed::Wire => ("wire.0", "queue"),
        Blamed::Window if flows.is_some() => ("flow.0", "window"),
        Blamed::Window => ("traffic", "window"),
        Blamed::GoodputInterval => ("", "goodput_interval"),
        Blamed::Routes => ("routing", "protocol"),
    };
    let node = match table {
        "" => Some(tree),
        "flow.0" => flows,
        "wire.0" => match tree.get("wire").map(|list| &list.value) {
            Some(Value::List(items)) => items.first(),
            _ => None,
        },
        name => tree.get(name),
    };
    let section = Section { key: table, table: node };
    section.rule_with_hint(reader, key, false, &error.what(), &error.expected(), Some(&error.remedy()));
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
