//! The time that the MAC serves a packet.
//!
//! # Model
//! A service begins when a packet reaches the head of the queue and the MAC takes it, and ends when it has been delivered or
//! dropped: carrier sense, backoff, and retries count.
//! # Source
//! The transmission delay of ATP (Sundaresan et al. 2003).
//! # Deviations
//! None.
//! # Parameters
//! None.

use super::channel_observer::{ChannelObserver, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{Span, Time};
use crate::packet::Frame;

/// The duration of the last service.
#[derive(Debug, Default)]
pub struct Service {
    began: Option<Time>,
    last: Option<Span>,
}

impl EngineObserver for Service {
    const PAGE: &'static str = "atp";
    type Config = ();

    fn build(_config: &(), _setup: &ObserverSetup<'_>) -> Service {
        Service::default()
    }
}

impl ChannelObserver for Service {
    fn on_frame(&mut self, _now: Time, _role: Role, _frame: &Frame) {}

    fn on_contending(&mut self, now: Time, is_waiting: bool) {
        if is_waiting {
            self.began.get_or_insert(now);
        } else if let Some(began) = self.began.take() {
            self.last = Some(now.since(began));
        }
    }

    fn last_service(&self) -> Option<Span> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_lasts_from_its_begin_to_its_end() {
        let mut service = Service::default();
        let ms = |millis| Time::ZERO + Span::from_millis(millis);
        service.on_contending(ms(1), false);
        assert_eq!(service.last_service(), None);
        for (begin, end) in [(2, 9), (20, 21)] {
            service.on_contending(ms(begin), true);
            service.on_contending(ms(end), false);
            assert_eq!(service.last_service(), Some(Span::from_millis(end - begin)));
        }
        // A packet of a category while another is served: one service.
        service.on_contending(ms(30), true);
        service.on_contending(ms(32), true);
        assert_eq!(service.last_service(), Some(Span::from_millis(1)));
        service.on_contending(ms(35), false);
        assert_eq!(service.last_service(), Some(Span::from_millis(5)));
    }
}
