//! Airtime fairness: neighbors take turns by the airtime that they use, each with a queue per flow under CoDel.
//!
//! # Model
//! A neighbor whose queue was empty joins the new neighbors. The first of the new ones is served, else the first of the old ones, while
//! its deficit is positive; then it gets `airtime` and joins the end of the old ones, as does a new one whose queue is empty. Each
//! frame that the node has sent to a neighbor, retries included, or received from it, takes its airtime off the deficit. Within
//! a neighbor, flows take turns as in `fq_codel`. An A-MPDU takes its packets in one turn of its neighbor. More packets join MPDUs that
//! are repeated while the deficit is positive, or no other neighbor has packets. On overflow the flow with the most bytes of all
//! neighbors loses packets. With access categories each has a queue of its own, whose deficits are charged with the airtime of its
//! frames.
//! # Source
//! Høiland-Jørgensen, Kazior, Täht, Hurtig, Brunstrom: Ending the Anomaly (USENIX ATC 2017), algorithms 1 to 3; Linux mac80211.
//! # Deviations
//! Interframe spaces, backoff and a CTS to the node itself are not charged. There is one weight. CoDel is not relaxed for slow
//! neighbors. Between its first transmission and the last repetition of an MPDU a neighbor keeps the station.
//! # Parameters
//! `queue.airtime`, `queue.quantum`, `queue.flows`, `queue.target`, `queue.interval`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

use super::codel::Law;
use super::discipline::{QueueCtx, QueueSetup, RadioPart};
use super::fq_codel::FlowQueues;
use super::managed::{Limits, Manager};
use super::parameters::QueueParameters;
use super::turns::Turns;
use crate::kernel::{Bytes, RadioId, Span};
use crate::packet::{Category, PacketId, Packets};
use crate::trace::DropReason;
use std::collections::BTreeMap;

/// Airtime of a turn (Høiland-Jørgensen 2017, section 3.2).
const AIRTIME: Span = Span::from_micros(300);
/// CoDel and quantum of the flows of a neighbor (Linux mac80211: `ieee80211_txq_setup_flows`).
const TARGET: Span = Span::from_millis(20);
const INTERVAL: Span = Span::from_millis(100);
const QUANTUM: Bytes = Bytes(300);

/// The queues of all neighbors.
#[derive(Debug)]
pub struct Neighbors {
    law: Law,
    limits: Limits,
    quantum: Bytes,
    hashed: Option<u32>,
    airtime: i64,
    /// Its deficits are of this access category.
    category: Category,
    slots: BTreeMap<RadioId, usize>,
    queues: Vec<Neighbor>,
    turns: Turns,
}

#[derive(Debug)]
struct Neighbor {
    id: RadioId,
    flows: FlowQueues,
    /// Nanoseconds left; it remains while the neighbor has no packet.
    deficit: i64,
    /// Airtime that has been taken off the deficit.
    charged: Span,
    is_listed: bool,
}

impl Neighbor {
    /// Takes off the airtime that was used since the last time.
    fn charge(&mut self, cx: &QueueCtx<'_>, category: Category) {
        let used = cx.channel.airtime(self.id, category).unwrap_or(self.charged);
        self.deficit -= (used - self.charged).0 as i64;
        self.charged = used;
    }
}

impl Neighbors {
    fn slot(&mut self, id: RadioId) -> usize {
        let next = self.queues.len();
        let slot = *self.slots.entry(id).or_insert(next);
        if slot == next {
            let flows = FlowQueues::new(self.law, Limits::NONE, self.quantum, self.hashed);
            let charged = Span::ZERO;
            self.queues.push(Neighbor { id, flows, deficit: self.airtime, charged, is_listed: false });
        }
        slot
    }

    fn bytes(&self) -> u64 {
        self.queues.iter().map(|neighbor| neighbor.flows.bytes()).sum()
    }

    /// Takes at once the rounds in which no neighbor is served: with a short `airtime` there are many between two packets.
    fn pass_rounds(&mut self, cx: &QueueCtx<'_>) {
        if !self.turns.are_old() {
            return;
        }
        let Neighbors { turns, queues, airtime, category, .. } = self;
        turns.iter().for_each(|slot| queues[slot].charge(cx, *category));
        let rounds = turns.iter().map(|slot| -queues[slot].deficit / *airtime).min().unwrap_or(0).max(0);
        turns.iter().for_each(|slot| queues[slot].deficit += rounds * *airtime);
    }
}

