//! The receiving end of a connection: reassembly, acknowledgments, SACK blocks and echoed timestamps.
//!
//! # Model
//! An acknowledgment carries the highest segment received in order. It is sent for every segment at once, or, delayed,
//! for every second or n-th one in order or after a timeout; out of order, into a gap, and for the SYN always at once.
//! SACK blocks report what arrived out of order, the block of the newest segment first. The receiver of a pulled sender with SACK
//! counts segments of any order: it acknowledges every n-th, after a timeout, and at once the first and duplicates. With timestamps an acknowledgment
//! echoes the time of the segment that last advanced it, the first of those it covers, so that duplicates echo an old
//! time; without, that of the segment that causes it, for controllers that measure by it.
//!
//! # Source
//! `Agent/TCPSink`, `/DelAck`, `/Sack1` and `/Sack1/DelAck` of ns-2.35 (`tcp/tcp-sink.cc`, with `ts_echo_bugfix_` and
//! `ts_echo_rfc1323_`); RFC 5681 section 4.2, RFC 2018 section 4, RFC 7323 section 4.3.
//!
//! # Deviations
//! No D-SACK. An out-of-order segment that arrives before any other echoes its own time; ns-2 echoes time zero then.

use super::config::TcpConfig;
use super::pull::config::OooAck;
use super::ranges::Ranges;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{Echo, EchoRule};
use crate::packet::{Ack, MAX_BLOCKS, SegNo, Segment};

/// Receives segments and acknowledges them.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Next segment expected in order.
    rcv_nxt: SegNo,
    /// Whether the SYN arrived without data.
    is_syn_empty: bool,
    /// Out-of-order segments.
    held: Ranges,
    /// Blocks as reported last, the newest first.
    reported: Vec<(SegNo, SegNo)>,
    max_blocks: usize,
    /// How an out-of-order segment is acknowledged.
    ooo_ack: OooAck,
    /// Segments in order per acknowledgment.
    ack_every: u32,
    /// Whether segments out of order count as those in order do.
    counts_all: bool,
    /// Maximum delay of an acknowledgment, if it is delayed.
    delay: Span,
    /// A delayed acknowledgment.
    pending: Option<Pending>,
    /// Feedback of the routers that the next acknowledgment returns.
    feedback: Echo,
    echo_rule: EchoRule,
    /// A queue has marked the next segment.
    is_marked: bool,
    /// A queue has marked a segment, and the sender has not reduced its window since (RFC 3168 section 6.1.3).
    echoes_mark: bool,
    has_timestamps: bool,
    /// What is echoed with timestamps (`TS.Recent`).
    recent: Option<Stamp>,
}

/// The send time of a segment, as an acknowledgment echoes it.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    at: Time,
    is_retransmission: bool,
}

/// A delayed acknowledgment.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// When it is due.
    due: Time,
    /// Its newest segment.
    newest: SegNo,
    /// Segments that it covers.
    segments: u32,
    /// What it echoes: the first of them.
    echoed: Stamp,
}

/// What a segment causes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Received {
    /// Whether it arrived for the first time.
    pub is_first: bool,
    /// Segments that are now in order, without an empty SYN.
    pub delivered: u32,
    /// The acknowledgment to be sent at once.
    pub ack: Option<Ack>,
}

impl Receiver {
    /// Acknowledgments per segment that arrives in order, at least.
    pub fn least_acks_per_segment(&self) -> f64 {
        1.0 / f64::from(self.ack_every)
    }

    /// Before the SYN.
    pub fn new(config: &TcpConfig, needs_sack: bool) -> Receiver {
        Receiver {
            rcv_nxt: 0,
            is_syn_empty: false,
            held: Ranges::default(),
            reported: Vec::with_capacity(MAX_BLOCKS + 1),
            max_blocks: if needs_sack { usize::from(config.sack_blocks).min(MAX_BLOCKS) } else { 0 },
            ooo_ack: config.ooo_ack,
            ack_every: config.segments_per_ack(),
            counts_all: false,
            delay: config.delayed_ack_timeout,
            pending: None,
            feedback: Echo::None,
            echo_rule: EchoRule::default(),
            is_marked: false,
            echoes_mark: false,
            has_timestamps: config.timestamps,
            recent: None,
        }
    }

    /// One past the last segment in order.
    pub fn next(&self) -> SegNo {
        self.rcv_nxt
    }

