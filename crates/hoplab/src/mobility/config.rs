//! Table `[mobility]`: movement model or file, and its parameters. Names follow ns-2's `setdest` and BonnMotion.

use super::init::{Init, PauseKind};
use super::kind::MobilityKind;
use super::trajectory::Point;
use crate::kernel::{Metres, Span, Speed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Table `[mobility]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MobilityConfig {
    /// How nodes move.
    pub kind: MobilityKind,
    /// File of movements, for `setdest`, `bonnmotion` and `csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Coordinates per position in a BonnMotion file, 2 or 3, if the file is ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 3))]
    pub dimensions: Option<u32>,
    /// What becomes of a destination outside of the area in a file of ns-2, or with a coordinate at or below 0. Default: `refuse`
    /// with `profile = "ns2"`, `clip` with `std`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<Edge>,
    /// Whether the nodes of a file of ns-2 or a table are numbered from 0 in the order of their numbers there, whichever these
    /// are. `traffic.file` follows. Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renumber: Option<bool>,
    /// Whether the radio of a node is off before the first time that a file has of it, and after the last one. Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_when_absent: Option<bool>,
    /// Sides of the area, from the origin. For `waypoint` 1000 m x 1000 m if absent; for files the area that positions must
    /// be in, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<[Metres; 2]>,
    /// Minimum speed of `waypoint`.
    pub min_speed: Speed,
    /// Highest speed of `waypoint`.
    pub max_speed: Speed,
    /// Mean pause of `waypoint` between two legs.
    pub pause: Span,
    /// How the pauses of `waypoint` are distributed.
    pub pause_kind: PauseKind,
    /// How the nodes of `waypoint` begin.
    pub init: Init,
    /// Nodes that are stationary.
    pub stationary_nodes: Vec<u32>,
    /// Time of the movement that is cut off at its start.
    pub skip: Span,
}

/// What becomes of a destination that ns-2 refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// The node keeps its course, as in ns-2.
    Refuse,
    /// The node moves to the nearest point of `area`; without `area`, to the destination.
    Clip,
    /// The node moves to the destination.
    Allow,
}

impl Default for MobilityConfig {
    fn default() -> Self {
        MobilityConfig {
            kind: MobilityKind::Still,
            file: None,
            dimensions: None,
            edge: None,
            renumber: None,
            off_when_absent: None,
            area: None,
            min_speed: Speed(1.0),
            max_speed: Speed(10.0),
            pause: Span::ZERO,
            pause_kind: PauseKind::Constant,
            init: Init::Stationary,
            stationary_nodes: Vec::new(),
            skip: Span::ZERO,
        }
    }
}

/// Area of `waypoint` where none is given.
const DEFAULT_AREA: [Metres; 2] = [Metres(1000.0), Metres(1000.0)];

/// A key of `[mobility]` that contradicts the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key, without its table.
    pub key: &'static str,
    /// The problem.
    pub message: String,
    /// The values that are accepted.
    pub expected: String,
    /// A replacement, where one can be guessed.
    pub hint: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mobility.{}: {}\n  = expected: {}", self.key, self.message, self.expected)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n  = hint: {hint}"))
    }
}

impl std::error::Error for ConfigError {}

impl MobilityConfig {
    /// Whether movements are read from [`MobilityConfig::file`].
    pub fn is_file(&self) -> bool {
        self.kind.is_file()
    }

    /// Sides of the area in metres, with the default.
    pub fn area(&self) -> Point {
        let [a, b] = self.area.unwrap_or(DEFAULT_AREA);
        (a.0, b.0)
    }
}
