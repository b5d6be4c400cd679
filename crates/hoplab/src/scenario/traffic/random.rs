//! Random pairs: each node is an end point of at most one flow, and the end points are at least `min_hops` apart at the
//! start of the run.

use super::generator::{Draw, Generator, Shortfall};
use crate::kernel::NodeId;

/// Pairs that are drawn in vain before the search ends.
const MAX_TRIES: u32 = 10_000;

pub(super) enum Random {}

impl Generator for Random {
    const SHORTFALL: Shortfall = Shortfall::Refuse;

    fn pairs(draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
        let is_far = |src, dst| draw.min_hops <= 1 || (draw.hops)(src, dst).is_some_and(|hops| hops >= draw.min_hops);
        let mut free: Vec<u32> = (0..draw.nodes).collect();
        let mut pairs = Vec::new();
        let mut tries = 0;
        while pairs.len() < draw.connections as usize && free.len() > 1 && tries < MAX_TRIES {
            tries += 1;
            let count = free.len() as u32;
            let (a, b) = (draw.stream.below(count) as usize, draw.stream.below(count) as usize);
            if a != b && is_far(NodeId(free[a]), NodeId(free[b])) {
                pairs.push((NodeId(free[a]), NodeId(free[b])));
                free.remove(a.max(b));
                free.remove(a.min(b));
                tries = 0;
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::super::generator::tests::drawn;
    use super::*;

    #[test]
    fn pairs_share_no_end_and_keep_their_distance() {
        for seed in 0..50 {
            let pairs = drawn::<Random>(20, 6, 3, seed);
            assert_eq!(pairs.len(), 6);
            assert!(pairs.iter().all(|(src, dst)| src.0.abs_diff(dst.0) >= 3));
            let mut ends: Vec<u32> = pairs.iter().flat_map(|(src, dst)| [src.0, dst.0]).collect();
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), 12);
        }
        assert_eq!(drawn::<Random>(5, 9, 1, 1).len(), 2);
        assert!(drawn::<Random>(5, 1, 9, 1).is_empty());
    }
}
