//! Neighbors, nodes two hops away and MPR selectors of one node (RFC 3626 sections 8.1, 8.2 and 8.4): one entry per neighbor
//! holds all of it, with the links to its radios.

use super::super::config::OlsrConfig;
use super::super::message::{Hello, Link, LinkType, NeighborType};
use super::super::quality::{Cost, Quality};
use super::interfaces::Interfaces;
use super::links::{Sensed, SensedLink};
use crate::kernel::{NodeId, RadioId, Radios, Span, Time};
use smallvec::SmallVec;

/// A neighbor and what it has stated. Times are those at which a property ends; it holds before.
#[derive(Clone, Debug)]
pub(in super::super) struct Neighbor {
    pub(in super::super) node: NodeId,
    /// Links to its radios, by number.
    links: SmallVec<[SensedLink; 1]>,
    /// The neighbor has this node as MPR (`MS_time`).
    selector_until: Time,
    /// Whether a link is symmetric.
    pub(in super::super) is_symmetric: bool,
    pub(in super::super) willingness: u8,
    /// Whether this node has the neighbor as MPR.
    pub(in super::super) is_mpr: bool,
    /// Neighbors of the neighbor, by address.
    pub(in super::super) two_hop: Vec<TwoHop>,
}

/// A node two hops away: its main address, or that of a radio of an unknown node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct TwoHop {
    pub(in super::super) address: RadioId,
    until: Time,
    /// Cost of the link between the neighbor and the node, if it can be used.
    pub(in super::super) cost: Option<Cost>,
}

/// What an event has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Changes {
    /// Symmetric links or nodes two hops away: MPRs and routes may change.
    pub(in super::super) neighborhood: bool,
    /// MPR selectors.
    pub(in super::super) selectors: bool,
}

/// A HELLO message that has arrived.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Heard<'a> {
    pub(in super::super) hello: &'a Hello,
    pub(in super::super) validity: Span,
    /// The node that sent it.
    pub(in super::super) origin: NodeId,
    /// Its radio.
    pub(in super::super) from: RadioId,
}

/// The node that handles an event.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Here<'a> {
    pub(in super::super) node: NodeId,
    pub(in super::super) radios: &'a Radios,
    pub(in super::super) interfaces: &'a Interfaces,
    pub(in super::super) config: &'a OlsrConfig,
    pub(in super::super) now: Time,
}

/// All neighbors, by number.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Neighbors {
    all: Vec<Neighbor>,
}

impl Neighbor {
    fn new(node: NodeId) -> Neighbor {
        Neighbor {
            node,
            links: SmallVec::new(),
            selector_until: Time::ZERO,
            is_symmetric: false,
            willingness: 0,
            is_mpr: false,
            two_hop: Vec::new(),
        }
    }

    /// Whether the neighbor has this node as MPR.
    pub(in super::super) fn is_selector(&self) -> bool {
        self.selector_until > Time::ZERO
    }

    /// Links that work in both directions.
    pub(in super::super) fn symmetric(&self) -> impl Iterator<Item = &SensedLink> {
        self.links.iter().filter(|link| link.is_symmetric)
    }

    /// The radio for packets by hops: the first one with a symmetric link, of a symmetric neighbor.
    pub(in super::super) fn first_radio(&self) -> Option<RadioId> {
        self.symmetric().next().map(|link| link.radio)
    }

    /// The symmetric link of the lowest cost, of these the first one. Links that cannot be used come last.
    pub(in super::super) fn best_link(&self, now: Time, config: &OlsrConfig) -> Option<&SensedLink> {
        let usual = self.symmetric().min_by_key(|link| link.cost(now, config).unwrap_or(Cost::MAX));
        usual.or_else(|| self.links.first())
    }

    fn type_of(&self) -> NeighborType {
        match (self.is_symmetric, self.is_mpr) {
            (true, true) => NeighborType::Mpr,
            (true, false) => NeighborType::Sym,
            (false, _) => NeighborType::Not,
        }
    }

    /// The link to one of its radios, which is added if it is new.
    fn link_mut(&mut self, radio: RadioId) -> &mut SensedLink {
        let index = self.links.binary_search_by_key(&radio, |link| link.radio).unwrap_or_else(|index| {
            self.links.insert(index, SensedLink::new(radio));
            index
        });
        &mut self.links[index]
    }

    /// A link has ended: with the last one, so does what the neighbor has stated (RFC 3626 section 8.5).
    fn lose_link(&mut self, was_symmetric: bool) -> Changes {
        if self.symmetric().next().is_some() {
            return Changes { neighborhood: was_symmetric, selectors: false };
        }
        let changes = Changes { neighborhood: self.is_symmetric, selectors: self.is_selector() };
        self.selector_until = Time::ZERO;
        self.is_symmetric = false;
        self.is_mpr = false;
        self.two_hop.clear();
        changes
    }

