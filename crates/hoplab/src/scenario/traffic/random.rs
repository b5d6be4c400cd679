//! Random pairs: each node is an end point of at most one flow, or of `max_flows_per_node` between different pairs. End points
//! are at least `min_hops` apart at the start of the run. Papers say only that flows are random.

use super::generator::{Draw, Generator, Shortfall};
use crate::kernel::NodeId;
use std::collections::BTreeSet;

/// Unsuccessful draws of pairs before the search ends.
const MAX_TRIES: u32 = 10_000;

pub(super) enum Random {}

impl Generator for Random {
    const SHORTFALL: Shortfall = Shortfall::Refuse;

    fn pairs(draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
        // Where nodes may be ends of several flows, only pairs that exist already may remain for the last ones.
        let attempts = if draw.max_flows_per_node > 1 { MAX_ATTEMPTS } else { 1 };
        let mut best = Vec::new();
        for _ in 0..attempts {
            let pairs = attempt(draw);
            if pairs.len() > best.len() {
                best = pairs;
            }
            if best.len() == draw.connections as usize {
                break;
            }
        }
        best
    }
}

/// Maximum number of attempts to draw all pairs, where an attempt may fail.
const MAX_ATTEMPTS: u32 = 50;

fn attempt(draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
    let is_far = |src, dst| draw.min_hops <= 1 || (draw.hops)(src, dst).is_some_and(|hops| hops >= draw.min_hops);
    let mut free: Vec<u32> = (0..draw.nodes).collect();
    let mut left = vec![draw.max_flows_per_node; draw.nodes as usize];
    let mut known = BTreeSet::new();
    let mut pairs = Vec::new();
    let mut tries = 0;
    while pairs.len() < draw.connections as usize && free.len() > 1 && tries < MAX_TRIES {
        tries += 1;
        let count = free.len() as u32;
        let (a, b) = (draw.stream.below(count) as usize, draw.stream.below(count) as usize);
        let (src, dst) = (free[a], free[b]);
        if a != b && !known.contains(&(src, dst)) && is_far(NodeId(src), NodeId(dst)) {
            pairs.push((NodeId(src), NodeId(dst)));
            known.insert((src, dst));
            for end in [a.max(b), a.min(b)] {
                let left = &mut left[free[end] as usize];
                *left -= 1;
                if *left == 0 {
                    free.remove(end);
                }
            }
            tries = 0;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::generator::tests::drawn;
    use super::*;
    use crate::kernel::{Purpose, RandomStreams};

    #[test]
    fn nodes_may_be_ends_of_several_flows() {
        let mut stream = RandomStreams::new(3).stream(Purpose::Pairs, 0);
        let mut draw = Draw {
            nodes: 16,
            connections: 40,
            max_flows_per_node: 5,
            min_hops: 1,
            stream: &mut stream,
            hops: &|_, _| None,
        };
        let pairs = Random::pairs(&mut draw);
        assert_eq!(pairs.len(), 40);
        assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), 40);
        let flows = |node: u32| pairs.iter().filter(|(src, dst)| src.0 == node || dst.0 == node).count();
        assert!((0..16).all(|node| flows(node) == 5));
    }

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
