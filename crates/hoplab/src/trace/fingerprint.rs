//! A hash of the event sequence of one layer: any change of behavior changes it, so that tests detect it.

use std::fmt;

/// Number of the engine's event sequences. It rises whenever a watched fingerprint becomes another; versions of stored runs
/// carry it (`tests/fingerprints.rs`).
pub const TRAJECTORIES: u32 = 6;

/// Running hash of the records of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0x243f_6a88_85a3_08d3)
    }
}

impl Fingerprint {
    /// Adds one record: its time, node and content.
    #[inline]
    pub fn mix(&mut self, time: u64, node: u64, what: u64) {
        let mut hash = (self.0 ^ time).wrapping_mul(MULTIPLIER);
        hash = (hash.rotate_left(31) ^ node.rotate_left(40) ^ what).wrapping_mul(MULTIPLIER);
        self.0 = hash ^ (hash >> 29);
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_depends_on_order_time_and_content() {
        let hash = |events: &[(u64, u64, u64)]| {
            let mut print = Fingerprint::default();
            for &(t, node, what) in events {
                print.mix(t, node, what);
            }
            print
        };
        let base = hash(&[(1, 2, 3), (4, 5, 6)]);
        for other in
            [&[(4, 5, 6), (1, 2, 3)], &[(1, 2, 3), (4, 5, 7)], &[(2, 2, 3), (4, 5, 6)], &[(1, 3, 3), (4, 5, 6)]]
        {
            assert_ne!(base, hash(other));
        }
        assert_eq!(base, hash(&[(1, 2, 3), (4, 5, 6)]));
    }
}
