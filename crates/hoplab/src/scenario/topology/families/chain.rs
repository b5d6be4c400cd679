//! A chain: nodes 0 to `hops` on a line, the network of nearly every paper on TCP over 802.11.

use super::family::{Family, Invalid, clipped, invalid_lengths, line};
use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// A chain of `hops` links, each `spacing` metres long.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    hops: u32,
    spacing: f64,
}

impl Family for Chain {
    const SUMMARY: &'static str = "hops + 1 nodes on a line";
    const KEYS: &'static [&'static str] = &["hops", "spacing"];

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_lengths(&[("spacing", keys.spacing)])
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Chain> {
        Some(Chain { hops: clipped(keys.hops?), spacing: keys.spacing_or_default() })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.hops = Some(u64::from(self.hops));
        keys.spacing = Some(Metres(self.spacing));
    }

    fn nodes(&self) -> u64 {
        u64::from(self.hops) + 1
    }

    fn positions(&self) -> Vec<Point> {
        line(self.hops + 1, self.spacing, 0.0).collect()
    }

    fn natural_pairs(&self) -> usize {
        1
    }

    fn natural_pair(&self, _: usize) -> (u32, u32) {
        (0, self.hops)
    }

    fn center(&self) -> u32 {
        self.hops / 2
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::tests::{links, links_of, pairs};
    use super::*;

    #[test]
    fn links_join_neighbors_only() {
        let chain = Chain { hops: 3, spacing: 200.0 };
        assert_eq!(links(&chain), links_of(&[&[0, 1, 2, 3]]));
        assert_eq!((pairs(&chain), chain.center()), (vec![(0, 3)], 1));
    }
}
