//! Propagation delay: time of flight in whole nanoseconds.
//!
//! A delay is rounded up. So two short hops never take less than one long one, as in space: d(a, c) <= d(a, b) + d(b, c).
//! Rounded to the nearest nanosecond, 833 + 833 < 1667, and a station hears a neighbor before its own slot ends
//! (`docs/design/propagation-delays.md`).

use crate::kernel::Span;

/// Speed of light as ns-2 has it, in m/s: it decides wavelengths and delays.
pub const LIGHT: f64 = 3.0e8;

/// Nanoseconds per meter. Light is faster by a billionth than [`LIGHT`], so that the noise of a computed distance does not push
/// a whole number of nanoseconds to the next one. A factor keeps sums of delays as they are; a constant would not.
const NANOS_PER_METRE: f64 = 1e9 / LIGHT * (1.0 - 1e-9);

/// Propagation delay over a distance, in nanoseconds. Holds for up to 4 seconds of light, 3 times the distance to the moon.
#[inline]
pub(in crate::phy) fn delay_nanos(metres: f64) -> u32 {
    // Beyond 2^52 a number has no fraction, and its last bits are its value: the nearest whole number.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let exact = metres * NANOS_PER_METRE;
    let nearest = exact + WHOLE;
    nearest.to_bits() as u32 + u32::from(nearest - WHOLE < exact)
}

/// Propagation delay over a distance of any length.
pub fn delay(metres: f64) -> Span {
    Span((metres * NANOS_PER_METRE).ceil() as u64)
}

/// Distance that light travels in a time, in meters.
pub fn distance_in(time: Span) -> f64 {
    time.secs() * LIGHT
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delays_are_rounded_up_but_for_noise() {
        for (metres, nanos) in [
            (0.0, 0),
            (1e-9, 1),
            (0.29, 1),
            (0.3, 1),
            (0.1 + 0.2, 1),
            (0.31, 2),
            (190.0, 634),
            (200.0, 667),
            (250.0, 834),
            (300.0, 1_000),
            (300.0 + 1e-13, 1_000),
            (0.7 * 3.0 * 300.0 / 2.1, 1_000),
            (600.0, 2_000),
            (600.001, 2_001),
            (1e8 + 50.0, 333_333_500),
        ] {
            assert_eq!(delay_nanos(metres), nanos, "{metres} m");
            assert_eq!(delay(metres), Span(u64::from(nanos)), "{metres} m");
        }
    }

    proptest! {
        #[test]
        fn a_detour_never_takes_less_time(
            a in (-1e4..1e4f64, -1e4..1e4f64), b in (-1e4..1e4f64, -1e4..1e4f64), c in (-1e4..1e4f64, -1e4..1e4f64),
            is_on_line: bool, part in 0.0..1.0f64, step in proptest::sample::select(vec![0.0, 0.1, 10.0]),
        ) {
            // Positions on a lattice have distances of whole nanoseconds, others any.
            let snap = |x: f64| if step > 0.0 { (x / step).round() * step } else { x };
            let [a, b, c] = [a, b, c].map(|(x, y)| (snap(x), snap(y)));
            let b = if is_on_line { (a.0 + part * (c.0 - a.0), a.1 + part * (c.1 - a.1)) } else { b };
            let between = |p: (f64, f64), q: (f64, f64)| delay_nanos(libm::hypot(p.0 - q.0, p.1 - q.1));
            prop_assert!(between(a, c) <= between(a, b) + between(b, c));
            prop_assert_eq!(between(a, c), between(c, a));
        }

        #[test]
        fn equal_hops_take_at_least_the_long_way(metres in 0.01..2000.0f64, hops in 1u32..40) {
            prop_assert!(hops * delay_nanos(metres) >= delay_nanos(f64::from(hops) * metres));
        }

        #[test]
        fn both_functions_are_one(metres in 0.0..1e9f64) {
            prop_assert_eq!(delay(metres), Span(u64::from(delay_nanos(metres))));
        }
    }
}
