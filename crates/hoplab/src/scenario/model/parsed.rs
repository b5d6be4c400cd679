//! A parsed scenario, shared by all runs of a batch: parsed once, resolved for each seed.

use super::draw::{DrawError, MAX_BYTES};
use super::read::resolve;
use super::resolved::Resolved;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::root::{parse_tree, root};
use crate::scenario::syntax::diagnostic::ScenarioError;
use crate::scenario::syntax::named_file::NamedFile;
use crate::scenario::syntax::source::Source;
use std::sync::{Arc, OnceLock};

/// A scenario that is valid but for the random draws of its runs. Threads share it.
#[derive(Debug)]
pub struct ParsedScenario {
    /// The scenario without draws.
    undrawn: Resolved,
    /// The scenario of all seeds, where no draw depends on the seed.
    of_all_seeds: OnceLock<Arc<Resolved>>,
    // For diagnostics of draws.
    text: String,
    path: String,
    overrides: Vec<(String, String)>,
}

impl ParsedScenario {
    /// Parses and checks a scenario.
    ///
    /// `text` is TOML, `path` the name of its file in messages. `overrides` are keys and values that are set on it, in order
    /// (`mac.ssrl`, `flow.transport` for all flows, `flow.0.window`, `node.3.mac.ssrl`); a value is TOML, or else text.
    /// `files` are those that [`crate::scenario::files_named`] lists.
    ///
    /// # Errors
    /// All problems of the scenario, and the first problem of a file.
    pub fn parse(
        text: &str,
        path: &str,
        overrides: &[(String, String)],
        files: &[NamedFile],
    ) -> Result<ParsedScenario, ScenarioError> {
        let source = Source::new(text, path, overrides);
        let mut reader = Reader::new(&source, root(), files);
        let scenario = resolve(&mut reader);
        let warnings = reader.finish()?;
        let Some(scenario) = scenario else { unreachable!("a scenario without diagnostics is complete") };
        Ok(ParsedScenario {
            undrawn: Resolved { warnings, ..scenario },
            of_all_seeds: OnceLock::new(),
            text: text.to_owned(),
            path: path.to_owned(),
            overrides: overrides.to_vec(),
        })
    }

    /// The seed that the scenario gives.
    pub fn seed(&self) -> u64 {
        self.undrawn.seed
    }

    /// The scenario with the draws of this seed. Its field `seed` remains that of the scenario.
    ///
    /// # Errors
    /// If the seed has no run, such as for want of a connected placement.
    pub fn at_seed(&self, seed: u64) -> Result<Arc<Resolved>, ScenarioError> {
        self.at_seed_within(seed, MAX_BYTES)
    }

    /// [`ParsedScenario::at_seed`] for a run with a limit of `memory` bytes, at most [`MAX_BYTES`].
    ///
    /// # Errors
    /// As for [`ParsedScenario::at_seed`], and if the run is estimated to need more.
    pub fn at_seed_within(&self, seed: u64, memory: f64) -> Result<Arc<Resolved>, ScenarioError> {
        let memory = memory.min(MAX_BYTES);
        if self.undrawn.is_seed_dependent() {
            return self.draw(seed, memory).map(Arc::new);
        }
        if let Some(scenario) = self.of_all_seeds.get() {
            return Ok(Arc::clone(scenario));
        }
        let scenario = Arc::new(self.draw(seed, memory)?);
        Ok(Arc::clone(self.of_all_seeds.get_or_init(|| scenario)))
    }

    fn draw(&self, seed: u64, memory: f64) -> Result<Resolved, ScenarioError> {
        self.undrawn.clone().drawn(seed, memory).map_err(|error| self.error(error))
    }

    /// A failed draw with its position in the text.
    fn error(&self, error: DrawError) -> ScenarioError {
        let source = Source::new(&self.text, &self.path, &self.overrides);
        let mut reader = Reader::new(&source, root(), &[]);
        match parse_tree(&source, |_, _| {}) {
            Ok(tree) => error.report(&mut reader, &tree, &self.undrawn),
            Err(_) => unreachable!("the text was parsed before"),
        }
        reader.finish().expect_err("a failed draw is reported")
    }
}

impl Resolved {
    /// Parses a scenario that names no files, and draws the run of its own seed. See [`ParsedScenario::parse`].
    ///
    /// # Errors
    /// All problems of the scenario.
    pub fn parse(text: &str, path: &str, overrides: &[(String, String)]) -> Result<Resolved, ScenarioError> {
        Resolved::parse_with(text, path, overrides, &[])
    }

    /// Parses a scenario that may name `files`, and draws the run of its own seed. See [`ParsedScenario::parse`].
    ///
    /// # Errors
    /// All problems of the scenario, and the first problem of a file.
    pub fn parse_with(
        text: &str,
        path: &str,
        overrides: &[(String, String)],
        files: &[NamedFile],
    ) -> Result<Resolved, ScenarioError> {
        let parsed = ParsedScenario::parse(text, path, overrides, files)?;
        parsed.draw(parsed.seed(), MAX_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> ParsedScenario {
        ParsedScenario::parse(text, "p.toml", &[], &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What parsing the text with this seed gives.
    fn at_seed(text: &str, seed: u64) -> Result<Resolved, String> {
        let seed = [("seed".to_owned(), seed.to_string())];
        Resolved::parse(text, "p.toml", &seed).map_err(|error| error.to_string())
    }

    const RANDOM: &str = "[topology]\nkind = \"random\"\nnodes = 12\narea = [\"600 m\", \"600 m\"]\n";
    const TRAFFIC: &str = "[traffic]\nkind = \"cbr\"\nrate = \"16 kb/s\"\nstart_window = \"10 s\"\n";

    #[test]
    fn draws_equal_those_of_a_fresh_parse() {
        for text in [
            format!("{RANDOM}[[flow]]"),
            format!("{RANDOM}{TRAFFIC}"),
            format!("{RANDOM}[mobility]\nkind = \"waypoint\"\n{TRAFFIC}"),
            format!("[topology]\nkind = \"chain\"\nhops = 9\n{TRAFFIC}[[flow]]"),
            format!("[topology]\nkind = \"chain\"\nhops = 9\n{TRAFFIC}seed = 3\n[[flow]]"),
            "[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]".to_owned(),
        ] {
            let shared = parsed(&text);
            for seed in [1, 2, 77] {
                let drawn = shared.at_seed(seed).unwrap_or_else(|error| panic!("{error}"));
                let drawn = Resolved { seed, ..(*drawn).clone() };
                assert_eq!(Ok(drawn), at_seed(&text, seed), "{text}");
            }
        }
    }

    #[test]
    fn scenario_without_draws_is_shared() {
        let shared = parsed("[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]");
        let at = |seed| shared.at_seed(seed).unwrap_or_else(|error| panic!("{error}"));
        assert!(Arc::ptr_eq(&at(1), &at(2)));
    }

    #[test]
    fn failed_draw_has_the_diagnostics_of_a_parse() {
        let text = format!("{RANDOM}connected = true\n[radio]\nrx_range = \"20 m\"\ncs_range = \"50 m\"\n[[flow]]");
        let shared = parsed(&text);
        let error = shared.at_seed(5).expect_err("no placement is connected").to_string();
        assert_eq!(Err(error), at_seed(&text, 5));
    }
}
