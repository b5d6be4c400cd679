//! Which nodes a file has, against those that there are.

use super::lines::{Line, whole};
use super::message::ImportError;
use super::message::Warning;
use super::request::{Movements, Request};
use crate::kernel::NodeId;
use crate::mobility::trajectory::Trajectory;
use std::collections::BTreeMap;

impl Request<'_> {
    /// Whether `node`, named in `line`, exists.
    pub(super) fn admit(&self, line: Line, node: u32) -> Result<(), ImportError> {
        match self.nodes {
            Some(nodes) if node >= nodes => {
                let last = nodes.saturating_sub(1);
                let error =
                    line.error(format!("node {node} does not exist")).expected(format!("nodes from 0 to {last}"));
                Err(ImportError { value: Some(node.to_string()), ..error })
            }
            _ => Ok(()),
        }
    }

    /// Whether `node` stands still whatever the file says.
    pub(super) fn is_fixed(&self, node: u32) -> bool {
        self.fixed.contains(&NodeId(node))
    }

    /// The movements of all nodes; an error if one is missing. `form` says what a movement looks like in such a file.
    pub(super) fn muster(
        &self,
        path: &str,
        mut found: BTreeMap<u32, Trajectory>,
        last_line: u32,
        form: &str,
        warnings: Vec<Warning>,
    ) -> Result<Movements, ImportError> {
        let Some(&highest) = found.keys().next_back() else {
            let error = whole(path, "the file ends without a movement of any node");
            return Err(ImportError { line: Some(last_line), ..error.expected(form) });
        };
        let nodes = self.nodes.unwrap_or(highest + 1);
        let missing: Vec<u32> =
            (0..nodes).filter(|node| !found.contains_key(node) && !self.is_fixed(*node)).take(MAX_NAMED + 1).collect();
        if !missing.is_empty() {
            let named: Vec<String> = missing.iter().take(MAX_NAMED).map(u32::to_string).collect();
            let dots = if missing.len() > MAX_NAMED { ", ..." } else { "" };
            let (word, rest) = if missing.len() == 1 {
                ("node", "is missing: the file ends without it")
            } else {
                ("nodes", "are missing: the file ends without them")
            };
            let message = format!("{word} {}{dots} {rest}", named.join(", "));
            let error = ImportError { line: Some(last_line), ..whole(path, message) };
            return Err(error
                .expected(format!("movements of nodes 0 to {}", nodes - 1))
                .hint("list nodes that stand still in mobility.stationary_nodes"));
        }
        let nodes = (0..nodes).map(|node| {
            let way = found.remove(&node)?;
            let (x, y) = way.start();
            Some(if self.is_fixed(node) { Trajectory::still(x, y) } else { way })
        });
        Ok(Movements { nodes: nodes.collect(), warnings })
    }
}

/// Missing nodes that a message names.
const MAX_NAMED: usize = 5;
