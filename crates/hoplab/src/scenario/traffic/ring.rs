//! A ring: from each node to the next, from the last to the first. With more flows than nodes, destinations of the second
//! round are one node further, and so on. It loads all nodes equally.

use super::generator::{Draw, Generator, Shortfall};
use crate::kernel::NodeId;

pub(super) enum Ring {}

impl Generator for Ring {
    const SHORTFALL: Shortfall = Shortfall::Warn;

    fn pairs(&mut Draw { nodes, connections, .. }: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
        let pair = |flow: u32| {
            let (src, round) = (flow % nodes, flow / nodes);
            (NodeId(src), NodeId((src + 1 + round % (nodes - 1)) % nodes))
        };
        (0..connections).map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::generator::tests::drawn;
    use super::*;

    #[test]
    fn each_update_extends_routes_by_one_hop() {
        let numbers = |nodes, connections| -> Vec<(u32, u32)> {
            drawn::<Ring>(nodes, connections, 1, 1).into_iter().map(|(src, dst)| (src.0, dst.0)).collect()
        };
        assert_eq!(numbers(3, 3), [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(numbers(4, 9), [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (2, 0), (3, 1), (0, 3)]);
        // After all distances comes the first again.
        assert_eq!(numbers(2, 4), [(0, 1), (1, 0), (0, 1), (1, 0)]);
        assert!(drawn::<Ring>(5, 1000, 1, 1).iter().all(|(src, dst)| src != dst && dst.0 < 5));
    }
}
