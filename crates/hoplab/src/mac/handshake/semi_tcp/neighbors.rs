//! The neighbor table: which neighbors are congested, by the frames that were decoded (Cai 2013, sections 3.2 to 3.4).
//!
//! An indication of congestion ends with time, with data frames of that neighbor, or with a frame that clears it. The table
//! also stores the CTSCs that were sent and received, which Algorithm 2 permits once until they are repaid.

use crate::kernel::{RadioId, Span, Time};

/// Neighbors by number, and one entry for indications of unknown senders.
#[derive(Clone, Debug)]
pub(super) struct Neighbors {
    known: Vec<Neighbor>,
    /// Indications of unknown senders; of all, if the table is global.
    anonymous: Indication,
    rules: Rules,
}

/// Rules of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// One entry for the whole neighborhood.
    pub(super) is_global: bool,
    /// Data frames after which an indication is over.
    pub(super) k: u32,
    /// Time after which it is over.
    pub(super) hold: Span,
    /// Time after which a CTSC no longer prevents the next.
    pub(super) granted_ttl: Span,
}

/// One neighbor.
#[derive(Clone, Copy, Debug)]
struct Neighbor {
    id: RadioId,
    heard_at: Time,
    indication: Indication,
    /// When this node has sent it a CTSC, unless that is repaid.
    granted: Option<Time>,
    /// It has sent this node a CTSC that is not repaid.
    owes_cts: bool,
}

/// The last indication of congestion, while it is valid.
#[derive(Clone, Copy, Debug, Default)]
struct Indication {
    expires: Option<Time>,
    /// Data frames decoded since.
    sent_since: u32,
}

/// Neighbors without a decoded frame for this long are removed.
const REMOVE_AFTER: Span = Span::from_millis(60_000);

impl Neighbors {
    pub(super) fn new(rules: Rules) -> Neighbors {
        Neighbors { known: Vec::new(), anonymous: Indication::default(), rules }
    }

    /// Number of neighbors.
    pub(super) fn len(&self) -> u32 {
        self.known.len() as u32
    }

    /// A frame of this neighbor was decoded.
    pub(super) fn refresh(&mut self, now: Time, id: RadioId) {
        self.entry(now, id).heard_at = now;
    }

    /// `id`, or an unknown neighbor, is congested.
    pub(super) fn mark(&mut self, now: Time, id: Option<RadioId>) {
        let expires = Some(now + self.rules.hold);
        *self.indication(now, id) = Indication { expires, sent_since: 0 };
    }

    /// `id` is not congested. Returns whether it counted as congested.
    pub(super) fn clear(&mut self, now: Time, id: RadioId) -> bool {
        let indication = self.indication(now, Some(id));
        let was_there = indication.expires.is_some_and(|expires| now < expires);
        *indication = Indication::default();
        was_there
    }

    /// Clears a global table.
    pub(super) fn clear_global(&mut self) {
        if self.rules.is_global {
            self.anonymous = Indication::default();
        }
    }

    /// A data frame of `id` was decoded. Returns whether an indication expires with it.
    pub(super) fn count(&mut self, now: Time, id: RadioId) -> bool {
        let k = self.rules.k;
        let own = !self.rules.is_global && self.indication(now, Some(id)).count(k);
        self.anonymous.count(k) || own
    }

    /// Until when `id` counts as congested, if it does.
    pub(super) fn congested_until(&self, now: Time, id: RadioId) -> Option<Time> {
        if self.rules.is_global {
            return self.anonymous.valid_until(now);
        }
        self.find(id).and_then(|neighbor| neighbor.indication.valid_until(now))
    }

    /// Until when any neighbor counts as congested, if one does.
    pub(super) fn any_congested_until(&self, now: Time) -> Option<Time> {
        let known = self.known.iter().filter_map(|neighbor| neighbor.indication.valid_until(now)).max();
        known.max(self.anonymous.valid_until(now))
    }

    /// This node has sent a CTSC to `id`.
    pub(super) fn grant(&mut self, now: Time, id: RadioId) {
        self.entry(now, id).granted = Some(now);
    }

    /// Whether such a grant is still valid.
    pub(super) fn is_granted(&self, now: Time, id: RadioId) -> bool {
        let ttl = self.rules.granted_ttl;
        self.find(id).and_then(|neighbor| neighbor.granted).is_some_and(|at| now < at + ttl)
    }

    /// Clears such a grant.
    pub(super) fn clear_grant(&mut self, id: RadioId) {
        if let Some(neighbor) = self.find_mut(id) {
            neighbor.granted = None;
        }
    }

    /// This node has received a CTSC of `id`.
    pub(super) fn receive_ctsc(&mut self, now: Time, id: RadioId) {
        let neighbor = self.entry(now, id);
        neighbor.granted = None;
        neighbor.owes_cts = true;
    }

