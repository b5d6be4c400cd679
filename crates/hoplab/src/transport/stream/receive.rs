//! The receiving half: order, acknowledgments, and the window.

use super::config::StreamConfig;
use crate::kernel::{Span, Time};
use crate::packet::{MAX_BLOCKS, TcpFlags, TcpSegment};

/// Receive buffer at the beginning.
const INITIAL_BUFFER: u64 = 64 << 10;
/// Largest window that a header states without a shift.
const MAX_UNSCALED: u64 = 65_535;
/// Segments that auto-tuning adds to twice what arrived in a round trip.
const TUNING_MARGIN: u64 = 16;
/// Acknowledgments without delay after a gap is filled [L].
const QUICK_AFTER_GAP: u32 = 2;
/// Gaps that a receiver remembers.
const MAX_GAPS: usize = 4096;

/// How the application reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// When it begins to.
    pub from: Time,
    /// Bytes per second; at once if `None`.
    pub rate: Option<f64>,
}

/// Bytes that the application has read.
#[derive(Clone, Copy, Debug)]
struct Reader {
    reading: Reading,
    /// Whether the application says itself what it reads.
    is_asked: bool,
    read: u64,
    at: Time,
    credit: f64,
}

impl Reader {
    /// Reads what it can of `data` bytes.
    fn advance(&mut self, now: Time, data: u64) {
        if now < self.reading.from || self.is_asked {
            return;
        }
        let Some(rate) = self.reading.rate else {
            self.read = data;
            return;
        };
        let since = now.since(self.at.max(self.reading.from));
        self.at = now;
        let unread = data - self.read;
        self.credit += since.secs() * rate;
        let taken = (self.credit as u64).min(unread);
        self.credit = if taken == unread { 0.0 } else { self.credit - taken as f64 };
        self.read += taken;
    }

    /// When it will have read `bytes` more, if it is behind by as many.
    fn when(&self, bytes: u64) -> Time {
        let begin = self.at.max(self.reading.from);
        match self.reading.rate {
            None => self.reading.from,
            Some(rate) => {
                let rest = (bytes as f64 - self.credit).max(0.0);
                begin + Span((rest / rate * 1e9) as u64 + 1)
            }
        }
    }
}

/// What a segment brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// Payload bytes received for the first time.
    pub(super) new: u32,
    /// Payload bytes that are in order now and were not before.
    pub(super) in_order: u64,
    /// Whether the FIN is in order now.
    pub(super) is_end: bool,
    /// Whether a gap before it is filled.
    pub(super) fills_gap: bool,
}

/// The receiving half of an end.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    /// Next byte expected.
    pub(super) nxt: u64,
    mss: u64,
    /// Right edge of the window as advertised.
    edge: u64,
    /// `nxt` and the window in the last acknowledgment.
    acked: u64,
    acked_window: u64,
    /// What arrived beyond gaps, disjoint, the most recent first.
    blocks: Vec<(u64, u64)>,
    dsack: Option<(u64, u64)>,
    fin: Option<u64>,
    /// Segments in order that are not acknowledged.
    pending: u32,
    every: u32,
    delay: Span,
    quick: u32,
    is_due: bool,
    due_at: Option<Time>,
    /// Timestamp to echo.
    pub(super) echo: Time,
    buffer: u64,
    cap: u64,
    pub(super) shift: u8,
    round: Time,
    round_nxt: u64,
    rtt: Option<Span>,
    reader: Reader,
}

impl Receive {
    pub(super) fn new(config: &StreamConfig, mss: u32, reading: Reading) -> Receive {
        let cap = u64::from(config.receive_buffer.0);
        let shift = (0..14).find(|&shift| MAX_UNSCALED << shift >= cap).unwrap_or(14);
        Receive {
            nxt: 0,
            mss: u64::from(mss),
            edge: 0,
            acked: 0,
            acked_window: 0,
            blocks: Vec::new(),
            dsack: None,
            fin: None,
            pending: 0,
            every: config.delayed_ack,
            delay: config.delayed_ack_timeout,
            quick: config.quick_acks,
            is_due: false,
            due_at: None,
            echo: Time::ZERO,
            buffer: INITIAL_BUFFER.min(cap),
            cap,
            shift,
            round: Time::ZERO,
            round_nxt: 0,
            rtt: None,
            reader: Reader { reading, is_asked: false, read: 0, at: Time::ZERO, credit: 0.0 },
        }
    }

