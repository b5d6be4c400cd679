//! How much of the time the medium is busy, as the MAC sees it.
//!
//! # Model
//! Busy is what keeps the MAC from sending: a carrier that the radio follows, a reservation by others (with what ns-2
//! adds for frames that cannot be read), and the node's own frames. Inter-frame spaces and backoff are idle.
//! # Source
//! muzha.md section 7 (the signal u).
//! # Deviations
//! None.
//! # Parameters
//! None; the window is whoever asks's.

use super::busy_time::BusyTime;
use super::channel_observer::{ChannelObserver, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{NodeId, Span, Time};
use crate::packet::{Frame, FrameKind};

/// Busy time, and who was heard sending.
#[derive(Debug)]
pub struct Busy {
    node: NodeId,
    clock: BusyTime,
    /// Neighbors and when they were last heard, in order of number.
    heard: Vec<(NodeId, Time)>,
}

impl Busy {
    /// Nothing heard yet.
    pub fn new(node: NodeId) -> Busy {
        Busy { node, clock: BusyTime::default(), heard: Vec::new() }
    }
}

impl EngineObserver for Busy {
    const PAGE: &'static str = "busy";
    type Config = ();

    fn build(_config: &(), setup: &ObserverSetup<'_>) -> Busy {
        Busy::new(setup.node)
    }
}

impl ChannelObserver for Busy {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        match role {
            Role::Sent => self.clock.cover(now, now + frame.airtime),
            // A CTS or ACK does not name its sender.
            Role::Received if matches!(frame.kind, FrameKind::Rts | FrameKind::Data) => {
                match self.heard.binary_search_by_key(&frame.ta, |(node, _)| *node) {
                    Ok(place) => self.heard[place].1 = now,
                    Err(place) => self.heard.insert(place, (frame.ta, now)),
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
        self.clock.reserve(now, until);
    }

    fn busy(&self, now: Time, window: Span) -> Option<f64> {
        Some(self.clock.share(now, window))
    }

    fn neighbors(&self, now: Time, window: Span) -> Option<u32> {
        let recent = self.heard.iter().filter(|(node, at)| *node != self.node && now.since(*at) <= window);
        Some(recent.count() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_those_whose_requests_or_data_were_read_lately() {
        let mut busy = Busy::new(NodeId(0));
        let mut hear = |ms: u64, kind, from| {
            busy.on_frame(Time(ms * 1_000_000), Role::Received, &Frame::blank(kind, NodeId(from), NodeId(9)));
        };
        hear(0, FrameKind::Rts, 1);
        hear(400, FrameKind::Data, 2);
        hear(500, FrameKind::Cts, 3);
        hear(500, FrameKind::Ack, 4);
        let neighbors = |(ms, window_ms): (u64, u64)| {
            busy.neighbors(Time(ms * 1_000_000), Span::from_millis(window_ms)).expect("busy")
        };
        assert_eq!([(500, 1000), (1000, 1000), (1001, 1000), (1401, 1000)].map(neighbors), [2, 2, 1, 0]);
        assert_eq!([(500, 500), (500, 100), (501, 100)].map(neighbors), [2, 1, 0]);
    }
}
