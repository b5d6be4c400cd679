//! A flow of a run: a connection, and the nodes at its ends.

use super::Connection;
use crate::kernel::{NodeId, RadioId, Time};

/// A connection between two nodes.
#[derive(Debug)]
pub struct Flow {
    /// Both ends of the connection.
    pub connection: Connection,
    /// Node that sends data.
    pub src: NodeId,
    /// Node that receives data.
    pub dst: NodeId,
    /// When its traffic starts.
    pub start: Time,
    /// Whether the source reads the link estimate of its node before each event.
    pub wants_link: bool,
    /// Radio that its last packet has left the source by; none before the first, and with one radio per node.
    pub left_by: Option<RadioId>,
}

impl Flow {
    /// A flow whose traffic starts at `start`.
    pub fn new(connection: Connection, (src, dst): (NodeId, NodeId), start: Time) -> Flow {
        let wants_link = connection.wants_link();
        Flow { connection, src, dst, start, wants_link, left_by: None }
    }
}
