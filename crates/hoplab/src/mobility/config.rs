//! Parameters of movement.

use super::trajectory::Point;
use super::waypoint::{Waypoint, mean_leg};
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
    /// Coordinates per place in a BonnMotion file, 2 or 3, where the file does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 3))]
    pub dimensions: Option<u32>,
    /// Sides of the area, from the origin. For `waypoint` 1000 m x 1000 m if absent; for files the ground that places
    /// are checked against, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<[Metres; 2]>,
    /// Least speed of `waypoint`.
    pub min_speed: Speed,
    /// Highest speed of `waypoint`.
    pub max_speed: Speed,
    /// Mean pause of `waypoint` between two legs.
    pub pause: Span,
    /// How the pauses of `waypoint` are distributed.
    pub pause_kind: PauseKind,
    /// How the nodes of `waypoint` begin.
    pub init: Init,
    /// Nodes that stand still.
    pub fixed: Vec<u32>,
    /// Time of the movement that is cut off at its start.
    pub skip: Span,
}

/// Where movements come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MobilityKind {
    /// Nobody moves.
    #[default]
    Still,
    /// Random waypoint.
    Waypoint,
    /// A movement file of ns-2, as `setdest` writes it.
    Setdest,
    /// A `.movements` file of BonnMotion.
    Bonnmotion,
    /// A table with the columns t, node, x, y.
    Csv,
}

/// How pauses are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    /// All as long as `pause`.
    #[default]
    Constant,
    /// Uniform from 0 to twice `pause`.
    Uniform,
}

/// How a random waypoint node begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Init {
    /// At a uniform place, with a whole pause (`setdest -v 1`). Mean speed falls for a long time.
    Uniform,
    /// Where the topology puts it, with a whole pause. Mean speed falls and places spread for a long time.
    Topology,
    /// At a uniform place; speed and pausing as in the long run (`setdest -v 2`).
    Setdest2,
    /// As in the long run: place, speed and pausing.
    #[default]
    Stationary,
}

impl Default for MobilityConfig {
    fn default() -> Self {
        MobilityConfig {
            kind: MobilityKind::Still,
            file: None,
            dimensions: None,
            area: None,
            min_speed: Speed(1.0),
            max_speed: Speed(10.0),
            pause: Span::ZERO,
            pause_kind: PauseKind::Constant,
            init: Init::Stationary,
            fixed: Vec::new(),
            skip: Span::ZERO,
        }
    }
}

/// Area of `waypoint` where none is given.
const DEFAULT_AREA: [Metres; 2] = [Metres(1000.0), Metres(1000.0)];

/// Legs of all nodes together that fit in memory with ease (48 bytes each).
const MAX_LEGS: f64 = 2e7;

/// A key of `[mobility]` that does not go with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key, without its table.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What should have been there.
    pub expected: String,
    /// What to write instead.
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
        matches!(self.kind, MobilityKind::Setdest | MobilityKind::Bonnmotion | MobilityKind::Csv)
    }

    /// Sides of the area in metres, with the default.
    pub fn area(&self) -> Point {
        let [a, b] = self.area.unwrap_or(DEFAULT_AREA);
        (a.0, b.0)
    }

    /// The random waypoint model that the keys describe.
    pub fn waypoint(&self) -> Waypoint {
        Waypoint {
            area: self.area(),
            min_speed: self.min_speed.0,
            max_speed: self.max_speed.0,
            pause: self.pause.secs(),
            pause_kind: self.pause_kind,
            init: self.init,
        }
    }

    /// Whether the keys go together for `nodes` nodes (`None`: as many as the file has) and a run of `duration`.
    ///
    /// # Errors
    /// The first key that does not.
    pub fn check(&self, nodes: Option<u32>, duration: Span) -> Result<(), ConfigError> {
        let wrong = |key, message: String, expected: &str, hint: Option<&str>| {
            Err(ConfigError { key, message, expected: expected.to_owned(), hint: hint.map(str::to_owned) })
        };
        if self.is_file() && self.file.is_none() {
            let message = format!("kind = \"{}\" reads movements from a file, and none is named", self.kind);
            return wrong(
                "file",
                message,
                "the path of a movement file",
                Some("write file = \"...\" below [mobility]"),
            );
        }
        if !self.is_file() && self.file.is_some() {
            let message = format!("kind = \"{}\" reads no file", self.kind);
            return wrong("file", message, "no file", Some("set kind to \"setdest\", \"bonnmotion\" or \"csv\""));
        }
        if self.dimensions.is_some_and(|d| !(2..=3).contains(&d)) {
            return wrong("dimensions", "is out of range".to_owned(), "2 or 3", None);
        }
        if let Some(node) = nodes.and_then(|nodes| self.fixed.iter().find(|&&node| node >= nodes)) {
            let expected = format!("nodes from 0 to {}", nodes.unwrap_or(0).saturating_sub(1));
            return wrong("fixed", format!("node {node} does not exist"), &expected, None);
        }
        let (a, b) = self.area();
        if !(a.is_finite() && b.is_finite() && a > 0.0 && b > 0.0) {
            return wrong("area", format!("{a} m x {b} m is no area"), "two lengths above 0 m", None);
        }
        if self.kind == MobilityKind::Waypoint {
            self.check_waypoint(nodes.unwrap_or(1), duration)?;
        }
        Ok(())
    }

    fn check_waypoint(&self, nodes: u32, duration: Span) -> Result<(), ConfigError> {
        let wrong = |key, message: String, expected: &str, hint: Option<String>| {
            Err(ConfigError { key, message, expected: expected.to_owned(), hint })
        };
        let (min, max) = (self.min_speed, self.max_speed);
        if max.0 <= 0.0 {
            return wrong(
                "max_speed",
                format!("is {max}"),
                "a speed above 0 m/s",
                Some("for nodes that stand still use kind = \"still\"".to_owned()),
            );
        }
        if min > max {
            return wrong("min_speed", format!("is {min}, above max_speed = {max}"), "at most max_speed", None);
        }
        if min.0 <= 0.0 && !matches!(self.init, Init::Uniform | Init::Topology) {
            let message = format!("is {min}: nodes slow down for ever, init = \"{}\" does not exist", self.init);
            let hint = "set min_speed = \"0.1 m/s\", or init = \"uniform\" for the decay as ns-2 has it".to_owned();
            return wrong("min_speed", message, "a speed above 0 m/s", Some(hint));
        }
        let legs = f64::from(nodes) * self.waypoint().most_legs(duration.secs() + self.skip.secs());
        if legs > MAX_LEGS {
            let (a, b) = self.area();
            let message = format!("{legs:.1e} legs of {:.3} m on average are too many", mean_leg(a, b));
            let expected = format!("at most {MAX_LEGS:.0e} legs in a run");
            return wrong(
                "max_speed",
                message,
                &expected,
                Some("a lower speed, a larger area or a shorter run".to_owned()),
            );
        }
        Ok(())
    }
}

