//! One end of a connection: its state, and the events of network and application.

use super::config::{SlowStart, StreamConfig};
use super::hystart::HyStart;
use super::loss::{InFlight, Prr, Rack};
use super::rate::RateSampler;
use super::receive::Receive;
use super::rto::RtoEstimator;
use super::state::{Abort, EcnState, Send, Timers};
use crate::kernel::{End, Span, Time};
use crate::packet::{MAX_BLOCKS, TcpFlags, TcpSegment};
use crate::transport::congestion::{CongestionControl, Controller};
use crate::transport::tcb::rules::SenderCounts;

pub use super::receive::Reading;

/// States of a connection (RFC 9293 section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No connection, or none any more.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Has sent a SYN.
    SynSent,
    /// Has answered a SYN.
    SynReceived,
    /// Data flows.
    Established,
    /// Has sent a FIN.
    FinWait1,
    /// Its FIN is acknowledged.
    FinWait2,
    /// Has received a FIN.
    CloseWait,
    /// Both have sent a FIN, neither is acknowledged.
    Closing,
    /// Has sent a FIN after receiving one.
    LastAck,
    /// Both halves are closed; only a repeated FIN is answered.
    TimeWait,
}

/// What a packet brought to this end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Payload bytes received for the first time.
    pub new: u32,
    /// Payload bytes delivered in order.
    pub in_order: u64,
}

/// What the sender does about congestion.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// Nothing.
    Open,
    /// The window is being reduced until `high` is acknowledged; `repairs` unless ECN caused it.
    Reduction { prr: Prr, quota: u32, high: u64, repairs: bool },
    /// A timeout; what was sent by then ends at `high`.
    Loss { high: u64 },
}

/// One end of a connection.
#[derive(Debug)]
pub struct Endpoint {
    pub(super) end: End,
    pub(super) state: State,
    pub(super) config: StreamConfig,
    pub(super) mss: u32,
    pub(super) controller: Controller,
    pub(super) is_cubic: bool,
    /// The controller sets the window alone.
    pub(super) owns_window: bool,
    /// The controller is a user's own: it also hears of duplicates, and of what loss recovery acknowledges.
    pub(super) is_own: bool,
    /// The controller sets the time between two segments.
    pub(super) has_interval: bool,
    pub(super) snd: Send,
    pub(super) rcv: Receive,
    pub(super) rto: RtoEstimator,
    pub(super) flight: InFlight,
    pub(super) rack: Rack,
    pub(super) phase: Phase,
    pub(super) hystart: HyStart,
    pub(super) sampler: RateSampler,
    pub(super) ecn: EcnState,
    pub(super) timers: Timers,
    pub(super) counts: SenderCounts,
    pub(super) has_aborted: bool,
    /// What would explain an abort.
    pub(super) trouble: Option<Abort>,
    pub(super) out: Vec<TcpSegment>,
}

impl Endpoint {
    /// An end without a connection, which answers every segment with a reset.
    pub fn closed(end: End, config: &StreamConfig, mss: u32, controller: Controller, reading: Reading) -> Endpoint {
        let needs = controller.needs();
        let is_exact = needs.exact_marks;
        Endpoint {
            owns_window: needs.owns_window,
            is_own: false,
            has_interval: false,
            end,
            state: State::Closed,
            config: *config,
            mss,
            controller,
            is_cubic: false,
            snd: Send::default(),
            rcv: Receive::new(config, mss, reading),
            rto: RtoEstimator::new(config),
            flight: InFlight::default(),
            rack: Rack::default(),
            phase: Phase::Open,
            hystart: HyStart::new(match config.slow_start {
                SlowStart::Hystart => SlowStart::Standard,
                other => other,
            }),
            sampler: RateSampler::default(),
            ecn: EcnState { is_offered: config.ecn || is_exact, is_exact, ..EcnState::default() },
            timers: Timers::default(),
            counts: SenderCounts::default(),
            has_aborted: false,
            trouble: None,
            out: Vec::new(),
        }
    }

    /// Its controller is CUBIC: `stream.first_growth` and HyStart of Linux's CUBIC apply.
    pub fn set_cubic(&mut self) {
        self.is_cubic = true;
        self.hystart = HyStart::new(self.config.slow_start);
    }

    /// Replaces the congestion control by a user's own. Marks that the transport's receiver echoes exactly stay exact. Valid only
    /// before anything is sent.
    pub fn set_controller(&mut self, controller: Controller) {
        let needs = controller.needs();
        self.controller = controller;
        (self.owns_window, self.is_own, self.has_interval) = (needs.owns_window, true, needs.pacing.is_some());
        if needs.exact_marks {
            (self.ecn.is_offered, self.ecn.is_exact) = (true, true);
        }
    }

    /// Accepts a connection.
    pub fn listen(&mut self) {
        self.state = State::Listen;
    }

    /// The application supplies `bytes` more.
    pub fn supply(&mut self, now: Time, bytes: u64) {
        self.snd.supplied = self.snd.supplied.saturating_add(bytes).min(u64::MAX / 2);
        self.push(now);
    }