    /// Payload bytes in order so far.
    fn data(&self) -> u64 {
        self.fin.map_or(self.nxt, |fin| self.nxt.min(fin)).saturating_sub(1)
    }

    /// Bytes of the buffer that are free.
    fn free(&self) -> u64 {
        self.buffer.saturating_sub(self.data() - self.reader.read)
    }

    /// Room that is worth an announcement (RFC 9293 section 3.8.6.2.2).
    fn worth(&self) -> u64 {
        self.mss.min(self.buffer / 2).max(1)
    }

    /// The SYN of the other end arrived.
    pub(super) fn on_syn(&mut self, now: Time, segment: &TcpSegment) {
        self.nxt = segment.seq + 1;
        (self.acked, self.edge, self.round_nxt) = (self.nxt, self.nxt, self.nxt);
        (self.echo, self.round) = (segment.sent_at, now);
    }

    /// Remembers the timestamp to echo: that of the segment that was due (RFC 7323 section 4.3).
    pub(super) fn note_timestamp(&mut self, segment: &TcpSegment) {
        if segment.seq <= self.acked && segment.sent_at >= self.echo {
            self.echo = segment.sent_at;
        }
    }

    /// A segment with data or a FIN arrived in a connection that is established.
    pub(super) fn on_segment(&mut self, now: Time, segment: &TcpSegment) -> Taken {
        let (first, beyond) = (segment.seq, segment.end());
        self.reader.advance(now, self.data());
        if beyond <= self.nxt {
            // All of it is known.
            self.dsack = Some((first, beyond));
            self.is_due = true;
            return Taken::default();
        }
        if beyond > self.edge.max(self.nxt + 1) || self.blocks.len() >= MAX_GAPS {
            // Beyond the window.
            self.is_due = true;
            return Taken::default();
        }
        if segment.flags.has(TcpFlags::FIN) {
            self.fin = Some(beyond - 1);
        }
        let before = self.data();
        let mut taken = Taken::default();
        if first > self.nxt {
            let is_new = self.add_block(first, beyond);
            if !is_new {
                self.dsack = Some((first, beyond));
            }
            taken.new = if is_new { segment.len } else { 0 };
            self.is_due = true;
            return taken;
        }
        taken.new = segment.len;
        self.nxt = beyond;
        let had_gap = !self.blocks.is_empty();
        while let Some(at) = self.blocks.iter().position(|&(start, _)| start <= self.nxt) {
            let (_, end) = self.blocks.remove(at);
            self.nxt = self.nxt.max(end);
        }
        taken.in_order = self.data() - before;
        taken.is_end = self.has_ended();
        self.reader.advance(now, self.data());
        self.tune(now, segment.echo);
        self.pending += 1;
        taken.fills_gap = had_gap;
        if had_gap {
            self.is_due = true;
            if self.blocks.is_empty() {
                self.quick = self.quick.max(QUICK_AFTER_GAP + 1);
            }
        }
        // A second segment is acknowledged at once only if the application keeps up.
        let keeps_up = self.free() >= self.acked_window;
        if self.can_open() || self.quick > 0 || self.pending >= self.every && keeps_up {
            self.is_due = true;
        } else if self.due_at.is_none() {
            self.due_at = Some(now + self.delay);
        }
        taken
    }

    /// Adds what arrived beyond a gap. Returns whether it is new.
    fn add_block(&mut self, first: u64, beyond: u64) -> bool {
        if let Some(at) = self.blocks.iter().position(|&(start, end)| start <= first && beyond <= end) {
            self.blocks[..=at].rotate_right(1);
            return false;
        }
        let (mut low, mut high) = (first, beyond);
        self.blocks.retain(|&(start, end)| {
            let touches = start <= beyond && first <= end;
            if touches {
                (low, high) = (low.min(start), high.max(end));
            }
            !touches
        });
        self.blocks.insert(0, (low, high));
        true
    }

    /// Adapts the buffer to what arrives in a round trip, measured from the timestamp that `echo` is.
    fn tune(&mut self, now: Time, echo: Time) {
        if echo > Time::ZERO {
            let rtt = now.since(echo);
            self.rtt = Some(self.rtt.map_or(rtt, |smooth| Span((7 * smooth.0 + rtt.0) / 8)));
        }
        let Some(rtt) = self.rtt else { return };
        if now.since(self.round) >= rtt {
            let arrived = self.nxt - self.round_nxt;
            self.buffer = self.buffer.max((2 * arrived + TUNING_MARGIN * self.mss).min(self.cap));
            (self.round, self.round_nxt) = (now, self.nxt);
        }
    }