    /// Nodes two hops away (RFC 3626 section 8.2.1). Returns whether there are others, or at other costs, than before.
    fn update_two_hop(&mut self, here: &Here<'_>, hello: &Hello, until: Time) -> bool {
        if here.radios.has_several() {
            let mut has_changed = false;
            for (address, neighbor, cost) in by_node(here, hello) {
                has_changed |= self.update_one(address, neighbor, cost, until);
            }
            return has_changed;
        }
        let mut has_changed = false;
        let own = here.radios.first(here.node);
        for link in hello.links.iter().filter(|link| link.to != own) {
            let cost = if hello.has_quality { link.quality.cost() } else { None };
            has_changed |= self.update_one(link.to, link.neighbor, cost, until);
        }
        has_changed
    }

    #[inline]
    fn update_one(&mut self, address: RadioId, neighbor: NeighborType, cost: Option<Cost>, until: Time) -> bool {
        let found = self.two_hop.binary_search_by_key(&address, |known| known.address);
        let now = TwoHop { address, until, cost };
        match (found, neighbor) {
            (Ok(index), NeighborType::Not) => {
                self.two_hop.remove(index);
                true
            }
            (Ok(index), _) => {
                let has_changed = self.two_hop[index].cost != cost;
                self.two_hop[index] = now;
                has_changed
            }
            (Err(_), NeighborType::Not) => false,
            (Err(index), _) => {
                self.two_hop.insert(index, now);
                true
            }
        }
    }

    /// An address two hops away turns out to be a radio of the node with address `main`. Returns whether it was there.
    fn rename(&mut self, radio: RadioId, main: RadioId, own: RadioId) -> bool {
        let Ok(index) = self.two_hop.binary_search_by_key(&radio, |known| known.address) else { return false };
        let known = self.two_hop.remove(index);
        if main != own
            && let Err(index) = self.two_hop.binary_search_by_key(&main, |known| known.address)
        {
            self.two_hop.insert(index, TwoHop { address: main, ..known });
        }
        true
    }

    /// Ends of properties that come next.
    fn ends(&self) -> impl Iterator<Item = Time> {
        let selector = self.is_selector().then_some(self.selector_until);
        let links = self.links.iter().flat_map(SensedLink::ends);
        links.chain(selector).chain(self.two_hop.iter().map(|node| node.until))
    }
}

/// Neighbors in a HELLO message by main address, other than the receiver, each once: with the cost of its best link.
fn by_node(here: &Here<'_>, hello: &Hello) -> Vec<(RadioId, NeighborType, Option<Cost>)> {
    let of = |link: &Link| {
        let cost = if hello.has_quality { link.quality.cost() } else { None };
        (here.interfaces.main_of(link.to), link.neighbor, cost)
    };
    let own = |radio: RadioId| here.radios.owner(radio) == here.node;
    let mut all: Vec<_> = hello.links.iter().filter(|link| !own(link.to)).map(of).collect();
    all.sort_unstable_by_key(|&(address, _, cost)| (address, cost.unwrap_or(Cost::MAX)));
    all.dedup_by_key(|&mut (address, ..)| address);
    all
}

impl Changes {
    /// Adds the changes of another event.
    pub(in super::super) fn add(&mut self, other: Changes) {
        self.neighborhood |= other.neighborhood;
        self.selectors |= other.selectors;
    }
}

