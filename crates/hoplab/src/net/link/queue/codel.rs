//! CoDel: packets are dropped as they leave, once even the shortest wait of an interval exceeds a target.
//!
//! # Model
//! A packet that leaves is too late if it has waited for `target` and more than one MTU waits behind it. If all packets of an
//! `interval` are too late, the queue drops one, and further ones after `interval` / sqrt(count), until one is in time.
//! # Source
//! RFC 8289.
//! # Deviations
//! None known. A packet that can be marked is marked instead of dropped, with `ecn`.
//! # Parameters
//! `queue.target`, `queue.interval`, `queue.ecn`, `queue.limit`, `queue.limit_bytes`.

use super::discipline::{QueueCtx, QueueSetup};
use super::managed::{Item, Line, MTU, Wanted};
use super::single::Rule;
use crate::kernel::{Span, Time};
use crate::packet::PacketId;
use crate::trace::DropReason;

/// Constants of CoDel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    target: Span,
    interval: Span,
    ecn: bool,
}

/// Whether one line is dropping, and when it drops next.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// When a packet that is too late is dropped first, if packets are too late now.
    first_above: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    count: u32,
    last_count: u32,
}

/// Intervals after which a line that drops again begins anew.
const MEMORY: u64 = 16;

impl Law {
    /// Those of a table, else those of RFC 8289.
    pub(super) fn of(setup: &QueueSetup<'_>) -> Law {
        Law::over(setup, Span::from_millis(5), Span::from_millis(100))
    }

    /// Those of a table, else these.
    pub(super) fn over(setup: &QueueSetup<'_>, target: Span, interval: Span) -> Law {
        Law {
            target: setup.config.target.unwrap_or(target),
            interval: setup.config.interval.unwrap_or(interval),
            ecn: setup.config.ecn.unwrap_or(false),
        }
    }

    /// The next time to drop.
    fn next(&self, from: Time, count: u32) -> Time {
        from + Span((self.interval.0 as f64 / libm::sqrt(f64::from(count))) as u64)
    }
}

impl State {
    /// Takes the packet of a line that is wanted, and whether it may be dropped.
    fn take(&mut self, law: &Law, line: &mut Line, wanted: Wanted, cx: &QueueCtx<'_>) -> Option<(Item, bool)> {
        let Some(item) = line.take(wanted, cx.packets) else {
            if line.len() == 0 {
                self.first_above = None;
            }
            return None;
        };
        let sojourn = cx.now.since(cx.packets.get(item.id.0).queued.here);
        if sojourn < law.target || line.bytes() <= MTU {
            self.first_above = None;
            return Some((item, false));
        }
        let first = *self.first_above.get_or_insert(cx.now + law.interval);
        Some((item, cx.now >= first))
    }

    /// The packet of a line that is wanted, if there is one. A line that has others only keeps its state.
    pub(super) fn next(&mut self, law: &Law, line: &mut Line, wanted: Wanted, cx: &mut QueueCtx<'_>) -> Option<Item> {
        let now = cx.now;
        let Some((mut item, mut is_late)) = self.take(law, line, wanted, cx) else {
            self.is_dropping &= line.len() > 0;
            return None;
        };
        if self.is_dropping {
            if !is_late {
                self.is_dropping = false;
            }
            while self.is_dropping && now >= self.drop_next {
                self.count += 1;
                if law.ecn && cx.mark(item.id) {
                    self.drop_next = law.next(self.drop_next, self.count);
                    return Some(item);
                }
                cx.drop(item.id, DropReason::Early);
                let Some((next, is_next_late)) = self.take(law, line, wanted, cx) else {
                    self.is_dropping = line.len() > 0;
                    if self.is_dropping {
                        self.drop_next = law.next(self.drop_next, self.count);
                    }
                    return None;
                };
                (item, is_late) = (next, is_next_late);
                if is_late {
                    self.drop_next = law.next(self.drop_next, self.count);
                } else {
                    self.is_dropping = false;
                }
            }
        } else if is_late {
            let since = self.count.saturating_sub(self.last_count);
            let is_recent = now < self.drop_next + law.interval * MEMORY;
            self.count = if since > 1 && is_recent { since } else { 1 };
            self.last_count = self.count;
            self.is_dropping = true;
            self.drop_next = law.next(now, self.count);
            if law.ecn && cx.mark(item.id) {
                return Some(item);
            }
            cx.drop(item.id, DropReason::Early);
            let Some((next, _)) = self.take(law, line, wanted, cx) else {
                self.is_dropping = line.len() > 0;
                return None;
            };
            item = next;
        }
        Some(item)
    }
}

/// CoDel of one line.
#[derive(Debug)]
pub struct Codel {
    law: Law,
    state: State,
}

