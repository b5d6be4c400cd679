//! Nodes at positions that the scenario lists.

use super::family::{Family, Invalid, invalid_positions};
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// Nodes at these positions, in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Positions(pub(crate) Vec<Point>);

impl Family for Positions {
    const SUMMARY: &'static str = "nodes at listed positions";
    const KEYS: &'static [&'static str] = &["positions"];
    const SIZE_KEYS: &'static [&'static str] = &["positions"];
    const EXAMPLE: &'static str = "[[0, 0], [200, 0]]";

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        if keys.positions.as_ref().is_some_and(Vec::is_empty) {
            let expected = "at least one [x, y]".to_owned();
            return vec![Invalid { key: "positions".to_owned(), what: "must not be empty".into(), expected }];
        }
        invalid_positions("positions", keys.positions.as_deref())
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Positions> {
        Some(Positions(keys.positions.as_deref()?.iter().map(|&[x, y]| (x, y)).collect()))
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.positions = Some(self.0.iter().map(|&(x, y)| [x, y]).collect());
    }

    fn nodes(&self) -> u64 {
        self.0.len() as u64
    }

    fn positions(&self) -> Vec<Point> {
        self.0.clone()
    }

    fn natural_pairs(&self) -> usize {
        usize::from(self.0.len() > 1)
    }

    fn natural_pair(&self, _: usize) -> (u32, u32) {
        (0, (self.nodes() - 1) as u32)
    }

    /// The node nearest to the mean of all positions.
    fn center(&self) -> u32 {
        let count = self.0.len() as f64;
        let (x, y) = self.0.iter().fold((0.0, 0.0), |(x, y), place| (x + place.0 / count, y + place.1 / count));
        let squared = |place: &Point| (place.0 - x) * (place.0 - x) + (place.1 - y) * (place.1 - y);
        let nearest = self.0.iter().enumerate().min_by(|(_, a), (_, b)| squared(a).total_cmp(&squared(b)));
        nearest.map_or(0, |(node, _)| node as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn center_is_the_node_nearest_to_the_mean() {
        assert_eq!(Positions(vec![(0.0, 0.0), (900.0, 0.0), (400.0, 10.0)]).center(), 2);
    }
}
