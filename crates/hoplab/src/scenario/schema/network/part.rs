//! A part that single nodes can replace, such as the feedback of a router or the observer of a MAC.

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

impl<K: Copy + Ord> Part<K> {
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