    /// Sets which level is echoed if an acknowledgment covers several segments. Valid only before the first arrives.
    pub fn set_echo_rule(&mut self, rule: EchoRule) {
        self.echo_rule = rule;
    }

    /// Sets how out-of-order segments are acknowledged.
    pub fn set_ooo_ack(&mut self, ooo_ack: OooAck) {
        self.ooo_ack = ooo_ack;
    }

    /// Acknowledges every `every`-th segment of any order, at most `delay` after it. Valid only before the first arrives.
    pub fn count_all(&mut self, every: u32, delay: Span) {
        (self.counts_all, self.ack_every, self.delay) = (true, every, delay);
    }

    /// Echoes timestamps as RFC 7323 requires. Valid only before the first segment arrives.
    pub(crate) fn use_timestamps(&mut self) {
        self.has_timestamps = true;
    }

    /// The segment that arrives next was marked by a queue.
    pub fn on_mark(&mut self) {
        self.is_marked = true;
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Received {
        self.echoes_mark = std::mem::take(&mut self.is_marked) || self.echoes_mark && !segment.has_cwr;
        let before = self.rcv_nxt;
        let echoed = self.echoed(segment);
        self.feedback.add(segment.feedback, self.echo_rule);
        let is_first = self.insert(segment.seq);
        // In order, and nothing is out of order.
        let is_in_order = segment.seq + 1 == self.rcv_nxt && self.held.is_empty();
        let covered = 1 + self.pending.map_or(0, |pending| pending.segments);
        let ack = if self.counts_all {
            self.count(now, segment.seq, is_first, echoed)
        } else if segment.seq >= self.rcv_nxt && self.ooo_ack != OooAck::Dupack {
            self.ack_alone(segment)
        } else if is_in_order && segment.seq > 0 && covered < self.ack_every {
            let first = Pending { due: now + self.delay, newest: segment.seq, segments: 0, echoed };
            let pending = self.pending.unwrap_or(first);
            self.pending = Some(Pending { newest: segment.seq, segments: covered, ..pending });
            None
        } else {
            let oldest = self.pending.take().map_or(echoed, |pending| pending.echoed);
            Some(self.ack(segment.seq, oldest))
        };
        if segment.seq == 0 {
            self.is_syn_empty = segment.payload == 0;
        }
        let syn = SegNo::from(before == 0 && self.is_syn_empty);
        Received { is_first, delivered: (self.rcv_nxt - before - syn) as u32, ack }
    }

    /// The acknowledgment that a segment of any order causes, where all are counted.
    fn count(&mut self, now: Time, seq: SegNo, is_first: bool, echoed: Stamp) -> Option<Ack> {
        self.report(seq);
        let pending =
            self.pending.take().unwrap_or(Pending { due: now + self.delay, newest: seq, segments: 0, echoed });
        let segments = pending.segments + 1;
        // A duplicate: its acknowledgment was lost, or is late.
        if seq == 0 || !is_first || segments >= self.ack_every {
            return Some(self.ack(seq, pending.echoed));
        }
        self.pending = Some(Pending { newest: seq, segments, ..pending });
        None
    }

    /// What an acknowledgment of this segment echoes. With timestamps an out-of-order segment, or an older duplicate, leaves
    /// `TS.Recent` (RFC 7323 section 4.3).
    fn echoed(&mut self, segment: &Segment) -> Stamp {
        let this = Stamp { at: segment.sent_at, is_retransmission: segment.is_retransmission };
        if !self.has_timestamps {
            return this;
        }
        let is_out_of_order = segment.seq > self.rcv_nxt;
        let is_duplicate = segment.seq < self.rcv_nxt;
        match self.recent {
            Some(recent) if is_out_of_order || is_duplicate && this.at < recent.at => recent,
            _ => {
                // After a segment whose acknowledgment is delayed, this is not the first that is covered.
                if !is_out_of_order && self.pending.is_none() {
                    self.recent = Some(this);
                }
                this
            }
        }
    }

    /// The acknowledgment of an out-of-order segment where that is no duplicate: of this segment alone, or none.
    fn ack_alone(&self, segment: &Segment) -> Option<Ack> {
        (self.ooo_ack == OooAck::Single).then(|| {
            let mut ack = Ack::plain(-1, segment.sent_at);
            ack.echo_is_retransmission = segment.is_retransmission;
            (ack.blocks[0], ack.block_count) = ((segment.seq, segment.seq + 1), 1);
            ack
        })
    }

    /// When a delayed acknowledgment is due.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.pending.map(|pending| pending.due)
    }

