//! The receiving end of a connection.
//!
//! # Model
//! An acknowledgment carries the highest segment received in order. It is sent for every segment at once, or, delayed,
//! for every second one in order or after a while; out of order, into a gap, and for the opening segment always at once.
//! SACK blocks tell of what is held beyond a gap, that of the newest segment first. With timestamps an acknowledgment
//! echoes the time of the segment that last moved it on, the first of those it covers, so that duplicates echo an old
//! time; without, that of the segment that causes it, for controllers which measure by it.
//!
//! # Source
//! `Agent/TCPSink`, `/DelAck`, `/Sack1` and `/Sack1/DelAck` of ns-2.35 (`tcp/tcp-sink.cc`, with `ts_echo_bugfix_` and
//! `ts_echo_rfc1323_`); RFC 5681 section 4.2, RFC 2018 section 4, RFC 7323 section 4.3.
//!
//! # Deviations
//! No D-SACK. A segment beyond a gap that comes before any other echoes its own time; ns-2 echoes time zero then.

use super::config::TcpConfig;
use super::pull::config::OooAck;
use super::ranges::Ranges;
use crate::kernel::{Span, Time};
use crate::packet::{Ack, Echo, EchoRule, MAX_BLOCKS, SegNo, Segment};

/// Receives segments, acknowledges them.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Next segment expected in order.
    rcv_nxt: SegNo,
    /// Whether the opening segment came without data.
    is_opening_empty: bool,
    /// What is held beyond a gap.
    held: Ranges,
    /// Blocks as reported before, the newest first.
    reported: Vec<(SegNo, SegNo)>,
    max_blocks: usize,
    /// What answers a segment beyond a gap.
    beyond_gap: OooAck,
    delay: Option<Span>,
    /// A delayed acknowledgment: when it is due, the segment it answers and what it echoes.
    pending: Option<(Time, SegNo, Stamp)>,
    /// What the next acknowledgment tells of the routers on the way.
    feedback: Echo,
    rule: EchoRule,
    has_timestamps: bool,
    /// With timestamps, what is echoed (`TS.Recent`).
    recent: Option<Stamp>,
}

/// When a segment was sent, as an acknowledgment echoes it.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    at: Time,
    is_retransmission: bool,
}

/// What became of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Received {
    /// Whether it came for the first time.
    pub is_first: bool,
    /// Segments that are in order only now; an opening one without data is not counted.
    pub delivered: u32,
    /// The acknowledgment to send at once.
    pub ack: Option<Ack>,
}

impl Receiver {
    /// Before the opening segment.
    pub fn new(config: &TcpConfig, needs_sack: bool) -> Receiver {
        Receiver {
            rcv_nxt: 0,
            is_opening_empty: false,
            held: Ranges::default(),
            reported: Vec::with_capacity(MAX_BLOCKS + 1),
            max_blocks: if needs_sack { usize::from(config.sack_blocks).min(MAX_BLOCKS) } else { 0 },
            beyond_gap: config.ooo_ack,
            delay: config.delayed_ack.then_some(config.delayed_ack_timeout),
            pending: None,
            feedback: Echo::None,
            rule: EchoRule::default(),
            has_timestamps: config.timestamps,
            recent: None,
        }
    }

    /// Which level is echoed if an acknowledgment answers several segments. To be said before the first comes.
    pub fn set_echo_rule(&mut self, rule: EchoRule) {
        self.rule = rule;
    }

    /// Answers segments beyond a gap in this way from now on.
    pub fn answer_beyond_gap(&mut self, how: OooAck) {
        self.beyond_gap = how;
    }

