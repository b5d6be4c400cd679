//! Pairs as `cbrgen.tcl` of ns-2.35 draws them: for each node i in order, no flow with probability 1/2, otherwise a flow to
//! i + 1, and in half of these cases a second one to i + 2, until there are `connections`. Fewer may result.
//!
//! Deviation: `cbrgen` takes destinations modulo one more than the number of nodes, and can name a node that does not exist.
//! Here the destination of that flow is node 0, and a flow from a node to itself is omitted.

use super::generator::{Draw, Generator, Shortfall};
use crate::kernel::NodeId;

pub(super) enum Cbrgen {}

impl Generator for Cbrgen {
    const SHORTFALL: Shortfall = Shortfall::Warn;

    fn pairs(draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
        let mut pairs = Vec::new();
        let existing = |node: u32| NodeId(if node < draw.nodes { node } else { 0 });
        for src in 0..draw.nodes {
            let drawn = draw.stream.unit();
            let more = [drawn >= 0.5, drawn >= 0.75];
            for (step, _) in (1..).zip(more).filter(|(_, is_drawn)| *is_drawn) {
                let dst = existing(src + step);
                if pairs.len() < draw.connections as usize && dst.0 != src {
                    pairs.push((NodeId(src), dst));
                }
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
    fn flows_go_to_the_next_one_or_two_nodes() {
        let (mut flows, mut second) = (0.0, 0.0);
        for seed in 0..400 {
            let pairs = drawn::<Cbrgen>(50, 1000, 1, seed);
            for &(src, dst) in &pairs {
                let step = if dst.0 == 0 { 50 - src.0 } else { dst.0 - src.0 };
                assert!(step == 1 || step == 2, "{src:?} to {dst:?}");
                second += f64::from(u8::from(pairs.iter().filter(|(from, _)| *from == src).count() == 2)) / 2.0;
            }
            flows += pairs.len() as f64;
            assert!(drawn::<Cbrgen>(50, 7, 1, seed) == pairs[..7.min(pairs.len())]);
        }
        // 3/4 of a flow per node, and a second one at every fourth node; 20 000 nodes.
        assert!((flows / 20_000.0 - 0.75).abs() < 4.0 * 0.83 / 141.0, "{flows}");
        assert!((second / 20_000.0 - 0.25).abs() < 4.0 * 0.433 / 141.0, "{second}");
        assert!((0..100).all(|seed| drawn::<Cbrgen>(2, 9, 1, seed).iter().all(|(src, dst)| src != dst)));
    }
}
