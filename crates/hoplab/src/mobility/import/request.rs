//! Arguments and result of a reader: one form for all formats.

use super::message::Warning;
use crate::kernel::{NodeId, Time};
use crate::mobility::config::Edge;
use crate::mobility::trajectory::{Point, Trajectory};

/// A file that the caller has read.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its name, for messages.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Settings of a scenario that a reader needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// Number of nodes; `None`: as many as the file has.
    pub nodes: Option<u32>,
    /// Stationary nodes: the file may lack them, and only their start counts.
    pub fixed: &'a [NodeId],
    /// The ground is `[0, a] x [0, b]`, in metres; `None` if unknown.
    pub area: Option<Point>,
    /// Positions of the topology for the first nodes; nodes without a position in the file start there.
    pub positions: &'a [Point],
    /// Rules for jumps in a file of ns-2, and for destinations unless `edge` is given.
    pub rules: Rules,
    /// Rule for destinations at or beyond the edge of the area in a file of ns-2.
    pub edge: Option<Edge>,
    /// Nodes are numbered from 0 in the order of their numbers in the file.
    pub renumber: bool,
    /// Radios are off while the file has no time of their nodes; no warning is needed then.
    pub off_when_absent: bool,
    /// Coordinates per position in a BonnMotion file; `None`: by its content.
    pub dimensions: Option<u32>,
    /// The `.params` file that BonnMotion wrote beside its movements.
    pub params: Option<File<'a>>,
}

/// How movements are read for which ns-2 has special rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// ns-2: a destination with x or y at or beyond the edge is refused, and the node continues its course; after a jump a
    /// node continues its last course.
    #[default]
    Ns2,
    /// A destination beyond the edge moves to the edge; after a jump a node is stationary.
    Std,
}

/// When a file has a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentTime {
    /// Its first time.
    pub from: Time,
    /// Its last time, or its arrival after that.
    pub to: Time,
    /// Line of the first time.
    pub line: u32,
}

/// Movements read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Movements {
    /// By node. `None` for a stationary node that the file lacks.
    pub nodes: Vec<Option<Trajectory>>,
    /// By node, when the file has it; `None` if it has only its start.
    pub present: Vec<Option<PresentTime>>,
    /// By node, its number in the file, if nodes are renumbered.
    pub numbers: Option<Vec<u32>>,
    /// Unusual but valid content, in the order of the file.
    pub warnings: Vec<Warning>,
}
