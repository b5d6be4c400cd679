//! What a node knows of originators of messages: their links (RFC 3626 section 9.2), the hosts behind them (section 12.3), and
//! the numbers of their last messages (section 3.4, the duplicate set).

use super::message::{Advertised, Tc};
use crate::kernel::{NodeId, Span, Time};
use std::sync::Arc;

/// An originator.
#[derive(Clone, Debug)]
pub(super) struct Originator {
    pub(super) node: NodeId,
    seen: Seen,
    /// Messages by the own radio over which they arrived, then those that were forwarded; none with one radio.
    seen_over: Vec<Seen>,
    /// Its links, and when they end. Tuples of the RFC (`T_last_addr`) with one number and time.
    links: Option<(Arc<Tc>, Time)>,
    /// Hosts whose gateway it is, and when they end.
    hosts: Option<(Arc<[NodeId]>, Time)>,
}

/// Numbers of the last messages of an originator.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The highest one.
    highest: u16,
    /// Whether each of the 64 up to it was seen, the highest in the lowest bit; 0 before the first.
    mask: u64,
    /// Arrival of the last one.
    at: Time,
}

/// All originators.
#[derive(Clone, Debug, Default)]
pub(super) struct Topology {
    known: Vec<Originator>,
    /// Positions by node number, plus one; 0 for none.
    positions: Vec<u32>,
}

/// Time for which a message is remembered (RFC 3626 section 18.3: `DUP_HOLD_TIME`).
const DUP_HOLD: Span = Span::from_millis(30_000);

/// Whether number `a` is newer than `b` (RFC 3626 section 19).
fn is_newer(a: u16, b: u16) -> bool {
    (a.wrapping_sub(b) as i16) > 0
}

impl Seen {
    fn contains(self, seq: u16, now: Time) -> bool {
        if self.mask == 0 || now.since(self.at) > DUP_HOLD || is_newer(seq, self.highest) {
            return false;
        }
        let age = self.highest.wrapping_sub(seq);
        // Numbers before the window are as old as messages get.
        age >= 64 || self.mask >> age & 1 == 1
    }

    fn insert(&mut self, seq: u16, now: Time) {
        if self.mask == 0 || now.since(self.at) > DUP_HOLD {
            (self.highest, self.mask) = (seq, 1);
        } else if is_newer(seq, self.highest) {
            let step = u32::from(seq.wrapping_sub(self.highest));
            self.mask = self.mask.checked_shl(step).unwrap_or(0) | 1;
            self.highest = seq;
        } else {
            self.mask |= 1_u64.checked_shl(u32::from(self.highest.wrapping_sub(seq))).unwrap_or(0);
        }
        self.at = now;
    }
}

impl Topology {
    /// The originator with this number, if it is known.
    pub(super) fn get(&self, node: NodeId) -> Option<&Originator> {
        let position = *self.positions.get(node.index())?;
        position.checked_sub(1).map(|position| &self.known[position as usize])
    }

    fn entry(&mut self, node: NodeId) -> &mut Originator {
        if self.positions.len() <= node.index() {
            self.positions.resize(node.index() + 1, 0);
        }
        let position = &mut self.positions[node.index()];
        if *position == 0 {
            self.known.push(Originator {
                node,
                seen: Seen::default(),
                seen_over: Vec::new(),
                links: None,
                hosts: None,
            });
            *position = self.known.len() as u32;
        }
        &mut self.known[*position as usize - 1]
    }

    /// Whether a message was considered before.
    pub(super) fn is_duplicate(&self, origin: NodeId, seq: u16, now: Time) -> bool {
        self.get(origin).is_some_and(|origin| origin.seen.contains(seq, now))
    }

    /// Remembers a message.
    pub(super) fn note(&mut self, origin: NodeId, seq: u16, now: Time) {
        self.entry(origin).seen.insert(seq, now);
    }

    /// A message has arrived over radio `index` of several, `count` in all. Returns whether it may be forwarded: it was not, and is
    /// new over this radio (RFC 3626 section 3.4, `D_iface_list` and `D_retransmitted`).
    pub(super) fn note_over(
        &mut self,
        (origin, seq): (NodeId, u16),
        (index, count): (usize, usize),
        now: Time,
    ) -> bool {
        let seen_over = &mut self.entry(origin).seen_over;
        seen_over.resize(count + 1, Seen::default());
        let is_known = seen_over[index].contains(seq, now);
        seen_over[index].insert(seq, now);
        !is_known && !seen_over[count].contains(seq, now)
    }

    /// A message of several radios is forwarded.
    pub(super) fn note_forwarded(&mut self, (origin, seq): (NodeId, u16), now: Time) {
        if let Some(forwarded) = self.entry(origin).seen_over.last_mut() {
            forwarded.insert(seq, now);
        }
    }

    /// A TC message has arrived (RFC 3626 section 9.5). Returns whether links have changed that matter, by their other end, or
    /// the quality of links.
    pub(super) fn on_tc(
        &mut self,
        origin: NodeId,
        tc: &Arc<Tc>,
        until: Time,
        matters: impl Fn(NodeId) -> bool,
    ) -> bool {
        let origin = self.entry(origin);
        if let Some((known, _)) = &origin.links
            && is_newer(known.ansn, tc.ansn)
        {
            return false;
        }
        let before = origin.links.replace((Arc::clone(tc), until));
        let known = before.as_ref().map_or(&[][..], |(known, _)| &known.to[..]);
        if tc.has_quality {
            return known != tc.to;
        }
        let differs = |a: &[Advertised], b: &[Advertised]| {
            let is_new = |to: NodeId| b.binary_search_by_key(&to, |link| link.to).is_err();
            a.iter().any(|link| is_new(link.to) && matters(link.to))
        };
        differs(known, &tc.to) || differs(&tc.to, known)
    }

