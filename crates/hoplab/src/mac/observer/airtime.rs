//! The airtime of each neighbor's frames, for queues that share it (`queue.kind = "airtime_fq"`).

use super::channel_observer::{ChannelObserver, Role};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Category, Frame};
use std::collections::BTreeMap;

/// Airtime of the frames that a node has sent to each neighbor, or received from it, by access category.
#[derive(Debug)]
pub struct NeighborAirtime {
    radio: RadioId,
    has_categories: bool,
    used: BTreeMap<RadioId, Used>,
}

/// What one neighbor has used.
#[derive(Debug, Default)]
struct Used {
    airtime: [Span; Category::COUNT],
    /// That of the last frame that shows one: responses, which show none, follow frames of theirs.
    category: Category,
}

impl NeighborAirtime {
    /// No frame yet. Without categories all frames count as best effort.
    pub fn new(radio: RadioId, has_categories: bool) -> NeighborAirtime {
        NeighborAirtime { radio, has_categories, used: BTreeMap::new() }
    }
}

impl ChannelObserver for NeighborAirtime {
    fn on_frame(&mut self, _now: Time, role: Role, frame: &Frame) {
        let neighbor = match role {
            Role::Sent => frame.ra,
            Role::Received if frame.ra == self.radio => frame.ta,
            Role::Received => return,
        };
        let used = self.used.entry(neighbor).or_default();
        if self.has_categories && frame.kind.has_category() {
            used.category = frame.category;
        }
        used.airtime[used.category as usize] += frame.airtime;
    }

    fn airtime(&self, neighbor: RadioId, category: Category) -> Option<Span> {
        Some(self.used.get(&neighbor).map_or(Span::ZERO, |used| used.airtime[category as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    #[test]
    fn frames_from_and_to_a_neighbor_count() {
        let mut airtime = NeighborAirtime::new(RadioId(0), false);
        let mut see = |role, kind, ta, ra, micros| {
            let frame = Frame { airtime: Span::from_micros(micros), ..Frame::blank(kind, RadioId(ta), RadioId(ra)) };
            airtime.on_frame(Time::ZERO, role, &frame);
        };
        see(Role::Sent, FrameKind::Data, 0, 1, 100);
        see(Role::Received, FrameKind::Ack, 1, 0, 20);
        see(Role::Received, FrameKind::Data, 1, 2, 1000);
        see(Role::Received, FrameKind::Rts, 2, 0, 7);
        let best_effort = Category::BestEffort;
        let used = [0, 1, 2].map(|neighbor| airtime.airtime(RadioId(neighbor), best_effort).expect("airtime").0 / 1000);
        assert_eq!(used, [0, 120, 7]);
    }

    #[test]
    fn responses_count_in_the_category_of_what_they_answer() {
        let mut airtime = NeighborAirtime::new(RadioId(0), true);
        let mut see = |role, kind, (ta, ra), category, micros| {
            let blank = Frame::blank(kind, RadioId(ta), RadioId(ra));
            airtime.on_frame(Time::ZERO, role, &Frame { airtime: Span::from_micros(micros), category, ..blank });
        };
        see(Role::Sent, FrameKind::Data, (0, 1), Category::Voice, 100);
        see(Role::Received, FrameKind::Ack, (1, 0), Category::BestEffort, 20);
        see(Role::Received, FrameKind::Aggregate, (1, 0), Category::Background, 3000);
        see(Role::Sent, FrameKind::BlockAck, (0, 1), Category::Background, 30);
        let used = Category::ALL.map(|category| airtime.airtime(RadioId(1), category).expect("airtime").0 / 1000);
        assert_eq!(used, [3030, 0, 0, 120]);
    }
}
