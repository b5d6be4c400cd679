//! The destination: the last proxy of every packet, and the only node that acknowledges end to end.

use super::arrivals::Arrivals;
use super::config::SplitTcpConfig;
use super::stream::Digest;
use crate::kernel::{NodeId, Time};
use crate::packet::{Ack, Lack, SegNo, SplitSegment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The receiving end of a connection.
#[derive(Debug)]
pub struct Sink {
    node: NodeId,
    config: Arc<SplitTcpConfig>,
    arrivals: Arrivals,
    /// Next segment expected in order.
    rcv_nxt: SegNo,
    /// Content of each out-of-order segment.
    held: BTreeMap<SegNo, u64>,
    digest: Digest,
    /// One past the last segment of the flow, from the segment that ends it.
    end: Option<SegNo>,
    /// Segments in order that are not acknowledged end to end.
    unreported: u32,
    /// When the idle acknowledgment is due.
    idle_at: Option<Time>,
    /// Send time of the latest segment, and whether it was a retransmission.
    last: Option<(Time, bool)>,
    counts: SinkCounts,
}

/// Counters of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkCounts {
    /// Local acknowledgments sent: one for each arrival.
    pub lacks: u64,
    /// End-to-end acknowledgments sent.
    pub e2e_acks: u64,
    /// Those among them that were sent after an idle time.
    pub idle_acks: u64,
    /// Duplicate segments.
    pub duplicates: u64,
}

/// What a segment causes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// Whether it arrived for the first time.
    pub is_first: bool,
    /// Segments that are now in order.
    pub delivered: u32,
    /// The local acknowledgment.
    pub lack: Lack,
    /// The end-to-end acknowledgment, if one is due.
    pub ack: Option<Ack>,
}

impl Sink {
    /// Before the first segment.
    pub fn new(node: NodeId, config: Arc<SplitTcpConfig>) -> Sink {
        Sink {
            node,
            config,
            arrivals: Arrivals::default(),
            rcv_nxt: 0,
            held: BTreeMap::new(),
            digest: Digest::default(),
            end: None,
            unreported: 0,
            idle_at: None,
            last: None,
            counts: SinkCounts::default(),
        }
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, now: Time, split: &SplitSegment) -> Taken {
        let seq = split.segment.seq;
        self.arrivals.note(seq);
        self.arrivals.note_number(&split.tag);
        let is_first = seq >= self.rcv_nxt && !self.held.contains_key(&seq);
        let before = self.rcv_nxt;
        if is_first {
            self.held.insert(seq, split.content);
            while let Some(content) = self.held.remove(&self.rcv_nxt) {
                self.digest.add(content);
                self.rcv_nxt += 1;
            }
        } else {
            self.counts.duplicates += 1;
        }
        let delivered = (self.rcv_nxt - before) as u32;
        self.unreported += delivered;
        self.last = Some((split.segment.sent_at, split.segment.is_retransmission));
        self.counts.lacks += 1;
        // The destination can store all that the end-to-end window allows.
        let lack = self.arrivals.lack(self.node, split, u32::MAX);
        if split.tag.is_last {
            self.end = Some(seq + 1);
        }
        let is_requested = !is_first && split.tag.is_e2e_rtx;
        let is_over = delivered > 0 && self.end == Some(self.rcv_nxt);
        let ack =
            if self.unreported >= self.config.e2e_every || is_requested || is_over { self.report() } else { None };
        self.idle_at = (self.unreported > 0).then(|| now + self.config.e2e_idle);
        Taken { is_first, delivered, lack, ack }
    }

    /// When it acts by itself.
    pub fn deadline(&self) -> Option<Time> {
        self.idle_at
    }

    /// The deadline of [`Sink::deadline`] has expired.
    pub fn on_deadline(&mut self) -> Option<Ack> {
        self.idle_at = None;
        self.counts.idle_acks += 1;
        self.report()
    }

    /// Next segment expected in order.
    pub fn rcv_nxt(&self) -> SegNo {
        self.rcv_nxt
    }

    /// Checksum of everything delivered in order; [`super::stream_digest`] computes the expected one.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The counters.
    pub fn counts(&self) -> SinkCounts {
        self.counts
    }

    fn report(&mut self) -> Option<Ack> {
        let (sent_at, is_retransmission) = self.last?;
        self.unreported = 0;
        self.counts.e2e_acks += 1;
        let mut ack = Ack::plain(self.rcv_nxt - 1, sent_at);
        ack.echo_is_retransmission = is_retransmission;
        Some(ack)
    }
}
