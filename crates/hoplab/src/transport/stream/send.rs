//! The sending half: what leaves when, within the window of congestion control and that of the receiver.

use super::endpoint::{Endpoint, Phase, State};
use super::loss::Sent;
use crate::kernel::{Span, Time};
use crate::packet::{TcpFlags, TcpSegment};
use crate::transport::congestion::CongestionControl;

/// Time whose bytes a burst of a paced sender has at least, and the most bytes that it has (Linux: `tcp_tso_autosize`).
const BURST: Span = Span::from_millis(1);
const MAX_BURST: f64 = 65_536.0;
/// Segments after which pacing begins (Linux: `tcp_update_skb_after_send`).
const UNPACED: u32 = 10;

/// What leaves next.
enum Next {
    Data(u32),
    Fin,
}

impl Endpoint {
    fn may_send(&self) -> bool {
        use State::{CloseWait, Closing, Established, FinWait1, LastAck};
        matches!(self.state, Established | CloseWait | FinWait1 | Closing | LastAck)
    }

    /// Segments that congestion control allows now.
    fn budget(&self) -> u32 {
        match &self.phase {
            Phase::Reduction { quota, .. } if !self.owns_window => *quota,
            Phase::Reduction { .. } => (self.controller.cwnd() as u32).saturating_sub(self.flight.count()),
            Phase::Open | Phase::Loss { .. } => {
                (self.controller.cwnd() as u32).max(1).saturating_sub(self.flight.count())
            }
        }
    }

    /// Sends what may leave: lost segments first.
    pub(super) fn push(&mut self, now: Time) {
        if !self.may_send() {
            return;
        }
        self.restart_after_idle(now);
        let mut is_limited = false;
        loop {
            let lost = self.flight.next_lost();
            let next = if lost.is_some() { None } else { self.next_new() };
            if lost.is_none() && next.is_none() {
                break;
            }
            if self.budget() == 0 {
                is_limited = true;
                break;
            }
            if !self.is_departure(now) {
                break;
            }
            match (lost, next) {
                (Some(index), _) => self.retransmit(now, index),
                (None, Some(Next::Data(len))) => self.send_data(now, len),
                (None, Some(Next::Fin)) => self.send_fin(now),
                (None, None) => {}
            }
            self.spend();
        }
        self.snd.burst_left = 0;
        if !is_limited && !self.snd.waits() && self.flight.lost == self.flight.repeated {
            self.sampler.on_app_limited(self.snd.nxt - self.snd.una);
        }
        self.note_usage(is_limited);
    }

    /// Remembers whether `cwnd` is the limit, for a window (Linux: `tcp_cwnd_validate`).
    fn note_usage(&mut self, is_limited: bool) {
        let out = self.flight.segments.len() as u32;
        let snd = &mut self.snd;
        if snd.una >= snd.usage_end || is_limited || !snd.is_limited && out > snd.most {
            (snd.is_limited, snd.most, snd.usage_end) = (is_limited, out, snd.nxt);
        }
    }

