//! The airtime of each neighbor's frames, for queues that share it (`queue.kind = "airtime_fq"`).

use super::channel_observer::{ChannelObserver, Role};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::Frame;
use std::collections::BTreeMap;

/// Airtime of the frames that a node has sent to each neighbor, or received from it.
#[derive(Debug)]
pub struct NeighborAirtime {
    radio: RadioId,
    used: BTreeMap<RadioId, Span>,
}

impl NeighborAirtime {
    /// No frame yet.
    pub fn new(radio: RadioId) -> NeighborAirtime {
        NeighborAirtime { radio, used: BTreeMap::new() }
    }
}

impl ChannelObserver for NeighborAirtime {
    fn on_frame(&mut self, _now: Time, role: Role, frame: &Frame) {
        let neighbor = match role {
            Role::Sent => frame.ra,
            Role::Received if frame.ra == self.radio => frame.ta,
            Role::Received => return,
        };
        *self.used.entry(neighbor).or_insert(Span::ZERO) += frame.airtime;
    }

    fn airtime(&self, neighbor: RadioId) -> Option<Span> {
        Some(self.used.get(&neighbor).copied().unwrap_or(Span::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    #[test]
    fn frames_from_and_to_a_neighbor_count() {
        let mut airtime = NeighborAirtime::new(RadioId(0));
        let mut see = |role, kind, ta, ra, micros| {
            let frame = Frame { airtime: Span::from_micros(micros), ..Frame::blank(kind, RadioId(ta), RadioId(ra)) };
            airtime.on_frame(Time::ZERO, role, &frame);
        };
        see(Role::Sent, FrameKind::Data, 0, 1, 100);
        see(Role::Received, FrameKind::Ack, 1, 0, 20);
        see(Role::Received, FrameKind::Data, 1, 2, 1000);
        see(Role::Received, FrameKind::Rts, 2, 0, 7);
        let used = [0, 1, 2].map(|neighbor| airtime.airtime(RadioId(neighbor)).expect("airtime").0 / 1000);
        assert_eq!(used, [0, 120, 7]);
    }
}
