//! TPA's sender: a block at a time, each segment once before any is retransmitted.

use super::super::supply::Supplied;
use super::config::TpaConfig;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{Echo, Feedback};
use crate::packet::{Ack, SegNo, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::rate_sender::RoundTrip;
use crate::transport::tcb::rules::SenderCounts;

/// The sending end.
#[derive(Debug)]
pub(super) struct TpaSender {
    config: TpaConfig,
    /// Payload of a segment, in bytes.
    segment: u32,
    /// rwnd, in segments.
    limit: u32,
    /// Minimum and maximum of the timeout, in seconds.
    rto_range: (f64, f64),
    supply: Supplied,
    state: State,
    is_open: bool,
    /// First segment of the block; before the connection is open, segment 0.
    first: SegNo,
    /// The segments of the block that were sent.
    block: Vec<Slot>,
    rtt: RoundTrip,
    /// Unusual round-trip times in a row.
    unusual: u32,
    /// Whether the path is long.
    is_long: bool,
    timeouts: u32,
    acks: u32,
    counts: SenderCounts,
    out: Vec<Segment>,
}

/// How many segments may be in flight, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    Congested,
    /// The route has failed.
    Frozen,
}

/// A segment of the block.
#[derive(Clone, Copy, Debug)]
struct Slot {
    fate: Fate,
    first_sent: Time,
    transmissions: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    InFlight(Time),
    Lost,
    Arrived,
}

/// Doublings of the timeout of a frozen sender, at most.
const MAX_BACKOFF: u32 = 2;

impl TpaSender {
    /// Before anything is sent.
    pub(super) fn new(tcp: &TcpConfig, segment: u32, limit: u32) -> TpaSender {
        TpaSender {
            config: tcp.tpa.clone(),
            segment,
            limit,
            rto_range: (tcp.min_rto.secs(), tcp.max_rto.secs()),
            supply: Supplied::default(),
            state: State::Normal,
            is_open: false,
            first: 0,
            block: Vec::with_capacity(tcp.tpa.block as usize),
            rtt: RoundTrip::new(),
            unusual: 0,
            is_long: false,
            timeouts: 0,
            acks: 0,
            counts: SenderCounts::default(),
            out: Vec::new(),
        }
    }

    /// The application supplies more.
    pub(super) fn on_supply(&mut self, now: Time, supply: Supply) {
        self.supply.add(supply);
        self.send(now);
    }

    /// The application supplies no more.
    pub(super) fn close(&mut self) {
        self.supply.close(self.first + self.block.len() as SegNo);
    }

    /// Hops of the next acknowledgment's path.
    pub(super) fn on_path(&mut self, hops: u16) {
        self.is_long = hops >= self.config.long_hops;
    }

    /// An acknowledgment has arrived: of a segment, and of all in the block that have arrived.
    pub(super) fn on_ack(&mut self, now: Time, ack: &Ack) {
        let mut has_news = false;
        for (seq, slot) in (self.first..).zip(&mut self.block) {
            if slot.fate != Fate::Arrived && has_arrived(ack, seq) {
                slot.fate = Fate::Arrived;
                has_news = true;
            }
        }
        if !has_news {
            return;
        }
        self.sample(now.since(ack.echo).secs());
        self.timeouts = 0;
        self.acks += 1;
        match self.state {
            // The new route may be another.
            State::Frozen => (self.state, self.acks) = (State::Congested, 1),
            State::Congested if self.acks >= self.config.cleared_acks => self.state = State::Normal,
            State::Congested | State::Normal => {}
        }
        if self.block.iter().all(|slot| slot.fate == Fate::Arrived) && self.is_block_sent() {
            self.first += self.block.len() as SegNo;
            self.block.clear();
            self.is_open = true;
        }
        self.send(now);
    }

    /// Updates the round-trip time. It starts anew on another route; an unusual sample counts only then.
    fn sample(&mut self, rtt: f64) {
        self.unusual = if self.rtt.is_unusual(rtt) { self.unusual + 1 } else { 0 };
        if self.state == State::Frozen || self.unusual >= self.config.changed_samples {
            self.rtt = RoundTrip::new();
            self.unusual = 0;
        }
        if self.unusual == 0 {
            self.rtt.on_sample(rtt);
        }
    }

