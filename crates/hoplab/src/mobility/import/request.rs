//! What an importer gets and what it returns.

use super::message::Warning;
use crate::kernel::NodeId;
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
    /// What becomes of a destination at or beyond the edge of the ground, and of jumps, in a file of ns-2.
    pub rules: Rules,
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
    /// A destination beyond the edge moves to the edge; after a jump a node stands.
    Std,
}

/// Movements read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Movements {
    /// By node. `None` for a fixed node that the file does not know.
    pub nodes: Vec<Option<Trajectory>>,
    /// What is odd but allowed, in the order of the file.
    pub warnings: Vec<Warning>,
}
