//! Nodes at latitudes and longitudes.

use super::family::{Family, Invalid};
use super::positions::Positions;
use crate::mobility::Point;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds};
use crate::scenario::topology::geo;
use crate::scenario::topology::keys::TopologyConfig;

/// Nodes at these places, `[latitude, longitude]` in degrees, and a height in meters if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Places(pub(crate) Vec<Vec<f64>>);

/// Largest extent of a network, in meters: beyond, a plane is wrong by percents.
const MAX_EXTENT: f64 = 100_000.0;

/// Largest height above or below the ellipsoid, in meters.
const MAX_HEIGHT: f64 = 10_000.0;

/// Wrong places that are reported.
const MAX_REPORTED: usize = 1000;

impl Family for Places {
    const SUMMARY: &'static str = "nodes at latitudes and longitudes";
    const KEYS: &'static [&'static str] = &["geo"];
    const SIZE_KEYS: &'static [&'static str] = &["geo"];
    const EXAMPLE: &'static str = "[[48.4000, 9.9800], [48.4015, 9.9812, 30]]";

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_geo(keys)
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Places> {
        Some(Places(keys.geo.clone()?))
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.geo = Some(self.0.clone());
    }

    fn nodes(&self) -> u64 {
        self.0.len() as u64
    }

    fn positions(&self) -> Vec<Point> {
        geo::plane(&self.0)
    }

    fn natural_pairs(&self) -> usize {
        usize::from(self.0.len() > 1)
    }

    fn natural_pair(&self, _: usize) -> (u32, u32) {
        (0, (self.nodes() - 1) as u32)
    }

    fn center(&self) -> u32 {
        Positions(self.positions()).center()
    }
}

/// Places that no network can have.
pub(super) fn invalid_geo(keys: &TopologyConfig) -> Vec<Invalid> {
    let Some(geo) = &keys.geo else { return Vec::new() };
    let wrong = |key: String, what: &'static str, expected: &str| Invalid {
        key,
        what: what.into(),
        expected: expected.to_owned(),
    };
    if geo.is_empty() {
        let expected = "at least one [latitude, longitude]";
        return vec![wrong("geo".to_owned(), "must not be empty", expected)];
    }
    let problem = |place: &Vec<f64>| match place[..] {
        [latitude, longitude] | [latitude, longitude, _] if latitude.abs() > 90.0 && longitude.abs() <= 90.0 => {
            Some((OUT_OF_RANGE, "[latitude, longitude], in this order"))
        }
        [latitude, longitude] | [latitude, longitude, _] if latitude.abs() > 90.0 || longitude.abs() > 180.0 => {
            Some((OUT_OF_RANGE, "latitude from -90 to 90, longitude from -180 to 180"))
        }
        [_, _, height] if height.abs() > MAX_HEIGHT => Some((OUT_OF_RANGE, "height from -10000 to 10000 m")),
        [_, _] | [_, _, _] => None,
        _ => Some(("{} is no place", "[latitude, longitude] or [latitude, longitude, height]")),
    };
    let problems = geo.iter().enumerate().filter_map(|(i, place)| problem(place).map(|problem| (i, problem)));
    let mut invalid: Vec<Invalid> =
        problems.take(MAX_REPORTED).map(|(i, (what, expected))| wrong(format!("geo.{i}"), what, expected)).collect();
    if invalid.is_empty() {
        let places = geo::plane(geo);
        let far = places.iter().map(|place| libm::hypot(place.0, place.1)).fold(0.0, f64::max);
        if 2.0 * far > MAX_EXTENT {
            let expected = "places within 100 km: beyond, a plane is wrong by percents".to_owned();
            let extent = format!("{:.0} km", 2.0 * far / 1000.0);
            let what = exceeds("extent of all places", extent, "limit", "100 km").into();
            invalid.push(Invalid { key: "geo".to_owned(), what, expected });
        }
    }
    invalid
}