    /// The application supplies without end.
    pub fn supply_endless(&mut self, now: Time) {
        self.supply(now, u64::MAX / 2);
    }

    /// Bytes supplied and not sent, unless the supply is without end.
    pub fn unsent(&self) -> u64 {
        if self.snd.is_endless() { 0 } else { self.snd.end().saturating_sub(self.snd.nxt.max(1)) }
    }

    /// Whether the other end has sent all, and it has arrived.
    pub fn has_ended(&self) -> bool {
        self.rcv.has_ended()
    }

    /// The application reads when it says so ([`Endpoint::read`]). Valid only before anything arrives.
    pub fn wait_for_reader(&mut self) {
        self.rcv.wait_for_reader();
    }

    /// The application reads `bytes` of what has arrived in order.
    pub fn read(&mut self, now: Time, bytes: u64) {
        self.rcv.read(bytes);
        if self.rcv.is_due() && self.state != State::Closed {
            self.send_ack(now);
        }
        self.arm(now);
    }

    /// Whether the connection ended by a reset, or for want of answers.
    pub fn has_aborted(&self) -> bool {
        self.has_aborted
    }

    /// The state of the connection.
    pub fn state(&self) -> State {
        self.state
    }

    /// Congestion window and threshold, in segments.
    pub fn window(&self) -> (f64, f64) {
        (self.controller.cwnd(), self.controller.ssthresh())
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        self.rto.srtt()
    }

    /// Losses so far.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// Segments that left, in order.
    pub fn take_sent(&mut self) -> std::vec::Drain<'_, TcpSegment> {
        self.out.drain(..)
    }

    /// A segment arrived; `is_marked` if a queue marked its packet.
    pub fn on_segment(&mut self, now: Time, segment: &TcpSegment, is_marked: bool) -> Arrival {
        let arrival = match self.state {
            State::Closed => {
                self.refuse(now, segment);
                Arrival::default()
            }
            State::Listen | State::SynSent => {
                self.on_handshake(now, segment);
                Arrival::default()
            }
            _ => self.on_connected(now, segment, is_marked),
        };
        self.arm(now);
        arrival
    }

    fn on_connected(&mut self, now: Time, segment: &TcpSegment, is_marked: bool) -> Arrival {
        if segment.flags.has(TcpFlags::RST) {
            self.on_reset();
            return Arrival::default();
        }
        if segment.flags.has(TcpFlags::SYN) {
            self.on_repeated_syn(now, segment);
            return Arrival::default();
        }
        self.rcv.note_timestamp(segment);
        self.ecn.on_arrival(is_marked, segment.flags.has(TcpFlags::CWR));
        self.on_ack(now, segment);
        if self.state == State::Closed {
            return Arrival::default();
        }
        let mut arrival = Arrival::default();
        if segment.occupies() {
            if self.ecn.changes(is_marked) {
                // What arrived before is acknowledged with its own mark.
                if self.rcv.is_pending() {
                    self.send_ack(now);
                }
                self.ecn.echoes = is_marked;
                self.rcv.answer();
            }
            let taken = self.rcv.on_segment(now, segment);
            arrival = Arrival { new: taken.new, in_order: taken.in_order };
            // The acknowledgment of a FIN waits for the FIN that answers it, unless a gap is filled.
            if self.rcv.is_due() && (taken.fills_gap || !taken.is_end) {
                self.send_ack(now);
            }
            if taken.is_end {
                self.on_fin(now);
            }
            if self.rcv.is_due() {
                self.send_ack(now);
            }
        } else if segment.seq < self.rcv.nxt {
            self.rcv.answer();
            self.send_ack(now);
        }
        self.push(now);
        arrival
    }

    /// A header of this end with its present acknowledgment.
    pub(super) fn header(&mut self, now: Time, flags: TcpFlags, seq: u64, len: u32) -> TcpSegment {
        let window = self.rcv.window(now, flags.has(TcpFlags::SYN));
        TcpSegment {
            from: self.end,
            flags: flags.with_if(self.ecn.echoes && !flags.has(TcpFlags::SYN), TcpFlags::ECE),
            is_ect: self.ecn.covers_all(flags.has(TcpFlags::SYN)),
            is_retransmission: false,
            block_count: 0,
            window_shift: self.rcv.shift,
            len,
            window,
            seq,
            ack: if flags.has(TcpFlags::ACK) { self.rcv.nxt } else { 0 },
            blocks: [(0, 0); MAX_BLOCKS],
            sent_at: now,
            echo: self.rcv.echo,
            first_sent: now,
        }
    }

    /// Sends a pure acknowledgment.
    pub(super) fn send_ack(&mut self, now: Time) {
        let mut segment = self.header(now, TcpFlags::ACK, self.snd.nxt, 0);
        segment.block_count = self.rcv.write_blocks(&mut segment.blocks);
        self.rcv.on_ack_sent(segment.window);
        self.out.push(segment);
    }
}
