//! Capacity from the samples of a window, per role and, with `per_neighbor`, per neighbor (Barreto 2015, eqs. 9 to 11).

use super::config::WinfConfig;
use crate::kernel::{RadioId, Span, Time};
use std::collections::VecDeque;

/// In which role a node saw an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Sender,
    Receiver,
    Onlooker,
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Sender, Part::Receiver, Part::Onlooker];
}

/// Who reads the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// Either, of the node as a whole.
    Node,
    Sender,
    Router,
}

impl Reader {
    /// The roles whose values it reads. Eq. 10 lowers the Sender's to the Onlooker's.
    fn parts(self) -> &'static [Part] {
        match self {
            Reader::Node => &Part::ALL,
            Reader::Sender => &[Part::Sender, Part::Onlooker],
            Reader::Router => &[Part::Onlooker],
        }
    }
}

/// A completed exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) at: Time,
    pub(super) part: Part,
    /// The neighbors that took part: of an exchange of others, both ends.
    pub(super) ends: [RadioId; 2],
    /// Of the packets that were acknowledged.
    pub(super) bytes: f64,
    /// Seconds that the exchange took.
    pub(super) time: f64,
    /// Mean length of its packets.
    pub(super) packet: f64,
    /// Bytes and time of the frame as it was sent, where `bytes` and `time` are those of a longer one.
    pub(super) sent: Option<(f64, f64)>,
}

impl Sample {
    fn is_of(&self, neighbor: RadioId) -> bool {
        self.ends.contains(&neighbor)
    }
}

/// A neighbor's value as receiver, from its last ACK.
#[derive(Clone, Copy, Debug)]
struct Received {
    by: RadioId,
    at: Time,
    value: f64,
}

/// The samples of the last window, and the values received of neighbors.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    window: Span,
    min_sample: f64,
    is_per_neighbor: bool,
    takes_least: bool,
    kept: VecDeque<Sample>,
    /// The last value of each neighbor; without `per_neighbor`, the last of all.
    received: Vec<Received>,
}