macro_rules! spelled_as_in_scenarios {
    ($($type:ident)*) => { $(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.serialize(f)
            }
        }
    )* };
}

spelled_as_in_scenarios!(MobilityKind Init);

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(toml: &str) -> Result<(), ConfigError> {
        let config: MobilityConfig = toml::from_str(toml).expect("keys of [mobility]");
        config.check(Some(50), Span::from_secs(100.0))
    }

    #[test]
    fn reads_what_the_papers_need() {
        for toml in [
            "",
            // Split TCP, with a layer and as ns-2 has it.
            "kind = 'waypoint'\nmin_speed = '0.1 m/s'\nmax_speed = '10 m/s'",
            "kind = 'waypoint'\nmin_speed = '0 m/s'\nmax_speed = '10 m/s'\ninit = 'uniform'",
            // rt-Winf: mesh nodes stand, mobile ones walk.
            "kind = 'waypoint'\narea = ['1 km', '1 km']\nmin_speed = '10 m/s'\nmax_speed = '30 m/s'\nfixed = [0, 1, 2, 3]\ninit = 'setdest2'",
            // TCP variants.
            "kind = 'waypoint'\narea = ['850 m', '850 m']\nmin_speed = '3 m/s'\nmax_speed = '3 m/s'\nskip = '3600 s'",
            // Semi-TCP S1 and S2.
            "kind = 'waypoint'\narea = ['1500 m', '300 m']\nmin_speed = '20 m/s'\nmax_speed = '20 m/s'\nfixed = [0, 49]",
            "kind = 'waypoint'\narea = ['1500 m', '4800 m']\nmin_speed = '5 m/s'\nmax_speed = '45 m/s'\npause = '60 s'\npause_kind = 'uniform'",
            "kind = 'setdest'\nfile = 'scen-50'",
            "kind = 'bonnmotion'\nfile = 'a.movements'\ndimensions = 3",
        ] {
            assert_eq!(checked(toml), Ok(()), "{toml}");
        }
    }

    #[test]
    fn says_what_does_not_go_together() {
        for (toml, message) in [
            ("kind = 'setdest'", "mobility.file: kind = \"setdest\" reads movements from a file, and none is named"),
            ("kind = 'waypoint'\nfile = 'a'", "mobility.file: kind = \"waypoint\" reads no file"),
            ("dimensions = 4", "mobility.dimensions: is out of range"),
            ("fixed = [3, 50]", "mobility.fixed: node 50 does not exist\n  = expected: nodes from 0 to 49"),
            ("area = ['0 m', '10 m']", "mobility.area: 0 m x 10 m is no area"),
            ("kind = 'waypoint'\nmin_speed = '0 m/s'\nmax_speed = '0 m/s'", "mobility.max_speed: is 0 m/s"),
            ("kind = 'waypoint'\nmin_speed = '11 m/s'", "mobility.min_speed: is 11 m/s, above max_speed = 10 m/s"),
            ("kind = 'waypoint'\nmin_speed = '0 m/s'", "mobility.min_speed: is 0 m/s: nodes slow down for ever"),
            (
                "kind = 'waypoint'\narea = ['0.1 cm', '0.1 cm']",
                "mobility.max_speed: 9.6e7 legs of 0.001 m on average are too many",
            ),
        ] {
            let result = checked(toml).map_err(|error| error.to_string());
            assert!(result.as_ref().is_err_and(|error| error.starts_with(message)), "{toml}: {result:?}");
        }
    }

    #[test]
    fn unknown_keys_are_refused_and_defaults_survive() {
        assert!(toml::from_str::<MobilityConfig>("speed = '3 m/s'").is_err());
        assert!(toml::from_str::<MobilityConfig>("max_speed = 3").is_err());
        let config = MobilityConfig::default();
        let text = toml::to_string(&config).expect("a table");
        assert_eq!(toml::from_str::<MobilityConfig>(&text), Ok(config), "{text}");
    }
}
