//! A window of whole segments that grows by counters, as in Linux 2.6.22.
//!
//! # Model
//! rwnd bounds the window. Two counters drive it: acknowledged segments (appropriate byte counting, RFC 3465 with L = 1)
//! and acknowledgments since the last step. Only a sender that is limited by `cwnd` lets the window grow. Slow start
//! includes `ssthresh` itself.
//!
//! # Source
//! Linux 2.6.22 as `Agent/TCP/Linux` of ns-2.35 runs it (`tcp/linux/src/tcp_cong.c`, `tcp/tcp-linux.cc`).

use super::operations::CongestionWindow;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::linux::acks_per_segment::{in_1024ths, share};
use crate::transport::congestion::setup::Setup;
use crate::transport::rules::MIN_SSTHRESH;

/// A window of whole segments with counters.
#[derive(Clone, Debug)]
pub(crate) struct CountedWindow {
    cwnd: f64,
    ssthresh: f64,
    /// The window does not grow beyond this.
    limit: f64,
    /// Acknowledgments since the window grew last (`snd_cwnd_cnt`).
    steps: u32,
    /// Acknowledged segments not yet turned into growth (`bytes_acked`).
    acked: u32,
}

impl CountedWindow {
    pub(crate) fn new(setup: &Setup) -> CountedWindow {
        CountedWindow {
            // ns-2's Linux agent does not wait for the SYN to be acknowledged: its first data go with it.
            cwnd: setup.initial_window,
            ssthresh: setup.initial_ssthresh,
            limit: setup.window,
            steps: 0,
            acked: 0,
        }
    }

    /// Counts one of the `every` acknowledgments that add a segment. Returns whether the window would have grown.
    fn count_step(&mut self, every: u32) -> bool {
        if self.steps >= every {
            self.steps = 0;
            true
        } else {
            self.steps += 1;
            false
        }
    }

    /// Counts an acknowledgment of a window's worth, and leaves the window. Returns whether it would have grown.
    pub(crate) fn count_round(&mut self) -> bool {
        self.count_step(self.whole_cwnd())
    }

    /// Adds a segment, unless the limit is reached.
    pub(crate) fn step_up(&mut self) {
        self.add(1.0);
    }

    /// Clamps the window to two segments and the limit, as Linux's delay-based controls do.
    pub(crate) fn keep_in_range(&mut self) {
        self.cwnd = self.cwnd.min(self.limit).max(MIN_SSTHRESH);
    }

    /// Sets `ssthresh` to half the window after a loss. The window itself falls to half of that during recovery.
    pub(crate) fn halve(&mut self, loss: &Loss) {
        let half = self.cwnd / 2.0;
        let in_recovery = (half.floor().max(MIN_SSTHRESH) / 2.0).floor();
        self.cut(loss, half, Some(in_recovery));
    }
}

impl CongestionWindow for CountedWindow {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn set_ssthresh(&mut self, ssthresh: f64) {
        self.ssthresh = ssthresh;
    }

    fn count_acked(&mut self, ack: &NewAck<'_>) -> bool {
        self.acked = self.acked.saturating_add(ack.newly_acked);
        false
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd <= self.ssthresh
    }

    fn slow_start(&mut self) {
        if self.acked == 0 {
            return;
        }
        self.acked = 0;
        // A window's worth of steps; those left from congestion avoidance may complete a second segment.
        let whole = |cwnd: f64| (cwnd as u32).max(1);
        self.steps = self.steps.saturating_add(whole(self.cwnd));
        while self.steps >= whole(self.cwnd) && self.cwnd < self.limit {
            self.steps -= whole(self.cwnd);
            self.cwnd += 1.0;
        }
        self.steps %= whole(self.cwnd);
    }

    fn grow_as_reno(&mut self, ack: &NewAck<'_>) {
        if !ack.is_cwnd_limited {
            return;
        }
        if self.in_slow_start() {
            self.slow_start();
        } else if self.acked >= self.whole_cwnd() {
            self.acked -= self.whole_cwnd();
            self.step_up();
        }
    }