    /// Whether the window may grow: `cwnd` is the limit; in slow start, more than half of it is in use.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        let (cwnd, ssthresh) = self.window();
        self.snd.is_limited || cwnd < ssthresh && cwnd < 2.0 * f64::from(self.snd.most)
    }

    /// New data or the FIN, if the receiver's window has room for it.
    fn next_new(&self) -> Option<Next> {
        let snd = &self.snd;
        let left = snd.end().saturating_sub(snd.nxt);
        if snd.fin_sent {
            return None;
        }
        if left == 0 {
            return snd.is_closed.then_some(Next::Fin);
        }
        let room = snd.room();
        let len = left.min(u64::from(self.mss)).min(room);
        let is_whole = len == u64::from(self.mss) || len == left;
        // A part of a segment only if the receiver never offers more (RFC 9293 section 3.8.6.2.1).
        if len == 0 || !is_whole && len < snd.max_window / 2 {
            return None;
        }
        let is_small = len < u64::from(self.mss);
        if is_small && !snd.is_closed && snd.small_end > snd.una {
            return None;
        }
        Some(Next::Data(len as u32))
    }

    fn spend(&mut self) {
        if let Phase::Reduction { prr, quota, .. } = &mut self.phase {
            prr.on_sent();
            *quota = quota.saturating_sub(1);
        }
    }

    /// Whether a segment may leave now by the pacing rate, if there is one.
    fn is_departure(&mut self, now: Time) -> bool {
        if self.has_interval {
            return self.is_interval_over(now);
        }
        let Some(rate) = self.controller.pacing_rate().filter(|rate| *rate > 0.0) else { return true };
        let snd = &mut self.snd;
        if snd.burst_left == 0 {
            if now < snd.next_burst {
                self.timers.pace_at = Some(snd.next_burst);
                return false;
            }
            snd.lateness = now.since(snd.next_burst);
            let is_single = self.config.send_quantum == 1 || self.controller.paces_singly();
            let burst = (rate * BURST.secs()).min(MAX_BURST) as u32 / self.mss;
            snd.burst_left = if is_single { 1 } else { burst.max(self.config.send_quantum) };
        }
        snd.burst_left -= 1;
        let length = Span((f64::from(self.mss) / rate * 1e9) as u64);
        // A burst that leaves late is made up for, as in Linux, but no more than half of it.
        let credit = snd.lateness.min(Span(length.0 / 2));
        snd.lateness = snd.lateness - credit;
        snd.unpaced = (snd.unpaced + 1).min(UNPACED);
        snd.next_burst = now.max(snd.next_burst);
        if snd.unpaced >= UNPACED {
            snd.next_burst += length - credit;
        }
        true
    }

    /// Whether the time that the user's controller sets between two segments is over. Repairs wait as well, as those of a pacing
    /// rate do.
    fn is_interval_over(&mut self, now: Time) -> bool {
        if now < self.snd.next_burst {
            self.timers.pace_at = Some(self.snd.next_burst);
            return false;
        }
        let interval = self.controller.cross_layer().map_or(Span::ZERO, |cross_layer| cross_layer.pace_interval());
        self.snd.next_burst = now + interval;
        true
    }

    /// After a timeout's time without sending the window restarts (RFC 5681 section 4.1).
    fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.snd.last_sent else { return };
        if self.flight.is_empty() && self.snd.waits() && now.since(last) > self.rto.rto(0) {
            self.controller.on_idle(f64::from(self.config.initial_window));
            self.snd.last_sent = Some(now);
        }
    }

    fn send_data(&mut self, now: Time, len: u32) {
        let seq = self.snd.nxt;
        let has_cwr = std::mem::take(&mut self.ecn.owes_cwr);
        let is_last = seq + u64::from(len) == self.snd.end();
        let flags = TcpFlags::ACK.with_if(has_cwr, TcpFlags::CWR).with_if(is_last, TcpFlags::PSH);
        let mut segment = self.header(now, flags, seq, len);
        segment.is_ect = self.ecn.is_on;
        if len < self.mss {
            self.snd.small_end = segment.end();
        }
        self.send_new(now, &segment, false);
    }

    fn send_fin(&mut self, now: Time) {
        let segment = self.header(now, TcpFlags::ACK.with(TcpFlags::FIN), self.snd.nxt, 0);
        self.snd.fin_sent = true;
        self.send_new(now, &segment, true);
        self.on_fin_sent();
    }

    fn send_new(&mut self, now: Time, segment: &TcpSegment, is_fin: bool) {
        if self.flight.is_empty() {
            self.controller.on_restart(now, self.sampler.is_app_limited());
        }
        let stamp = self.sampler.on_send(now, self.flight.count());
        let (seq, end) = (segment.seq, segment.end());
        self.flight.segments.push_back(Sent {
            seq,
            end,
            sent_at: now,
            first_sent: now,
            is_fin,
            is_sacked: false,
            is_lost: false,
            is_repeated: false,
            was_repeated: false,
            stamp,
        });
        self.snd.nxt = end;
        self.snd.last_sent = Some(now);
        self.rcv.on_ack_sent(segment.window);
        self.out.push(*segment);
        if self.timers.rto_at.is_none() {
            self.restart_rto(now);
        }
        self.schedule_probe(now);
    }

    /// Sends a segment again that is in flight, or lost.
    pub(super) fn retransmit(&mut self, now: Time, index: usize) {
        let stamp = self.sampler.on_send(now, self.flight.count());
        self.flight.repeat(index, now, stamp);
        let sent = &self.flight.segments[index];
        let (seq, first_sent, is_fin) = (sent.seq, sent.first_sent, sent.is_fin);
        let len = (sent.end - seq) as u32 - u32::from(is_fin);
        let flags = TcpFlags::ACK.with_if(is_fin, TcpFlags::FIN);
        let mut segment = self.header(now, flags, seq, len);
        (segment.first_sent, segment.is_retransmission) = (first_sent, true);
        self.rcv.on_ack_sent(segment.window);
        self.snd.last_sent = Some(now);
        self.out.push(segment);
        if index == 0 || self.timers.rto_at.is_none() {
            self.restart_rto(now);
        }
    }
}
