//! Mobility: the trajectory of each node, stationary, by a model or of a file; and when its radio is on.
//!
//! Movement is fixed before a run starts and is a function of time alone: nothing in the network changes it. Two runs with
//! one seed and one `[mobility]` have equal trajectories, whatever their protocols. Models and formats are those of the papers:
//! random waypoint (Le Boudec and Vojnovic 2005), ns-2's `setdest`, BonnMotion.
//!
//! A new model is one file in `models/` with a function `check` and a function `trajectories`; a new file format is one file
//! in `import/` with a function that reads it. Either is one row in `list.rs`; names, the schema's choices and messages are
//! derived from it. Keys that only one model has are added to [`MobilityConfig`].

mod check;
mod config;
pub mod export;
pub mod import;
mod init;
mod kind;
mod list;
mod models;
mod movement;
mod plan;
mod radio_schedule;
mod scene;
mod trajectory;

pub use config::{ConfigError, Edge, MobilityConfig};
pub use import::{File, ImportError, Movements, PresentTime, Request, Rules, Warning};
pub use init::{Init, PauseKind};
pub use kind::MobilityKind;
pub use models::{Waypoint, mean_leg, mean_slowness};
pub use plan::{MobilityError, Plan, plan};
pub use radio_schedule::{PresenceError, RadioSchedule};
pub use scene::Scene;
pub use trajectory::{Course, Cursor, Leg, Path, Point, Trajectory};