    /// A HNA message has arrived (RFC 3626 section 12.5). Returns whether hosts have changed.
    pub(super) fn on_hna(&mut self, origin: NodeId, hosts: &Arc<[NodeId]>, until: Time) -> bool {
        let before = self.entry(origin).hosts.replace((Arc::clone(hosts), until));
        before.is_none_or(|(known, _)| known != *hosts)
    }

    /// Removes what has ended. Returns whether there was any.
    pub(super) fn expire(&mut self, now: Time) -> bool {
        let mut has_changed = false;
        for origin in &mut self.known {
            has_changed |= origin.links.take_if(|(_, until)| *until <= now).is_some();
            has_changed |= origin.hosts.take_if(|(_, until)| *until <= now).is_some();
        }
        has_changed
    }

    /// The first time at which something ends; [`Time::NEVER`] if there is nothing.
    pub(super) fn next_end(&self) -> Time {
        let ends = self.known.iter().flat_map(|origin| {
            let links = origin.links.as_ref().map(|&(_, until)| until);
            links.into_iter().chain(origin.hosts.as_ref().map(|&(_, until)| until))
        });
        ends.min().unwrap_or(Time::NEVER)
    }

    /// The hosts behind a node.
    pub(super) fn hosts_of(&self, gateway: NodeId) -> Option<&[NodeId]> {
        self.get(gateway)?.hosts.as_ref().map(|(hosts, _)| &**hosts)
    }

    /// Gateways with the hosts behind them, in the order of their first messages.
    pub(super) fn gateways(&self) -> impl Iterator<Item = (NodeId, &[NodeId])> {
        self.known.iter().filter_map(|origin| origin.hosts.as_ref().map(|(hosts, _)| (origin.node, &**hosts)))
    }
}

impl Originator {
    /// Its links; none if it has stated none.
    pub(super) fn links(&self) -> Option<&Tc> {
        self.links.as_ref().map(|(tc, _)| &**tc)
    }
}

#[cfg(test)]
mod tests {
    use super::super::quality::Quality;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const NODE: NodeId = NodeId(4);

    fn tc(ansn: u16, to: &[u32]) -> Arc<Tc> {
        let link = |&to: &u32| Advertised { to: NodeId(to), quality: Quality::default() };
        Arc::new(Tc { ansn, to: to.iter().map(link).collect(), has_quality: false })
    }

    fn links(topology: &Topology) -> Vec<u32> {
        let links = topology.get(NODE).and_then(Originator::links);
        links.map_or(Vec::new(), |tc| tc.to.iter().map(|link| link.to.0).collect())
    }

    #[test]
    fn older_links_are_ignored_across_the_wrap() {
        let mut topology = Topology::default();
        let until = Time::from_secs(15.0);
        let mut on_tc = |tc, matters: fn(NodeId) -> bool| topology.on_tc(NODE, &tc, until, matters);
        assert!(on_tc(tc(65_535, &[1, 2]), |_| true));
        assert!(!on_tc(tc(65_535, &[1, 2]), |_| true), "a refresh");
        assert!(on_tc(tc(0, &[2]), |_| true), "newer than 65535");
        assert!(!on_tc(tc(65_535, &[1, 2]), |_| true));
        assert!(!on_tc(tc(1, &[2, 3]), |to| to == NodeId(2)), "the link to 3 is new, and does not matter");
        assert!(on_tc(tc(2, &[3]), |to| to == NodeId(2)), "that to 2 is gone");
        assert_eq!(links(&topology), [3]);
    }

    #[test]
    fn links_end_at_their_time() {
        let mut topology = Topology::default();
        let (early, late) = (Time::from_secs(15.0), Time::from_secs(17.0));
        topology.on_tc(NODE, &tc(1, &[1]), early, |_| true);
        topology.on_tc(NODE, &tc(1, &[1]), late, |_| true);
        let hosts: Arc<[NodeId]> = Arc::new([NodeId(9)]);
        topology.on_hna(NODE, &hosts, early);
        assert_eq!(topology.next_end(), early);
        assert!(topology.expire(early) && !topology.expire(early));
        assert_eq!((links(&topology), topology.gateways().count()), (vec![1], 0));
        assert!(topology.expire(late));
        assert_eq!((links(&topology), topology.next_end()), (vec![], Time::NEVER));
    }

    #[test]
    fn duplicate_is_forgotten_after_30_s() {
        let mut topology = Topology::default();
        topology.note(NODE, 7, Time::from_secs(1.0));
        assert!(topology.is_duplicate(NODE, 7, Time::from_secs(31.0)));
        assert!(!topology.is_duplicate(NODE, 7, Time::from_secs(31.1)));
        assert!(!topology.is_duplicate(NodeId(5), 7, Time::from_secs(1.0)));
    }

    proptest! {
        #[test]
        fn numbers_are_seen_once(first: u16, steps in proptest::collection::vec(0u16..40, 1..200)) {
            let (mut seen, mut all) = (Seen::default(), BTreeSet::new());
            // Numbers grow, with others up to 30 behind.
            for (count, step) in steps.into_iter().enumerate() {
                let seq = first.wrapping_add(10 * count as u16).wrapping_sub(step.min(30));
                let now = Time::from_secs(count as f64 * 0.1);
                prop_assert_eq!(seen.contains(seq, now), all.contains(&seq));
                seen.insert(seq, now);
                all.insert(seq);
            }
        }
    }
}
