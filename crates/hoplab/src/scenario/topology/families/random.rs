//! Random positions: uniform in a rectangle, each node by its own stream, drawn again until the network is connected if the
//! scenario requires it.
//!
//! # Model
//! Node i's k-th attempt is the k-th position of its stream, so that more nodes move no other node. An attempt is connected
//! if a path over links that both ends can use leads from every node to every other, by mean received power; nodes of
//! `topology.extra` do not count.
//!
//! # Source
//! The papers' "nodes are placed at random"; ns-2's `setdest` places nodes in the same way, without the condition.
//!
//! # Deviations
//! Placements drawn until connected are not uniform: unconnected ones are excluded.
//!
//! # Parameters
//! `topology.nodes`, `area`, `origin`, `connected`, `placement_seed`.

use super::family::{Family, Invalid, MAX_COORDINATE, clipped};
use crate::kernel::{Metres, Purpose, RandomStream, RandomStreams};
use crate::mobility::Point;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_LENGTH};
use crate::scenario::topology::keys::TopologyConfig;

/// A random placement, before it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// Number of nodes.
    pub nodes: u32,
    /// Sides of the area, from the origin, in metres.
    pub area: Point,
    /// Origin of the area, in metres.
    pub origin: Point,
    /// Whether every node must have a path to every other.
    pub connected: bool,
    /// Root seed of the placement's streams; `None` for the seed of the run.
    pub placement_seed: Option<u64>,
}

/// None of the drawn placements was connected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no connected placement of {nodes} nodes with seed {seed} in {tries} draws")]
pub struct Unconnected {
    /// Number of nodes.
    pub nodes: u32,
    /// Root seed of the placements.
    pub seed: u64,
    /// Number of placements drawn.
    pub tries: u32,
}

/// Maximum number of placements that are drawn.
const MAX_TRIES: u32 = 10_000;

/// Maximum number of positions of all attempts together, if that is more than [`MIN_TRIES`] attempts.
const MAX_PLACES: u32 = 3_000_000;

/// Placements that are drawn in any case.
const MIN_TRIES: u32 = 10;

/// Sides of the area where none are given.
const AREA: [Metres; 2] = [Metres(1000.0), Metres(1000.0)];

impl Family for Random {
    const SUMMARY: &'static str = "nodes at random positions in an area";
    const KEYS: &'static [&'static str] = &["nodes", "area", "origin", "connected", "placement_seed"];
    const SIZE_KEYS: &'static [&'static str] = &["nodes"];
    const EXAMPLE: &'static str = "50";

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        let rules = [
            (
                "area",
                keys.area.is_none_or(|sides| sides.iter().all(|side| side.0 > 0.0)),
                ZERO_LENGTH,
                "two lengths greater than 0 m",
            ),
            (
                "origin",
                keys.origin.is_none_or(|origin| origin.iter().all(|side| (0.0..=MAX_COORDINATE).contains(&side.0))),
                OUT_OF_RANGE,
                "two lengths from 0 m to 1e9 m",
            ),
        ];
        let broken = rules.into_iter().filter(|(_, holds, ..)| !holds);
        broken
            .map(|(key, _, what, expected)| Invalid {
                key: key.to_owned(),
                what: what.into(),
                expected: expected.to_owned(),
            })
            .collect()
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Random> {
        let [a, b] = keys.area.unwrap_or(AREA);
        Some(Random {
            nodes: clipped(keys.nodes?),
            area: (a.0, b.0),
            origin: keys.origin.map_or((0.0, 0.0), |[x, y]| (x.0, y.0)),
            connected: keys.connected.unwrap_or(false),
            placement_seed: keys.placement_seed,
        })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        let (x, y) = self.origin;
        keys.nodes = Some(u64::from(self.nodes));
        keys.area = Some([Metres(self.area.0), Metres(self.area.1)]);
        keys.origin = ((x, y) != (0.0, 0.0)).then_some([Metres(x), Metres(y)]);
        keys.connected = Some(self.connected);
        keys.placement_seed = self.placement_seed;
    }

    fn nodes(&self) -> u64 {
        u64::from(self.nodes)
    }

    fn positions(&self) -> Vec<Point> {
        Vec::new()
    }

    fn natural_pairs(&self) -> usize {
        usize::from(self.nodes > 1)
    }

    fn natural_pair(&self, _: usize) -> (u32, u32) {
        (0, self.nodes - 1)
    }

    fn center(&self) -> u32 {
        0
    }
}

impl Random {
    /// Positions in the run with this seed; `is_connected` tests each placement.
    ///
    /// # Errors
    /// If none of the attempts is connected.
    pub fn draw(&self, seed: u64, is_connected: impl Fn(&[Point]) -> bool) -> Result<Vec<Point>, Unconnected> {
        let seed = self.placement_seed.unwrap_or(seed);
        let streams = RandomStreams::new(seed);
        let mut chance: Vec<RandomStream> =
            (0..self.nodes).map(|node| streams.stream(Purpose::Placement, node)).collect();
        let tries = if self.connected { (MAX_PLACES / self.nodes.max(1)).clamp(MIN_TRIES, MAX_TRIES) } else { 1 };
        for _ in 0..tries {
            let place = |stream: &mut RandomStream| {
                let x = self.origin.0 + stream.between(0.0, self.area.0);
                (x, self.origin.1 + stream.between(0.0, self.area.1))
            };
            let places: Vec<Point> = chance.iter_mut().map(place).collect();
            if !self.connected || is_connected(&places) {
                return Ok(places);
            }
        }
        Err(Unconnected { nodes: self.nodes, seed, tries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(nodes: u32, connected: bool) -> Random {
        Random { nodes, area: (1000.0, 500.0), origin: (0.0, 0.0), connected, placement_seed: None }
    }

    #[test]
    fn positions_lie_in_the_area_and_follow_the_seed() {
        let draw = |nodes, seed| random(nodes, false).draw(seed, |_| true).expect("places");
        let places = draw(500, 1);
        assert!(places.iter().all(|&(x, y)| (0.0..1000.0).contains(&x) && (0.0..500.0).contains(&y)));
        let mean = |of: fn(&Point) -> f64| places.iter().map(of).sum::<f64>() / 500.0;
        // Four standard errors: sides over sqrt(12 * 500).
        assert!((mean(|p| p.0) - 500.0).abs() < 51.7 && (mean(|p| p.1) - 250.0).abs() < 25.9);
        assert_eq!(places, draw(500, 1));
        assert_ne!(places, draw(500, 2));
        assert_eq!(places[..20], draw(20, 1)[..], "more nodes move no other");
        let away = Random { origin: (100.0, 250.0), ..random(500, false) }.draw(1, |_| true).expect("places");
        assert!(
            places.iter().zip(&away).all(|(a, b)| (b.0 - a.0 - 100.0).abs() < 1e-9 && (b.1 - a.1 - 250.0).abs() < 1e-9)
        );
        let fixed = Random { placement_seed: Some(1), ..random(500, false) };
        assert_eq!(fixed.draw(7, |_| true), Ok(places));
    }

    #[test]
    fn placement_is_drawn_until_connected_or_given_up() {
        let left = |places: &[Point]| places.iter().all(|&(x, _)| x < 500.0);
        let places = random(4, true).draw(3, left).expect("one of about 16");
        assert!(left(&places));
        let error = random(4, true).draw(3, |_| false).expect_err("never");
        assert_eq!((error.seed, error.tries), (3, MAX_TRIES));
        assert_eq!(random(1_000_000, true).draw(3, |_| false).expect_err("never").tries, MIN_TRIES);
    }
}
