//! The busy share: the share of time in which the medium prevents the MAC from sending, and the number of active neighbors.
//!
//! # Model
//! The medium is busy by carrier sense, by the NAV (in ns-2 also for EIFS after an undecodable frame), and by the node's own
//! frames. Interframe spaces and backoff are idle.
//! # Source
//! Lien and Hsiao, TCP Muzha (docs/specs/muzha.md section 7, the signal u).
//! # Deviations
//! None.
//! # Parameters
//! None; the caller gives the window.

use super::busy_time::BusyTime;
use super::channel_observer::{ChannelObserver, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Frame, FrameKind};

/// Busy time, and neighbors that send.
#[derive(Debug)]
pub struct Busy {
    radio: RadioId,
    clock: BusyTime,
    /// Neighbors and the times of their last RTS, data or Block Ack Request, in order of number.
    senders: Vec<(RadioId, Time)>,
}

impl Busy {
    /// No frame yet.
    pub fn new(radio: RadioId) -> Busy {
        Busy { radio, clock: BusyTime::default(), senders: Vec::new() }
    }
}

impl EngineObserver for Busy {
    const PAGE: &'static str = "busy";
    type Config = ();

    fn build(_config: &(), setup: &ObserverSetup<'_>) -> Busy {
        Busy::new(setup.radio)
    }
}

impl ChannelObserver for Busy {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        match role {
            Role::Sent => self.clock.cover(now, now + frame.airtime),
            // CTS and ACK carry no TA, and a Block Ack answers a sender.
            Role::Received
                if frame.kind.is_data() || matches!(frame.kind, FrameKind::Rts | FrameKind::BlockAckRequest) =>
            {
                match self.senders.binary_search_by_key(&frame.ta, |(radio, _)| *radio) {
                    Ok(index) => self.senders[index].1 = now,
                    Err(index) => self.senders.insert(index, (frame.ta, now)),
                }
            }
            Role::Received => {}
        }
    }

    fn on_carrier(&mut self, now: Time) {
        self.clock.open(now);
    }

    fn on_idle(&mut self, now: Time) {
        self.clock.close(now);
    }

    fn on_nav(&mut self, now: Time, until: Time) {
        self.clock.set_nav(now, until);
    }

    fn busy(&self, now: Time, window: Span) -> Option<f64> {
        Some(self.clock.share(now, window))
    }

    fn neighbors(&self, now: Time, window: Span) -> Option<u32> {
        let recent = self.senders.iter().filter(|(radio, at)| *radio != self.radio && now.since(*at) <= window);
        Some(recent.count() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_senders_of_rts_or_data_in_the_window() {
        let mut busy = Busy::new(RadioId(0));
        let mut hear = |ms: u64, kind, from| {
            busy.on_frame(Time(ms * 1_000_000), Role::Received, &Frame::blank(kind, RadioId(from), RadioId(9)));
        };
        hear(0, FrameKind::Rts, 1);
        hear(400, FrameKind::Data, 2);
        hear(500, FrameKind::Cts, 3);
        hear(500, FrameKind::Ack, 4);
        hear(500, FrameKind::BlockAck, 5);
        let neighbors = |(ms, window_ms): (u64, u64)| {
            busy.neighbors(Time(ms * 1_000_000), Span::from_millis(window_ms)).expect("busy")
        };
        assert_eq!([(500, 1000), (1000, 1000), (1001, 1000), (1401, 1000)].map(neighbors), [2, 2, 1, 0]);
        assert_eq!([(500, 500), (500, 100), (501, 100)].map(neighbors), [2, 1, 0]);
    }
}
