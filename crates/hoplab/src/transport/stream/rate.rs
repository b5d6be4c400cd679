//! Samples of the delivery rate, as BBR takes them (draft-ietf-ccwg-bbr, section 4.1).

use crate::kernel::{Span, Time};
use crate::transport::congestion::{LostSegment, RateSample};

/// What a segment records when it is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateStamp {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    lost: u64,
    in_flight: u32,
    is_app_limited: bool,
}

/// Counts of the connection, in bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct RateSampler {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    lost: u64,
    /// Until more than this is delivered, the application limits the rate; 0 if it does not.
    app_limited: u64,
    /// The newest segment that this acknowledgment delivers: when it was sent, and what it recorded.
    newest: Option<(Time, RateStamp)>,
}

impl RateSampler {
    /// A segment leaves; `in_flight` counts segments without it.
    pub(super) fn on_send(&mut self, now: Time, in_flight: u32) -> RateStamp {
        if in_flight == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        RateStamp {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost: self.lost,
            in_flight: in_flight + 1,
            is_app_limited: self.is_app_limited(),
        }
    }

    /// The application has nothing more to send while `in_flight` bytes are in the network.
    pub(super) fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// A segment of `bytes` is delivered.
    pub(super) fn on_delivered(&mut self, now: Time, bytes: u64, sent_at: Time, stamp: &RateStamp) {
        self.delivered += bytes;
        self.delivered_at = now;
        // Of a burst the last one.
        let is_newer =
            self.newest.is_none_or(|(newest, known)| (sent_at, stamp.delivered) >= (newest, known.delivered));
        if is_newer {
            self.newest = Some((sent_at, *stamp));
            self.first_sent = sent_at;
        }
    }

    /// A segment of `bytes` is lost.
    pub(super) fn on_lost(&mut self, now: Time, bytes: u64, stamp: &RateStamp, starts_range: bool) -> LostSegment {
        self.lost += bytes;
        LostSegment {
            now,
            total_delivered: self.delivered,
            lost: self.lost - stamp.lost,
            prior_in_flight: stamp.in_flight,
            is_app_limited: stamp.is_app_limited,
            starts_range,
        }
    }

    /// Whether the application limits the rate of what is sent now.
    pub(super) fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// The sample of the acknowledgment that was just processed.
    pub(super) fn take(&mut self, now: Time, rtt: Option<Span>, min_rtt: Option<Span>) -> Option<RateSample> {
        let (sent_at, stamp) = self.newest.take()?;
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let interval = sent_at.since(stamp.first_sent).max(now.since(stamp.delivered_at));
        let delivered = self.delivered - stamp.delivered;
        let is_valid = interval > Span::ZERO && min_rtt.is_none_or(|min| interval >= min);
        Some(RateSample {
            rate: is_valid.then(|| delivered as f64 / interval.secs()),
            delivered,
            interval,
            prior_delivered: stamp.delivered,
            total_delivered: self.delivered,
            lost: self.lost - stamp.lost,
            prior_in_flight: stamp.in_flight,
            is_app_limited: stamp.is_app_limited,
            rtt,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    #[test]
    fn rate_is_what_was_delivered_in_the_longer_interval() {
        let mut sampler = RateSampler::default();
        let min = Some(Span::from_millis(50));
        // Two segments at once, acknowledged 10 ms apart; a third sent at the first acknowledgment.
        let stamps = [sampler.on_send(ms(0), 0), sampler.on_send(ms(0), 1)];
        sampler.on_delivered(ms(50), 1000, ms(0), &stamps[0]);
        let first = sampler.take(ms(50), None, min).expect("a sample");
        assert_eq!((first.rate, first.delivered), (Some(1000.0 / 0.05), 1000));
        let third = sampler.on_send(ms(50), 1);
        sampler.on_delivered(ms(60), 1000, ms(0), &stamps[1]);
        assert_eq!(sampler.take(ms(60), None, min).and_then(|sample| sample.rate), Some(2000.0 / 0.06));
        sampler.on_delivered(ms(110), 1000, ms(50), &third);
        let last = sampler.take(ms(110), None, min).expect("a sample");
        assert_eq!((last.rate, last.prior_in_flight), (Some(2000.0 / 0.06), 2));
    }

    #[test]
    fn short_interval_is_no_sample_of_the_rate() {
        let mut sampler = RateSampler::default();
        let stamp = sampler.on_send(ms(0), 0);
        sampler.on_delivered(ms(10), 1000, ms(0), &stamp);
        let sample = sampler.take(ms(10), None, Some(Span::from_millis(50))).expect("a sample");
        assert_eq!((sample.rate, sample.delivered), (None, 1000));
        assert!(sampler.take(ms(11), None, None).is_none());
    }

    #[test]
    fn application_limits_until_its_last_byte_is_delivered() {
        let mut sampler = RateSampler::default();
        let before = sampler.on_send(ms(0), 0);
        sampler.on_app_limited(1000);
        let limited = sampler.on_send(ms(1), 1);
        assert!(!before.is_app_limited && limited.is_app_limited);
        for (at, sent, stamp) in [(50, 0, before), (51, 1, limited)] {
            sampler.on_delivered(ms(at), 1000, ms(sent), &stamp);
            sampler.take(ms(at), None, None);
        }
        assert!(!sampler.on_send(ms(52), 0).is_app_limited);
    }
}
