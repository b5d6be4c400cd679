//! Hosts and their gateways: the nodes with a radio that make them known to the others.

use crate::kernel::NodeId;

/// All hosts behind gateways, as the routing protocol of each node with a radio gets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The lowest number of a host: nodes with a radio have lower ones.
    pub first: NodeId,
    /// Hosts that have a gateway, by number.
    pub behind: Vec<Behind>,
}

/// A host with its gateways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The host.
    pub host: NodeId,
    /// Gateways, each with its hops over wires to the host, in the order of the scenario.
    pub gateways: Vec<(NodeId, u8)>,
}

/// A host as one of its gateways serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// The host.
    pub host: NodeId,
    /// Hops over wires to it.
    pub hops: u8,
    /// Whether it has other gateways, too, so that numbers of this node alone say nothing about it.
    pub is_shared: bool,
}

impl Hosts {
    /// Whether a node is a host.
    pub fn are(&self, node: NodeId) -> bool {
        !node.is_broadcast() && node >= self.first
    }

    /// The hosts whose gateway a node is.
    pub fn of(&self, gateway: NodeId) -> impl Iterator<Item = Served> {
        self.behind.iter().filter_map(move |Behind { host, gateways }| {
            let &(_, hops) = gateways.iter().find(|(node, _)| *node == gateway)?;
            Some(Served { host: *host, hops, is_shared: gateways.len() > 1 })
        })
    }

    /// The gateways of a host that has several.
    pub fn shared(&self, host: NodeId) -> Option<&[(NodeId, u8)]> {
        let at = self.behind.binary_search_by_key(&host, |behind| behind.host).ok()?;
        Some(&self.behind[at].gateways[..]).filter(|gateways| gateways.len() > 1)
    }
}
