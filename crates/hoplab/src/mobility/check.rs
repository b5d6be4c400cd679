//! Checks of `[mobility]`: keys that contradict each other, the number of nodes, or the length of the run are refused before
//! a run starts.

use super::config::{ConfigError, MobilityConfig};
use super::kind::MobilityKind;
use super::movement::Movement;
use crate::kernel::Span;

impl MobilityConfig {
    /// Whether the keys go together for `nodes` nodes (`None`: as many as the file has) and a run of `duration`.
    ///
    /// # Errors
    /// The first key that does not.
    pub fn check(&self, nodes: Option<u32>, duration: Span) -> Result<(), ConfigError> {
        let wrong = |key, message: String, expected: &str, hint: Option<&str>| {
            Err(ConfigError { key, message, expected: expected.to_owned(), hint: hint.map(str::to_owned) })
        };
        if self.is_file() && self.file.is_none() {
            let message = format!("required with kind = \"{}\"", self.kind);
            return wrong("file", message, "path of a movement file", Some("add file = \"...\" to [mobility]"));
        }
        if !self.is_file() && self.file.is_some() {
            let message = format!("not supported with kind = \"{}\"", self.kind);
            return wrong("file", message, "kind of a file format", Some(&format!("set kind to {}", file_kinds())));
        }
        let flags = [
            ("edge", self.edge.is_some()),
            ("renumber", self.renumber == Some(true)),
            ("off_when_absent", self.off_when_absent == Some(true)),
        ];
        if let Some((key, _)) = flags.into_iter().find(|&(_, is_given)| is_given && !self.is_file()) {
            let message = format!("not supported with kind = \"{}\"", self.kind);
            return wrong(key, message, "kind of a file format", Some(&format!("set kind to {}", file_kinds())));
        }
        if self.dimensions.is_some_and(|d| !(2..=3).contains(&d)) {
            return wrong("dimensions", "out of range".to_owned(), "2 or 3", None);
        }
        if let Some(node) = nodes.and_then(|nodes| self.stationary_nodes.iter().find(|&&node| node >= nodes)) {
            let expected = format!("0 to {}", nodes.unwrap_or(0).saturating_sub(1));
            return wrong("stationary_nodes", format!("node {node} does not exist"), &expected, None);
        }
        let (a, b) = self.area();
        if !(a.is_finite() && b.is_finite() && a > 0.0 && b > 0.0) {
            return wrong("area", "must be greater than 0 m".to_owned(), "two lengths greater than 0 m", None);
        }
        match self.kind.movements() {
            Movement::Model { check, .. } => check(self, nodes.unwrap_or(1), duration),
            Movement::File(_) => Ok(()),
        }
    }
}

/// Names of file formats, for a hint.
fn file_kinds() -> String {
    let kinds = MobilityKind::ALL.iter().filter(|kind| kind.is_file());
    let quoted: Vec<String> = kinds.map(|kind| format!("\"{kind}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(toml: &str) -> Result<(), ConfigError> {
        let config: MobilityConfig = toml::from_str(toml).expect("keys of [mobility]");
        config.check(Some(50), Span::from_secs(100.0))
    }

    #[test]
    fn keys_of_the_papers_are_accepted() {
        for toml in [
            "",
            // Split TCP, with a minimum speed and as in ns-2.
            "kind = 'waypoint'\nmin_speed = '0.1 m/s'\nmax_speed = '10 m/s'",
            "kind = 'waypoint'\nmin_speed = '0 m/s'\nmax_speed = '10 m/s'\ninit = 'uniform'",
            // rt-Winf: stationary mesh nodes, mobile clients.
            "kind = 'waypoint'\narea = ['1 km', '1 km']\nmin_speed = '10 m/s'\nmax_speed = '30 m/s'\nstationary_nodes = [0, 1, 2, 3]\ninit = 'setdest2'",
            // TCP variants.
            "kind = 'waypoint'\narea = ['850 m', '850 m']\nmin_speed = '3 m/s'\nmax_speed = '3 m/s'\nskip = '3600 s'",
            // Semi-TCP S1 and S2.
            "kind = 'waypoint'\narea = ['1500 m', '300 m']\nmin_speed = '20 m/s'\nmax_speed = '20 m/s'\nstationary_nodes = [0, 49]",
            "kind = 'waypoint'\narea = ['1500 m', '4800 m']\nmin_speed = '5 m/s'\nmax_speed = '45 m/s'\npause = '60 s'\npause_kind = 'uniform'",
            "kind = 'setdest'\nfile = 'scen-50'",
            "kind = 'bonnmotion'\nfile = 'a.movements'\ndimensions = 3",
        ] {
            assert_eq!(checked(toml), Ok(()), "{toml}");
        }
    }

    #[test]
    fn contradictory_keys_are_reported() {
        for (toml, message) in [
            ("kind = 'setdest'", "mobility.file: required with kind = \"setdest\""),
            ("kind = 'waypoint'\nfile = 'a'", "mobility.file: not supported with kind = \"waypoint\""),
            ("dimensions = 4", "mobility.dimensions: out of range"),
            ("stationary_nodes = [3, 50]", "mobility.stationary_nodes: node 50 does not exist\n  = expected: 0 to 49"),
            ("area = ['0 m', '10 m']", "mobility.area: must be greater than 0 m"),
            (
                "kind = 'waypoint'\nmin_speed = '0 m/s'\nmax_speed = '0 m/s'",
                "mobility.max_speed: must be greater than 0 m/s",
            ),
            (
                "kind = 'waypoint'\nmin_speed = '11 m/s'",
                "mobility.min_speed: min_speed (11 m/s) exceeds max_speed (10 m/s)",
            ),
            (
                "kind = 'waypoint'\nmin_speed = '0 m/s'",
                "mobility.min_speed: must be greater than 0 m/s with init = \"stationary\"",
            ),
            (
                "kind = 'waypoint'\narea = ['0.1 cm', '0.1 cm']",
                "mobility.max_speed: number of legs (9.6e7) exceeds limit (2e7)",
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
