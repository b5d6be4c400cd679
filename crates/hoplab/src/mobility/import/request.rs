//! What an importer gets and what it returns.

use super::message::Warning;
use crate::kernel::{NodeId, Time};
use crate::mobility::config::Edge;
use crate::mobility::trajectory::{Point, Trajectory};

/// A file that the caller has read.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Its name, for messages.
    pub path: &'a str,
    /// What it holds.
    pub text: &'a str,
}

/// What is known of a file's movements beforehand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// How many nodes there are; `None`: as many as the file has.
    pub nodes: Option<u32>,
    /// Nodes that stand still: they may be missing, and what the file has of them counts only for where they begin.
    pub fixed: &'a [NodeId],
    /// The ground is `[0, a] x [0, b]`, in metres; `None` if unknown.
    pub area: Option<Point>,
    /// Where the topology puts the first nodes: nodes that the file places nowhere stand or begin there.
    pub positions: &'a [Point],
    /// What becomes of jumps in a file of ns-2, and of destinations unless `edge` says it.
    pub rules: Rules,
    /// What becomes of a destination at or beyond the edge of the ground in a file of ns-2.
    pub edge: Option<Edge>,
    /// Nodes are numbered from 0 in the order of their numbers in the file.
    pub renumber: bool,
    /// Radios are off while the file has no time of their nodes, so that no warning is needed.
    pub off_when_absent: bool,
    /// Coordinates per place in a BonnMotion file; `None`: find out.
    pub dimensions: Option<u32>,
    /// The `.params` file that BonnMotion wrote beside its movements.
    pub params: Option<File<'a>>,
}

/// How movements that ns-2 treats in its own way are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// As ns-2: a destination with x or y at or beyond the edge is refused, the node keeps its course; after a jump a
    /// node goes on as it was heading.
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
    /// By node. `None` for a fixed node that the file does not know.
    pub nodes: Vec<Option<Trajectory>>,
    /// By node, when the file has it; `None` if it only says where the node begins.
    pub present: Vec<Option<PresentTime>>,
    /// By node, its number in the file, if nodes are renumbered.
    pub numbers: Option<Vec<u32>>,
    /// What is odd but allowed, in the order of the file.
    pub warnings: Vec<Warning>,
}
