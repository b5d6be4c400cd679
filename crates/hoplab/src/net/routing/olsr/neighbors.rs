//! Links, neighbors, nodes two hops away and MPR selectors of one node (RFC 3626 sections 7.1, 8.1, 8.2 and 8.4). A node has
//! one interface, so that each neighbor has one link: one entry holds all of it.

use super::config::OlsrConfig;
use super::message::{Hello, Link, LinkType, NeighborType};
use super::quality::{Cost, Quality, Window};
use crate::kernel::{NodeId, Span, Time};

/// A neighbor and what it has stated. Times are those at which a property ends; it holds before.
#[derive(Clone, Debug)]
pub(super) struct Neighbor {
    pub(super) node: NodeId,
    /// The link works in both directions (`L_SYM_time`).
    sym_until: Time,
    /// Messages of the neighbor arrive (`L_ASYM_time`).
    asym_until: Time,
    /// The link is remembered (`L_time`).
    until: Time,
    /// The neighbor has this node as MPR (`MS_time`).
    selector_until: Time,
    /// Whether the node counts as symmetric: until the end of `sym_until` is processed.
    pub(super) is_symmetric: bool,
    pub(super) willingness: u8,
    /// Whether this node has the neighbor as MPR.
    pub(super) is_mpr: bool,
    /// Neighbors of the neighbor, by number.
    pub(super) two_hop: Vec<TwoHop>,
    /// HELLO messages that have arrived.
    window: Window,
    /// Share of this node's HELLO messages that arrive there, as the neighbor states it.
    nlq: u8,
}

/// A node two hops away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TwoHop {
    pub(super) node: NodeId,
    until: Time,
    /// Cost of the link between the neighbor and the node, if it can be used.
    pub(super) cost: Option<Cost>,
}

/// What an event has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Symmetric neighbors or nodes two hops away: MPRs and routes may change.
    pub(super) neighborhood: bool,
    /// MPR selectors.
    pub(super) selectors: bool,
}

/// All neighbors, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbors {
    all: Vec<Neighbor>,
}

impl Neighbor {
    fn new(node: NodeId) -> Neighbor {
        Neighbor {
            node,
            sym_until: Time::ZERO,
            asym_until: Time::ZERO,
            until: Time::ZERO,
            selector_until: Time::ZERO,
            is_symmetric: false,
            willingness: 0,
            is_mpr: false,
            two_hop: Vec::new(),
            window: Window::default(),
            nlq: 0,
        }
    }

    /// Whether the neighbor has this node as MPR.
    pub(super) fn is_selector(&self) -> bool {
        self.selector_until > Time::ZERO
    }

    /// Quality of the link.
    pub(super) fn quality(&self, now: Time, config: &OlsrConfig) -> Quality {
        Quality { lq: self.window.quality(now, config.etx_window), nlq: self.nlq }
    }

    /// The link as a HELLO message lists it.
    fn listed(&self, now: Time, config: &OlsrConfig) -> Link {
        let link = match (self.is_symmetric, self.asym_until > now) {
            (true, _) => LinkType::Sym,
            (false, true) => LinkType::Asym,
            (false, false) => LinkType::Lost,
        };
        let neighbor = match (self.is_symmetric, self.is_mpr) {
            (true, true) => NeighborType::Mpr,
            (true, false) => NeighborType::Sym,
            (false, _) => NeighborType::Not,
        };
        let quality = if config.has_quality() { self.quality(now, config) } else { Quality::default() };
        Link { to: self.node, link, neighbor, quality }
    }

    /// The link has ended: so does what the neighbor has stated (RFC 3626 section 8.5).
    fn lose(&mut self) -> Changes {
        let changes = Changes { neighborhood: self.is_symmetric, selectors: self.is_selector() };
        self.sym_until = Time::ZERO;
        self.selector_until = Time::ZERO;
        self.is_symmetric = false;
        self.is_mpr = false;
        self.two_hop.clear();
        changes
    }

    /// Link sensing (RFC 3626 section 7.1.1). `own` is the receiver as the neighbor lists it.
    fn sense(&mut self, own: Option<&Link>, now: Time, validity: Span, hold: Span) -> Changes {
        self.asym_until = now + validity;
        let mut changes = Changes::default();
        match own.map(|own| own.link) {
            Some(LinkType::Lost) => changes = self.lose(),
            Some(LinkType::Asym | LinkType::Sym) => {
                changes.neighborhood = !self.is_symmetric;
                self.is_symmetric = true;
                self.sym_until = now + validity;
                self.until = self.sym_until + hold;
            }
            None => {}
        }
        self.until = self.until.max(self.asym_until);
        changes
    }