    fn grow_once_per(&mut self, every: u32) {
        if self.count_step(every) {
            self.step_up();
        }
    }

    fn add(&mut self, part: f64) {
        self.cwnd = (self.cwnd + part).min(self.limit.max(self.cwnd));
    }

    fn loss_base(&self, _loss: &Loss) -> f64 {
        self.cwnd
    }

    fn share_of(&self, window: f64, retained: f64) -> f64 {
        f64::from(share(window as u32, in_1024ths(retained)))
    }

    fn keeps_ssthresh(&self, _loss: &Loss) -> bool {
        false
    }

    fn cut(&mut self, loss: &Loss, ssthresh: f64, in_recovery: Option<f64>) {
        self.ssthresh = ssthresh.max(MIN_SSTHRESH).floor();
        (self.steps, self.acked) = (0, 0);
        self.cwnd = match loss.signal {
            LossSignal::DupAcks => in_recovery.unwrap_or(self.ssthresh).max(1.0),
            LossSignal::Timeout => 1.0,
        };
    }

    fn reports_recovery_exit(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::congestion::testing::{ack, feed, linux, loss};

    fn after(window: &mut CountedWindow, acks: u32) -> f64 {
        feed(acks, |ack| {
            window.count_acked(ack);
            window.grow_as_reno(ack);
        });
        window.cwnd()
    }

    #[test]
    fn slow_start_includes_ssthresh_then_counts_a_window() {
        let mut window = CountedWindow::new(&linux());
        // From 2 through the threshold of 20, which still counts as below it.
        assert_eq!((window.cwnd(), after(&mut window, 19)), (2.0, 21.0));
        assert_eq!(after(&mut window, 20), 21.0);
        assert_eq!(after(&mut window, 1), 22.0);
        assert_eq!(after(&mut window, 22), 23.0);
    }

    #[test]
    fn window_that_does_not_limit_does_not_grow() {
        let mut window = CountedWindow::new(&linux());
        let packet = Ack::plain(1, Time::ZERO);
        let idle = NewAck { is_cwnd_limited: false, ..ack(&packet, 0) };
        window.count_acked(&idle);
        window.grow_as_reno(&idle);
        assert_eq!(window.cwnd(), 2.0);
    }

    #[test]
    fn growth_ends_at_rwnd() {
        let mut window = CountedWindow::new(&Setup { window: 6.0, ..linux() });
        assert_eq!(after(&mut window, 30), 6.0);
    }

    #[test]
    fn loss_halves_twice_during_recovery() {
        let mut window = CountedWindow::new(&linux());
        window.set_cwnd(11.0);
        window.halve(&loss(LossSignal::DupAcks, 11.0, 11));
        assert_eq!((window.cwnd(), window.ssthresh()), (2.0, 5.0));
        window.set_cwnd(3.0);
        window.halve(&loss(LossSignal::DupAcks, 3.0, 3));
        assert_eq!((window.cwnd(), window.ssthresh()), (1.0, 2.0));
        window.halve(&loss(LossSignal::Timeout, 1.0, 1));
        assert_eq!((window.cwnd(), window.ssthresh()), (1.0, 2.0));
    }

    #[test]
    fn every_fourth_step_of_three_adds_a_segment() {
        let mut window = CountedWindow::new(&linux());
        window.set_cwnd(10.0);
        let windows: Vec<f64> = (0..8)
            .map(|_| {
                window.grow_once_per(3);
                window.cwnd()
            })
            .collect();
        assert_eq!(windows, [10.0, 10.0, 10.0, 11.0, 11.0, 11.0, 11.0, 12.0]);
    }

    #[test]
    fn range_is_two_segments_to_rwnd() {
        let kept = |cwnd: f64| {
            let mut window = CountedWindow::new(&Setup { window: 6.0, ..linux() });
            window.set_cwnd(cwnd);
            window.keep_in_range();
            window.cwnd()
        };
        assert_eq!([1.0, 2.0, 6.0, 7.0].map(kept), [2.0, 2.0, 6.0, 6.0]);
    }
}
