//! A part that single nodes can replace, such as the feedback of a router or the observer of a MAC.

use crate::scenario::schema::reader::Reader;
use crate::scenario::syntax::tree::Node;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// What a node has of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part<K> {
    /// The parts that the protocols of the flows need.
    #[default]
    Usual,
    /// None.
    Without,
    /// This part only.
    Only(K),
}

/// The value of a key of a table `[[node]]`, which is given with its path.
pub(super) fn value(reader: &mut Reader<'_>, (table, key): (&Node, &str), name: &str) -> Option<Json> {
    let shape = reader.root.table("node").get(name)?;
    reader.read(table.get(name)?, &format!("{key}.{name}"), shape)
}

impl<K: Copy + Ord> Part<K> {
    /// A part by its name in a table `[[node]]`.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        table: (&Node, &str),
        name: &str,
        all: &[K],
        name_of: fn(K) -> &'static str,
    ) -> Part<K> {
        let value = value(reader, table, name);
        let Some(word) = value.as_ref().and_then(Json::as_str) else { return Part::Usual };
        all.iter().find(|kind| name_of(**kind) == word).map_or(Part::Without, |kind| Part::Only(*kind))
    }

    /// Its word in a scenario; `None` where the key is left out.
    pub(crate) fn word(self, name: fn(K) -> &'static str) -> Option<&'static str> {
        match self {
            Part::Usual => None,
            Part::Without => Some("none"),
            Part::Only(kind) => Some(name(kind)),
        }
    }

    /// The parts of the node: its own choice, or else each of the `usual` ones once.
    pub(crate) fn or(self, usual: impl Iterator<Item = K>) -> Vec<K> {
        match self {
            Part::Usual => usual.collect::<BTreeSet<K>>().into_iter().collect(),
            Part::Without => Vec::new(),
            Part::Only(kind) => vec![kind],
        }
    }
}
