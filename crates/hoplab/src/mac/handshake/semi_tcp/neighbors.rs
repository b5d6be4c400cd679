//! What a node knows of its neighbors' congestion: who has told of it when, and what was heard from them since.

use crate::kernel::{NodeId, Span, Time};

/// Neighbors by number, and one entry for indications whose sender is unknown.
#[derive(Clone, Debug)]
pub(super) struct Neighbors {
    known: Vec<Neighbor>,
    /// Indications that name nobody; of everybody, if the table is global.
    anonymous: Indication,
    rules: Rules,
}

/// What governs the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// One entry for the whole neighborhood.
    pub(super) is_global: bool,
    /// Data frames after which an indication is over.
    pub(super) k: u32,
    /// Time after which it is over.
    pub(super) hold: Span,
    /// Time after which a grant to a congested neighbor no longer counts.
    pub(super) granted_ttl: Span,
}

/// One neighbor.
#[derive(Clone, Copy, Debug)]
struct Neighbor {
    id: NodeId,
    heard_at: Time,
    indication: Indication,
    /// When this node has granted it a request though both were congested, unless that has been made up for.
    granted: Option<Time>,
    /// It has granted this node a request though both were congested.
    was_helped_by: bool,
}

/// The last indication of congestion, if it still counts.
#[derive(Clone, Copy, Debug, Default)]
struct Indication {
    expires: Option<Time>,
    /// Data frames heard since.
    sent_since: u32,
}

/// Neighbors that have not been heard for this long are forgotten.
const FORGET_AFTER: Span = Span::from_millis(60_000);

impl Neighbors {
    pub(super) fn new(rules: Rules) -> Neighbors {
        Neighbors { known: Vec::new(), anonymous: Indication::default(), rules }
    }

    /// How many are known.
    pub(super) fn len(&self) -> u32 {
        self.known.len() as u32
    }

    /// A frame has come from this neighbor.
    pub(super) fn hear(&mut self, now: Time, id: NodeId) {
        self.entry(now, id).heard_at = now;
    }

    /// `id`, or somebody, is congested.
    pub(super) fn mark(&mut self, now: Time, id: Option<NodeId>) {
        let expires = Some(now + self.rules.hold);
        *self.indication(now, id) = Indication { expires, sent_since: 0 };
    }

    /// `id` has said that it is not congested. Whether that is news.
    pub(super) fn clear(&mut self, now: Time, id: NodeId) -> bool {
        let indication = self.indication(now, Some(id));
        let was_there = indication.expires.is_some_and(|expires| now < expires);
        *indication = Indication::default();
        was_there
    }

    /// Nobody counts as congested in a global table from now on.
    pub(super) fn clear_global(&mut self) {
        if self.rules.is_global {
            self.anonymous = Indication::default();
        }
    }

    /// A data frame was heard from `id`. Whether an indication is over by that.
    pub(super) fn count(&mut self, now: Time, id: NodeId) -> bool {
        let k = self.rules.k;
        let own = !self.rules.is_global && self.indication(now, Some(id)).count(k);
        self.anonymous.count(k) || own
    }

    /// Until when `id` counts as congested, if it does.
    pub(super) fn congested_until(&self, now: Time, id: NodeId) -> Option<Time> {
        if self.rules.is_global {
            return self.anonymous.holds_until(now);
        }
        self.find(id).and_then(|neighbor| neighbor.indication.holds_until(now))
    }

    /// Until when any neighbor counts as congested, if one does.
    pub(super) fn any_congested_until(&self, now: Time) -> Option<Time> {
        let known = self.known.iter().filter_map(|neighbor| neighbor.indication.holds_until(now)).max();
        known.max(self.anonymous.holds_until(now))
    }

    /// This node has granted `id` a request though both were congested.
    pub(super) fn grant(&mut self, now: Time, id: NodeId) {
        self.entry(now, id).granted = Some(now);
    }

    /// Whether such a grant still counts.
    pub(super) fn is_granted(&self, now: Time, id: NodeId) -> bool {
        let ttl = self.rules.granted_ttl;
        self.find(id).and_then(|neighbor| neighbor.granted).is_some_and(|at| now < at + ttl)
    }

    /// It counts no longer.
    pub(super) fn forget_grant(&mut self, id: NodeId) {
        if let Some(neighbor) = self.find_mut(id) {
            neighbor.granted = None;
        }
    }

    /// `id` has granted this node a request though both were congested.
    pub(super) fn be_helped(&mut self, now: Time, id: NodeId) {
        let neighbor = self.entry(now, id);
        neighbor.granted = None;
        neighbor.was_helped_by = true;
    }

    /// Whether `id` has done so and has not been repaid; it is repaid now.
    pub(super) fn repay(&mut self, id: NodeId) -> bool {
        self.find_mut(id).is_some_and(|neighbor| std::mem::take(&mut neighbor.was_helped_by))
    }