    /// The delayed acknowledgment, which is due.
    pub fn on_deadline(&mut self) -> Option<Ack> {
        let pending = self.pending.take()?;
        Some(self.ack(pending.newest, pending.echoed))
    }

    /// Next segment expected in order.
    pub fn rcv_nxt(&self) -> SegNo {
        self.rcv_nxt
    }

    /// Stores a segment. Returns whether it arrived for the first time.
    fn insert(&mut self, seq: SegNo) -> bool {
        if seq < self.rcv_nxt || self.held.contains(seq) {
            return false;
        }
        if seq > self.rcv_nxt {
            self.held.insert(seq, seq + 1);
        } else {
            self.rcv_nxt = self.held.first_gap(seq + 1);
            self.held.remove_below(self.rcv_nxt);
        }
        true
    }

    /// The acknowledgment that segment `newest` causes.
    fn ack(&mut self, newest: SegNo, echoed: Stamp) -> Ack {
        let mut ack = Ack::plain(self.rcv_nxt - 1, echoed.at);
        ack.echo_is_retransmission = echoed.is_retransmission;
        ack.has_ece = self.echoes_mark;
        ack.feedback = std::mem::take(&mut self.feedback);
        if self.max_blocks > 0 {
            self.report(newest);
            let count = self.reported.len().min(self.max_blocks);
            ack.blocks[..count].copy_from_slice(&self.reported[..count]);
            ack.block_count = count as u8;
        }
        ack
    }

