//! Stationary nodes, at the positions of the topology: the default, and the network of most papers.

use crate::kernel::Span;
use crate::mobility::config::{ConfigError, MobilityConfig};
use crate::mobility::scene::Scene;
use crate::mobility::trajectory::Trajectory;

#[expect(clippy::unnecessary_wraps, reason = "the form of every model")]
pub(crate) fn check(_: &MobilityConfig, _: u32, _: Span) -> Result<(), ConfigError> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "the form of every model")]
pub(crate) fn trajectories(_: &MobilityConfig, scene: &Scene<'_>, _: u32) -> Result<Vec<Trajectory>, ConfigError> {
    Ok(scene.positions.iter().map(|&(x, y)| Trajectory::still(x, y)).collect())
}
