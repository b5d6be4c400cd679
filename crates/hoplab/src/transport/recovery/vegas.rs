//! Recovery of Vegas: each duplicate acknowledgment checks whether the missing segment is overdue.
//!
//! # Model
//! A fine-grained timeout follows from the round-trip times of single segments. A duplicate acknowledgment, even the
//! first, retransmits the lowest missing segment if that was sent longer ago than this; the third one does so in any
//! case. The window is cut only if it was not cut since the segment was sent, and then grows by one per duplicate until
//! the next new acknowledgment. The first two of those check again whether the next segment is overdue.
//!
//! # Source
//! Brakmo 1995; `Agent/TCP/Vegas` of ns-2.35 (`tcp/tcp-vegas.cc`).
//!
//! # Deviations
//! As in ns-2: a retransmission doubles the backoff of the coarse timer; the inflation is removed only if there were
//! more than three duplicates, and down to a window of zero if the last loss was a timeout (the coarse timer, which
//! ns-2 never stops, ends that; profile `rfc` does not remove it then); no limited transmit; a segment that was never
//! sent counts as overdue if the fine-grained timeout is over a second later; a timeout counts also if nothing was in
//! flight; send times are in a ring whose entries may be outdated (exact in profile `rfc`); after a lost SYN the clock
//! restarts, which delays the first cut; the coarse timer of an idle sender continues when it sends again. Not as in
//! ns-2: data that the application has not supplied is never sent, not even as overdue.
//!
//! # Parameters
//! `tcp.dup_ack_threshold`.

use super::method::Recovery;
use crate::kernel::{Span, Time};
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::LossSignal;
use crate::transport::tcb::{AckKind, Tcb};

/// Fine-grained recovery of Vegas.
#[derive(Clone, Debug, Default)]
pub struct Vegas {
    timer: Option<FineTimer>,
    /// New acknowledgments that still check whether the next segment is overdue.
    checks_left: u32,
    /// Window after the last cut, without inflation; 0 after a timeout.
    cut_to: f64,
    cut_at: Option<Time>,
    last_loss: Option<LossSignal>,
    in_recovery: bool,
    /// When the SYN was sent last.
    syn_sent_at: Time,
}

/// Timeout from the round-trip times of single segments, in seconds.
#[derive(Clone, Copy, Debug)]
struct FineTimer {
    /// Smoothed round-trip time, times 8.
    sa: f64,
    /// Its mean deviation, times 4.
    sd: f64,
    timeout: f64,
}

impl FineTimer {
    fn new(rtt: f64) -> FineTimer {
        let (sa, sd) = (rtt * 8.0, rtt);
        FineTimer { sa, sd, timeout: 0.5 * (sa / 4.0 + sd) }
    }

    fn on_sample(&mut self, rtt: f64) {
        let n = rtt - self.sa / 8.0;
        self.sa += n;
        self.sd += n.abs() - self.sd / 4.0;
        let timeout = 0.5 * (self.sa / 4.0 + self.sd);
        self.timeout = timeout + timeout / 16.0;
    }

    fn back_off(&mut self, is_retransmission: bool) {
        self.timeout *= if is_retransmission { 2.0 } else { 9.0 / 8.0 };
    }
}

impl Vegas {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> Vegas {
        Vegas::default()
    }

    fn on_new(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let was_inflated = tcb.dup_acks > tcb.rules.dup_ack_threshold;
        if was_inflated && tcb.control.cwnd() > self.cut_to && (self.cut_to > 0.0 || tcb.rules.recovery.vegas_quirks) {
            tcb.control.on_recovery_exit(self.cut_to);
        }
        self.in_recovery = false;
        let new = tcb.acknowledge(ack);
        tcb.control.on_ack(&new);
        // A segment sent at time zero yields no sample: ns-2 uses zero for no time.
        let rtt = new.rtt.filter(|&rtt| rtt > Span::ZERO && new.sent_at() > Some(self.syn_sent_at));
        if let (Some(timer), Some(rtt)) = (&mut self.timer, rtt) {
            timer.on_sample(rtt.secs());
        }
        if self.checks_left > 0 {
            self.checks_left -= 1;
            if self.is_overdue(tcb) {
                tcb.dup_acks = tcb.rules.dup_ack_threshold;
                tcb.transmit(tcb.snd_una);
            } else {
                self.checks_left = 0;
            }
        }
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks += 1;
        let threshold = tcb.rules.dup_ack_threshold;
        if self.is_overdue(tcb) || tcb.dup_acks == threshold {
            if tcb.acked() > tcb.recover || self.last_loss != Some(LossSignal::Timeout) {
                self.retransmit(tcb);
            }
        } else if tcb.dup_acks > threshold {
            tcb.control.set_cwnd(tcb.control.cwnd() + 1.0);
        }
    }

