//! How a port was used: what its feedback routers read in place of a channel observer.

use crate::kernel::{Span, Time};
use crate::packet::{Category, ChannelView, LinkEstimate};
use std::collections::VecDeque;

/// The recent times in which a port has sent. They are exact: a port knows its rate.
#[derive(Debug)]
pub(super) struct Usage {
    /// Rate of the wire, in bytes per second.
    rate: f64,
    /// Times in a row without a pause between packets, the last at the back.
    sending: VecDeque<Sending>,
    last_service: Option<Span>,
}

/// A time of sending, and how long the port had sent before it.
#[derive(Clone, Copy, Debug)]
struct Sending {
    from: Time,
    until: Time,
    before: Span,
}

/// Longest window: that of the channel observers.
const KEPT: Span = Span::from_millis(2550);

impl Usage {
    /// Of an idle port of this rate, in bytes per second.
    pub(super) fn new(rate: f64) -> Usage {
        Usage { rate, sending: VecDeque::new(), last_service: None }
    }

    /// The service of a packet begins.
    pub(super) fn serve(&mut self, now: Time, service: Span) {
        self.last_service = Some(service);
        let until = now + service;
        match self.sending.back_mut() {
            Some(last) if last.until == now => last.until = until,
            last => {
                let before = last.map_or(Span::ZERO, |last| last.before + last.until.since(last.from));
                self.sending.push_back(Sending { from: now, until, before });
            }
        }
        while self.sending.front().is_some_and(|first| first.until + KEPT < now) {
            self.sending.pop_front();
        }
    }

    /// How long the port has sent up to a moment.
    fn total(&self, at: Time) -> Span {
        let after = self.sending.partition_point(|sending| sending.from <= at);
        match after.checked_sub(1) {
            Some(last) => {
                let Sending { from, until, before } = self.sending[last];
                before + until.min(at).since(from)
            }
            None => self.sending.front().map_or(Span::ZERO, |first| first.before),
        }
    }
}

impl ChannelView for Usage {
    fn busy(&self, now: Time, window: Span) -> Option<f64> {
        let window = window.0.min(now.0).min(KEPT.0);
        if window == 0 {
            return Some(0.0);
        }
        let busy = self.total(now).saturating_sub(self.total(Time(now.0 - window)));
        Some(busy.secs() / Span(window).secs())
    }

    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        let available = self.rate * (1.0 - self.busy(now, window)?);
        Some(LinkEstimate { capacity: self.rate, available })
    }

    fn neighbors(&self, _: Time, _: Span) -> Option<u32> {
        None
    }

    fn last_service(&self, _: Category) -> Option<Span> {
        self.last_service
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_share_is_that_of_the_window() {
        let ms = |ms: u64| Time(ms * 1_000_000);
        let mut usage = Usage::new(1e6);
        // 3 ms of every 10, in two packets without a pause, for 5 s.
        for n in 0..500 {
            usage.serve(ms(10 * n), Span::from_millis(1));
            usage.serve(ms(10 * n + 1), Span::from_millis(2));
        }
        let busy = |now, window| usage.busy(ms(now), Span::from_millis(window)).expect("a share");
        assert!((busy(5000, 500) - 0.3).abs() < 1e-12);
        assert!((busy(4991, 10) - 0.3).abs() < 1e-12, "from 4981 on: 2 ms of one burst, 1 ms of the next");
        assert!((busy(5500, 1000) - 0.15).abs() < 1e-12);
        assert_eq!(busy(9000, 1000), 0.0);
        assert!(usage.sending.len() < 260, "{}", usage.sending.len());
        let link = usage.link(ms(5000), Span::from_millis(1000)).expect("an estimate");
        assert!((link.available - 7e5).abs() < 1e-6 && link.capacity == 1e6);
        assert_eq!(usage.last_service(Category::default()), Some(Span::from_millis(2)));
    }
}
