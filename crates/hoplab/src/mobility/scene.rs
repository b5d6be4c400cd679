//! What trajectories depend on besides table `[mobility]`: models and readers of files get the network, the run and the files
//! by one argument.

use super::import::{File, Rules};
use super::trajectory::Point;
use crate::kernel::{Span, Streams};

/// The network, the run and the files that movements depend on.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Number of nodes; `None` for as many as the file has, or as there are positions.
    pub nodes: Option<u32>,
    /// Positions of the topology for the first nodes, in metres. Nodes that a model moves start elsewhere.
    pub positions: &'a [Point],
    /// Length of the run.
    pub duration: Span,
    /// Streams of the run.
    pub streams: &'a Streams,
    /// The file that [`MobilityConfig::file`](super::MobilityConfig::file) names.
    pub file: Option<File<'a>>,
    /// The `.params` file beside a BonnMotion file, if there is one.
    pub params: Option<File<'a>>,
    /// Rules for movements that ns-2 treats in its own way.
    pub rules: Rules,
}
