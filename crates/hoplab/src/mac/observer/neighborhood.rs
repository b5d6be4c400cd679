//! What neighbors share in their data frames.
//!
//! # Model
//! A data frame may carry a record of its sender. Every node that decodes the frame, its receiver or not, keeps the last
//! record of each neighbor. Of an A-MPDU that is the record of the last MPDU that it decodes.
//! # Source
//! WCP (Rangwala et al. 2008).
//! # Deviations
//! Frames without a segment of WCP carry no record, as acknowledgments.
//! # Parameters
//! None; the caller gives the time that a record counts.

use super::channel_observer::{ChannelObserver, Content, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Frame, FrameKind};

/// The last record of each neighbor, in order of number.
#[derive(Debug, Default)]
pub struct Neighborhood(Vec<(RadioId, u32, Time)>);

impl EngineObserver for Neighborhood {
    const PAGE: &'static str = "wcp";
    type Config = ();

    fn build(_config: &(), _setup: &ObserverSetup<'_>) -> Neighborhood {
        Neighborhood::default()
    }
}

impl Neighborhood {
    fn keep(&mut self, now: Time, from: RadioId, record: u32) {
        let entry = (from, record, now);
        match self.0.binary_search_by_key(&from, |(radio, ..)| *radio) {
            Ok(index) => self.0[index] = entry,
            Err(index) => self.0.insert(index, entry),
        }
    }
}

impl ChannelObserver for Neighborhood {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        if role == Role::Received && frame.kind == FrameKind::Data && frame.note != 0 {
            self.keep(now, frame.ta, frame.note);
        }
    }

    fn on_content(&mut self, now: Time, role: Role, frame: &Frame, content: &Content) {
        if role == Role::Received && content.record != 0 {
            self.keep(now, frame.ta, content.record);
        }
    }

    fn records(&self, now: Time, window: Span, put: &mut dyn FnMut(RadioId, u32)) {
        for &(radio, record, at) in &self.0 {
            if now.since(at) <= window {
                put(radio, record);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_each_neighbor_counts_for_a_time() {
        let mut neighborhood = Neighborhood::default();
        let frame = |kind, ta, note| Frame { note, ..Frame::blank(kind, RadioId(ta), RadioId(9)) };
        let ms = |millis| Time::ZERO + Span::from_millis(millis);
        neighborhood.on_frame(ms(0), Role::Received, &frame(FrameKind::Data, 5, 1));
        neighborhood.on_frame(ms(10), Role::Received, &frame(FrameKind::Data, 3, 2));
        neighborhood.on_frame(ms(20), Role::Received, &frame(FrameKind::Data, 5, 3));
        neighborhood.on_frame(ms(30), Role::Received, &frame(FrameKind::Data, 5, 0));
        neighborhood.on_frame(ms(30), Role::Received, &frame(FrameKind::Ack, 5, 7));
        neighborhood.on_frame(ms(30), Role::Sent, &frame(FrameKind::Data, 8, 7));
        let records = |now| {
            let mut all = Vec::new();
            neighborhood.records(now, Span::from_millis(100), &mut |radio, record| all.push((radio.0, record)));
            all
        };
        assert_eq!(records(ms(110)), [(3, 2), (5, 3)]);
        assert_eq!(records(ms(115)), [(5, 3)]);
    }

    #[test]
    fn record_of_an_aggregate_is_that_of_its_packets() {
        let mut neighborhood = Neighborhood::default();
        let frame = Frame { note: 9, ..Frame::blank(FrameKind::Aggregate, RadioId(5), RadioId(9)) };
        for record in [4, 0] {
            let content = Content { record, ..Content::default() };
            neighborhood.on_content(Time(1000), Role::Received, &frame, &content);
            neighborhood.on_content(Time(1000), Role::Sent, &Frame { ta: RadioId(9), ..frame }, &content);
        }
        let mut all = Vec::new();
        neighborhood.records(Time(1000), Span::ZERO, &mut |radio, record| all.push((radio.0, record)));
        assert_eq!(all, [(5, 4)]);
    }
}