    /// A segment outside of the window arrived, such as a probe of a closed window: it is answered at once.
    pub(super) fn answer(&mut self) {
        self.is_due = true;
    }

    /// Whether segments in order are not acknowledged.
    pub(super) fn is_pending(&self) -> bool {
        self.pending > 0
    }

    /// The FIN arrived: its acknowledgment is not delayed beyond this event.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// When the receiver acts by itself: a delayed acknowledgment, or a window that opens.
    pub(super) fn deadline(&self) -> Option<Time> {
        let opens = self.opens_at();
        match (self.due_at, opens) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// What a header would state of `free` bytes.
    fn stated(&self, free: u64) -> u64 {
        free >> self.shift << self.shift
    }

    /// When a closed window opens.
    fn opens_at(&self) -> Option<Time> {
        let rest = self.edge.saturating_sub(self.nxt);
        let is_closed = self.nxt > 0 && rest < self.worth();
        if !is_closed || self.has_ended() || self.reader.is_asked {
            return None;
        }
        // What a header states is rounded down: there may be nothing to announce yet.
        let enough = self.worth().max(((rest >> self.shift) + 1) << self.shift).min(self.buffer);
        let missing = enough.saturating_sub(self.free());
        (missing > 0).then(|| self.reader.when(missing))
    }

    /// Whether the FIN of the other end, and all before it, has arrived.
    pub(super) fn has_ended(&self) -> bool {
        self.fin.is_some_and(|fin| self.nxt > fin)
    }

    /// The application says itself what it reads ([`Receive::read`]).
    pub(super) fn wait_for_reader(&mut self) {
        self.reader.is_asked = true;
    }

    /// The application reads; a closed window that opens is announced.
    pub(super) fn read(&mut self, bytes: u64) {
        self.reader.read += bytes;
        self.is_due |= self.nxt > 0 && !self.has_ended() && self.can_open();
    }

    /// Whether a closed window can be announced as open now.
    fn can_open(&self) -> bool {
        let rest = self.edge.saturating_sub(self.nxt);
        rest < self.worth() && self.free() >= self.worth() && self.stated(self.free()) > rest
    }

    /// The time of [`Receive::deadline`] has come.
    pub(super) fn on_deadline(&mut self, now: Time) {
        self.reader.advance(now, self.data());
        if self.can_open() || self.due_at.is_some_and(|at| at <= now) {
            self.is_due = true;
        }
    }

    /// The window to state in a segment that leaves now; a SYN's is not shifted.
    pub(super) fn window(&mut self, now: Time, is_syn: bool) -> u32 {
        self.reader.advance(now, self.data());
        let free = self.free();
        let rest = self.edge.saturating_sub(self.nxt);
        let mut window = if free < self.worth() { rest } else { free.max(rest) };
        if is_syn {
            window = window.min(MAX_UNSCALED);
        } else {
            window = self.stated(window).max(rest);
        }
        self.edge = self.nxt + window;
        window.min(u64::from(u32::MAX)) as u32
    }

    /// Writes the SACK blocks of an acknowledgment, a DSACK first. Returns their number.
    pub(super) fn write_blocks(&mut self, blocks: &mut [(i32, i32); MAX_BLOCKS]) -> u8 {
        let nxt = self.nxt as i64;
        let relative = |(first, beyond): (u64, u64)| ((first as i64 - nxt) as i32, (beyond as i64 - nxt) as i32);
        let all = self.dsack.take().into_iter().chain(self.blocks.iter().copied());
        let mut count = 0;
        for (slot, block) in blocks.iter_mut().zip(all) {
            *slot = relative(block);
            count += 1;
        }
        count
    }

    /// An acknowledgment leaves with this window.
    pub(super) fn on_ack_sent(&mut self, window: u32) {
        if self.pending > 0 || self.is_due {
            self.quick = self.quick.saturating_sub(1);
        }
        (self.acked, self.acked_window) = (self.nxt, u64::from(window));
        (self.pending, self.is_due, self.due_at) = (0, false, None);
    }
}