impl Manager for Neighbors {
    const SUMMARY: &'static str =
        "a queue per neighbor and flow under CoDel; neighbors take turns by airtime (radios only)";
    const KEYS: &'static [&'static str] = &["airtime", "quantum", "flows", "target", "interval", "ecn"];
    const LIMIT: u32 = 8_192;

    fn radio_part(_config: &QueueParameters) -> RadioPart {
        RadioPart::Airtime
    }

    fn build(setup: &QueueSetup<'_>) -> Neighbors {
        Neighbors {
            law: Law::over(setup, TARGET, INTERVAL),
            limits: Limits::of(setup),
            quantum: setup.config.quantum.unwrap_or(QUANTUM),
            hashed: setup.config.flows,
            airtime: setup.config.airtime.unwrap_or(AIRTIME).0 as i64,
            category: setup.category,
            slots: BTreeMap::new(),
            queues: Vec::new(),
            turns: Turns::default(),
        }
    }

    fn arrive(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId) -> Result<(), DropReason> {
        let slot = self.slot(cx.packets.get(packet.0).hop.next);
        let neighbor = &mut self.queues[slot];
        neighbor.flows.arrive(cx, packet)?;
        if !std::mem::replace(&mut neighbor.is_listed, true) {
            self.turns.join(slot);
        }
        if self.limits.are_exceeded(self.len(), self.bytes()) {
            // Of equal ones the last counts.
            let fattest = self.queues.iter_mut().max_by_key(|neighbor| neighbor.flows.most());
            if let Some(neighbor) = fattest {
                neighbor.flows.drop_from_fattest(cx);
            }
        }
        Ok(())
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        loop {
            let slot = self.turns.first()?;
            let neighbor = &mut self.queues[slot];
            neighbor.charge(cx, self.category);
            if neighbor.deficit <= 0 {
                if neighbor.deficit <= -self.airtime {
                    self.pass_rounds(cx);
                }
                self.queues[slot].deficit += self.airtime;
                self.turns.pass();
                continue;
            }
            let next = neighbor.flows.next(cx);
            if next.is_some() {
                return next;
            }
            neighbor.is_listed = !self.turns.rest();
        }
    }

    fn next_for(&mut self, cx: &mut QueueCtx<'_>, next_hop: RadioId, most: u32) -> Option<PacketId> {
        let slot = *self.slots.get(&next_hop)?;
        self.queues[slot].charge(cx, self.category);
        if self.queues[slot].deficit <= 0 {
            if self.turns.iter().any(|other| other != slot && self.queues[other].flows.len() > 0) {
                return None;
            }
            // As in `next`: the turns of a neighbor that is alone follow each other.
            let neighbor = &mut self.queues[slot];
            neighbor.deficit += (1 - neighbor.deficit / self.airtime) * self.airtime;
        }
        self.queues[slot].flows.next_within(cx, most)
    }

    fn peek(&self) -> Option<PacketId> {
        self.turns.iter().find_map(|slot| self.queues[slot].flows.peek())
    }

    fn len(&self) -> usize {
        self.queues.iter().map(|neighbor| neighbor.flows.len()).sum()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.queues.iter().for_each(|neighbor| neighbor.flows.visit(visit));
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        self.queues.iter_mut().flat_map(|neighbor| neighbor.flows.purge(next_hop, packets)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::managed::Managed;
    use super::super::managed::bench::Bench;
    use super::super::parameters::QueueParameters;
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ecn;

    /// The neighbors of the packets that leave. `arrivals` have neighbor and number; a packet takes the airtime of its neighbor in
    /// microseconds.
    fn order(arrivals: &[(u32, usize)], airtime: [u64; 2]) -> String {
        let mut bench = Bench::<Managed<Neighbors>>::new(&QueueParameters::default(), 1000);
        let mut neighbors = Vec::new();
        for &(neighbor, count) in arrivals {
            for _ in 0..count {
                bench.arrive_for(RadioId(neighbor), Time::ZERO, 0, 1500, Ecn::NotEct);
                neighbors.push(neighbor);
            }
        }
        let mut left = String::new();
        while let Some(id) = bench.next(Time::ZERO) {
            let neighbor = neighbors[id as usize];
            bench.used.add(RadioId(neighbor), Span::from_micros(airtime[neighbor as usize]));
            left.push(if neighbor == 0 { 'A' } else { 'B' });
        }
        left
    }

    #[test]
    fn neighbors_take_turns_by_airtime() {
        // A turn is 300 us.
        assert_eq!(order(&[(0, 4), (1, 4)], [300, 300]), "ABABABAB");
        assert_eq!(order(&[(0, 3), (1, 9)], [900, 300]), "ABBBABBBABBB");
        assert_eq!(order(&[(0, 3), (1, 9)], [300, 100]), "ABBBABBBABBB");
    }

    #[test]
    fn neighbor_that_begins_to_send_comes_first() {
        let mut bench = Bench::<Managed<Neighbors>>::new(&QueueParameters::default(), 1000);
        for _ in 0..3 {
            bench.arrive_for(RadioId(0), Time::ZERO, 0, 1500, Ecn::NotEct);
        }
        let a = bench.next(Time::ZERO);
        bench.used.add(RadioId(0), Span::from_micros(400));
        let b = bench.next(Time::ZERO);
        bench.used.add(RadioId(0), Span::from_micros(400));
        bench.arrive_for(RadioId(1), Time::ZERO, 1, 100, Ecn::NotEct);
        assert_eq!([a, b, bench.next(Time::ZERO), bench.next(Time::ZERO)], [0, 1, 3, 2].map(Some));
    }

    #[test]
    fn ampdu_takes_the_packets_of_a_turn_and_is_charged_behind() {
        let mut bench = Bench::<Managed<Neighbors>>::new(&QueueParameters::default(), 1000);
        let [a, b] = [RadioId(0), RadioId(1)];
        for (neighbor, bytes) in [(a, 1500), (a, 1500), (b, 1500), (b, 1500), (a, 1500), (a, 40)] {
            bench.arrive_for(neighbor, Time::ZERO, 0, bytes, Ecn::NotEct);
        }
        let now = Time::ZERO;
        assert_eq!(
            (bench.next(now), bench.joining(now, a, 1500), bench.joining(now, a, 1499)),
            (Some(0), Some(1), None)
        );
        // Sent, and lost in part: the repeated MPDUs have no turn for more, as the other neighbor waits.
        bench.used.add(a, Span::from_micros(1900));
        assert_eq!((bench.joining(now, a, 1500), bench.joining(now, RadioId(9), 1500)), (None, None));
        assert_eq!((bench.next(now), bench.joining(now, b, 1500), bench.next(now)), (Some(2), Some(3), Some(4)));
        // Alone, a neighbor need not wait; a packet that did not fit is still the first.
        bench.used.add(a, Span::from_micros(1900));
        assert_eq!(
            (bench.joining(now, a, 39), bench.joining(now, a, 40), bench.joining(now, a, 1500)),
            (None, Some(5), None)
        );
    }

    #[test]
    fn received_frames_are_charged() {
        let mut bench = Bench::<Managed<Neighbors>>::new(&QueueParameters::default(), 1000);
        bench.used.add(RadioId(0), Span::from_micros(650));
        for neighbor in [0, 1, 0, 1] {
            bench.arrive_for(RadioId(neighbor), Time::ZERO, 0, 1500, Ecn::NotEct);
        }
        let mut left = Vec::new();
        while let Some(id) = bench.next(Time::ZERO) {
            bench.used.add(RadioId(id % 2), Span::from_micros(200));
            left.push(id);
        }
        assert_eq!(left, [1, 3, 0, 2]);
    }

    #[test]
    fn overflow_drops_from_the_fattest_flow_of_all_neighbors() {
        let mut bench = Bench::<Managed<Neighbors>>::new(&QueueParameters::default(), 20);
        for i in 0..21 {
            bench.arrive_for(RadioId(u32::from(i >= 15)), Time::ZERO, 0, 1500, Ecn::NotEct);
        }
        let dropped: Vec<u32> = bench.dropped.iter().map(|dropped| dropped.packet.0).collect();
        assert_eq!(dropped, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
