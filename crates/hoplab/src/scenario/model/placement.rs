//! Random places in a rectangle: uniform, each node by its own stream, drawn again until the network is connected if
//! that is asked for.
//!
//! # Model
//! Node i's k-th attempt is the k-th place of its stream, so that more nodes move no other. An attempt is connected if a
//! path over links that both ends can use leads from every node to every other, by mean received power; nodes of
//! `topology.extra` do not count.
//!
//! # Source
//! The papers' "nodes are placed at random"; ns-2's `setdest` places the same way, without the condition.
//!
//! # Deviations
//! What is drawn until connected is not uniform any more: placements with gaps are missing.
//!
//! # Parameters
//! `topology.nodes`, `area`, `corner`, `connected`, `placement_seed`.

use crate::kernel::{Metres, Purpose, Stream, Streams};
use crate::mobility::Point;

/// A random placement, before it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// How many nodes.
    pub nodes: u32,
    /// Sides of the area, from the origin, in metres.
    pub area: Point,
    /// Where the area begins, in metres.
    pub corner: Point,
    /// Whether every node must have a path to every other.
    pub connected: bool,
    /// Root of the placement's streams; `None`: that of the run.
    pub placement_seed: Option<u64>,
}

/// No placement was connected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no placement of {nodes} nodes with seed {seed} is connected, of {tries} that were drawn")]
pub struct Unconnected {
    /// How many nodes.
    pub nodes: u32,
    /// Whose placements.
    pub seed: u64,
    /// How many were drawn.
    pub tries: u32,
}

/// Placements that are drawn at most.
const MAX_TRIES: u32 = 10_000;

/// Places of all attempts together that are drawn at most, if that is more than [`MIN_TRIES`] attempts.
const MAX_PLACES: u32 = 3_000_000;

/// Placements that are drawn in any case.
const MIN_TRIES: u32 = 10;

/// Sides of the area where none are given.
pub(crate) const AREA: [Metres; 2] = [Metres(1000.0), Metres(1000.0)];

impl Random {
    /// Places of the run with this seed; `is_connected` judges them.
    ///
    /// # Errors
    /// If none of the attempts is connected.
    pub fn draw(&self, seed: u64, is_connected: impl Fn(&[Point]) -> bool) -> Result<Vec<Point>, Unconnected> {
        let seed = self.placement_seed.unwrap_or(seed);
        let streams = Streams::new(seed);
        let mut chance: Vec<Stream> = (0..self.nodes).map(|node| streams.stream(Purpose::Placement, node)).collect();
        let tries = if self.connected { (MAX_PLACES / self.nodes.max(1)).clamp(MIN_TRIES, MAX_TRIES) } else { 1 };
        for _ in 0..tries {
            let place = |stream: &mut Stream| {
                let x = self.corner.0 + stream.between(0.0, self.area.0);
                (x, self.corner.1 + stream.between(0.0, self.area.1))
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
        Random { nodes, area: (1000.0, 500.0), corner: (0.0, 0.0), connected, placement_seed: None }
    }

    #[test]
    fn places_are_inside_and_follow_the_seed() {
        let draw = |nodes, seed| random(nodes, false).draw(seed, |_| true).expect("places");
        let places = draw(500, 1);
        assert!(places.iter().all(|&(x, y)| (0.0..1000.0).contains(&x) && (0.0..500.0).contains(&y)));
        let mean = |of: fn(&Point) -> f64| places.iter().map(of).sum::<f64>() / 500.0;
        // Four standard errors: sides over sqrt(12 * 500).
        assert!((mean(|p| p.0) - 500.0).abs() < 51.7 && (mean(|p| p.1) - 250.0).abs() < 25.9);
        assert_eq!(places, draw(500, 1));
        assert_ne!(places, draw(500, 2));
        assert_eq!(places[..20], draw(20, 1)[..], "more nodes move no other");
        let away = Random { corner: (100.0, 250.0), ..random(500, false) }.draw(1, |_| true).expect("places");
        assert!(
            places.iter().zip(&away).all(|(a, b)| (b.0 - a.0 - 100.0).abs() < 1e-9 && (b.1 - a.1 - 250.0).abs() < 1e-9)
        );
        let fixed = Random { placement_seed: Some(1), ..random(500, false) };
        assert_eq!(fixed.draw(7, |_| true), Ok(places));
    }

    #[test]
    fn draws_until_connected_and_gives_up() {
        let left = |places: &[Point]| places.iter().all(|&(x, _)| x < 500.0);
        let places = random(4, true).draw(3, left).expect("one of about 16");
        assert!(left(&places));
        let error = random(4, true).draw(3, |_| false).expect_err("never");
        assert_eq!((error.seed, error.tries), (3, MAX_TRIES));
        assert_eq!(random(1_000_000, true).draw(3, |_| false).expect_err("never").tries, MIN_TRIES);
    }
}