    /// Updates the blocks, that of `newest` first.
    fn report(&mut self, newest: SegNo) {
        let rcv_nxt = self.rcv_nxt;
        let first = self.held.run_of(newest);
        self.reported.retain(|block| {
            let is_in_order = block.1 <= rcv_nxt;
            let is_covered = first.is_some_and(|first| first.0 <= block.0 && block.1 <= first.1);
            !is_in_order && !is_covered
        });
        if let Some(first) = first {
            self.reported.insert(0, first);
            self.reported.truncate(self.max_blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::explicit::Feedback;

    fn segment(seq: SegNo, sent: u64) -> Segment {
        let (sent_at, feedback) = (Time(sent), Feedback::None);
        Segment {
            seq,
            payload: 512,
            sent_at,
            first_sent: Time(0),
            is_retransmission: false,
            is_ect: false,
            has_cwr: false,
            feedback,
        }
    }

    #[test]
    fn echo_follows_rfc_7323_with_timestamps() {
        let echoes = |timestamps: bool, delayed_ack: bool, segments: &[(SegNo, u64)]| -> Vec<Option<u64>> {
            let config = TcpConfig { delayed_ack, timestamps, ..TcpConfig::default() };
            let mut receiver = Receiver::new(&config, true);
            let ack =
                |&(seq, at): &(SegNo, u64)| receiver.on_segment(Time(100), &segment(seq, at)).ack.map(|ack| ack.echo.0);
            segments.iter().map(ack).collect()
        };
        // Segment 2 is lost; 3 and 4 arrive, 2 again, then 1 twice more, late and retransmitted, and 6 out of order.
        let sent = [(0, 10), (1, 11), (3, 13), (4, 14), (2, 20), (1, 12), (1, 21), (6, 22), (5, 23)];
        assert_eq!(echoes(true, false, &sent), [10, 11, 11, 11, 20, 20, 21, 21, 23].map(Some));
        assert_eq!(echoes(false, false, &sent), sent.map(|(_, at)| Some(at)));
        // Delayed, 2 is covered by the acknowledgment that echoes 1, and so are the out-of-order segments.
        let sent = [(0, 10), (1, 11), (2, 12), (4, 14), (5, 15), (3, 20)];
        assert_eq!(echoes(true, true, &sent), [Some(10), None, Some(11), Some(11), Some(11), Some(20)]);
        // A segment in order advances the echo, though it is older than the one before it.
        assert_eq!(echoes(true, false, &[(0, 10), (1, 20), (2, 12), (4, 24)]), [10, 20, 12, 12].map(Some));
        // Before anything is in order a segment echoes its own time.
        assert_eq!(echoes(true, false, &[(1, 11), (2, 12), (0, 20)]), [11, 12, 20].map(Some));
    }

    /// Every n-th segment, or what a timeout finds: acknowledgments of segments 0 to 8, where 6 comes after 7 and 8.
    #[test]
    fn ack_every_thins_segments_in_order_only() {
        let at = |seq: SegNo| Time(10 * (seq as u64 + 1));
        let segment = |seq: SegNo| segment(seq, seq as u64);
        let given = |ack_every| TcpConfig { ack_every, delayed_ack_timeout: Span(1000), ..TcpConfig::default() };
        let delayed = TcpConfig { delayed_ack: true, ..given(None) };
        for (config, cumulative) in [
            (given(None), [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(5), Some(5), Some(8)]),
            (given(Some(1)), [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(5), Some(5), Some(8)]),
            (delayed, [Some(0), None, Some(2), None, Some(4), None, Some(5), Some(5), Some(8)]),
            (given(Some(2)), [Some(0), None, Some(2), None, Some(4), None, Some(5), Some(5), Some(8)]),
            (given(Some(4)), [Some(0), None, None, None, Some(4), None, Some(5), Some(5), Some(8)]),
        ] {
            let mut receiver = Receiver::new(&config, false);
            let got = [0, 1, 2, 3, 4, 5, 7, 8, 6].map(|seq| receiver.on_segment(at(seq), &segment(seq)).ack);
            assert_eq!(got.map(|ack| ack.map(|ack| ack.cumulative)), cumulative, "{:?}", config.ack_every);
            assert!(receiver.deadline().is_none());
        }
        let mut receiver = Receiver::new(&given(Some(4)), false);
        let silent = [0, 1, 2].map(|seq| receiver.on_segment(at(seq), &segment(seq)).ack.is_none());
        assert_eq!((silent, receiver.deadline()), ([false, true, true], Some(Time(20 + 1000))), "timed by the first");
        let ack = receiver.on_deadline().expect("an acknowledgment");
        assert_eq!((ack.cumulative, ack.echo, receiver.deadline()), (2, Time(1), None));
    }

    #[test]
    fn ooo_ack_selects_duplicate_single_or_none() {
        let segment = |seq: SegNo| segment(seq, seq as u64);
        // Segment 1 is missing until the last: cumulative and blocks of each acknowledgment.
        let plain = |cumulative| Some((cumulative, 0));
        for (ooo_ack, answers) in [
            (OooAck::Dupack, [plain(0), plain(0), plain(0), plain(3)]),
            (OooAck::Single, [plain(0), Some((-1, 1)), Some((-1, 1)), plain(3)]),
            (OooAck::None, [plain(0), None, None, plain(3)]),
        ] {
            let mut receiver = Receiver::new(&TcpConfig { ooo_ack, ..TcpConfig::default() }, false);
            let got = [0, 2, 3, 1].map(|seq| receiver.on_segment(Time(9), &segment(seq)).ack);
            assert_eq!(got.map(|ack| ack.map(|ack| (ack.cumulative, ack.block_count))), answers, "{ooo_ack:?}");
            let alone = got.map(|ack| ack.and_then(|ack| ack.blocks().first().copied()));
            let is_single = ooo_ack == OooAck::Single;
            assert_eq!(alone, [None, is_single.then_some((2, 3)), is_single.then_some((3, 4)), None]);
        }
    }

    #[test]
    fn duplicate_as_old_as_ts_recent_is_echoed() {
        let config = TcpConfig { timestamps: true, delayed_ack: false, ..TcpConfig::default() };
        let mut receiver = Receiver::new(&config, false);
        // RFC 7323 section 4.3: a time not before `TS.Recent` replaces it.
        let echoed = [(0, 10, false), (1, 20, false), (0, 20, true), (0, 19, false)].map(|(seq, at, again)| {
            let segment = Segment {
                seq,
                payload: 512,
                sent_at: Time(at),
                first_sent: Time(10),
                is_retransmission: again,
                is_ect: false,
                has_cwr: false,
                feedback: Feedback::None,
            };
            let ack = receiver.on_segment(Time(30), &segment).ack.expect("an acknowledgment of each");
            (ack.echo.0, ack.echo_is_retransmission)
        });
        assert_eq!(echoed, [(10, false), (20, false), (20, true), (20, true)]);
    }
}
