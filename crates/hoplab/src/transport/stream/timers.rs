//! Timers: retransmission timeout, tail loss probe, reordering, probes of a closed window, pacing.

use super::endpoint::{Endpoint, Phase, State};
use crate::kernel::{Span, Time};
use crate::packet::TcpFlags;
use crate::transport::congestion::{CongestionControl, Loss, LossSignal};

/// Added to the time of a tail loss probe if a single segment is in flight (RFC 8985 section 7.2).
const SINGLE_MARGIN: Span = Span::from_millis(200);
/// Time of a tail loss probe without a sample of the round-trip time.
const BLIND_PROBE: Span = Span::from_millis(1000);

impl Endpoint {
    /// When the end acts by itself.
    pub fn deadline(&self) -> Option<Time> {
        let timers = &self.timers;
        let own = [
            timers.syn_at,
            timers.rto_at,
            timers.rack_at,
            timers.probe_at,
            timers.persist_at,
            timers.pace_at,
            if matches!(self.state, State::Closed | State::Listen) { None } else { self.rcv.deadline() },
        ];
        own.into_iter().flatten().min()
    }

    /// The time of [`Endpoint::deadline`] has come.
    pub fn on_deadline(&mut self, now: Time) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.timers.syn_at) {
            self.on_syn_timeout(now);
        }
        if is_due(self.rcv.deadline()) && !matches!(self.state, State::Closed | State::Listen) {
            self.rcv.on_deadline(now);
            if self.rcv.is_due() {
                self.send_ack(now);
            }
        }
        if is_due(self.timers.pace_at) {
            self.timers.pace_at = None;
            self.push(now);
        }
        if is_due(self.timers.rack_at) {
            self.timers.rack_at = None;
            self.on_reordering_timeout(now);
        }
        if is_due(self.timers.rto_at) {
            self.on_timeout(now);
        } else if is_due(self.timers.probe_at) {
            self.timers.probe_at = None;
            self.send_probe(now);
        }
        if is_due(self.timers.persist_at) {
            self.probe_window(now);
        }
        self.arm(now);
    }

    pub(super) fn restart_rto(&mut self, now: Time) {
        self.timers.rto_at = Some(now + self.rto.rto(self.timers.tries));
    }

    /// Sets the timers that follow from the state: none without anything in flight, probes of a closed window.
    pub(super) fn arm(&mut self, now: Time) {
        if self.flight.is_empty() {
            (self.timers.rto_at, self.timers.rack_at, self.timers.probe_at) = (None, None, None);
        }
        let is_open = matches!(self.state, State::Established | State::CloseWait);
        let is_stuck = is_open && self.flight.is_empty() && self.snd.waits() && !self.fits();
        if !is_stuck {
            (self.timers.persist_at, self.timers.persist_tries) = (None, 0);
        } else if self.timers.persist_at.is_none() {
            self.timers.persist_at = Some(now + self.rto.rto(0));
        }
    }

    /// Whether the receiver's window has room for a segment, or for half of the largest window that it ever offered.
    fn fits(&self) -> bool {
        let room = self.snd.room();
        let left = (self.snd.supplied + 1).saturating_sub(self.snd.nxt);
        let len = left.min(u64::from(self.mss)).min(room);
        left == 0 || len == left || len == u64::from(self.mss) || len > 0 && len >= self.snd.max_window / 2
    }

    /// Probes a closed window: no data, a sequence number that is known already.
    fn probe_window(&mut self, now: Time) {
        self.timers.persist_tries += 1;
        if self.timers.persist_tries > self.config.data_retries && self.timers.tries > self.config.data_retries {
            self.abort_silently();
            return;
        }
        self.timers.tries += 1;
        let probe = self.header(now, TcpFlags::ACK, self.snd.una - 1, 0);
        self.rcv.on_ack_sent(probe.window);
        self.out.push(probe);
        self.timers.persist_at = Some(now + self.rto.rto(self.timers.persist_tries));
    }

    /// Schedules a tail loss probe (RFC 8985 section 7.2).
    pub(super) fn schedule_probe(&mut self, now: Time) {
        let is_calm = matches!(self.phase, Phase::Open) && self.flight.sacked == 0;
        if !is_calm || self.timers.probe.is_some() || self.flight.is_empty() {
            self.timers.probe_at = None;
            return;
        }
        let mut wait = self.rto.srtt().map_or(BLIND_PROBE, |srtt| srtt * 2);
        if self.flight.segments.len() == 1 {
            wait += SINGLE_MARGIN;
        }
        let at = now + wait;
        self.timers.probe_at = Some(self.timers.rto_at.map_or(at, |rto| at.min(rto)));
    }

    /// Sends a tail loss probe: a new segment if there is one, else the last one again.
    fn send_probe(&mut self, now: Time) {
        if self.flight.is_empty() {
            return;
        }
        let before = self.snd.nxt;
        self.push(now);
        let is_repeated = self.snd.nxt == before;
        if is_repeated {
            let last = self.flight.segments.len() - 1;
            self.retransmit(now, last);
        }
        self.timers.probe = Some((self.snd.nxt, is_repeated));
        self.timers.probe_at = None;
        self.restart_rto(now);
    }

    /// The retransmission timeout (RFC 6298 section 5; RFC 8985 section 6.3).
    fn on_timeout(&mut self, now: Time) {
        self.timers.rto_at = None;
        if self.flight.is_empty() {
            return;
        }
        if self.timers.tries >= self.config.data_retries {
            self.abort_silently();
            return;
        }
        let is_new = self.timers.tries == 0 && !matches!(self.phase, Phase::Reduction { repairs: true, .. });
        self.timers.tries += 1;
        self.counts.timeouts += 1;
        for index in 0..self.flight.segments.len() {
            let sent = &self.flight.segments[index];
            if sent.is_sacked || sent.is_lost && !sent.is_repeated {
                continue;
            }
            if index == 0 || self.rack.is_overdue(now, sent) {
                self.flight.lose(index);
            }
        }
        self.note_losses(now);
        let flight = self.flight.segments.len() as u32;
        self.controller.on_loss(&Loss {
            now,
            signal: LossSignal::Timeout,
            window: self.controller.cwnd(),
            flight_size: flight,
            is_retransmission: !is_new,
            is_syn: false,
        });
        self.controller.set_cwnd(f64::from(self.flight.count()) + 1.0);
        self.snd.has_lost = true;
        self.hystart.restart();
        self.phase = Phase::Loss { high: self.snd.nxt };
        (self.timers.probe, self.timers.probe_at, self.timers.rack_at) = (None, None, None);
        self.push(now);
        if self.timers.rto_at.is_none() {
            self.restart_rto(now);
        }
    }
}
