//! A member of any family: dispatch to the family's file.

use super::families::{Chain, Cross, Family, Grid, Invalid, Links, Parallel, Places, Positions, Random, Spindle};
use super::geo;
use super::keys::TopologyConfig;
use super::kind::TopologyKind;
use super::list::families;
use crate::mobility::Point;

macro_rules! layouts {
    ($($(#[$doc:meta])* $family:ident = $name:literal;)*) => {
        impl TopologyKind {
            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(TopologyKind::$family => $family::SUMMARY,)* }
            }

            /// Keys of `[topology]` that it uses in addition to those of every family; the first is required.
            pub(crate) fn keys(self) -> &'static [&'static str] {
                match self { $(TopologyKind::$family => $family::KEYS,)* }
            }

            /// Keys that decide the number of nodes.
            pub(crate) fn size_keys(self) -> &'static [&'static str] {
                match self { $(TopologyKind::$family => $family::SIZE_KEYS,)* }
            }

            /// A value of the required key, for a hint.
            pub(crate) fn example(self) -> &'static str {
                match self { $(TopologyKind::$family => $family::EXAMPLE,)* }
            }

            pub(super) fn invalid(self, keys: &TopologyConfig) -> Vec<Invalid> {
                match self { $(TopologyKind::$family => $family::invalid(keys),)* }
            }
        }

        /// A member of a family.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Layout {
            $($(#[$doc])* $family($family),)*
        }

        impl Layout {
            pub(super) fn from_keys(keys: &TopologyConfig) -> Option<Layout> {
                match keys.kind { $(TopologyKind::$family => $family::from_keys(keys).map(Layout::$family),)* }
            }

            pub(super) fn write_keys(&self, keys: &mut TopologyConfig) {
                match self { $(Layout::$family(family) => family.write_keys(keys),)* }
            }

            /// Its family.
            pub fn kind(&self) -> TopologyKind {
                match self { $(Layout::$family(_) => TopologyKind::$family,)* }
            }

            /// Number of nodes.
            pub fn nodes(&self) -> u64 {
                match self { $(Layout::$family(family) => family.nodes(),)* }
            }

            /// Positions of its nodes in metres; none where each run draws them.
            pub fn positions(&self) -> Vec<Point> {
                match self { $(Layout::$family(family) => family.positions(),)* }
            }

            /// How many pairs [`Layout::natural_pair`] offers.
            pub fn natural_pairs(&self) -> usize {
                match self { $(Layout::$family(family) => family.natural_pairs(),)* }
            }

            /// End points of the `i`-th natural flow of the family.
            pub fn natural_pair(&self, i: usize) -> Option<(u32, u32)> {
                if i >= self.natural_pairs() {
                    return None;
                }
                Some(match self { $(Layout::$family(family) => family.natural_pair(i),)* })
            }

            /// The node in the middle; node 0 where positions are drawn.
            pub fn center(&self) -> u32 {
                match self { $(Layout::$family(family) => family.center(),)* }
            }
        }
    };
}

families!(layouts);

impl Layout {
    /// The random placement, if it is one.
    pub fn random(&self) -> Option<&Random> {
        if let Layout::Random(random) = self { Some(random) } else { None }
    }

    /// The listed links, to be set.
    pub(crate) fn links_mut(&mut self) -> Option<&mut Links> {
        if let Layout::Links(links) = self { Some(links) } else { None }
    }

    /// The listed links, if they replace positions.
    pub fn links(&self) -> Option<&Links> {
        if let Layout::Links(links) = self { Some(links) } else { None }
    }

    /// Heights of its nodes in meters, if they differ.
    pub fn heights(&self) -> Option<Vec<f64>> {
        match self {
            Layout::Places(places) => geo::heights(&places.0),
            _ => None,
        }
    }

    /// Nodes at these positions.
    pub(crate) fn at(positions: Vec<Point>) -> Layout {
        Layout::Positions(Positions(positions))
    }
}