impl Samples {
    pub(super) fn new(config: &WinfConfig) -> Samples {
        Samples {
            window: config.window,
            min_sample: f64::from(config.min_sample.0),
            is_per_neighbor: config.per_neighbor,
            takes_least: config.least_role,
            kept: VecDeque::new(),
            received: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, sample: Sample) {
        while self.kept.front().is_some_and(|old| sample.at.since(old.at) > self.window) {
            self.kept.pop_front();
        }
        self.kept.push_back(sample);
    }

    /// An ACK of a neighbor carries its value.
    pub(super) fn receive(&mut self, at: Time, by: RadioId, value: f64) {
        let received = Received { by, at, value };
        match self.received.iter_mut().find(|old| old.by == by || !self.is_per_neighbor) {
            Some(old) => *old = received,
            None => self.received.push(received),
        }
    }

    /// The last value received, however old: the printed rule has no window.
    pub(super) fn last_received(&self) -> Option<f64> {
        self.received.iter().max_by_key(|received| received.at).map(|received| received.value)
    }

    /// The capacity that a reader has, in bytes per second, if anything has been measured. A reader without an exchange in
    /// its own role in the window has that of the node.
    pub(super) fn capacity(&self, now: Time, reader: Reader) -> Option<f64> {
        let own = reader.parts()[0];
        let reader = if self.recent(now).any(|sample| sample.part == own) { reader } else { Reader::Node };
        if self.is_per_neighbor { self.mean_of_links(now, reader) } else { self.of_roles(now, None, reader) }
    }

    /// What the next MAC ACK carries: the receiver's value, or the onlooker's of the same window if that is smaller (eq. 9);
    /// for the neighbor that has sent the last data.
    pub(super) fn as_receiver(&self, now: Time) -> Option<f64> {
        let last = self.kept.iter().rev().find(|sample| self.takes_least && sample.part == Part::Receiver)?;
        let of = |role| self.windowed(now, |part| part == role, self.is_per_neighbor.then_some(last.ends[0]));
        let own = of(Part::Receiver)?;
        Some(of(Part::Onlooker).map_or(own, |seen| own.min(seen)))
    }

    /// The links to those that this node sent to in the window, each by the time that its bytes take; where it sent
    /// nothing, all links that it knows of.
    fn mean_of_links(&self, now: Time, reader: Reader) -> Option<f64> {
        let mine = self.over_links(now, reader, |sample| sample.part == Part::Sender);
        mine.or_else(|| self.over_links(now, reader, |_| true))
    }

    fn over_links(&self, now: Time, reader: Reader, counts: impl Fn(&Sample) -> bool) -> Option<f64> {
        let mut neighbors: Vec<(RadioId, f64)> = Vec::new();
        for sample in self.recent(now).filter(|sample| counts(sample)) {
            match neighbors.iter_mut().find(|(id, _)| *id == sample.ends[0]) {
                Some((_, bytes)) => *bytes += sample.bytes,
                None => neighbors.push((sample.ends[0], sample.bytes)),
            }
        }
        let (mut bytes, mut time) = (0.0, 0.0);
        for (neighbor, sent) in neighbors {
            if let Some(capacity) = self.of_roles(now, Some(neighbor), reader) {
                bytes += sent;
                time += sent / capacity;
            }
        }
        (time > 0.0).then(|| bytes / time)
    }

    /// The smallest of the roles and of the values received in the window; without `least_role`, all roles together.
    fn of_roles(&self, now: Time, neighbor: Option<RadioId>, reader: Reader) -> Option<f64> {
        if !self.takes_least {
            return self.windowed(now, |_| true, neighbor);
        }
        let is_recent =
            |received: &&Received| neighbor.is_none_or(|id| id == received.by) && now.since(received.at) <= self.window;
        let is_read = reader != Reader::Router;
        let received = self.received.iter().filter(|_| is_read).filter(is_recent).map(|received| received.value);
        let own = reader.parts().iter().filter_map(|role| self.windowed(now, |part| part == *role, neighbor));
        own.chain(received).reduce(f64::min)
    }

    /// Ratio of sums of the exchanges in certain roles, over the window that ends now or at the last sample.
    fn windowed(&self, now: Time, counts: impl Fn(Part) -> bool, neighbor: Option<RadioId>) -> Option<f64> {
        let has_long = self.recent(now).any(|sample| sample.packet >= self.min_sample);
        let counted = self.recent(now).filter(|sample| {
            counts(sample.part)
                && (!has_long || sample.packet >= self.min_sample)
                && neighbor.is_none_or(|id| sample.is_of(id))
        });
        let (bytes, time) = counted.fold((0.0, 0.0), |(b, t), sample| (b + sample.bytes, t + sample.time));
        (time > 0.0).then(|| bytes / time)
    }

    /// The last exchange in a role has lasted longer.
    pub(super) fn lengthen(&mut self, part: Part, by: f64) {
        if let Some(last) = self.kept.iter_mut().rev().find(|sample| sample.part == part) {
            last.time += by;
            last.sent = last.sent.map(|(bytes, time)| (bytes, time + by));
        }
    }

    /// Bytes that own frames of the last `window` could have carried in addition at this capacity.
    pub(super) fn room(&self, now: Time, window: Span, capacity: f64) -> f64 {
        let recent = self.kept.iter().rev().take_while(|sample| now.since(sample.at) <= window);
        let own = recent.filter(|sample| sample.part == Part::Sender && sample.packet >= self.min_sample);
        own.filter_map(|sample| sample.sent).map(|(bytes, time)| (capacity * time - bytes).max(0.0)).sum()
    }

    fn recent(&self, now: Time) -> impl Iterator<Item = &Sample> {
        let newest = self.kept.back().map_or(now, |sample| sample.at);
        let from = if now.since(newest) > self.window { newest } else { now };
        self.kept.iter().filter(move |sample| from.since(sample.at) <= self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR: RadioId = RadioId(1);
    const FAR: RadioId = RadioId(2);

    fn samples(per_neighbor: bool) -> Samples {
        Samples::new(&WinfConfig { per_neighbor, ..WinfConfig::default() })
    }

    fn sample(ms: u64, part: Part, ends: [RadioId; 2], time: f64) -> Sample {
        Sample { at: Time(ms * 1_000_000), part, ends, bytes: 1000.0, time, packet: 1000.0, sent: None }
    }

    /// Three packets to a fast neighbor, one to a slow one; another's exchange with the fast one is slower still.
    fn mixed(per_neighbor: bool) -> Samples {
        let mut found = samples(per_neighbor);
        for ms in [10, 20, 30] {
            found.push(sample(ms, Part::Sender, [NEAR, NEAR], 0.002));
        }
        found.push(sample(40, Part::Sender, [FAR, FAR], 0.010));
        found
    }

    #[test]
    fn capacity_is_that_of_each_link_per_neighbor() {
        let now = Time(50_000_000);
        // 4000 bytes in 16 ms, in either case.
        assert_eq!(mixed(false).capacity(now, Reader::Node), Some(250_000.0));
        assert_eq!(mixed(true).capacity(now, Reader::Node), Some(250_000.0));
        // An overheard slow exchange: without `per_neighbor` the smallest role counts, with it the far neighbor's alone.
        let stranger = RadioId(9);
        for (per_neighbor, expected) in [(false, 50_000.0), (true, 4000.0 / (0.006 + 0.020))] {
            let mut found = mixed(per_neighbor);
            found.push(sample(45, Part::Onlooker, [FAR, stranger], 0.020));
            let capacity = found.capacity(now, Reader::Node).expect("samples");
            assert!((capacity / expected - 1.0).abs() < 1e-9, "{capacity}, {expected}");
        }
    }

    #[test]
    fn value_of_an_ack_counts_for_its_link() {
        let now = Time(50_000_000);
        for (per_neighbor, expected) in [(false, 25_000.0), (true, 4000.0 / (0.006 + 0.040))] {
            let mut found = mixed(per_neighbor);
            found.receive(now, FAR, 25_000.0);
            let capacity = found.capacity(now, Reader::Node).expect("samples");
            assert!((capacity / expected - 1.0).abs() < 1e-9, "{capacity}, {expected}");
            // It expires with the window.
            let later = now + Span::from_millis(1001);
            assert!(found.capacity(later, Reader::Node).expect("the last value") > 90_000.0);
        }
    }

    #[test]
    fn later_value_replaces_that_of_all_links_or_of_its_own() {
        let now = Time(50_000_000);
        for (per_neighbor, expected) in [(false, 30_000.0), (true, 4000.0 / (0.100 + 0.040))] {
            let mut found = mixed(per_neighbor);
            found.receive(now, FAR, 25_000.0);
            found.receive(now + Span(1), NEAR, 30_000.0);
            let capacity = found.capacity(now + Span(1), Reader::Node).expect("samples");
            assert!((capacity / expected - 1.0).abs() < 1e-9, "{capacity}, {expected}");
        }
    }

    #[test]
    fn sample_as_old_as_the_window_counts() {
        let mut found = samples(false);
        for (ms, time) in [(0, 0.010), (10, 0.002), (1000, 0.002)] {
            found.push(sample(ms, Part::Sender, [NEAR, NEAR], time));
        }
        let close = |ms: u64, expected: f64| {
            (found.capacity(Time(ms * 1_000_000), Reader::Node).expect("samples") - expected).abs() < 1e-6
        };
        assert!(close(1000, 3000.0 / 0.014) && close(1001, 500_000.0));
    }

    #[test]
    fn window_ends_now_or_at_the_last_sample() {
        let mut found = samples(false);
        found.push(sample(0, Part::Sender, [NEAR, NEAR], 0.010));
        found.push(sample(500, Part::Sender, [NEAR, NEAR], 0.002));
        assert_eq!(found.capacity(Time(1_500_000_000), Reader::Node), Some(500_000.0));
        // Nothing lies in it any longer: the last value holds, of the window that ends at the last sample.
        assert_eq!(found.capacity(Time(1_500_000_001), Reader::Node), Some(2000.0 / 0.012));
    }

    #[test]
    fn roles_count_together_without_least_role() {
        let now = Time(50_000_000);
        let mut found = Samples::new(&WinfConfig { least_role: false, ..WinfConfig::default() });
        found.push(sample(10, Part::Sender, [NEAR, NEAR], 0.002));
        found.push(sample(20, Part::Receiver, [FAR, FAR], 0.008));
        found.receive(now, FAR, 25_000.0);
        assert_eq!((found.capacity(now, Reader::Node), found.as_receiver(now)), (Some(200_000.0), None));
    }

    #[test]
    fn ack_carries_the_value_of_its_link() {
        for (per_neighbor, expected) in [(false, 2000.0 / 0.012), (true, 500_000.0)] {
            let mut found = samples(per_neighbor);
            found.push(sample(10, Part::Receiver, [FAR, FAR], 0.010));
            found.push(sample(20, Part::Receiver, [NEAR, NEAR], 0.002));
            let value = found.as_receiver(Time(30_000_000)).expect("data received");
            assert!((value / expected - 1.0).abs() < 1e-9, "{value}, {expected}");
        }
    }

    #[test]
    fn ack_carries_at_most_the_value_of_the_onlooker() {
        // docs/specs/rt-winf.md section 4, eq. 9: a slow exchange overheard at 10 ms, of the neighbor's link or of
        // strangers.
        for (ends, per_neighbor, is_meant) in
            [([FAR, RadioId(9)], false, true), ([NEAR, RadioId(9)], true, true), ([FAR, RadioId(9)], true, false)]
        {
            let mut found = samples(per_neighbor);
            found.push(sample(10, Part::Onlooker, ends, 0.010));
            found.push(sample(20, Part::Receiver, [NEAR, NEAR], 0.002));
            let value = |found: &Samples, ms: u64| found.as_receiver(Time(ms * 1_000_000)).expect("data received");
            let expected = if is_meant { 100_000.0 } else { 500_000.0 };
            assert_eq!(value(&found, 30), expected, "{ends:?} {per_neighbor}");
            // The overheard exchange has left the window.
            assert_eq!(value(&found, 1011), 500_000.0);
            // A faster exchange of others leaves the receiver's value.
            found.push(sample(1200, Part::Onlooker, ends, 0.001));
            found.push(sample(1210, Part::Receiver, [NEAR, NEAR], 0.002));
            assert_eq!(value(&found, 1220), 500_000.0);
        }
    }

    #[test]
    fn node_that_sends_nothing_counts_all_links() {
        let mut found = samples(true);
        found.push(sample(10, Part::Onlooker, [NEAR, FAR], 0.004));
        found.push(sample(20, Part::Receiver, [FAR, FAR], 0.002));
        // Of both links the overheard exchange is the slower reading.
        assert_eq!(found.capacity(Time(30_000_000), Reader::Node), Some(250_000.0));
    }

    #[test]
    fn sender_and_router_read_their_roles() {
        // Barreto 2015, section 4.1, and eqs. 10 and 11.
        let now = Time(50_000_000);
        let mut found = samples(false);
        found.push(sample(10, Part::Receiver, [FAR, FAR], 0.020));
        assert_eq!(found.capacity(now, Reader::Router), Some(50_000.0), "nothing overheard: the node's");
        found.push(sample(20, Part::Onlooker, [NEAR, FAR], 0.004));
        found.push(sample(30, Part::Sender, [NEAR, NEAR], 0.005));
        let values = |found: &Samples| {
            [Reader::Node, Reader::Sender, Reader::Router].map(|reader| found.capacity(now, reader).expect("samples"))
        };
        assert_eq!(values(&found), [50_000.0, 200_000.0, 250_000.0]);
        found.receive(now, NEAR, 100_000.0);
        assert_eq!(values(&found), [50_000.0, 100_000.0, 250_000.0]);
        found.push(sample(40, Part::Onlooker, [NEAR, FAR], 0.026));
        assert_eq!(values(&found), [50_000.0, 2000.0 / 0.030, 2000.0 / 0.030]);
    }
}
