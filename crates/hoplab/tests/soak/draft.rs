//! A scenario as settings that can be taken away one by one.

use hoplab::scenario::{NamedFile, Resolved, ScenarioError};
use std::fmt::Write;

/// A random scenario, or what shrinking has left of one.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Root of the run's random streams.
    pub seed: u64,
    /// Settings at the top and of tables, as `mac.ssrl = 3`.
    pub settings: Vec<Setting>,
    /// `[[node]]`, `[[flow]]`, `[[wire]]` and `[[workload]]`.
    pub blocks: Vec<Block>,
    /// Files that the scenario names, and what they hold.
    pub files: Vec<(String, String)>,
}

/// Keys that name files.
pub const FILES: [&str; 2] = ["mobility.file", "traffic.file"];

/// A key and its value, as TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key at the top, the key alone in a block.
    pub key: String,
    /// With its quotation marks, where it has some.
    pub value: String,
}

/// One table of a list.
#[derive(Clone, Debug)]
pub struct Block {
    /// `node`, `flow`, `wire` or `workload`.
    pub table: &'static str,
    /// Its settings.
    pub settings: Vec<Setting>,
}

impl Setting {
    pub fn new(key: &str, value: &str) -> Setting {
        Setting { key: key.to_owned(), value: value.to_owned() }
    }
}

impl Draft {
    /// The scenario file.
    pub fn text(&self) -> String {
        let mut text = format!("seed = {}\n", self.seed);
        for Setting { key, value } in &self.settings {
            let _ = writeln!(text, "{key} = {value}");
        }
        for Block { table, settings } in &self.blocks {
            let _ = writeln!(text, "\n[[{table}]]");
            for Setting { key, value } in settings {
                let _ = writeln!(text, "{key} = {value}");
            }
        }
        text
    }

    /// Files that settings name, in the order of these.
    #[allow(dead_code, reason = "the soak writes them down")]
    pub fn named(&self) -> Vec<(String, String)> {
        let named = self.settings.iter().filter(|setting| FILES.contains(&setting.key.as_str()));
        let file = |setting: &Setting| self.files.iter().find(|(name, _)| *name == setting.value.trim_matches('"'));
        named.filter_map(file).cloned().collect()
    }

    /// The scenario, if the engine accepts it.
    pub fn resolved(&self) -> Result<Resolved, ScenarioError> {
        self.read(&self.text())
    }

    /// The scenario of this text, with the files of the draft beside it.
    pub fn read(&self, text: &str) -> Result<Resolved, ScenarioError> {
        let named = |(name, text): &(String, String)| NamedFile {
            name: name.clone(),
            path: name.clone(),
            text: Ok(text.clone()),
        };
        let files: Vec<_> = self.files.iter().map(named).collect();
        Resolved::parse_with(text, "soak.toml", &[], &files)
    }

    /// The same without what the engine refuses: settings that contradict each other or belong to others. How many.
    ///
    /// # Panics
    /// If nothing is left that could be blamed: then the generator is wrong.
    pub fn mend(&mut self) -> usize {
        let mut mended = 0;
        while let Err(error) = self.resolved() {
            let problem = error.first();
            assert!(self.take_out(&problem.key), "nothing to mend: {error}\n{}", self.text());
            mended += 1;
        }
        mended
    }

    /// Takes the setting of this key out, or the block that it stands in, or the table.
    fn take_out(&mut self, key: &str) -> bool {
        let before = (self.settings.len(), self.count_in_blocks());
        let mut parts = key.split('.');
        let (first, number) = (parts.next().unwrap_or_default(), parts.next().and_then(|part| part.parse().ok()));
        let rest: Vec<&str> = parts.collect();
        if let Some(number) = number {
            let mut blocks = (0..self.blocks.len()).filter(|&at| self.blocks[at].table == first);
            let Some(at) = blocks.nth(number) else { return false };
            let rest = rest.join(".");
            let settings = &mut self.blocks[at].settings;
            let held = settings.len();
            settings.retain(|setting| setting.key != rest);
            if settings.len() == held && first != "flow" {
                self.blocks.remove(at);
            } else if settings.len() == held {
                // A flow that cannot be: the natural one in its place.
                settings.retain(|setting| setting.key == "transport");
            }
        } else {
            let is_whole = self.settings.iter().any(|setting| setting.key == key);
            let inside = format!("{key}.");
            self.settings.retain(|setting| setting.key != key && (is_whole || !setting.key.starts_with(&inside)));
            if before.0 == self.settings.len() && !matches!(first, "topology" | "mobility") {
                // A default that does not go with the rest, of a table that can be spared.
                let table = format!("{first}.");
                self.settings.retain(|setting| !setting.key.starts_with(&table));
            }
        }
        before != (self.settings.len(), self.count_in_blocks())
    }

    fn count_in_blocks(&self) -> usize {
        self.blocks.iter().map(|block| block.settings.len() + 1).sum()
    }
}