    /// Nodes two hops away (RFC 3626 section 8.2.1). Returns whether there are others, or at other costs, than before.
    fn update_two_hop(&mut self, own: NodeId, hello: &Hello, until: Time) -> bool {
        let mut has_changed = false;
        for link in hello.links.iter().filter(|link| link.to != own) {
            let found = self.two_hop.binary_search_by_key(&link.to, |known| known.node);
            let cost = if hello.has_quality { link.quality.cost() } else { None };
            let now = TwoHop { node: link.to, until, cost };
            match (found, link.neighbor) {
                (Ok(index), NeighborType::Not) => {
                    self.two_hop.remove(index);
                    has_changed = true;
                }
                (Ok(index), _) => {
                    has_changed |= self.two_hop[index].cost != cost;
                    self.two_hop[index] = now;
                }
                (Err(_), NeighborType::Not) => {}
                (Err(index), _) => {
                    self.two_hop.insert(index, now);
                    has_changed = true;
                }
            }
        }
        has_changed
    }

    /// Ends of properties that come next.
    fn ends(&self) -> impl Iterator<Item = Time> {
        let own = [(self.is_symmetric, self.sym_until), (self.is_selector(), self.selector_until), (true, self.until)];
        let own = own.into_iter().filter(|&(holds, _)| holds).map(|(_, until)| until);
        own.chain(self.two_hop.iter().map(|node| node.until))
    }
}

impl Changes {
    /// Adds the changes of another event.
    pub(super) fn add(&mut self, other: Changes) {
        self.neighborhood |= other.neighborhood;
        self.selectors |= other.selectors;
    }
}

impl Neighbors {
    /// All, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Neighbor> {
        self.all.iter()
    }

    /// All, by number, to change which are MPRs.
    pub(super) fn as_mut_slice(&mut self) -> &mut [Neighbor] {
        &mut self.all
    }

    /// The neighbor with this number, if it is known.
    pub(super) fn get(&self, node: NodeId) -> Option<&Neighbor> {
        self.all.binary_search_by_key(&node, |neighbor| neighbor.node).ok().map(|index| &self.all[index])
    }

    /// A HELLO message of `from` has arrived at node `own`.
    pub(super) fn on_hello(
        &mut self,
        own: NodeId,
        from: NodeId,
        (hello, validity): (&Hello, Span),
        now: Time,
        config: &OlsrConfig,
    ) -> Changes {
        let index = self.all.binary_search_by_key(&from, |neighbor| neighbor.node).unwrap_or_else(|index| {
            self.all.insert(index, Neighbor::new(from));
            index
        });
        let neighbor = &mut self.all[index];
        let listed = hello.links.binary_search_by_key(&own, |link| link.to).ok().map(|index| &hello.links[index]);
        let mut changes = neighbor.sense(listed, now, validity, config.neighbor_hold());
        changes.neighborhood |= neighbor.is_symmetric && neighbor.willingness != hello.willingness;
        neighbor.willingness = hello.willingness;
        if hello.has_quality {
            let before = neighbor.quality(now, config);
            neighbor.window.arrive(now, hello.interval.span());
            neighbor.nlq = listed.map_or(0, |own| own.quality.lq);
            changes.neighborhood |= neighbor.is_symmetric && neighbor.quality(now, config) != before;
        }
        if neighbor.is_symmetric {
            changes.neighborhood |= neighbor.update_two_hop(own, hello, now + validity);
        }
        if listed.is_some_and(|own| own.neighbor == NeighborType::Mpr) {
            changes.selectors |= !neighbor.is_selector();
            neighbor.selector_until = now + validity;
        }
        changes
    }

    /// The MAC has lost the link to a node. It is listed as lost for `hold` (RFC 3626 section 13).
    pub(super) fn on_loss(&mut self, node: NodeId, now: Time, hold: Span) -> Changes {
        let Ok(index) = self.all.binary_search_by_key(&node, |neighbor| neighbor.node) else {
            return Changes::default();
        };
        let neighbor = &mut self.all[index];
        neighbor.asym_until = Time::ZERO;
        neighbor.until = now + hold;
        neighbor.lose()
    }

    /// Removes what has ended.
    pub(super) fn expire(&mut self, now: Time) -> Changes {
        let mut changes = Changes::default();
        self.all.retain_mut(|neighbor| {
            if neighbor.is_symmetric && neighbor.sym_until <= now {
                changes.add(neighbor.lose());
            }
            if neighbor.is_selector() && neighbor.selector_until <= now {
                neighbor.selector_until = Time::ZERO;
                changes.selectors = true;
            }
            let before = neighbor.two_hop.len();
            neighbor.two_hop.retain(|node| node.until > now);
            changes.neighborhood |= neighbor.two_hop.len() < before;
            neighbor.until > now
        });
        changes
    }

    /// The first time at which something ends; [`Time::NEVER`] if there is nothing.
    pub(super) fn next_end(&self) -> Time {
        self.all.iter().flat_map(Neighbor::ends).min().unwrap_or(Time::NEVER)
    }

    /// Links for a HELLO message.
    pub(super) fn listed(&self, now: Time, config: &OlsrConfig) -> Vec<Link> {
        self.all.iter().map(|neighbor| neighbor.listed(now, config)).collect()
    }
}
