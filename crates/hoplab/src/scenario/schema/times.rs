//! Keys at the top of the file: name, profile, seed, and the times of the run.

use super::fields::Shape;
use super::profile::Profile;
use super::reader::Reader;
use super::section::Section;
use crate::kernel::Span;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::Node;
use serde::{Deserialize, Serialize};

/// Keys at the top of the file that are not tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Top {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) profile: Profile,
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) goodput_interval: Option<Span>,
    pub(crate) seed: u64,
}

/// When a run ends, and when measuring starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
}

pub(crate) fn default_duration() -> Span {
    Span::from_millis(100_000)
}

pub(crate) fn default_seed() -> u64 {
    1
}

impl Top {
    /// Reads the keys; [`Top::check`] follows once the tables are read.
    pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node) -> Top {
        let default = Top {
            name: None,
            profile: Profile::default(),
            duration: default_duration(),
            warmup: Span::ZERO,
            goodput_interval: None,
            seed: default_seed(),
        };
        let fields = reader.root;
        let is_plain = |key: &str| !matches!(fields.get(key), Some(Shape::Table(_) | Shape::List(..)));
        let entries = tree.entries().iter().filter(|entry| is_plain(&entry.key));
        reader.overlay_entries(entries, "", fields, default)
    }

    /// Reports times with which no time remains to simulate or to measure.
    pub(crate) fn check(&self, reader: &mut Reader<'_>, tree: &Node) {
        let section = Section { key: "", table: Some(tree) };
        section.rule(reader, "duration", self.duration > Span::ZERO, ZERO_TIME, "time greater than 0 s");
        if self.duration == Span::ZERO {
            return;
        }
        let holds =
            self.goodput_interval.is_none_or(|interval| interval >= Span::from_millis(1) && interval <= self.duration);
        section.rule(reader, "goodput_interval", holds, OUT_OF_RANGE, "1 ms to the duration");
        let what = format!("must be less than duration ({})", self.duration.write());
        section.rule(reader, "warmup", self.warmup < self.duration, &what, "warmup less than duration");
    }

    pub(crate) fn times(&self) -> Times {
        Times { duration: self.duration, warmup: self.warmup }
    }
}
