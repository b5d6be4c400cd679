//! Detects positions in degrees of latitude and longitude, where meters are expected.

use crate::mobility::Point;

/// Largest extent of a network in degrees, some 500 km; as metres nodes would stand side by side.
const LARGEST_EXTENT: f64 = 5.0;

/// Positions in meters are near the origin: those in degrees are farther from it than from each other, by this factor.
const REMOTENESS: f64 = 3.0;

/// Extent that no network has, in metres.
const TINY: f64 = 0.1;

/// A warning if all positions are within the range of degrees, near each other, far from the origin, and most have
/// three decimals or are nearer to each other than any network is.
pub(super) fn warning(positions: &[Point]) -> Option<String> {
    let looks = looks_like(positions)?;
    Some(format!("{looks}; set topology.kind = \"places\" and topology.geo = [[latitude, longitude], ...]"))
}

/// The same without a remedy.
pub(super) fn looks_like(positions: &[Point]) -> Option<String> {
    let extent = |of: fn(&Point) -> f64| {
        let (low, high) = positions
            .iter()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        (low, high)
    };
    let (x, y) = (extent(|place| place.0), extent(|place| place.1));
    let largest = |(low, high): (f64, f64)| low.abs().max(high.abs());
    let (a, b) = (largest(x), largest(y));
    let is_in_range = (a <= 90.0 && b <= 180.0) || (a <= 180.0 && b <= 90.0);
    let (width, height) = (x.1 - x.0, y.1 - y.0);
    let is_near = width < LARGEST_EXTENT && height < LARGEST_EXTENT && (width > 0.0 || height > 0.0);
    let is_remote = |(low, high): (f64, f64)| {
        let nearest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        nearest >= 1.0 && nearest > REMOTENESS * (high - low)
    };
    if positions.len() < 2 || !is_in_range || !is_near || !(is_remote(x) || is_remote(y)) {
        return None;
    }
    let has_decimals = |value: f64| (value * 100.0 - libm::round(value * 100.0)).abs() > 1e-6;
    let precise = positions.iter().filter(|place| has_decimals(place.0) && has_decimals(place.1)).count();
    // Radios within a hand's breadth of each other are no network.
    let is_tiny = width < TINY && height < TINY;
    (is_tiny || 2 * precise >= positions.len()).then(|| {
        format!(
            "positions look like degrees of latitude and longitude: as metres all {} nodes are within {width:.3} m x {height:.3} m",
            positions.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_warned_of_and_metres_are_not() {
        for places in [
            vec![(47.3769, 8.5417), (47.3801, 8.5499), (47.3702, 8.5390)],
            vec![(8.5417, 47.3769), (8.5499, 47.3801)],
            vec![(51.4778, -0.0015), (51.4801, 0.0021)],
            vec![(-33.8688, 151.2093), (-37.8136, 149.9631)],
            vec![(40.4168, -3.7038), (40.4168, -3.7001)],
            vec![(-122.41, 37.77), (-122.42, 37.78)],
        ] {
            assert!(warning(&places).is_some_and(|text| text.starts_with("positions look like degrees")), "{places:?}");
        }
        for places in [
            // A chain, a grid, a laboratory, a random network, one position, two nodes at one position.
            vec![(0.0, 0.0), (200.0, 0.0)],
            vec![(10.0, 10.0), (12.0, 10.0), (12.0, 12.0)],
            vec![(0.125, 0.375), (0.5, 1.125), (2.125, 3.375)],
            vec![(13.123, 77.456), (83.214, 12.873), (44.981, 43.554)],
            vec![(47.3769, 8.5417)],
            vec![(47.3769, 8.5417), (47.3769, 8.5417)],
            vec![(50.5, 50.5), (51.0, 50.5)],
            vec![],
        ] {
            assert_eq!(warning(&places), None, "{places:?}");
        }
    }
}