impl Neighbors {
    /// All, by number.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &Neighbor> {
        self.all.iter()
    }

    /// All, by number, to change which are MPRs.
    pub(in super::super) fn as_mut_slice(&mut self) -> &mut [Neighbor] {
        &mut self.all
    }

    /// The neighbor with this number, if it is known.
    pub(in super::super) fn get(&self, node: NodeId) -> Option<&Neighbor> {
        self.all.binary_search_by_key(&node, |neighbor| neighbor.node).ok().map(|index| &self.all[index])
    }

    /// The neighbor of a radio, if the link to it is symmetric.
    pub(in super::super) fn symmetric_at(&self, node: NodeId, radio: RadioId) -> Option<&Neighbor> {
        self.get(node).filter(|neighbor| neighbor.symmetric().any(|link| link.radio == radio))
    }

    /// A HELLO message has arrived.
    pub(in super::super) fn on_hello(&mut self, here: &Here<'_>, heard: Heard<'_>) -> Changes {
        let Heard { hello, validity, origin, from } = heard;
        let Here { now, config, .. } = *here;
        let index = self.all.binary_search_by_key(&origin, |neighbor| neighbor.node).unwrap_or_else(|index| {
            self.all.insert(index, Neighbor::new(origin));
            index
        });
        let neighbor = &mut self.all[index];
        let own = here.radios.facing(here.node, from);
        let listed = hello.links.binary_search_by_key(&own, |link| link.to).ok().map(|index| &hello.links[index]);
        let link = neighbor.link_mut(from);
        let was_symmetric = link.is_symmetric;
        let mut changes = match link.sense(listed, now, validity, config.neighbor_hold()) {
            Sensed::Same => Changes::default(),
            Sensed::Gained => {
                neighbor.is_symmetric = true;
                Changes { neighborhood: true, selectors: false }
            }
            Sensed::Lost => neighbor.lose_link(was_symmetric),
        };
        changes.neighborhood |= neighbor.is_symmetric && neighbor.willingness != hello.willingness;
        neighbor.willingness = hello.willingness;
        if hello.has_quality {
            let link = neighbor.link_mut(from);
            let before = link.quality(now, config);
            link.window.arrive(now, hello.interval.span());
            link.nlq = listed.map_or(0, |own| own.quality.lq);
            changes.neighborhood |= link.is_symmetric && link.quality(now, config) != before;
        }
        if neighbor.is_symmetric {
            changes.neighborhood |= neighbor.update_two_hop(here, hello, now + validity);
        }
        if selects(here, hello, listed) {
            changes.selectors |= !neighbor.is_selector();
            neighbor.selector_until = now + validity;
        }
        changes
    }

    /// The MAC has lost the link to a radio of a node. It is listed as lost for `hold` (RFC 3626 section 13).
    pub(in super::super) fn on_loss(&mut self, (node, radio): (NodeId, RadioId), now: Time, hold: Span) -> Changes {
        let Ok(index) = self.all.binary_search_by_key(&node, |neighbor| neighbor.node) else {
            return Changes::default();
        };
        let neighbor = &mut self.all[index];
        let Some(link) = neighbor.links.iter_mut().find(|link| link.radio == radio) else { return Changes::default() };
        let was_symmetric = link.is_symmetric;
        link.break_off(now, hold);
        neighbor.lose_link(was_symmetric)
    }

    /// A MID message has made a radio of the node with address `main` known. Returns whether that changes what is two hops away.
    pub(in super::super) fn rename(&mut self, radio: RadioId, main: RadioId, own: RadioId) -> bool {
        let mut changed = false;
        for neighbor in &mut self.all {
            changed |= neighbor.rename(radio, main, own);
        }
        changed
    }

    /// Removes what has ended.
    pub(in super::super) fn expire(&mut self, now: Time) -> Changes {
        let mut changes = Changes::default();
        self.all.retain_mut(|neighbor| {
            let mut ended = false;
            for link in &mut neighbor.links {
                ended |= link.expire(now);
            }
            if ended {
                changes.add(neighbor.lose_link(true));
            }
            if neighbor.is_selector() && neighbor.selector_until <= now {
                neighbor.selector_until = Time::ZERO;
                changes.selectors = true;
            }
            let before = neighbor.two_hop.len();
            neighbor.two_hop.retain(|node| node.until > now);
            changes.neighborhood |= neighbor.two_hop.len() < before;
            neighbor.links.retain(|link| link.is_known(now));
            !neighbor.links.is_empty()
        });
        changes
    }

    /// The first time at which something ends; [`Time::NEVER`] if there is nothing.
    pub(in super::super) fn next_end(&self) -> Time {
        self.all.iter().flat_map(Neighbor::ends).min().unwrap_or(Time::NEVER)
    }

    /// Links for a HELLO message over one of the own radios, by number of the neighbor's radio (RFC 3626 section 6.2). With link
    /// qualities, links of other radios are listed, too, as in olsrd; without, the neighbors that have such links only.
    pub(in super::super) fn listed(&self, here: &Here<'_>, own: RadioId) -> Vec<Link> {
        let Here { now, config, .. } = *here;
        let is_here = |link: &SensedLink| here.radios.facing(here.node, link.radio) == own;
        let mut all = Vec::with_capacity(self.all.len());
        for neighbor in &self.all {
            let state = neighbor.type_of();
            let first = all.len();
            let links = neighbor.links.iter().filter(|link| config.has_quality() || is_here(link));
            all.extend(links.map(|link| link.listed(state, is_here(link), now, config)));
            if all.len() == first {
                let to = here.radios.first(neighbor.node);
                let (link, quality) = (LinkType::Unspecified, Quality::default());
                all.push(Link { to, link, neighbor: state, quality });
            }
        }
        if here.radios.has_several() {
            all.sort_unstable_by_key(|link| link.to);
        }
        all
    }
}

/// Whether a HELLO message lists the receiver as MPR (RFC 3626 section 8.4.1); `listed` is the receiving radio there.
fn selects(here: &Here<'_>, hello: &Hello, listed: Option<&Link>) -> bool {
    let is_mpr = |link: &Link| link.neighbor == NeighborType::Mpr;
    listed.is_some_and(is_mpr)
        || here.radios.has_several()
            && hello.links.iter().any(|link| is_mpr(link) && here.radios.owner(link.to) == here.node)
}
