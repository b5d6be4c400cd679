//! The radio schedule of a node: the intervals in which its radio is off, by `[[node]] radio_off`.

use crate::kernel::Time;

/// The times at which a node is switched off and on again. Nodes begin switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RadioSchedule {
    /// Off, on, off, ...: strictly increasing.
    switches: Vec<Time>,
}

/// Why times are not a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresenceError {
    /// A node would be off from a time to one that is not later.
    #[error("off ({off}) must be before on ({on}): expected pairs [off, on]")]
    Empty {
        /// Switched off at.
        off: Time,
        /// Switched on at.
        on: Time,
    },
    /// A node would be switched off while it is off.
    #[error("overlapping intervals at {off}: expected disjoint intervals [off, on]")]
    Overlap {
        /// Switched off at.
        off: Time,
    },
}

impl RadioSchedule {
    /// On throughout.
    pub fn always() -> RadioSchedule {
        RadioSchedule::default()
    }

    /// Off during each `[from, to)`; `to` may be [`Time::NEVER`]. The order of the list does not matter.
    pub fn off_during(mut times: Vec<(Time, Time)>) -> Result<RadioSchedule, PresenceError> {
        times.sort_unstable();
        let mut switches = Vec::with_capacity(2 * times.len());
        for (off, on) in times {
            if on <= off {
                return Err(PresenceError::Empty { off, on });
            }
            if switches.last().is_some_and(|&last| off <= last) {
                return Err(PresenceError::Overlap { off });
            }
            switches.extend([off, on]);
        }
        Ok(RadioSchedule { switches })
    }

    /// The same, and off before `from` and after `to`.
    #[must_use]
    pub fn present_during(&self, from: Time, to: Time) -> RadioSchedule {
        let mut off: Vec<(Time, Time)> = vec![(Time::ZERO, from), (to, Time::NEVER)];
        off.extend(self.switches.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(Time::NEVER))));
        off.retain(|(from, to)| from < to);
        off.sort_unstable();
        let mut merged: Vec<(Time, Time)> = Vec::with_capacity(off.len());
        for (from, to) in off {
            match merged.last_mut().filter(|last| from <= last.1) {
                Some(last) => last.1 = last.1.max(to),
                None => merged.push((from, to)),
            }
        }
        RadioSchedule { switches: merged.into_iter().flat_map(|(off, on)| [off, on]).collect() }
    }

    /// Whether the radio is on at `t`. At the time of a switch the new state applies.
    pub fn is_on(&self, t: Time) -> bool {
        self.switched(t).is_multiple_of(2)
    }

    /// The first switch after `t`; [`Time::NEVER`] if there is none.
    pub fn next_switch(&self, t: Time) -> Time {
        self.switches.get(self.switched(t)).copied().unwrap_or(Time::NEVER)
    }

    /// All switches in order, each with whether the node is on from then.
    pub fn switches(&self) -> impl Iterator<Item = (Time, bool)> + '_ {
        let finite = self.switches.iter().filter(|&&t| t != Time::NEVER);
        finite.enumerate().map(|(i, &t)| (t, i % 2 == 1))
    }

    fn switched(&self, t: Time) -> usize {
        self.switches.partition_point(|&switch| switch <= t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Time {
        Time(secs * 1_000_000_000)
    }

    #[test]
    fn radio_is_off_within_each_interval() {
        let plan = vec![(secs(100), secs(200)), (secs(10), secs(20)), (secs(300), Time::NEVER)];
        let radio_schedule = RadioSchedule::off_during(plan).expect("times apart");
        let on: Vec<bool> =
            [0, 10, 19, 20, 99, 100, 199, 200, 299, 300, 10_000].map(|s| radio_schedule.is_on(secs(s))).into();
        assert_eq!(on, [true, false, false, true, true, false, false, true, true, false, false]);
        assert_eq!(radio_schedule.next_switch(secs(20)), secs(100));
        assert_eq!(radio_schedule.next_switch(secs(300)), Time::NEVER);
        let switches: Vec<_> = radio_schedule.switches().collect();
        assert_eq!(switches[..2], [(secs(10), false), (secs(20), true)]);
        assert_eq!(switches.len(), 5);
    }

    #[test]
    fn schedule_without_intervals_is_always_on() {
        assert!(RadioSchedule::always().is_on(Time::ZERO) && RadioSchedule::always().is_on(secs(1_000_000)));
        assert_eq!(RadioSchedule::always().next_switch(Time::ZERO), Time::NEVER);
    }

    #[test]
    fn radio_can_be_off_from_the_start() {
        let radio_schedule = RadioSchedule::off_during(vec![(Time::ZERO, secs(5))]).expect("one time");
        assert!(!radio_schedule.is_on(Time::ZERO) && radio_schedule.is_on(secs(5)));
    }

    #[test]
    fn absent_nodes_are_off_once() {
        let always = RadioSchedule::always().present_during(secs(5), secs(50));
        let expected = RadioSchedule::off_during(vec![(Time::ZERO, secs(5)), (secs(50), Time::NEVER)]);
        assert_eq!(Ok(&always), expected.as_ref());
        assert_eq!(always.present_during(secs(5), secs(50)), always);
        let off = RadioSchedule::off_during(vec![(secs(4), secs(7)), (secs(20), secs(30))]).expect("times apart");
        let off = off.present_during(secs(5), secs(50));
        let on: Vec<bool> = [0, 5, 6, 7, 19, 20, 30, 49, 50].map(|s| off.is_on(secs(s))).into();
        assert_eq!(on, [false, false, false, true, true, false, true, true, false]);
        assert_eq!(RadioSchedule::always().present_during(Time::ZERO, Time::NEVER), RadioSchedule::always());
    }

    #[test]
    fn empty_or_overlapping_intervals_are_refused() {
        let empty = RadioSchedule::off_during(vec![(secs(5), secs(5))]);
        assert_eq!(empty, Err(PresenceError::Empty { off: secs(5), on: secs(5) }));
        let overlap = RadioSchedule::off_during(vec![(secs(5), secs(9)), (secs(9), secs(12))]);
        assert_eq!(overlap, Err(PresenceError::Overlap { off: secs(9) }));
        assert_eq!(
            PresenceError::Overlap { off: secs(9) }.to_string(),
            "overlapping intervals at 9.000000000 s: expected disjoint intervals [off, on]"
        );
    }
}
