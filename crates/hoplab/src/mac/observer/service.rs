//! The time that the MAC serves a packet.
//!
//! # Model
//! A service begins when a packet reaches the head of the queue and the MAC takes it, and ends when it has been delivered or
//! dropped: carrier sense, backoff, and retries count. With aggregation, a service is that of all packets that are sent together,
//! from the first to the last acknowledgment, and each of them took its share. Access categories have services of their own.
//! # Source
//! The transmission delay of ATP (Sundaresan et al. 2003).
//! # Deviations
//! None.
//! # Parameters
//! None.

use super::channel_observer::{ChannelObserver, Content, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Category, Frame, FrameKind};

/// The duration of the last service, per packet.
#[derive(Debug)]
pub struct Service {
    radio: RadioId,
    /// Those that go on, by access category.
    open: [Open; Category::COUNT],
    /// Category and packets of the last single frame; no packets of an A-MPDU, and without aggregation.
    single: (Category, u32),
    /// By access category.
    last: [Option<Span>; Category::COUNT],
}

/// A service that goes on.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    began: Option<Time>,
    /// With aggregation: packets that have been acknowledged.
    packets: u32,
}

impl Service {
    fn new(radio: RadioId) -> Service {
        Service { radio, open: Default::default(), single: (Category::default(), 0), last: Default::default() }
    }
}

impl EngineObserver for Service {
    const PAGE: &'static str = "atp";
    type Config = ();

    fn build(_config: &(), setup: &ObserverSetup<'_>) -> Service {
        Service::new(setup.radio)
    }
}

impl ChannelObserver for Service {
    fn on_frame(&mut self, _now: Time, role: Role, frame: &Frame) {
        if role == Role::Received && frame.kind == FrameKind::Ack && frame.ra == self.radio {
            let (category, packets) = &mut self.single;
            self.open[*category as usize].packets += std::mem::take(packets);
        }
    }

    fn on_content(&mut self, _now: Time, role: Role, frame: &Frame, content: &Content) {
        match (role, frame.kind) {
            (Role::Sent, FrameKind::Data) => self.single = (frame.category, content.packets),
            (Role::Sent, FrameKind::Aggregate) => self.single = (frame.category, 0),
            (Role::Received, FrameKind::BlockAck) if frame.ra == self.radio => {
                self.open[frame.category as usize].packets += content.packets;
            }
            _ => {}
        }
    }

    fn on_service(&mut self, now: Time, category: Category, is_begun: bool) {
        let open = &mut self.open[category as usize];
        if is_begun {
            open.began.get_or_insert(now);
        } else if let Open { began: Some(began), packets } = std::mem::take(open) {
            self.last[category as usize] = Some(Span(now.since(began).0 / u64::from(packets.max(1))));
        }
    }

    fn last_service(&self, category: Category) -> Option<Span> {
        self.last[category as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    const ME: RadioId = RadioId(0);

    #[test]
    fn service_lasts_from_its_begin_to_its_end() {
        let mut service = Service::new(ME);
        let best_effort = Category::BestEffort;
        service.on_service(ms(1), best_effort, false);
        assert_eq!(service.last_service(Category::BestEffort), None);
        for (begin, end) in [(2, 9), (20, 21)] {
            service.on_service(ms(begin), best_effort, true);
            service.on_service(ms(end), best_effort, false);
            assert_eq!(service.last_service(Category::BestEffort), Some(Span::from_millis(end - begin)));
        }
    }

    #[test]
    fn categories_have_services_of_their_own() {
        let mut service = Service::new(ME);
        service.on_service(ms(30), Category::Video, true);
        service.on_service(ms(32), Category::BestEffort, true);
        service.on_service(ms(33), Category::Video, false);
        service.on_service(ms(40), Category::BestEffort, false);
        let last = [Category::Background, Category::BestEffort, Category::Video].map(|own| service.last_service(own));
        assert_eq!(last, [None, Some(Span::from_millis(8)), Some(Span::from_millis(3))]);
    }

    #[test]
    fn packets_that_are_sent_together_share_a_service() {
        let mut service = Service::new(ME);
        let frame = |kind, ta, ra| Frame::blank(kind, RadioId(ta), RadioId(ra));
        let content = |packets| Content { packets, ..Content::default() };
        service.on_service(ms(0), Category::BestEffort, true);
        service.on_content(ms(1), Role::Sent, &frame(FrameKind::Aggregate, 0, 1), &content(8));
        // Two have not arrived, and go again as one frame. Others' acknowledgments do not count.
        service.on_content(ms(4), Role::Received, &frame(FrameKind::BlockAck, 1, 0), &content(6));
        service.on_content(ms(5), Role::Received, &frame(FrameKind::BlockAck, 1, 2), &content(9));
        service.on_content(ms(6), Role::Sent, &frame(FrameKind::Data, 0, 1), &content(2));
        service.on_frame(ms(7), Role::Received, &frame(FrameKind::Ack, 1, 2));
        service.on_frame(ms(8), Role::Received, &frame(FrameKind::Ack, 1, 0));
        service.on_service(ms(8), Category::BestEffort, false);
        assert_eq!(service.last_service(Category::BestEffort), Some(Span::from_millis(1)));
    }
}
