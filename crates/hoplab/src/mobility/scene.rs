//! Inputs of trajectories other than table `[mobility]`: models and readers of files receive network, run and files as one
//! argument.

use super::import::{File, Rules};
use super::trajectory::Point;
use crate::kernel::{RandomStreams, Span};

/// The network, the run and the files that movements depend on.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Number of nodes; `None` for as many as the file has, or as there are positions.
    pub nodes: Option<u32>,
    /// Positions of the topology for the first nodes, in metres. Nodes that a model moves start elsewhere.
    pub positions: &'a [Point],
    /// Nodes below this number have a position that each run draws: stationary ones that the file lacks stand there.
    pub drawn: u32,
    /// Length of the run.
    pub duration: Span,
    /// Random streams of the run.
    pub streams: &'a RandomStreams,
    /// The file that [`MobilityConfig::file`](super::MobilityConfig::file) names.
    pub file: Option<File<'a>>,
    /// The `.params` file of a BonnMotion file, if there is one.
    pub params: Option<File<'a>>,
    /// Rules for movements for which ns-2 has special rules.
    pub rules: Rules,
}
