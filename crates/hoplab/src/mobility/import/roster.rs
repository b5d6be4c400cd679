//! Nodes of a movement file compared with those of the scenario: unknown numbers are refused, missing nodes reported.

use super::lines::{Line, whole};
use super::message::{ImportError, Warnings};
use super::request::{Movements, PresentTime, Request, Rules};
use crate::kernel::{NodeId, Time};
use crate::mobility::config::Edge;
use crate::mobility::trajectory::{Point, Trajectory};
use std::collections::BTreeMap;

impl Request<'_> {
    /// Whether `node`, named in `line`, exists.
    pub(super) fn admit(&self, line: Line, node: u32) -> Result<(), ImportError> {
        match self.nodes {
            Some(nodes) if node >= nodes && !self.renumber => {
                let last = nodes.saturating_sub(1);
                let error = line.error(format!("node {node} does not exist"));
                let error = error.expected(format!("nodes 0 to {last}")).hint(RENUMBER);
                Err(ImportError { value: Some(node.to_string()), ..error })
            }
            _ => Ok(()),
        }
    }

    /// Whether `node` is stationary, whatever the file has.
    pub(super) fn is_fixed(&self, node: u32) -> bool {
        self.fixed.contains(&NodeId(node))
    }

    /// Position of `node` in the topology.
    pub(super) fn position(&self, node: u32) -> Option<Point> {
        self.positions.get(node as usize).copied()
    }

    /// Warns of a node that a table has from a time after the start only.
    pub(super) fn warn_of_absence(&self, warnings: &mut Warnings<'_>, node: u32, present: PresentTime) {
        if present.from > Time::ZERO && !self.off_when_absent {
            let message = || {
                format!(
                    "node {node} first appears at {} s; it is stationary before; \
                     set mobility.off_when_absent = true to disable its radio",
                    present.from.secs()
                )
            };
            warnings.warn(Some(present.line), message);
        }
    }

    /// Rule for destinations at or beyond the edge.
    pub(super) fn edge(&self) -> Edge {
        self.edge.unwrap_or(match self.rules {
            Rules::Ns2 => Edge::Refuse,
            Rules::Std => Edge::Clip,
        })
    }

    /// The movements of all nodes, by their numbers in the file, and when the file has them, by those in the scenario; an error if
    /// a node is missing. `form` describes a movement in such a file.
    pub(super) fn muster(
        &self,
        path: &str,
        found: BTreeMap<u32, Trajectory>,
        spans: &BTreeMap<u32, PresentTime>,
        last_line: u32,
        form: &str,
        mut warnings: Warnings<'_>,
    ) -> Result<Movements, ImportError> {
        let at_end = |error: ImportError| ImportError { line: Some(last_line), ..error };
        if found.is_empty() {
            return Err(at_end(whole(path, "no movement in the file").expected(form)));
        }
        let numbers: Option<Vec<u32>> = self.renumber.then(|| found.keys().copied().collect());
        let mut found: BTreeMap<u32, Trajectory> =
            if self.renumber { (0..).zip(found.into_values()).collect() } else { found };
        let highest = found.keys().next_back().copied().unwrap_or(0);
        let nodes = self.nodes.unwrap_or(highest + 1);
        if highest >= nodes {
            let error =
                whole(path, format!("number of nodes ({}) exceeds nodes of the topology ({nodes})", highest + 1));
            return Err(at_end(error.expected(format!("at most {nodes} nodes"))));
        }
        let missing: Vec<u32> =
            (0..nodes).filter(|node| !found.contains_key(node) && !self.is_fixed(*node)).take(MAX_NAMED + 1).collect();
        let placeless: Vec<u32> = missing.iter().copied().filter(|&node| self.position(node).is_none()).collect();
        if !placeless.is_empty() {
            let word = if placeless.len() == 1 { "movement of node" } else { "movements of nodes" };
            let error = at_end(whole(path, format!("missing {word} {}", named(&placeless))));
            return Err(error
                .expected(format!("movements of nodes 0 to {}", nodes - 1))
                .hint("add topology.positions for nodes that are not in the file; if numbers in the file start at 1 or have gaps, set mobility.renumber = true"));
        }
        if !missing.is_empty() {
            let message = || match missing.as_slice() {
                [node] => format!("node {node} is not in the file; it is stationary at its position of the topology"),
                nodes => format!(
                    "nodes {} are not in the file; they are stationary at their positions of the topology",
                    named(nodes)
                ),
            };
            warnings.warn(Some(last_line), message);
        }
        let ways = (0..nodes).map(|node| {
            let way = found.remove(&node)?;
            let (x, y) = way.start();
            Some(if self.is_fixed(node) { Trajectory::still(x, y) } else { way })
        });
        let present = (0..nodes).map(|node| spans.get(&node).copied()).collect();
        Ok(Movements { nodes: ways.collect(), present, numbers, warnings: warnings.finish() })
    }
}

const RENUMBER: &str = "if numbers in the file start at 1 or have gaps, set mobility.renumber = true";

/// Numbers of nodes for a message.
fn named(nodes: &[u32]) -> String {
    let named: Vec<String> = nodes.iter().take(MAX_NAMED).map(u32::to_string).collect();
    format!("{}{}", named.join(", "), if nodes.len() > MAX_NAMED { ", ..." } else { "" })
}

/// Missing nodes that a message names.
const MAX_NAMED: usize = 5;
