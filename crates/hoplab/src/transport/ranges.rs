//! Sets of segment numbers as runs: what a receiver buffers out of order, and what SACK blocks report (RFC 2018).

use crate::packet::SegNo;

/// Runs `[first, last)` of numbers, in order, with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(SegNo, SegNo)>);

impl Ranges {
    /// Adds `[first, last)`. Returns how many of its numbers were not in the set.
    pub fn insert(&mut self, first: SegNo, last: SegNo) -> u64 {
        if first >= last {
            return 0;
        }
        // Runs that touch or overlap the new one: they become one.
        let begin = self.0.partition_point(|run| run.1 < first);
        let end = begin + self.0[begin..].partition_point(|run| run.0 <= last);
        if begin == end {
            self.0.insert(begin, (first, last));
            return (last - first) as u64;
        }
        let held: SegNo = self.0[begin..end].iter().map(|run| run.1 - run.0).sum();
        let merged = (first.min(self.0[begin].0), last.max(self.0[end - 1].1));
        self.0[begin] = merged;
        self.0.drain(begin + 1..end);
        (merged.1 - merged.0 - held) as u64
    }

    /// Whether `number` is in the set.
    pub fn contains(&self, number: SegNo) -> bool {
        self.run_of(number).is_some()
    }

    /// The run that `number` is in.
    pub fn run_of(&self, number: SegNo) -> Option<(SegNo, SegNo)> {
        let run = *self.0.get(self.0.partition_point(|run| run.1 <= number))?;
        (run.0 <= number).then_some(run)
    }

    /// Removes everything below `number`. Returns how many numbers that were.
    pub fn remove_below(&mut self, number: SegNo) -> u64 {
        let whole = self.0.partition_point(|run| run.1 <= number);
        let mut removed: SegNo = self.0.drain(..whole).map(|run| run.1 - run.0).sum();
        if let Some(first) = self.0.first_mut().filter(|run| run.0 < number) {
            removed += number - first.0;
            first.0 = number;
        }
        removed as u64
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The runs, in order.
    pub fn runs(&self) -> &[(SegNo, SegNo)] {
        &self.0
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One past the highest number.
    pub fn end(&self) -> Option<SegNo> {
        self.0.last().map(|run| run.1)
    }

    /// The lowest number not below `from` that is not in the set.
    pub fn first_gap(&self, from: SegNo) -> SegNo {
        self.run_of(from).map_or(from, |run| run.1)
    }

    /// How many numbers of `[first, last)` are in the set.
    pub fn count(&self, first: SegNo, last: SegNo) -> u64 {
        self.0.iter().map(|run| (run.1.min(last) - run.0.max(first)).max(0)).sum::<SegNo>() as u64
    }

    /// The `rank`-th highest number, 1 for the highest.
    pub fn nth_highest(&self, rank: u32) -> Option<SegNo> {
        let mut left = SegNo::from(rank);
        for run in self.0.iter().rev() {
            if left <= run.1 - run.0 {
                return Some(run.1 - left);
            }
            left -= run.1 - run.0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn adjacent_runs_merge() {
        let mut ranges = Ranges::default();
        assert_eq!(ranges.insert(5, 7), 2);
        assert_eq!(ranges.insert(9, 10), 1);
        assert_eq!(ranges.insert(7, 9), 2);
        assert_eq!(ranges.runs(), [(5, 10)]);
        assert_eq!(ranges.insert(6, 8), 0);
        assert_eq!((ranges.first_gap(6), ranges.first_gap(4), ranges.end()), (10, 4, Some(10)));
        assert_eq!((ranges.nth_highest(1), ranges.nth_highest(5), ranges.nth_highest(6)), (Some(9), Some(5), None));
    }

    proptest! {
        #[test]
        fn ranges_agree_with_a_set_of_numbers(steps in proptest::collection::vec((0u8..5, 0i64..60, 1i64..9), 1..200)) {
            let mut ranges = Ranges::default();
            let mut set = BTreeSet::new();
            for (what, first, len) in steps {
                if what < 4 {
                    let new = (first..first + len).filter(|&n| set.insert(n)).count() as u64;
                    prop_assert_eq!(ranges.insert(first, first + len), new);
                } else {
                    let kept = set.split_off(&first);
                    prop_assert_eq!(ranges.remove_below(first), set.len() as u64);
                    set = kept;
                }
                prop_assert!(ranges.runs().windows(2).all(|pair| pair[0].1 < pair[1].0));
                for n in 0..70 {
                    prop_assert_eq!(ranges.contains(n), set.contains(&n));
                    prop_assert_eq!(ranges.first_gap(n), (n..=80).find(|m| !set.contains(m)).expect("a gap"));
                }
                prop_assert_eq!(ranges.count(10, 30), set.range(10..30).count() as u64);
                for rank in 1..5 {
                    prop_assert_eq!(ranges.nth_highest(rank), set.iter().rev().nth(rank as usize - 1).copied());
                }
            }
        }
    }
}
