//! The trait of families of networks: keys, positions, natural pairs of end points.

use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_LENGTH};
use crate::scenario::topology::keys::TopologyConfig;
use std::borrow::Cow;

/// A family of networks. A value is one member: what its keys select.
pub(crate) trait Family: Sized {
    /// What it is, in one line.
    const SUMMARY: &'static str;
    /// Keys of `[topology]` that it uses in addition to those of every family; the first is required.
    const KEYS: &'static [&'static str];
    /// Keys that decide the number of nodes.
    const SIZE_KEYS: &'static [&'static str] = &["hops"];
    /// A value of the required key, for a hint.
    const EXAMPLE: &'static str = "4";

    /// Values of its keys that no network can have.
    fn invalid(keys: &TopologyConfig) -> Vec<Invalid>;

    /// The member that the keys select, with defaults; `None` without the required key. Sizes beyond 32 bits are clipped:
    /// their number of nodes is refused.
    fn from_keys(keys: &TopologyConfig) -> Option<Self>;

    /// Writes the keys that select this member.
    fn write_keys(&self, keys: &mut TopologyConfig);

    /// Number of nodes.
    fn nodes(&self) -> u64;

    /// Positions of its nodes in metres, all coordinates at least 0; none where each run draws them.
    fn positions(&self) -> Vec<Point>;

    /// How many natural pairs of end points it offers.
    fn natural_pairs(&self) -> usize;

    /// End points of flow `i`, which is less than [`Family::natural_pairs`].
    fn natural_pair(&self, i: usize) -> (u32, u32);

    /// The node in the middle; node 0 where positions are drawn.
    fn center(&self) -> u32;
}

/// A value that no network can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// The key below `[topology]`, with the index of an entry of a list: `positions.3`.
    pub(crate) key: String,
    /// The problem, in a form of `syntax::problem`.
    pub(crate) what: Cow<'static, str>,
    /// The values that are accepted.
    pub(crate) expected: String,
}

/// Largest coordinate, in metres.
pub(super) const MAX_COORDINATE: f64 = 1e9;

/// Positions that are reported; a list with more wrong ones is wrong as a whole.
const MAX_REPORTED: usize = 1000;

/// Lengths that are zero.
pub(super) fn invalid_lengths(lengths: &[(&str, Option<Metres>)]) -> Vec<Invalid> {
    let is_wrong = |length: &Option<Metres>| length.is_some_and(|metres| metres.0 <= 0.0);
    let invalid = lengths.iter().filter(|(_, length)| is_wrong(length)).map(|(key, _)| Invalid {
        key: (*key).to_owned(),
        what: ZERO_LENGTH.into(),
        expected: "length greater than 0 m".to_owned(),
    });
    invalid.collect()
}

/// Positions in a list that are out of range.
pub(crate) fn invalid_positions(key: &str, positions: Option<&[[f64; 2]]>) -> Vec<Invalid> {
    let is_far = |position: &[f64; 2]| position.iter().any(|coordinate| coordinate.abs() > MAX_COORDINATE);
    let far = positions.unwrap_or_default().iter().enumerate().filter(|(_, position)| is_far(position));
    let invalid = far.take(MAX_REPORTED).map(|(i, _)| Invalid {
        key: format!("{key}.{i}"),
        what: OUT_OF_RANGE.into(),
        expected: "coordinates up to 1e9 m".to_owned(),
    });
    invalid.collect()
}

/// A count, clipped to 32 bits.
pub(crate) fn clipped(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Positions of `nodes` nodes on a line, `spacing` apart.
pub(super) fn line(nodes: u32, spacing: f64, y: f64) -> impl Iterator<Item = Point> {
    (0..nodes).map(move |i| (f64::from(i) * spacing, y))
}

#[cfg(test)]
pub(super) mod tests {
    use super::Family;

    /// Links of at most 250 m, each once.
    pub(crate) fn links(family: &impl Family) -> Vec<(usize, usize)> {
        let places = family.positions();
        assert_eq!(places.len() as u64, family.nodes());
        assert!(places.iter().all(|place| place.0 >= 0.0 && place.1 >= 0.0));
        let far = |a: (f64, f64), b: (f64, f64)| libm::hypot(a.0 - b.0, a.1 - b.1);
        let pairs = (0..places.len()).flat_map(|i| (i + 1..places.len()).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| far(places[i], places[j]) <= 250.0).collect()
    }

    /// Links of paths, in order, each once.
    pub(crate) fn links_of(paths: &[&[usize]]) -> Vec<(usize, usize)> {
        let mut links: Vec<(usize, usize)> = paths
            .iter()
            .flat_map(|path| path.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))))
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// All natural pairs.
    pub(crate) fn pairs(family: &impl Family) -> Vec<(u32, u32)> {
        (0..family.natural_pairs()).map(|i| family.natural_pair(i)).collect()
    }
}
