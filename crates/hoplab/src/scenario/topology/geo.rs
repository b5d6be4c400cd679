//! Latitude and longitude to meters on a plane.
//!
//! # Model
//! The plane touches the ellipsoid of WGS 84 at the mean latitude and longitude: x is the longitude difference times the
//! radius of the parallel, y the latitude difference times the radius of the meridian. At 52 degrees a distance is wrong by
//! 0.02 % within 1 km, 0.1 % within 5 km, 0.4 % within 20 km. Heights count in distances only.
//!
//! # Source
//! NIMA TR8350.2, "Department of Defense World Geodetic System 1984": semi-major axis and eccentricity.

use crate::mobility::Point;

/// Semi-major axis in meters.
const AXIS: f64 = 6_378_137.0;

/// Square of the first eccentricity.
const ECCENTRICITY: f64 = 6.694_379_990_14e-3;

/// Positions in meters of places `[latitude, longitude, ...]` in degrees.
pub(super) fn plane(geo: &[Vec<f64>]) -> Vec<Point> {
    let Some(first) = geo.first() else { return Vec::new() };
    let count = geo.len() as f64;
    // Longitudes near the first one, on either side of the date line.
    let near = |place: &[f64]| first[1] + libm::remainder(place[1] - first[1], 360.0);
    let latitude = geo.iter().map(|place| place[0]).sum::<f64>() / count;
    let longitude = geo.iter().map(|place| near(place)).sum::<f64>() / count;
    let (sine, cosine) = (libm::sin(latitude.to_radians()), libm::cos(latitude.to_radians()));
    let curved = 1.0 - ECCENTRICITY * sine * sine;
    let parallel = AXIS / libm::sqrt(curved) * cosine;
    let meridian = AXIS * (1.0 - ECCENTRICITY) / (curved * libm::sqrt(curved));
    let place = |place: &Vec<f64>| {
        ((near(place) - longitude).to_radians() * parallel, (place[0] - latitude).to_radians() * meridian)
    };
    geo.iter().map(place).collect()
}

/// Heights in meters, if they differ.
pub(crate) fn heights(geo: &[Vec<f64>]) -> Option<Vec<f64>> {
    let heights: Vec<f64> = geo.iter().map(|place| place.get(2).copied().unwrap_or(0.0)).collect();
    heights.iter().any(|&height| height.to_bits() != heights[0].to_bits()).then_some(heights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_become_metres_of_the_plane() {
        // Rows `plane` of the oracle of the specification.
        let ulm = [[48.4, 9.98], [48.41, 9.99], [48.405, 10.02]];
        let santiago = [[-33.45, -70.66], [-33.46, -70.64], [-33.44, -70.65], [-33.455, -70.67]];
        let metres: [&[Point]; 2] = [
            &[(-1233.99, -555.991), (-493.596, 555.991), (1727.586, 0.0)],
            &[(-464.873, 138.6406), (1394.6189, -970.4845), (464.873, 1247.7658), (-1394.6189, -415.9219)],
        ];
        for (geo, metres) in [&ulm[..], &santiago[..]].into_iter().zip(metres) {
            let geo: Vec<Vec<f64>> = geo.iter().map(|place| place.to_vec()).collect();
            for ((x, y), (known_x, known_y)) in plane(&geo).into_iter().zip(metres) {
                assert!((x - known_x).abs() < 2e-3 && (y - known_y).abs() < 2e-3, "{x} {y}");
            }
        }
    }

    #[test]
    fn places_on_both_sides_of_the_date_line_are_near() {
        let places = plane(&[vec![-17.0, 179.999], vec![-17.0, -179.999]]);
        assert!((places[1].0 - places[0].0 - 212.9).abs() < 0.2, "{places:?}");
    }

    #[test]
    fn equal_heights_are_none() {
        assert_eq!(heights(&[vec![1.0, 2.0, 30.0], vec![1.0, 2.0, 30.0]]), None);
        assert_eq!(heights(&[vec![1.0, 2.0, 30.0], vec![1.0, 2.0]]), Some(vec![30.0, 0.0]));
        assert_eq!(heights(&[]), None);
    }
}
