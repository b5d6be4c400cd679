//! Movement models: functions of the seed that draw trajectories, one file each. Each has a function `check` and a function
//! `trajectories`; `mobility/list.rs` has their rows.

pub(super) mod random_waypoint;
pub(super) mod still;
mod waypoint;

pub use waypoint::{Waypoint, mean_leg, mean_slowness};
