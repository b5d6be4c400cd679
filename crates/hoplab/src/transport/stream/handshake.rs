//! Connection setup: SYN, SYN-ACK, their repetition, and the refusal of what belongs to no connection.

use super::endpoint::{Endpoint, State};
use crate::kernel::{Span, Time};
use crate::packet::{Ack, TcpFlags, TcpSegment};
use crate::transport::congestion::{CongestionControl, Loss, LossSignal, NewAck};

impl Endpoint {
    /// Opens the connection actively.
    pub fn open(&mut self, now: Time) {
        self.state = State::SynSent;
        self.send_syn(now);
        self.arm(now);
    }

    fn send_syn(&mut self, now: Time) {
        let ecn = self.ecn.is_offered && self.timers.syn_tries == 0;
        let flags = match self.state {
            State::SynSent => TcpFlags::SYN.with_if(ecn, TcpFlags::ECE.with(TcpFlags::CWR)),
            _ => TcpFlags::SYN.with(TcpFlags::ACK).with_if(self.ecn.is_on, TcpFlags::ECE),
        };
        let mut segment = self.header(now, flags, 0, 0);
        let is_first = self.timers.syn_tries == 0;
        if is_first {
            self.timers.syn_first = now;
        }
        (segment.first_sent, segment.is_retransmission) = (self.timers.syn_first, !is_first);
        self.timers.syn_sent = now;
        self.timers.syn_at = Some(now + self.syn_timeout());
        self.snd.nxt = 1;
        self.rcv.on_ack_sent(segment.window);
        self.out.push(segment);
    }

    /// Time from this SYN to the next: `initial_rto`, as often as `syn_linear` says, then twice as long each time.
    fn syn_timeout(&self) -> Span {
        let doublings = self.timers.syn_tries.saturating_sub(self.config.syn_linear);
        Span(self.config.initial_rto.0.saturating_mul(1 << doublings.min(32))).min(self.config.max_rto)
    }

    /// The SYN or SYN-ACK is not answered.
    pub(super) fn on_syn_timeout(&mut self, now: Time) {
        if self.timers.syn_tries >= self.config.syn_retries {
            self.abort_silently();
            return;
        }
        self.timers.syn_tries += 1;
        self.counts.timeouts += 1;
        let cwnd = self.controller.cwnd();
        self.controller.on_loss(&Loss {
            now,
            signal: LossSignal::Timeout,
            window: cwnd,
            flight_size: 1,
            is_retransmission: self.timers.syn_tries > 1,
            is_syn: true,
        });
        self.send_syn(now);
    }

    /// A segment for an end that waits for a SYN or a SYN-ACK.
    pub(super) fn on_handshake(&mut self, now: Time, segment: &TcpSegment) {
        let flags = segment.flags;
        let acks_syn = flags.has(TcpFlags::ACK) && segment.ack == 1;
        if flags.has(TcpFlags::RST) {
            if self.state == State::SynSent && acks_syn {
                self.on_reset();
            }
            return;
        }
        match self.state {
            State::Listen if flags.has(TcpFlags::SYN) && !flags.has(TcpFlags::ACK) => {
                self.state = State::SynReceived;
                self.ecn.is_on = self.ecn.is_offered && flags.has(TcpFlags::ECE.with(TcpFlags::CWR));
                self.rcv.on_syn(now, segment);
                self.snd.window = u64::from(segment.window);
                self.send_syn(now);
            }
            State::SynSent if flags.has(TcpFlags::SYN) && acks_syn => {
                self.ecn.is_on = self.ecn.is_offered
                    && self.timers.syn_tries == 0
                    && flags.has(TcpFlags::ECE)
                    && !flags.has(TcpFlags::CWR);
                self.rcv.on_syn(now, segment);
                self.snd.window = u64::from(segment.window);
                self.establish(now);
                self.send_ack(now);
                self.push(now);
            }
            State::SynSent if !flags.has(TcpFlags::SYN) || flags.has(TcpFlags::ACK) => self.refuse(now, segment),
            _ => {}
        }
    }

    /// The SYN of this end is acknowledged.
    pub(super) fn establish(&mut self, now: Time) {
        self.state = State::Established;
        self.snd.una = 1;
        self.snd.max_window = self.snd.window;
        if self.timers.syn_tries == 0 {
            let rtt = now.since(self.timers.syn_sent);
            self.rto.sample(rtt, rtt);
        }
        self.timers.syn_at = None;
        let packet = Ack::plain(0, self.timers.syn_sent);
        self.controller.on_ack(&NewAck {
            now,
            acked: 0,
            newly_acked: 1,
            snd_nxt: 1,
            in_flight: 0,
            rtt: None,
            srtt: self.rto.srtt(),
            is_cwnd_limited: false,
            has_new_sacks: false,
            packet: &packet,
        });
    }

    /// A SYN for a connection that exists: the other end has not got the answer.
    pub(super) fn on_repeated_syn(&mut self, now: Time, segment: &TcpSegment) {
        if self.state == State::SynReceived && !segment.flags.has(TcpFlags::ACK) {
            self.timers.syn_tries += 1;
            self.send_syn(now);
        } else {
            self.send_ack(now);
        }
    }

    /// Answers a segment that belongs to no connection with a reset (RFC 9293 section 3.10.7.1).
    pub(super) fn refuse(&mut self, now: Time, segment: &TcpSegment) {
        if segment.flags.has(TcpFlags::RST) {
            return;
        }
        let mut reset = if segment.flags.has(TcpFlags::ACK) {
            self.header(now, TcpFlags::RST, segment.ack, 0)
        } else {
            let mut reset = self.header(now, TcpFlags::RST.with(TcpFlags::ACK), 0, 0);
            reset.ack = segment.end();
            reset
        };
        reset.window = 0;
        self.out.push(reset);
    }
}