    /// Whether a CTSC of `id` is not repaid; it is repaid now.
    pub(super) fn repay(&mut self, id: RadioId) -> bool {
        self.find_mut(id).is_some_and(|neighbor| std::mem::take(&mut neighbor.owes_cts))
    }

    /// `id` is out of range.
    pub(super) fn remove(&mut self, id: RadioId) {
        self.known.retain(|neighbor| neighbor.id != id);
    }

    fn indication(&mut self, now: Time, id: Option<RadioId>) -> &mut Indication {
        match id {
            Some(id) if !self.rules.is_global => &mut self.entry(now, id).indication,
            _ => &mut self.anonymous,
        }
    }

    fn find(&self, id: RadioId) -> Option<&Neighbor> {
        let index = self.known.binary_search_by_key(&id, |neighbor| neighbor.id).ok()?;
        self.known.get(index)
    }

    fn find_mut(&mut self, id: RadioId) -> Option<&mut Neighbor> {
        let index = self.known.binary_search_by_key(&id, |neighbor| neighbor.id).ok()?;
        self.known.get_mut(index)
    }

    fn entry(&mut self, now: Time, id: RadioId) -> &mut Neighbor {
        if let Ok(index) = self.known.binary_search_by_key(&id, |neighbor| neighbor.id) {
            return &mut self.known[index];
        }
        self.known.retain(|neighbor| now < neighbor.heard_at + REMOVE_AFTER);
        let index = self.known.partition_point(|neighbor| neighbor.id < id);
        let indication = Indication::default();
        self.known.insert(index, Neighbor { id, heard_at: now, indication, granted: None, owes_cts: false });
        &mut self.known[index]
    }
}

impl Indication {
    fn valid_until(&self, now: Time) -> Option<Time> {
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

    const A: RadioId = RadioId(4);
    const B: RadioId = RadioId(7);

    fn table(is_global: bool, k: u32) -> Neighbors {
        let hold = Span::from_millis(6);
        Neighbors::new(Rules { is_global, k, hold, granted_ttl: Span::from_millis(1000) })
    }

    fn at(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    #[test]
    fn indication_expires_with_time_or_k_data_frames() {
        for k in 1..=3 {
            let mut table = table(false, k);
            table.mark(at(0), Some(A));
            assert_eq!(table.congested_until(at(5), A), Some(at(6)));
            assert_eq!(table.congested_until(at(6), A), None);
            table.mark(at(10), Some(A));
            for nth in 1..=k {
                assert!(table.congested_until(at(11), A).is_some());
                assert!(!table.count(at(11), B), "data of another neighbor do not count");
                assert_eq!(table.count(at(11), A), nth == k);
            }
            assert_eq!(table.any_congested_until(at(11)), None);
            assert!(!table.count(at(11), A), "the indication has expired");
        }
    }

    #[test]
    fn global_table_counts_data_of_any_neighbor() {
        let mut table = table(true, 1);
        table.mark(at(0), Some(A));
        assert_eq!(table.congested_until(at(1), B), Some(at(6)));
        assert!(table.count(at(1), B));
        assert_eq!(table.any_congested_until(at(1)), None);
    }

    #[test]
    fn anonymous_indication_expires_with_data_of_any_neighbor() {
        let mut table = table(false, 1);
        table.mark(at(0), None);
        assert_eq!((table.congested_until(at(1), A), table.any_congested_until(at(1))), (None, Some(at(6))));
        assert!(table.count(at(1), B));
        assert_eq!(table.any_congested_until(at(1)), None);
    }

    #[test]
    fn ctsc_grant_expires_and_ctsc_is_repaid_once() {
        let mut table = table(false, 1);
        table.grant(at(0), A);
        assert!(table.is_granted(at(999), A) && !table.is_granted(at(1000), A));
        table.grant(at(0), A);
        table.receive_ctsc(at(1), A);
        assert!(!table.is_granted(at(2), A));
        assert!(table.repay(A) && !table.repay(A) && !table.repay(B));
        table.mark(at(3), Some(A));
        table.remove(A);
        assert_eq!((table.congested_until(at(4), A), table.len()), (None, 0));
    }

    #[test]
    fn clear_reports_only_a_valid_indication() {
        for (millis, was_congested) in [(5, true), (6, false)] {
            let mut table = table(false, 1);
            table.mark(at(0), Some(A));
            assert_eq!(table.clear(at(millis), A), was_congested);
        }
    }

    #[test]
    fn neighbor_without_frames_for_a_minute_is_removed() {
        let mut table = table(false, 1);
        table.refresh(at(0), A);
        table.refresh(at(59_000), B);
        assert_eq!(table.len(), 2);
        table.refresh(at(60_000), RadioId(9));
        assert_eq!(table.len(), 2);
    }
}
