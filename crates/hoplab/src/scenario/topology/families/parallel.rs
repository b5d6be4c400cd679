//! Two parallel chains: 0 to h, and h+1 to 2h+1.

use super::family::{Family, Invalid, clipped, invalid_lengths, line};
use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// Two chains of `hops` links, `row_spacing` metres apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    hops: u32,
    spacing: f64,
    row_spacing: f64,
}

impl Family for Parallel {
    const SUMMARY: &'static str = "two parallel chains";
    const KEYS: &'static [&'static str] = &["hops", "spacing", "row_spacing"];

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_lengths(&[("spacing", keys.spacing), ("row_spacing", keys.row_spacing)])
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Parallel> {
        let spacing = keys.spacing_or_default();
        let row_spacing = keys.row_spacing.map_or(spacing, |metres| metres.0);
        Some(Parallel { hops: clipped(keys.hops?), spacing, row_spacing })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.hops = Some(u64::from(self.hops));
        keys.spacing = Some(Metres(self.spacing));
        keys.row_spacing = Some(Metres(self.row_spacing));
    }

    fn nodes(&self) -> u64 {
        2 * (u64::from(self.hops) + 1)
    }

    fn positions(&self) -> Vec<Point> {
        two_rows(self.hops, self.spacing, self.row_spacing)
    }

    fn natural_pairs(&self) -> usize {
        2
    }

    fn natural_pair(&self, i: usize) -> (u32, u32) {
        row_ends(self.hops, i)
    }

    fn center(&self) -> u32 {
        self.hops / 2
    }
}

/// Positions of two chains.
pub(super) fn two_rows(hops: u32, spacing: f64, row_spacing: f64) -> Vec<Point> {
    line(hops + 1, spacing, 0.0).chain(line(hops + 1, spacing, row_spacing)).collect()
}

/// Ends of row `i` of two chains.
pub(super) fn row_ends(hops: u32, i: usize) -> (u32, u32) {
    if i == 0 { (0, hops) } else { (hops + 1, 2 * hops + 1) }
}

#[cfg(test)]
mod tests {
    use super::super::family::tests::{links, links_of, pairs};
    use super::*;

    #[test]
    fn rows_are_linked_only_within_reception_range() {
        let far = Parallel { hops: 2, spacing: 200.0, row_spacing: 400.0 };
        assert_eq!(links(&far), links_of(&[&[0, 1, 2], &[3, 4, 5]]));
        assert_eq!(pairs(&far), [(0, 2), (3, 5)]);
        let near = Parallel { hops: 1, spacing: 200.0, row_spacing: 200.0 };
        assert_eq!(links(&near), links_of(&[&[0, 1], &[2, 3], &[0, 2], &[1, 3]]));
    }
}
