//! A cross: a line 0 to h, and a second line of h links at a right angle through node h/2 (rounded down), which is shared.
//! The other nodes of the second line are h+1 to 2h in its order.
//!
//! Source: Cai 2013, Figure 6; Lien, Figure 8.

use super::family::{Family, Invalid, clipped, invalid_lengths, line};
use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// Two chains of `hops` links that share their middle node.
#[derive(Clone, Debug, PartialEq)]
pub struct Cross {
    hops: u32,
    spacing: f64,
}

impl Family for Cross {
    const SUMMARY: &'static str = "two chains at a right angle that share their middle node";
    const KEYS: &'static [&'static str] = &["hops", "spacing"];

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_lengths(&[("spacing", keys.spacing)])
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Cross> {
        Some(Cross { hops: clipped(keys.hops?), spacing: keys.spacing_or_default() })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.hops = Some(u64::from(self.hops));
        keys.spacing = Some(Metres(self.spacing));
    }

    fn nodes(&self) -> u64 {
        2 * u64::from(self.hops) + 1
    }

    fn positions(&self) -> Vec<Point> {
        let middle = f64::from(self.center()) * self.spacing;
        let first = line(self.hops + 1, self.spacing, middle);
        let second = (0..=self.hops).filter(|&i| i != self.center());
        first.chain(second.map(|i| (middle, f64::from(i) * self.spacing))).collect()
    }

    fn natural_pairs(&self) -> usize {
        2
    }

    fn natural_pair(&self, i: usize) -> (u32, u32) {
        match (i, self.hops) {
            (0, hops) => (0, hops),
            // With a single link, the shared node is the first.
            (_, 1) => (0, 2),
            (_, hops) => (hops + 1, 2 * hops),
        }
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
    fn lines_share_exactly_one_node() {
        for (hops, spacing) in (1..=12u32).flat_map(|hops| [177.0, 200.0, 250.0].map(|spacing| (hops, spacing))) {
            let cross = Cross { hops, spacing };
            let (h, middle) = (hops as usize, hops as usize / 2);
            let one: Vec<usize> = (0..=h).collect();
            let other: Vec<usize> = (h + 1..=h + middle).chain([middle]).chain(h + 1 + middle..=2 * h).collect();
            assert_eq!(links(&cross), links_of(&[&one, &other]), "{hops} hops");
            assert_eq!(pairs(&cross), [(0, hops), (other[0] as u32, other[h] as u32)]);
            assert_eq!(cross.center() as usize, middle);
        }
    }
}
