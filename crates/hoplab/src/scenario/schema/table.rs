//! A table that reads and checks itself. Each implementation is one file in `layers/`, `protocols/`, `network/` or
//! `traffic/`.

use super::profile::{Profile, RuleSet};
use super::reader::Reader;
use super::section::Section;
use crate::scenario::syntax::tree::Node;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A table at the top of a scenario whose values depend on no other table.
pub(crate) trait Table: Serialize + DeserializeOwned {
    /// Its name.
    const KEY: &'static str;

    /// The values of keys that are not given. `rules` are those of the table's profile.
    fn defaults(rules: RuleSet, given: Section<'_>) -> Self;

    /// Reports values that are readable but invalid. It may replace a key by its consequences, such as a range by a power
    /// threshold.
    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>);
}

/// Reads and checks a table of the scenario `tree`.
pub(crate) fn read<T: Table>(reader: &mut Reader<'_>, tree: &Node, profile: Profile) -> T {
    let section = Section { key: T::KEY, table: tree.get(T::KEY) };
    let defaults = T::defaults(RuleSet::of_table(section, profile), section);
    let mut table = reader.overlay(section.table, T::KEY, reader.root.table(T::KEY), defaults);
    table.check(reader, section);
    table
}