    fn retransmit(&mut self, tcb: &mut Tcb) {
        let history = tcb.log.history(tcb.snd_una);
        self.last_loss = Some(LossSignal::DupAcks);
        self.in_recovery = true;
        self.checks_left = (tcb.snd_nxt - tcb.acked()).clamp(0, MAX_CHECKS) as u32;
        if let Some(timer) = &mut self.timer {
            timer.back_off(history.times > 1);
        }
        let loss = tcb.loss(LossSignal::DupAcks);
        tcb.count_fast_retransmit();
        if history.last.is_some_and(|sent| self.cut_at.is_none_or(|cut| cut < sent)) {
            tcb.control.on_loss(&loss);
            self.cut_to = tcb.control.cwnd();
            tcb.control.set_cwnd(self.cut_to + f64::from(tcb.dup_acks));
            self.cut_at = Some(tcb.now());
        }
        tcb.rtt.back_off();
        tcb.restart_timer();
        tcb.cancel_timed();
        tcb.transmit(tcb.snd_una);
        if history.times == 1 {
            tcb.dup_acks = tcb.rules.dup_ack_threshold;
        }
    }

    /// Whether the lowest missing segment was sent longer ago than the fine-grained timeout.
    fn is_overdue(&self, tcb: &Tcb) -> bool {
        let timeout = self.timer.map_or(f64::INFINITY, |timer| timer.timeout);
        let since = |at: Time| tcb.now().since(at).secs();
        match tcb.log.history(tcb.snd_una).last {
            Some(sent) => since(sent) >= timeout,
            // In ns-2 a segment that was never sent has a send time of -1 s.
            None => tcb.has_next() && since(self.syn_sent_at) + 1.0 >= timeout,
        }
    }
}

impl Recovery for Vegas {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        if self.timer.is_none() {
            self.timer = Some(FineTimer::new(tcb.now().since(self.syn_sent_at).secs()));
        }
        match tcb.kind_of(ack) {
            AckKind::New => self.on_new(tcb, ack),
            AckKind::Duplicate => {
                tcb.control.on_dup_ack(tcb.now(), ack);
                self.on_duplicate(tcb);
            }
            AckKind::Old => {}
        }
        if tcb.dup_acks == 0 || tcb.dup_acks >= tcb.rules.dup_ack_threshold {
            tcb.fill_window();
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks = 0;
        self.in_recovery = false;
        self.last_loss = Some(LossSignal::Timeout);
        tcb.count_timeout();
        tcb.rtt.back_off();
        tcb.go_back();
        self.cut_to = 0.0;
        self.cut_at = Some(tcb.now());
        if tcb.snd_una == 0 {
            // The clock of ns-2 restarts with the SYN, so that the time of the cut is in its future.
            self.cut_at = Some(tcb.now() + tcb.now().since(self.syn_sent_at));
            self.syn_sent_at = tcb.now();
        }
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if tcb.snd_max == 0 {
            self.syn_sent_at = tcb.now();
            if tcb.rules.recovery.vegas_quirks {
                tcb.log.use_ring(tcb.rules.window);
                tcb.rules.restarts_when_idle = false;
            }
        }
        tcb.fill_window();
    }

    fn in_recovery(&self) -> bool {
        self.in_recovery
    }
}

