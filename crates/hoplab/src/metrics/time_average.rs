//! The time-weighted mean of a value that changes in steps.

use crate::kernel::Time;

/// Time average of a value that is constant between changes.
#[derive(Clone, Copy, Debug)]
pub struct TimeAverage {
    value: f64,
    since: Time,
    changed: Time,
    /// Value times seconds, from `since` to `changed`.
    integral: f64,
}

impl TimeAverage {
    /// The value is `value` from now on.
    pub fn new(now: Time, value: f64) -> TimeAverage {
        TimeAverage { value, since: now, changed: now, integral: 0.0 }
    }

    /// The value changes.
    #[inline]
    pub fn set(&mut self, now: Time, value: f64) {
        if value != self.value {
            self.integral += self.value * now.since(self.changed).secs();
            self.changed = now;
            self.value = value;
        }
    }

    /// Restarts the average; the value is unchanged.
    pub fn restart(&mut self, now: Time) {
        *self = TimeAverage::new(now, self.value);
    }

    /// The average since the last restart; the value itself if no time has passed.
    pub fn mean(&self, now: Time) -> f64 {
        let span = now.since(self.since).secs();
        if span > 0.0 { (self.integral + self.value * now.since(self.changed).secs()) / span } else { self.value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_is_weighted_by_time() {
        let mut average = TimeAverage::new(Time::ZERO, 1.0);
        average.set(Time::from_secs(1.0), 3.0);
        average.set(Time::from_secs(2.0), 5.0);
        assert!((average.mean(Time::from_secs(4.0)) - 3.5).abs() < 1e-12);
        average.restart(Time::from_secs(4.0));
        assert_eq!(average.mean(Time::from_secs(4.0)), 5.0);
        average.set(Time::from_secs(5.0), 7.0);
        assert!((average.mean(Time::from_secs(6.0)) - 6.0).abs() < 1e-12);
    }
}