impl Rule for Codel {
    const SUMMARY: &'static str =
        "first in, first out; drops at the head while all packets of an interval wait too long";
    const KEYS: &'static [&'static str] = &["target", "interval", "ecn"];

    fn build(setup: &QueueSetup<'_>) -> Codel {
        Codel { law: Law::of(setup), state: State::default() }
    }

    fn next(&mut self, cx: &mut QueueCtx<'_>, line: &mut Line, wanted: Wanted) -> Option<PacketId> {
        self.state.next(&self.law, line, wanted, cx).map(|item| item.id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::managed::Managed;
    use super::super::managed::bench::Bench;
    use super::super::parameters::QueueParameters;
    use super::super::single::Single;
    use super::*;
    use crate::packet::Ecn;

    /// Times in microseconds at which packets are dropped or marked. Arrivals every 1 ms, in the second second every `slow` ms; a
    /// departure every 1.2 ms.
    fn drops(ecn: Ecn, slow: u64, end_ms: u64) -> (Bench<Managed<Single<Codel>>>, Vec<u64>) {
        let config = QueueParameters { ecn: Some(ecn == Ecn::Ect), ..QueueParameters::default() };
        let mut bench = Bench::<Managed<Single<Codel>>>::new(&config, 1_000_000);
        let (mut arrival, mut departure) = (0, 0);
        let mut found = Vec::new();
        while arrival.min(departure) < end_ms * 1000 {
            if arrival <= departure {
                bench.arrive(Time(arrival * 1000), 0, 1500, ecn);
                let is_slow = (1_000_000..2_000_000).contains(&arrival);
                arrival += if is_slow { slow * 1000 } else { 1000 };
            } else {
                let before = (bench.dropped.len(), bench.marks);
                bench.next(Time(departure * 1000));
                if (bench.dropped.len(), bench.marks) != before {
                    found.push(departure);
                }
                departure += 1200;
            }
        }
        (bench, found)
    }

    #[test]
    fn drops_follow_the_square_root_law() {
        let (_, times) = drops(Ecn::NotEct, 1, 420);
        assert_eq!(times, [130_800, 231_600, 302_400, 360_000, 410_400]);
    }

    #[test]
    fn packets_to_one_neighbor_join_over_the_heads_of_others() {
        use crate::kernel::RadioId;
        let mut bench = Bench::<Managed<Single<Codel>>>::new(&QueueParameters::default(), 100);
        for (neighbor, bytes) in [(1, 100), (2, 1500), (1, 1500)] {
            bench.arrive_for(RadioId(neighbor), Time::ZERO, 0, bytes, Ecn::NotEct);
        }
        let mut joining = |neighbor, most| bench.joining(Time::ZERO, RadioId(neighbor), most);
        assert_eq!(
            [joining(2, 1499), joining(3, 1500), joining(2, 1500), joining(2, 1500)],
            [None, None, Some(1), None]
        );
        assert_eq!([joining(1, 1500), joining(1, 1499), joining(1, 1500)], [Some(0), None, Some(2)]);
    }

    #[test]
    fn marked_packets_are_kept() {
        let (bench, found) = drops(Ecn::Ect, 1, 420);
        assert!(bench.dropped.is_empty());
        assert_eq!(bench.marks as usize, found.len());
        assert!(found.len() >= 5);
    }

    #[test]
    fn count_resumes_after_a_pause() {
        let config = QueueParameters::default();
        let mut bench = Bench::<Managed<Single<Codel>>>::new(&config, 1_000_000);
        let (mut arrival, mut departure) = (0_u64, 0_u64);
        let (mut left, mut entered) = (None, None);
        let state = |bench: &Bench<Managed<Single<Codel>>>| bench.queue.manager_state();
        while entered.is_none() {
            if arrival <= departure {
                bench.arrive(Time(arrival * 1000), 0, 1500, Ecn::NotEct);
                arrival += if (1_000_000..2_000_000).contains(&arrival) { 2000 } else { 1000 };
                continue;
            }
            let (was_dropping, _) = state(&bench);
            bench.next(Time(departure * 1000));
            let (is_dropping, count) = state(&bench);
            if was_dropping && !is_dropping && departure > 1_000_000 && left.is_none() {
                left = Some((departure, count));
            }
            if !was_dropping && is_dropping && left.is_some() {
                entered = Some((departure, count));
            }
            departure += 1200;
        }
        assert_eq!((left, entered), (Some((1_352_400, 47)), Some((2_128_800, 46))));
    }

    impl Managed<Single<Codel>> {
        fn manager_state(&self) -> (bool, u32) {
            let state = &self.manager().rule().state;
            (state.is_dropping, state.count)
        }
    }
}
