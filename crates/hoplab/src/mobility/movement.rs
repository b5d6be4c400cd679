//! The functions of a row of the list: a model that draws trajectories, or the reader of a file format. Generated from the
//! list, so that a new row changes no other file.

use super::config::{ConfigError, MobilityConfig};
use super::import::{self, File, ImportError, Movements, Request};
use super::kind::MobilityKind;
use super::list::movements;
use super::models;
use super::scene::Scene;
use super::trajectory::Trajectory;
use crate::kernel::Span;

/// A source of movements.
pub(super) enum Movement {
    /// A model.
    Model {
        /// Keys that contradict each other, for this many nodes and a run of this length.
        check: fn(&MobilityConfig, u32, Span) -> Result<(), ConfigError>,
        /// Trajectories of this many nodes.
        trajectories: fn(&MobilityConfig, &Scene<'_>, u32) -> Result<Vec<Trajectory>, ConfigError>,
    },
    /// A format of files.
    File(fn(File<'_>, &Request<'_>) -> Result<Movements, ImportError>),
}

macro_rules! movement {
    (Model($($path:ident)::+)) => {
        Movement::Model { check: $($path)::+::check, trajectories: $($path)::+::trajectories }
    };
    (File($($path:ident)::+)) => {
        Movement::File($($path)::+)
    };
}

macro_rules! sources {
    ($($(#[$meta:meta])* $kind:ident = $name:literal, $source:ident($($path:ident)::+);)*) => {
        impl MobilityKind {
            /// The source of its movements.
            pub(super) fn movements(self) -> Movement {
                match self { $(MobilityKind::$kind => movement!($source($($path)::+)),)* }
            }
        }
    };
}

movements!(sources);