/// New acknowledgments after a retransmission that check whether the next segment is overdue, at most.
const MAX_CHECKS: i64 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::SegNo;
    use crate::transport::{CongestionKind, TcpConfig};

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// A recovery and a TCB that has sent segment 0, of so many.
    fn started(segments: u32) -> (Vegas, Tcb) {
        let mut tcb = Tcb::new(&TcpConfig::default(), CongestionKind::Vegas, 1000, 32, 0.0);
        let mut vegas = Vegas::default();
        tcb.supply(Some(segments));
        vegas.on_supply(&mut tcb);
        (vegas, tcb)
    }

    fn acked(vegas: &mut Vegas, tcb: &mut Tcb, at: Time, cumulative: SegNo) {
        tcb.set_now(at);
        vegas.on_ack(tcb, &Ack::plain(cumulative, Time::ZERO));
    }

    #[test]
    fn neither_syn_nor_rtt_of_zero_is_a_sample() {
        let (mut vegas, mut tcb) = started(100);
        for cumulative in [0, 1] {
            acked(&mut vegas, &mut tcb, ms(100), cumulative);
            assert!((vegas.timer.expect("a timer").timeout - 0.15).abs() < 1e-12, "after {cumulative}");
        }
    }

    #[test]
    fn window_above_the_cut_loses_its_inflation() {
        for (above, ssthresh) in [(0.0, 20.0), (1.0, 2.0)] {
            let (mut vegas, mut tcb) = started(100);
            acked(&mut vegas, &mut tcb, ms(100), 0);
            acked(&mut vegas, &mut tcb, ms(200), 1);
            tcb.dup_acks = tcb.rules.dup_ack_threshold + 1;
            vegas.cut_to = tcb.control.cwnd() - above;
            acked(&mut vegas, &mut tcb, ms(300), 2);
            assert_eq!(tcb.control.ssthresh().to_bits(), f64::to_bits(ssthresh), "{above} above");
        }
    }

    #[test]
    fn idle_sender_checks_once_after_the_third_duplicate() {
        let (mut vegas, mut tcb) = started(2);
        acked(&mut vegas, &mut tcb, ms(100), 0);
        acked(&mut vegas, &mut tcb, ms(200), 1);
        // No segment is left that could be overdue.
        (0..2).for_each(|_| acked(&mut vegas, &mut tcb, ms(3000), 1));
        assert_eq!((tcb.counts().fast_retransmits, vegas.checks_left), (0, 0));
        acked(&mut vegas, &mut tcb, ms(3000), 1);
        assert_eq!((tcb.counts().fast_retransmits, vegas.checks_left), (1, 1));
    }

    #[test]
    fn segment_never_sent_is_overdue_a_second_later() {
        let mut tcb = Tcb::new(&TcpConfig::default(), CongestionKind::Vegas, 1000, 32, 0.0);
        tcb.supply(Some(5));
        tcb.set_now(ms(500));
        for (timeout, is_overdue) in [(1.5, true), (1.6, false)] {
            let vegas = Vegas { timer: Some(FineTimer { timeout, ..FineTimer::new(0.1) }), ..Vegas::default() };
            assert_eq!(vegas.is_overdue(&tcb), is_overdue, "a timeout of {timeout} s");
        }
    }

    #[test]
    fn lost_syn_delays_the_first_cut_by_its_timeout() {
        let (mut vegas, mut tcb) = started(100);
        tcb.set_now(ms(3000));
        vegas.on_timeout(&mut tcb);
        assert_eq!((vegas.cut_at, vegas.syn_sent_at), (Some(ms(6000)), ms(3000)));
    }

    #[test]
    fn fine_timer_follows_samples_and_backoff() {
        let mut timer = FineTimer::new(0.1);
        assert!((timer.timeout - 0.15).abs() < 1e-12);
        timer.on_sample(0.1);
        // srtt 0.1, deviation 0.075 of 4: (0.2 + 0.075) / 2 * 17 / 16.
        assert!((timer.timeout - 0.146_093_75).abs() < 1e-12);
        timer.back_off(false);
        assert!((timer.timeout - 0.146_093_75 * 1.125).abs() < 1e-12);
        timer.back_off(true);
        assert!((timer.timeout - 0.146_093_75 * 2.25).abs() < 1e-12);
    }
}
