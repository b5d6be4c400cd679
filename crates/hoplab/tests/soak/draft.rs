//! A scenario as settings that can be taken away one by one.

use crate::check::Violation;
use hoplab::scenario::{NamedFile, Resolved, ScenarioError};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A random scenario, or what shrinking has left of one.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Root of the run's random streams.
    pub seed: u64,
    /// Most events of a run that is ended there without complaint: times of a nanosecond make many.
    pub cut_at: Option<u64>,
    /// Settings at the top and of tables, as `mac.ssrl = 3`.
    pub settings: Vec<Setting>,
    /// `[[node]]`, `[[flow]]`, `[[wire]]` and `[[workload]]`.
    pub blocks: Vec<Block>,
    /// Files that the scenario names, and what they hold.
    pub files: Vec<(String, String)>,
}

/// Changes after which the engine's messages lead nowhere: hints that contradict each other.
const MOST_MENDED: usize = 200;

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

    /// The same without what the engine refuses: settings that contradict each other or belong to others. How many. Where it
    /// is a default that contradicts them, the engine's hint is followed.
    ///
    /// # Errors
    /// If nothing is left that could be blamed, or the engine panics.
    pub fn mend(&mut self) -> Result<usize, Violation> {
        let mut mended = 0;
        loop {
            let text = self.text();
            let resolved = catch_unwind(AssertUnwindSafe(|| self.resolved().map(drop)));
            let Ok(resolved) = resolved else {
                return Err(Violation { property: "panic", what: text });
            };
            let Err(error) = resolved else { return Ok(mended) };
            let is_mended = error.diagnostics().iter().any(|problem| {
                let hint = problem.hint.as_deref().unwrap_or_default();
                // What the draft does not set is a default: its hint comes before the loss of a whole table.
                !self.sets(&problem.key) && self.follow(hint) || self.take_out(&problem.key) || self.follow(hint)
            });
            if !is_mended || mended == MOST_MENDED {
                return Err(Violation { property: "mend", what: format!("{error}\n{text}") });
            }
            mended += 1;
        }
    }

    /// Whether a key is one of the draft's settings, or in one of its blocks.
    fn sets(&self, key: &str) -> bool {
        let table = key.split(['.', '[']).next().unwrap_or_default();
        self.settings.iter().any(|setting| setting.key == key) || self.blocks_of(table).next().is_some()
    }

    /// Does what a hint says, `remove KEY, and KEY ...` or `set KEY = VALUE`, unless it is so.
    fn follow(&mut self, hint: &str) -> bool {
        if let Some(keys) = hint.strip_prefix("remove ") {
            let before = (self.settings.len(), self.count_in_blocks());
            let is_key = |word: &&str| word.contains('.') || *word == "priority";
            let keys: Vec<&str> = keys.split([' ', ',']).filter(is_key).collect();
            let is_kept = |setting: &Setting| !keys.iter().any(|&key| setting.key == key);
            self.settings.retain(is_kept);
            self.blocks.iter_mut().for_each(|block| block.settings.retain(is_kept));
            return before != (self.settings.len(), self.count_in_blocks());
        }
        let Some((key, rest)) = hint.split_once("set ").and_then(|(_, rest)| rest.split_once(" = ")) else {
            return false;
        };
        let length = match rest.strip_prefix('"') {
            Some(text) => text.find('"').map(|end| end + 2),
            None => Some(rest.find([',', ' ']).unwrap_or(rest.len())),
        };
        let Some(length) = length else { return false };
        let setting = Setting::new(key, &rest[..length]);
        // `set mac.ampdu = "0 B", without mac.amsdu`
        let without = rest[length..].strip_prefix(", without ").unwrap_or_default();
        let before = self.settings.len();
        self.settings.retain(|other| other.key != without);
        if self.settings.contains(&setting) {
            return self.settings.len() != before;
        }
        self.settings.retain(|other| other.key != key);
        self.settings.push(setting);
        true
    }

    /// Takes the setting of this key out, or the block that it stands in, or the table.
    fn take_out(&mut self, key: &str) -> bool {
        let before = (self.settings.len(), self.count_in_blocks());
        let mut parts = key.split('.');
        let (mut first, mut second) = (parts.next().unwrap_or_default(), "");
        let by_place = first.split_once('[').and_then(|(table, place)| Some((table, place.strip_suffix(']')?)));
        if let Some((table, place)) = by_place {
            (first, second) = (table, place);
        } else if parts.clone().next().is_some_and(|second| self.block(first, second).is_some()) {
            second = parts.next().unwrap_or_default();
        }
        let rest: Vec<&str> = parts.collect();
        let block = match by_place {
            Some((table, place)) => place.parse().ok().and_then(|place| self.blocks_of(table).nth(place)),
            None => self.block(first, second),
        };
        if key == "topology" || key.starts_with("topology.links.") {
            // Links that no radio can read: those that have other thresholds than the usual ones.
            let is_of_range = |key: &str| {
                ["radio.rx_", "radio.cs_", "radio.noise", "radio.bandwidth"].iter().any(|start| key.starts_with(start))
            };
            self.settings.retain(|setting| !is_of_range(&setting.key));
        } else if let Some(at) = block {
            let rest = rest.join(".");
            let flows = self.blocks_of("flow").count();
            let settings = &mut self.blocks[at].settings;
            let held = settings.len();
            settings.retain(|setting| setting.key != rest);
            let is_bare = settings.iter().all(|setting| setting.key == "transport");
            if settings.len() == held && (first != "flow" || is_bare && flows > 1) {
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

    /// The block that `node.3`, `node.server` or `flow.0` names: a node by its number or name, others by their places.
    fn block(&self, table: &str, name: &str) -> Option<usize> {
        if table != "node" {
            return self.blocks_of(table).nth(name.parse().ok()?);
        }
        let quoted = format!("\"{name}\"");
        let is_it = |setting: &Setting| match setting.key.as_str() {
            "id" => setting.value == name,
            "name" => setting.value == quoted,
            _ => false,
        };
        self.blocks_of(table).find(|&at| self.blocks[at].settings.iter().any(is_it))
    }

    fn blocks_of(&self, table: &str) -> impl Iterator<Item = usize> {
        (0..self.blocks.len()).filter(move |&at| self.blocks[at].table == table)
    }

    fn count_in_blocks(&self) -> usize {
        self.blocks.iter().map(|block| block.settings.len() + 1).sum()
    }
}
