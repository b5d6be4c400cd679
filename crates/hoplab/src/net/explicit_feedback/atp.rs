//! ATP's nodes: each writes the largest delay of the path into passing segments.
//!
//! # Model
//! A node keeps two exponential means over the data packets that it sends, of all flows together: the time in the queue, and the time of
//! the MAC's service; with access categories for each of them, which has a queue of its own. A segment leaves with the maximum of their sum and the delay that it carries. A node that has sent no data for
//! `atp.idle_after` writes a multiple of a packet's transmission time instead.
//! # Source
//! Sundaresan, Anantharaman, Hsieh, Sivakumar, MobiHoc 2003.
//! # Deviations
//! After the paper: weights and factor as recalled, the idle time and the assumed transmission time are ours. Control packets and acknowledgments
//! wait in the queue, but their service does not count: it is shorter than that of data.
//! # Parameters
//! Table `[atp]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, PacketKind, PacketView};
use crate::kernel::{Span, Time};
use crate::packet::Category;
use crate::packet::explicit::Feedback;

/// The mean delays at one radio of a node, by access category.
#[derive(Debug)]
pub struct Atp {
    weight: f64,
    idle_after: Span,
    /// Delay that an idle node writes, in seconds.
    idle_delay: f64,
    means: [Means; Category::COUNT],
}

/// The mean delays of one category.
#[derive(Clone, Copy, Debug, Default)]
struct Means {
    /// In seconds; none before the first packet.
    queueing: Option<f64>,
    service: Option<f64>,
    /// When data departed last.
    last_data: Option<Time>,
    /// Whether the packet that departed last was data: its service counts at the next departure.
    serves_data: bool,
}

impl Atp {
    /// Before the run.
    pub fn new(setup: &FeedbackSetup<'_>) -> Atp {
        let config = &setup.explicit.atp;
        Atp {
            weight: config.node_weight,
            idle_after: config.idle_after,
            idle_delay: config.idle_factor * f64::from(config.nominal_packet.0) / setup.data_rate,
            means: Default::default(),
        }
    }

    /// A packet of a category departs after `wait`; the service before it took `served`. Returns the node's delay, in seconds.
    fn on_departure(&mut self, now: Time, category: Category, is_data: bool, wait: Span, served: Option<Span>) -> f64 {
        let means = &mut self.means[category as usize];
        if let Some(served) = served.filter(|_| means.serves_data) {
            means.service = Some(mean(means.service, served.secs(), self.weight));
        }
        let is_idle = means.last_data.is_none_or(|last| now.since(last) > self.idle_after);
        means.serves_data = is_data;
        if is_data {
            means.last_data = Some(now);
            means.queueing = Some(mean(means.queueing, wait.secs(), self.weight));
        }
        match (means.queueing, means.service) {
            (Some(queueing), Some(service)) if !is_idle => queueing + service,
            _ => self.idle_delay,
        }
    }
}

/// The mean after another sample.
fn mean(before: Option<f64>, sample: f64, weight: f64) -> f64 {
    before.map_or(sample, |before| weight * before + (1.0 - weight) * sample)
}

impl FeedbackRouter for Atp {
    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        if at == At::Arrival {
            return;
        }
        let is_data = matches!(packet.kind, PacketKind::Segment | PacketKind::Datagram);
        let category = cx.sent_as(packet.category);
        let served = cx.hop.last_service(category);
        let own = self.on_departure(cx.now, category, is_data, cx.now.since(packet.queued_at), served);
        if let Feedback::Atp(delay) = feedback
            && packet.kind == PacketKind::Segment
        {
            *delay = delay.max(own);
        }
    }

    fn read(&self, _now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        let best_effort = &self.means[Category::BestEffort as usize];
        if let (Some(queueing), Some(service)) = (best_effort.queueing, best_effort.service) {
            put("atp_queueing_s", queueing);
            put("atp_service_s", service);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::explicit::{AtpConfig, ExplicitConfig};

    const BEST_EFFORT: Category = Category::BestEffort;

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    fn router(node_weight: f64) -> Atp {
        let explicit = ExplicitConfig { atp: AtpConfig { node_weight, ..AtpConfig::default() }, ..Default::default() };
        Atp::new(&FeedbackSetup { data_rate: 250_000.0, queue_limit: 50, is_wire: false, explicit: &explicit })
    }

    #[test]
    fn idle_node_writes_multiple_of_transmission_time() {
        let mut router = router(0.75);
        let ms = |millis| Some(Span::from_millis(millis));
        let delay = |router: &mut Atp, now, served| router.on_departure(at(now), BEST_EFFORT, true, Span::ZERO, served);
        // 1500 bytes at 2 Mb/s take 6 ms.
        assert!((delay(&mut router, 0, None) - 0.018).abs() < 1e-9);
        assert!((delay(&mut router, 500, ms(8)) - 0.008).abs() < 1e-9);
        assert!((delay(&mut router, 1501, ms(8)) - 0.018).abs() < 1e-9);
    }

    #[test]
    fn means_follow_waits_and_services_of_data() {
        let mut router = router(0.75);
        let span = Span::from_millis;
        router.on_departure(at(0), BEST_EFFORT, true, span(0), None);
        // Queueing: 0.75 * 0 + 0.25 * 40; service: 8.
        assert!((router.on_departure(at(10), BEST_EFFORT, true, span(40), Some(span(8))) - 0.018).abs() < 1e-9);
        // An acknowledgment departs: the service of the segment before it counts, its own does not.
        assert!((router.on_departure(at(20), BEST_EFFORT, false, span(90), Some(span(8))) - 0.018).abs() < 1e-9);
        let after = router.on_departure(at(30), BEST_EFFORT, true, span(10), Some(span(1)));
        assert!((after - 0.018).abs() < 1e-9, "{after}");
        // Video has means of its own: the first packet finds an idle queue.
        assert!((router.on_departure(at(31), Category::Video, true, span(1), Some(span(1))) - 0.018).abs() < 1e-9);
        assert!((router.on_departure(at(32), Category::Video, true, span(1), Some(span(1))) - 0.002).abs() < 1e-9);
    }
}
