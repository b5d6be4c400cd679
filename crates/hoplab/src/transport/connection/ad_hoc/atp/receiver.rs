//! ATP's receiver: averages the delay of the path, and reports once per epoch.

use crate::kernel::{Span, Time};
use crate::packet::explicit::{AtpConfig, AtpReport, Feedback};
use crate::packet::{SegNo, Segment};
use crate::transport::ranges::Ranges;

/// The receiving end.
#[derive(Debug)]
pub(super) struct AtpReceiver {
    epoch: Span,
    weight: f64,
    blocks: usize,
    /// Next segment expected in order, from 1 on.
    expected: SegNo,
    beyond: Ranges,
    /// Mean of the largest delay on the path, in seconds.
    delay: Option<f64>,
    /// When the newest packet that has arrived was sent.
    newest: Time,
    /// Whether something has arrived in this epoch.
    has_news: bool,
    /// When the next report is due.
    due: Option<Time>,
}

/// What a packet causes.
#[derive(Debug)]
pub(super) struct Received {
    /// Whether the segment arrived for the first time.
    pub(super) is_first: bool,
    /// Segments that are now in order.
    pub(super) delivered: u32,
    /// A report to be sent at once.
    pub(super) report: Option<AtpReport>,
}

/// Shortest delay that is reported, in seconds: no radio sends a packet in less.
const LEAST_DELAY: f64 = 1e-6;

impl AtpReceiver {
    /// Before the first packet.
    pub(super) fn new(config: &AtpConfig) -> AtpReceiver {
        AtpReceiver {
            epoch: config.epoch,
            weight: config.receiver_weight,
            blocks: config.blocks as usize,
            expected: 1,
            beyond: Ranges::default(),
            delay: None,
            newest: Time::ZERO,
            has_news: false,
            due: None,
        }
    }

    /// A segment or a probe has arrived. A probe is answered at once, by its own delay.
    pub(super) fn on_segment(&mut self, now: Time, segment: &Segment) -> Received {
        let is_probe = segment.payload == 0;
        if let Feedback::Atp(sample) = segment.feedback {
            let before = self.delay.filter(|_| !is_probe);
            self.delay = Some(before.map_or(sample, |before| self.weight * before + (1.0 - self.weight) * sample));
        }
        self.newest = self.newest.max(segment.sent_at);
        if is_probe {
            self.due = Some(now + self.epoch);
            self.has_news = false;
            return Received { is_first: false, delivered: 0, report: Some(self.report()) };
        }
        self.has_news = true;
        self.due.get_or_insert(now + self.epoch);
        let seq = segment.seq;
        let is_first = seq >= self.expected && self.beyond.insert(seq, seq + 1) > 0;
        let before = self.expected;
        self.expected = self.beyond.first_gap(before);
        self.beyond.remove_below(self.expected);
        Received { is_first, delivered: (self.expected - before) as u32, report: None }
    }

    /// The epoch ends: a report, if something has arrived in it.
    pub(super) fn on_deadline(&mut self, now: Time) -> Option<AtpReport> {
        let has_news = std::mem::take(&mut self.has_news);
        self.due = has_news.then(|| now + self.epoch);
        has_news.then(|| self.report())
    }

    /// When it acts by itself.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.due
    }

    fn report(&self) -> AtpReport {
        AtpReport {
            rate: 1.0 / self.delay.unwrap_or_default().max(LEAST_DELAY),
            cumulative: self.expected - 1,
            newest: self.newest,
            blocks: self.beyond.runs().iter().copied().take(self.blocks).collect(),
        }
    }
}