    /// A segment has come.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Received {
        let before = self.rcv_nxt;
        let echoed = self.echoed(segment);
        self.feedback.take_in(segment.feedback, self.rule);
        let is_first = self.take(segment.seq);
        // In order, with nothing beyond it that was waiting for it.
        let is_plain = segment.seq + 1 == self.rcv_nxt && self.held.is_empty();
        let ack = match self.delay {
            _ if segment.seq >= self.rcv_nxt && self.beyond_gap != OooAck::Dupack => self.answer_alone(segment),
            Some(delay) if self.pending.is_none() && is_plain && segment.seq > 0 => {
                self.pending = Some((now + delay, segment.seq, echoed));
                None
            }
            _ => {
                let oldest = self.pending.take().map_or(echoed, |(_, _, first)| first);
                Some(self.ack(segment.seq, oldest))
            }
        };
        if segment.seq == 0 {
            self.is_opening_empty = segment.payload == 0;
        }
        let opening = SegNo::from(before == 0 && self.is_opening_empty);
        Received { is_first, delivered: (self.rcv_nxt - before - opening) as u32, ack }
    }

    /// What an acknowledgment of this segment echoes. With timestamps one beyond a gap, or one that comes again and is
    /// older, leaves the time as it was (RFC 7323 section 4.3).
    fn echoed(&mut self, segment: &Segment) -> Stamp {
        let this = Stamp { at: segment.sent_at, is_retransmission: segment.is_retransmission };
        if !self.has_timestamps {
            return this;
        }
        let is_beyond = segment.seq > self.rcv_nxt;
        let comes_again = segment.seq < self.rcv_nxt;
        match self.recent {
            Some(recent) if is_beyond || comes_again && this.at < recent.at => recent,
            _ => {
                // One that follows a segment whose acknowledgment is delayed is not the first that this one covers.
                if !is_beyond && self.pending.is_none() {
                    self.recent = Some(this);
                }
                this
            }
        }
    }

    /// Answers a segment beyond a gap otherwise than by a duplicate. One that is told alone carries nothing else.
    fn answer_alone(&self, segment: &Segment) -> Option<Ack> {
        (self.beyond_gap == OooAck::Single).then(|| {
            let mut ack = Ack::plain(-1, segment.sent_at);
            ack.echo_is_retransmission = segment.is_retransmission;
            (ack.blocks[0], ack.block_count) = ((segment.seq, segment.seq + 1), 1);
            ack
        })
    }

    /// When a delayed acknowledgment is due.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.pending.map(|(due, ..)| due)
    }

    /// The delayed acknowledgment, whose time has come.
    pub fn on_deadline(&mut self) -> Option<Ack> {
        let (_, seq, echoed) = self.pending.take()?;
        Some(self.ack(seq, echoed))
    }

    /// Next segment expected in order.
    pub fn rcv_nxt(&self) -> SegNo {
        self.rcv_nxt
    }

    fn take(&mut self, seq: SegNo) -> bool {
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

    /// The acknowledgment that segment `newest` causes; it echoes `echoed`.
    fn ack(&mut self, newest: SegNo, echoed: Stamp) -> Ack {
        let mut ack = Ack::plain(self.rcv_nxt - 1, echoed.at);
        ack.echo_is_retransmission = echoed.is_retransmission;
        ack.feedback = std::mem::take(&mut self.feedback);
        if self.max_blocks > 0 {
            self.report(newest);
            let count = self.reported.len().min(self.max_blocks);
            ack.blocks[..count].copy_from_slice(&self.reported[..count]);
            ack.block_count = count as u8;
        }
        ack
    }

    /// Brings the blocks up to date, that of `newest` first.
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
    use crate::packet::Feedback;

    #[test]
    fn what_an_acknowledgment_echoes() {
        let echoes = |timestamps: bool, delayed_ack: bool, segments: &[(SegNo, u64)]| -> Vec<Option<u64>> {
            let config = TcpConfig { delayed_ack, timestamps, ..TcpConfig::default() };
            let mut receiver = Receiver::new(&config, true);
            let segment = |&(seq, at): &(SegNo, u64)| Segment {
                seq,
                payload: 512,
                sent_at: Time(at),
                first_sent: Time(at),
                is_retransmission: false,
                feedback: Feedback::None,
            };
            let ack = |sent| receiver.on_segment(Time(100), &segment(sent)).ack.map(|ack| ack.echo.0);
            segments.iter().map(ack).collect()
        };
        // Segment 2 is lost; 3 and 4 come, 2 again, then 1 once more, late and then anew, and 6 beyond a gap.
        let sent = [(0, 10), (1, 11), (3, 13), (4, 14), (2, 20), (1, 12), (1, 21), (6, 22), (5, 23)];
        assert_eq!(echoes(true, false, &sent), [10, 11, 11, 11, 20, 20, 21, 21, 23].map(Some));
        assert_eq!(echoes(false, false, &sent), sent.map(|(_, at)| Some(at)));
        // Delayed, 2 is covered by the acknowledgment that echoes 1, and so is what comes beyond the gap.
        let sent = [(0, 10), (1, 11), (2, 12), (4, 14), (5, 15), (3, 20)];
        assert_eq!(echoes(true, true, &sent), [Some(10), None, Some(11), Some(11), Some(11), Some(20)]);
        // One in order moves the acknowledgment on, though it is older than what came before it.
        assert_eq!(echoes(true, false, &[(0, 10), (1, 20), (2, 12), (4, 24)]), [10, 20, 12, 12].map(Some));
        // Before anything was in order there is no time to echo but its own.
        assert_eq!(echoes(true, false, &[(1, 11), (2, 12), (0, 20)]), [11, 12, 20].map(Some));
    }

    #[test]
    fn what_answers_a_segment_out_of_order_can_be_chosen() {
        let segment = |seq| Segment {
            seq,
            payload: 512,
            sent_at: Time(seq as u64),
            first_sent: Time(0),
            is_retransmission: false,
            feedback: Feedback::None,
        };
        // Segment 1 is missing until the last: what each of the four is answered by, cumulative and block.
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
    fn one_that_comes_again_as_old_as_the_last_is_echoed() {
        let config = TcpConfig { timestamps: true, delayed_ack: false, ..TcpConfig::default() };
        let mut receiver = Receiver::new(&config, false);
        // RFC 7323 section 4.3: a time not before the one that is kept takes its place.
        let echoed = [(0, 10, false), (1, 20, false), (0, 20, true), (0, 19, false)].map(|(seq, at, again)| {
            let segment = Segment {
                seq,
                payload: 512,
                sent_at: Time(at),
                first_sent: Time(10),
                is_retransmission: again,
                feedback: Feedback::None,
            };
            let ack = receiver.on_segment(Time(30), &segment).ack.expect("an acknowledgment of each");
            (ack.echo.0, ack.echo_is_retransmission)
        });
        assert_eq!(echoed, [(10, false), (20, false), (20, true), (20, true)]);
    }
}
