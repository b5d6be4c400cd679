//! Where each node is at each moment: standing, on random waypoints, or as a file says; and when it is switched on.
//!
//! Movement is fixed before a run begins and is a function of time alone: nothing that happens in the network bends it.
//! Two runs with the same seed and `[mobility]` move alike, whatever their protocols.

mod config;
pub mod export;
pub mod import;
mod plan;
mod radio_schedule;
mod trajectory;
mod waypoint;

pub use config::{ConfigError, Init, MobilityConfig, MobilityKind, PauseKind};
pub use import::{File, ImportError, Movements, Request, Rules, Warning};
pub use plan::{MobilityError, Plan, Scene, plan};
pub use radio_schedule::{PresenceError, RadioSchedule};
pub use trajectory::{Course, Cursor, Leg, Path, Point, Trajectory};
pub use waypoint::{Waypoint, mean_leg, mean_slowness};
