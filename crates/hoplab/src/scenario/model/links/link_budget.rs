//! The link budget of the shortest distances between nodes, for `hoplab show`: received power, and its margins over the
//! thresholds.

use crate::kernel::{Metres, Watts};
use crate::phy::propagation::PathLoss;
use crate::phy::with_heights;
use crate::scenario::model::resolved::Resolved;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Received power at one distance that occurs between nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkBudget {
    /// The distance, rounded to 0.1 m.
    pub distance: Metres,
    /// Pairs of nodes at this distance.
    pub pairs: u64,
    /// Power received from a node with the scenario's transmit power; the mean where it has a random part.
    pub received: Watts,
}

/// Rows of a link budget.
const MAX_ROWS: usize = 6;
/// Nodes above which the pairs are too many to examine.
const MAX_NODES: usize = 400;

impl LinkBudget {
    /// As JSON.
    pub fn to_json(self) -> Json {
        json!({ "distance_m": self.distance.0, "pairs": self.pairs, "received_w": self.received.0 })
    }
}

impl Resolved {
    /// The link budget of the shortest distances at the start; empty for more than 400 nodes, and for listed links.
    pub fn link_budget(&self) -> Vec<LinkBudget> {
        if self.radio.links.is_some() || self.positions.len() > MAX_NODES {
            return Vec::new();
        }
        let mut pairs: BTreeMap<u64, u64> = BTreeMap::new();
        for (index, &(x, y)) in self.positions.iter().enumerate() {
            for (other, &(other_x, other_y)) in self.positions.iter().enumerate().skip(index + 1) {
                let flat = libm::hypot(other_x - x, other_y - y);
                let metres = with_heights(flat, self.radio.heights.as_deref(), index, other);
                *pairs.entry((metres * 10.0).round() as u64).or_default() += 1;
            }
        }
        let loss = PathLoss::new(&self.radio);
        let row = |(tenths, pairs): (u64, u64)| {
            let metres = tenths as f64 / 10.0;
            let received = Watts(loss.rx_power(self.radio.tx_power.0, metres));
            LinkBudget { distance: Metres(metres), pairs, received }
        };
        pairs.into_iter().take(MAX_ROWS).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;

    fn received_dbm(propagation: &str) -> f64 {
        let text = format!(
            "[topology]\nkind = \"positions\"\npositions = [[0, 0], [25, 0], [0, 25]]\n[radio]\n{propagation}\n\
             [[flow]]\ntransport = \"udp\"\nrate = \"1 kb/s\"\napp = \"cbr\"\n"
        );
        let scenario = Scenario::parse(&text, "a.toml", &[]).expect("a scenario");
        let budget = scenario.link_budget();
        assert_eq!((budget.len(), budget[0].distance.0, budget[0].pairs), (2, 25.0, 2));
        10.0 * libm::log10(budget[0].received.0 / 1e-3)
    }

    #[test]
    fn shadowing_uses_its_exponent() {
        let two = received_dbm("propagation = \"shadowing\"\npath_loss_exponent = 2");
        let three = received_dbm("propagation = \"shadowing\"\npath_loss_exponent = 3");
        assert!((two - three - 10.0 * libm::log10(25.0)).abs() < 1e-9, "{two} {three}");
        assert!((received_dbm("propagation = \"free_space\"") - two).abs() < 1e-9);
    }
}
