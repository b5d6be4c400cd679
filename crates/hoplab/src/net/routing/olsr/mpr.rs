//! Selection of multipoint relays: neighbors that together reach all nodes two hops away (RFC 3626 section 8.3.1).

use super::config::{WILL_ALWAYS, WILL_NEVER};
use super::neighborhood::neighbors::Neighbor;
use crate::kernel::{NodeId, RadioId, Radios};

/// Addresses of nodes two hops away that no MPR reaches yet.
struct Uncovered(Vec<RadioId>);

/// Selects MPRs among `neighbors` of node `own`, for each of its radios. A MPR for one radio counts for others that reach it.
pub(super) fn select(own: NodeId, radios: &Radios, neighbors: &mut [Neighbor]) {
    for neighbor in neighbors.iter_mut() {
        neighbor.is_mpr = neighbor.is_symmetric && neighbor.willingness == WILL_ALWAYS;
    }
    if !radios.has_several() {
        select_among((own, radios), neighbors, relays);
        return;
    }
    for radio in radios.of(own) {
        let reaches = |neighbor: &Neighbor| neighbor.symmetric().any(|link| radios.facing(own, link.radio) == radio);
        select_among((own, radios), neighbors, |neighbor| relays(neighbor) && reaches(neighbor));
    }
}

/// Selects MPRs among neighbors that satisfy `relays`. Of equal neighbors the one with the lowest number is selected.
fn select_among(own: (NodeId, &Radios), neighbors: &mut [Neighbor], relays: impl Fn(&Neighbor) -> bool) {
    let mut left = Uncovered::of(own, neighbors, &relays);
    let degrees: Vec<usize> = neighbors.iter().map(|neighbor| left.reached_by(neighbor)).collect();
    for neighbor in neighbors.iter().filter(|neighbor| neighbor.is_mpr && relays(neighbor)) {
        left.cover(neighbor);
    }
    for index in only_ways(&left, neighbors, &relays) {
        neighbors[index].is_mpr = true;
        left.cover(&neighbors[index]);
    }
    while !left.0.is_empty() {
        let worth = |(index, neighbor): (usize, &Neighbor)| {
            let reached = left.reached_by(neighbor);
            (reached > 0).then_some(((neighbor.willingness, reached, degrees[index]), index))
        };
        // Of equal ones the first: the last maximum of the reversed order.
        let candidates = neighbors.iter().enumerate().rev().filter(|(_, neighbor)| relays(neighbor));
        let Some((_, index)) = candidates.filter_map(worth).max_by_key(|&(worth, _)| worth) else { return };
        neighbors[index].is_mpr = true;
        left.cover(&neighbors[index]);
    }
}

/// Whether a neighbor may be selected.
fn relays(neighbor: &Neighbor) -> bool {
    neighbor.is_symmetric && neighbor.willingness != WILL_NEVER
}

/// Neighbors that are the only ones to reach one of the nodes.
fn only_ways(left: &Uncovered, neighbors: &[Neighbor], relays: impl Fn(&Neighbor) -> bool) -> Vec<usize> {
    let mut ways = vec![(0_u32, 0_usize); left.0.len()];
    for (index, neighbor) in neighbors.iter().enumerate().filter(|(_, neighbor)| relays(neighbor)) {
        for node in &neighbor.two_hop {
            if let Ok(position) = left.0.binary_search(&node.address) {
                ways[position] = (ways[position].0 + 1, index);
            }
        }
    }
    ways.into_iter().filter(|&(count, _)| count == 1).map(|(_, index)| index).collect()
}

impl Uncovered {
    /// All nodes two hops away that are not neighbors, and that a neighbor which satisfies `relays` reaches.
    fn of((own, radios): (NodeId, &Radios), neighbors: &[Neighbor], relays: impl Fn(&Neighbor) -> bool) -> Uncovered {
        let is_neighbor = |address: RadioId| {
            let Some(node) = radios.node_of_first(address) else { return false };
            let found = neighbors.binary_search_by_key(&node, |neighbor| neighbor.node);
            found.is_ok_and(|index| neighbors[index].is_symmetric)
        };
        let reached = neighbors.iter().filter(|neighbor| relays(neighbor)).flat_map(|neighbor| &neighbor.two_hop);
        let own = radios.first(own);
        let mut addresses: Vec<_> = reached.map(|node| node.address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses.retain(|&address| address != own && !is_neighbor(address));
        Uncovered(addresses)
    }

    /// How many of them a neighbor reaches.
    fn reached_by(&self, neighbor: &Neighbor) -> usize {
        neighbor.two_hop.iter().filter(|node| self.0.binary_search(&node.address).is_ok()).count()
    }

    /// Removes those that a neighbor reaches.
    fn cover(&mut self, neighbor: &Neighbor) {
        let reaches = |address: &RadioId| neighbor.two_hop.binary_search_by_key(address, |known| known.address).is_ok();
        self.0.retain(|address| !reaches(address));
    }
}