    /// The network reports a failed route.
    pub(super) fn on_route_failure(&mut self, now: Time) {
        if self.state == State::Frozen || !self.is_open || self.in_flight() == 0 {
            return;
        }
        self.freeze();
        self.send(now);
    }

    fn freeze(&mut self) {
        self.state = State::Frozen;
        self.timeouts = 0;
        for slot in &mut self.block {
            if matches!(slot.fate, Fate::InFlight(_)) {
                slot.fate = Fate::Lost;
            }
        }
    }

    /// The deadline of [`TpaSender::deadline`] has expired: segments are lost, and are retransmitted in a later round.
    pub(super) fn on_deadline(&mut self, now: Time) {
        let rto = self.rto();
        let mut lost = 0;
        for slot in &mut self.block {
            if matches!(slot.fate, Fate::InFlight(at) if at + rto <= now) {
                slot.fate = Fate::Lost;
                lost += 1;
            }
        }
        if lost == 0 {
            return;
        }
        self.counts.timeouts += u64::from(lost);
        self.timeouts += lost;
        self.acks = 0;
        if self.is_open && self.state != State::Frozen {
            if self.timeouts >= self.config.frozen_timeouts {
                self.freeze();
            } else if self.timeouts >= self.config.congested_timeouts {
                self.state = State::Congested;
            }
        }
        self.send(now);
    }

    /// When it acts by itself.
    pub(super) fn deadline(&self) -> Option<Time> {
        let sent = self.block.iter().filter_map(|slot| match slot.fate {
            Fate::InFlight(at) => Some(at),
            Fate::Lost | Fate::Arrived => None,
        });
        sent.min().map(|first| first + self.rto())
    }

    /// Takes what is to be sent since the last call, in order.
    pub(super) fn take_sent(&mut self) -> impl Iterator<Item = Segment> + '_ {
        self.out.drain(..)
    }

    /// Timeouts so far.
    pub(super) fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// Segments that may be in flight.
    pub(super) fn window(&self) -> u32 {
        let usual = if self.is_long { self.config.long_window } else { self.config.window };
        match self.state {
            State::Normal if self.is_open => usual.min(self.limit),
            State::Normal | State::Congested | State::Frozen => 1,
        }
    }

    /// Smoothed round-trip time, once there is a sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// The timeout of the segments in flight: doubled only while the sender is frozen or opens the connection.
    fn rto(&self) -> Span {
        let doublings = if !self.is_open {
            self.timeouts
        } else if self.state == State::Frozen {
            self.timeouts.min(MAX_BACKOFF)
        } else {
            0
        };
        self.rtt.rto(self.rto_range, doublings)
    }

    fn in_flight(&self) -> usize {
        self.block.iter().filter(|slot| matches!(slot.fate, Fate::InFlight(_))).count()
    }

    /// Whether all segments of the block, or all that were supplied, were sent.
    fn is_block_sent(&self) -> bool {
        let sent = self.block.len();
        let whole = if self.is_open { self.config.block as usize } else { 1 };
        sent == whole || self.first + sent as SegNo >= self.supply.end
    }

    fn send(&mut self, now: Time) {
        while self.in_flight() < self.window() as usize {
            let index = if self.is_block_sent() {
                let lost = (0..self.block.len()).filter(|&index| self.block[index].fate == Fate::Lost);
                // Rounds: whatever was sent least often.
                let Some(index) = lost.min_by_key(|&index| self.block[index].transmissions) else { return };
                index
            } else {
                self.block.push(Slot { fate: Fate::Lost, first_sent: now, transmissions: 0 });
                self.block.len() - 1
            };
            let slot = &mut self.block[index];
            slot.fate = Fate::InFlight(now);
            slot.transmissions += 1;
            let seq = self.first + index as SegNo;
            self.out.push(Segment {
                seq,
                payload: if seq == 0 { 0 } else { self.segment },
                sent_at: now,
                first_sent: slot.first_sent,
                is_retransmission: slot.transmissions > 1,
                is_ect: false,
                has_cwr: false,
                feedback: Feedback::None,
            });
        }
    }
}

/// Whether an acknowledgment reports a segment.
fn has_arrived(ack: &Ack, seq: SegNo) -> bool {
    let above = seq - ack.cumulative - 1;
    let Echo::Arrived(map) = ack.feedback else { return above < 0 };
    above < 0 || (above < 64 && map >> above & 1 == 1)
}