    /// `id` is out of reach.
    pub(super) fn remove(&mut self, id: NodeId) {
        self.known.retain(|neighbor| neighbor.id != id);
    }

    fn indication(&mut self, now: Time, id: Option<NodeId>) -> &mut Indication {
        match id {
            Some(id) if !self.rules.is_global => &mut self.entry(now, id).indication,
            _ => &mut self.anonymous,
        }
    }

    fn find(&self, id: NodeId) -> Option<&Neighbor> {
        let place = self.known.binary_search_by_key(&id, |neighbor| neighbor.id).ok()?;
        self.known.get(place)
    }

    fn find_mut(&mut self, id: NodeId) -> Option<&mut Neighbor> {
        let place = self.known.binary_search_by_key(&id, |neighbor| neighbor.id).ok()?;
        self.known.get_mut(place)
    }

    fn entry(&mut self, now: Time, id: NodeId) -> &mut Neighbor {
        if let Ok(place) = self.known.binary_search_by_key(&id, |neighbor| neighbor.id) {
            return &mut self.known[place];
        }
        self.known.retain(|neighbor| now < neighbor.heard_at + FORGET_AFTER);
        let place = self.known.partition_point(|neighbor| neighbor.id < id);
        let indication = Indication::default();
        self.known.insert(place, Neighbor { id, heard_at: now, indication, granted: None, was_helped_by: false });
        &mut self.known[place]
    }
}

impl Indication {
    fn holds_until(&self, now: Time) -> Option<Time> {
        self.expires.filter(|&expires| now < expires)
    }

    fn count(&mut self, k: u32) -> bool {
        if self.expires.is_none() {
            return false;
        }
        self.sent_since += 1;
        let is_over = self.sent_since >= k;
        if is_over {
            *self = Indication::default();
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeId = NodeId(4);
    const B: NodeId = NodeId(7);

    fn table(is_global: bool, k: u32) -> Neighbors {
        let hold = Span::from_millis(6);
        Neighbors::new(Rules { is_global, k, hold, granted_ttl: Span::from_millis(1000) })
    }

    fn at(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    #[test]
    fn an_indication_ends_with_its_time_or_with_k_data_frames() {
        for k in 1..=3 {
            let mut table = table(false, k);
            table.mark(at(0), Some(A));
            assert_eq!(table.congested_until(at(5), A), Some(at(6)));
            assert_eq!(table.congested_until(at(6), A), None);
            table.mark(at(10), Some(A));
            for nth in 1..=k {
                assert!(table.congested_until(at(11), A).is_some());
                assert!(!table.count(at(11), B), "another neighbor's data says nothing");
                assert_eq!(table.count(at(11), A), nth == k);
            }
            assert_eq!(table.any_congested_until(at(11)), None);
            assert!(!table.count(at(11), A), "there is nothing left to count for");
        }
    }

    #[test]
    fn in_a_global_table_anybodys_data_counts() {
        let mut table = table(true, 1);
        table.mark(at(0), Some(A));
        assert_eq!(table.congested_until(at(1), B), Some(at(6)));
        assert!(table.count(at(1), B));
        assert_eq!(table.any_congested_until(at(1)), None);
    }

    #[test]
    fn an_anonymous_indication_is_nobodys_and_ends_with_anybodys_data() {
        let mut table = table(false, 1);
        table.mark(at(0), None);
        assert_eq!((table.congested_until(at(1), A), table.any_congested_until(at(1))), (None, Some(at(6))));
        assert!(table.count(at(1), B));
        assert_eq!(table.any_congested_until(at(1)), None);
    }

    #[test]
    fn grants_are_forgotten_and_help_is_repaid_once() {
        let mut table = table(false, 1);
        table.grant(at(0), A);
        assert!(table.is_granted(at(999), A) && !table.is_granted(at(1000), A));
        table.grant(at(0), A);
        table.be_helped(at(1), A);
        assert!(!table.is_granted(at(2), A));
        assert!(table.repay(A) && !table.repay(A) && !table.repay(B));
        table.mark(at(3), Some(A));
        table.remove(A);
        assert_eq!((table.congested_until(at(4), A), table.len()), (None, 0));
    }

    #[test]
    fn that_all_is_well_is_news_only_while_an_indication_counts() {
        for (millis, is_news) in [(5, true), (6, false)] {
            let mut table = table(false, 1);
            table.mark(at(0), Some(A));
            assert_eq!(table.clear(at(millis), A), is_news);
        }
    }

    #[test]
    fn who_is_silent_for_a_minute_is_forgotten() {
        let mut table = table(false, 1);
        table.hear(at(0), A);
        table.hear(at(59_000), B);
        assert_eq!(table.len(), 2);
        table.hear(at(60_000), NodeId(9));
        assert_eq!(table.len(), 2);
    }
}
