//! Pull admission (Cai 2013): the connection ends at each node that send when the interface queue has a free slot.

use crate::kernel::{FlowId, NodeId};
use crate::transport::End;

/// All pull points of a run.
#[derive(Debug, Default)]
pub(in crate::world) struct Pulls {
    /// In order of node.
    pub(in crate::world) points: Vec<PullPoint>,
    /// Whether a layer depends on queues of another: pulled transport, or a handshake that reads the backlog.
    pub(in crate::world) is_coupled: bool,
    /// A node releases packets by overhearing.
    pub(in crate::world) has_release: bool,
    /// A station has TXOPs.
    pub(in crate::world) has_txops: bool,
}

/// The pulled ends at one node.
#[derive(Debug)]
pub(in crate::world) struct PullPoint {
    node: NodeId,
    pub(in crate::world) ends: Vec<(FlowId, End)>,
    /// Index of the end that receives the next offer first: the one after the last sender.
    pub(in crate::world) turn: usize,
}

impl Pulls {
    /// Adds an end that is pulled at `node`.
    pub(in crate::world) fn add(&mut self, node: NodeId, flow: FlowId, end: End) {
        self.is_coupled = true;
        match self.points.binary_search_by_key(&node, |point| point.node) {
            Ok(index) => self.points[index].ends.push((flow, end)),
            Err(index) => self.points.insert(index, PullPoint { node, ends: vec![(flow, end)], turn: 0 }),
        }
    }

    /// Index of a node's pull point.
    pub(in crate::world) fn index_of(&self, node: NodeId) -> Option<usize> {
        self.points.binary_search_by_key(&node, |point| point.node).ok()
    }
}
