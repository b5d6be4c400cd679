//! The radios of the nodes of a run: numbers, nodes and channels.

use super::ids::{NodeId, RadioId};
use super::run_kind::RunKind;

/// Number of a channel of 20 MHz, as in IEEE 802.11-2016 Annex E. Radios on different channels do not sense each other.
pub type Channel = u16;

/// The radios of all nodes. The first radio of a node has the number of the node; further radios have the numbers after those
/// of all nodes with a radio, in order of node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Radios {
    /// Nodes with a radio; hosts have the numbers after them.
    nodes: u32,
    /// By radio.
    channels: Vec<Channel>,
    /// By further radio, in order of number: its node.
    owners: Vec<NodeId>,
    /// Whether not all are on one channel.
    differ: bool,
    /// Radios of hops that are not on the first channel in common, by the ends of the hop, sorted.
    chosen: Vec<RadioHop>,
}

/// The ends of a hop, and its radios.
pub type RadioHop = ((NodeId, NodeId), (RadioId, RadioId));

impl Default for Radios {
    /// One radio for each node of a network of any size, all on one channel.
    fn default() -> Radios {
        Radios { nodes: u32::MAX, channels: Vec::new(), owners: Vec::new(), differ: false, chosen: Vec::new() }
    }
}

impl Radios {
    /// Radios on these channels, by node; each node has one at least.
    pub fn new<'c>(nodes: impl Iterator<Item = &'c [Channel]> + Clone) -> Radios {
        let first = nodes.clone().map(|channels| channels[0]);
        let further = nodes.clone().flat_map(|channels| &channels[1..]).copied();
        let owners = (0..).map(NodeId).zip(nodes);
        let channels: Vec<Channel> = first.clone().chain(further).collect();
        Radios {
            nodes: first.count() as u32,
            differ: channels.iter().any(|channel| *channel != channels[0]),
            owners: owners.flat_map(|(node, channels)| channels[1..].iter().map(move |_| node)).collect(),
            channels,
            chosen: Vec::new(),
        }
    }

    /// Chooses the radios of hops, each of which has a channel in common.
    pub fn choose(&mut self, mut hops: Vec<RadioHop>) {
        hops.sort_unstable();
        self.chosen = hops;
    }

    /// Number of nodes with a radio.
    pub fn nodes(&self) -> usize {
        self.nodes as usize
    }

    /// Whether some node has several radios.
    pub fn has_several(&self) -> bool {
        !self.owners.is_empty()
    }

    /// All radios.
    pub fn all(&self) -> impl Iterator<Item = RadioId> + use<> {
        (0..self.channels.len() as u32).map(RadioId)
    }

    /// The node of a radio; all nodes of the broadcast address.
    #[inline]
    pub fn owner(&self, radio: RadioId) -> NodeId {
        let further = radio.0.wrapping_sub(self.nodes) as usize;
        self.owners.get(further).copied().unwrap_or(NodeId(radio.0))
    }

    /// [`Radios::owner`] in a run of this kind: in a plain one, a radio has the number of its node.
    #[inline]
    pub fn owner_in<R: RunKind>(&self, radio: RadioId) -> NodeId {
        if R::IS_PLAIN { NodeId(radio.0) } else { self.owner(radio) }
    }

    /// [`Radios::first`] in a run of this kind.
    #[inline]
    pub fn first_in<R: RunKind>(&self, node: NodeId) -> RadioId {
        if R::IS_PLAIN { RadioId(node.0) } else { self.first(node) }
    }

    /// [`Radios::link`] in a run of this kind.
    #[inline]
    pub fn link_in<R: RunKind>(&self, from: NodeId, to: NodeId) -> (RadioId, RadioId) {
        if R::IS_PLAIN { (RadioId(from.0), RadioId(to.0)) } else { self.link(from, to) }
    }

    /// The first radio of a node; [`RadioId::NONE`] of a host.
    #[inline]
    pub fn first(&self, node: NodeId) -> RadioId {
        if node.0 < self.nodes { RadioId(node.0) } else { RadioId::NONE }
    }

    /// The radio with this place among those of a node; [`RadioId::NONE`] of a host.
    pub fn at(&self, node: NodeId, place: u8) -> RadioId {
        self.of(node).nth(usize::from(place)).unwrap_or(RadioId::NONE)
    }

    /// The node whose first radio this is; `None` of a further one.
    #[inline]
    pub fn node_of_first(&self, radio: RadioId) -> Option<NodeId> {
        (radio.0 < self.nodes).then_some(NodeId(radio.0))
    }

    /// The radios of a node, in order; none of a host.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = RadioId> + use<> {
        let from = self.owners.partition_point(|&owner| owner < node) as u32;
        let to = self.owners.partition_point(|&owner| owner <= node) as u32;
        let nodes = self.nodes;
        let first = (node.0 < nodes).then_some(RadioId(node.0));
        first.into_iter().chain((from..to).map(move |further| RadioId(nodes + further)))
    }

    /// The channel of a radio.
    pub fn channel(&self, radio: RadioId) -> Channel {
        self.channels[radio.index()]
    }

    /// The channels by radio, unless all are on one.
    pub fn channels(&self) -> Option<&[Channel]> {
        self.differ.then_some(&self.channels)
    }

    /// Whether two nodes have a channel in common.
    pub fn are_joined(&self, one: NodeId, other: NodeId) -> bool {
        !self.differ || self.hop(one, other).is_some()
    }

    /// The radios of a hop: those chosen, or else on the first channel of `from` that `to` has, if there is one.
    pub fn hop(&self, from: NodeId, to: NodeId) -> Option<(RadioId, RadioId)> {
        if !self.chosen.is_empty()
            && let Ok(at) = self.chosen.binary_search_by_key(&(from, to), |(ends, _)| *ends)
        {
            return Some(self.chosen[at].1);
        }
        self.of(from).find_map(|own| {
            let channel = self.channel(own);
            Some((own, self.of(to).find(|&other| self.channel(other) == channel)?))
        })
    }

    /// The radios of a hop as in [`Radios::hop`]; without a channel in common the first ones, between which no frame arrives, as
    /// to a node out of range.
    pub fn link(&self, from: NodeId, to: NodeId) -> (RadioId, RadioId) {
        let hop = if self.has_several() { self.hop(from, to) } else { None };
        hop.unwrap_or((self.first(from), self.first(to)))
    }

    /// The radio of `node` that reaches a radio of another node: the one on its channel, or the first one if there is none.
    pub fn facing(&self, node: NodeId, other: RadioId) -> RadioId {
        if !self.has_several() {
            return self.first(node);
        }
        let channel = self.channel(other);
        self.of(node).find(|&own| self.channel(own) == channel).unwrap_or(self.first(node))
    }

    /// The neighbors of nodes, from the receivers of radios: those that the radios of a hop to them reach.
    pub fn neighbors_of_nodes(&self, receivers: Vec<Vec<RadioId>>) -> Vec<Vec<NodeId>> {
        if !self.has_several() {
            let owners = |radios: Vec<RadioId>| radios.into_iter().map(|radio| self.owner(radio)).collect();
            return receivers.into_iter().map(owners).collect();
        }
        let of_node = |node: NodeId| {
            let reached = self.of(node).flat_map(|own| receivers[own.index()].iter().map(move |&other| (own, other)));
            let is_hop = |&(own, other): &(RadioId, RadioId)| self.hop(node, self.owner(other)) == Some((own, other));
            reached.filter(is_hop).map(|(_, other)| self.owner(other)).collect()
        };
        (0..self.nodes).map(NodeId).map(of_node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_radios_follow_those_of_all_nodes() {
        let nodes: [&[Channel]; 4] = [&[36], &[36, 44], &[44, 36, 48], &[48]];
        let radios = Radios::new(nodes.into_iter());
        let of = |node| radios.of(NodeId(node)).map(|radio| radio.0).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2), of(3)], [vec![0], vec![1, 4], vec![2, 5, 6], vec![3]]);
        let owners: Vec<u32> = radios.all().map(|radio| radios.owner(radio).0).collect();
        assert_eq!(owners, [0, 1, 2, 3, 1, 2, 2]);
        assert_eq!(radios.owner(RadioId::BROADCAST), NodeId::BROADCAST);
        let hop = |from, to| radios.hop(NodeId(from), NodeId(to)).map(|(own, other)| (own.0, other.0));
        assert_eq!(
            [hop(0, 1), hop(1, 2), hop(2, 1), hop(2, 3)],
            [Some((0, 1)), Some((1, 5)), Some((2, 4)), Some((6, 3))]
        );
        assert_eq!(hop(0, 3), None);
        let facing = |node, other| radios.facing(NodeId(node), RadioId(other)).0;
        assert_eq!([facing(1, 2), facing(2, 4), facing(2, 1), facing(2, 3), facing(0, 3)], [4, 2, 5, 6, 0]);
        assert_eq!(radios.channels(), Some(&[36, 36, 44, 48, 44, 36, 48][..]));
    }

    #[test]
    fn chosen_radios_replace_the_first_in_common() {
        let nodes: [&[Channel]; 2] = [&[36, 44], &[44, 36]];
        let mut radios = Radios::new(nodes.into_iter());
        let [a, b] = [0, 1].map(NodeId);
        assert_eq!(radios.link(a, b), (RadioId(0), RadioId(3)));
        radios.choose(vec![((a, b), (RadioId(2), RadioId(1)))]);
        assert_eq!((radios.link(a, b), radios.link(b, a)), ((RadioId(2), RadioId(1)), (RadioId(1), RadioId(2))));
    }

    #[test]
    fn one_channel_needs_no_list() {
        let one: [&[Channel]; 2] = [&[6], &[6]];
        assert_eq!(Radios::new(one.into_iter()).channels(), None);
        assert_eq!(Radios::default().channels(), None);
    }
}
