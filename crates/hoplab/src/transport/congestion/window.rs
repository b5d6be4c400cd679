//! The window of a controller, real or whole: how it opens, grows and is cut by the rules of the profile.
//!
//! # Model
//! One-way agents and RFCs keep a real number (see [`Reno`]). Linux keeps a whole one, bounded by the receiver's limit,
//! with two counters: acknowledged segments (appropriate byte counting, RFC 3465 with L = 1), and acknowledgments since
//! the last step. A whole window grows only if it was full when the acknowledgment came.
//!
//! # Source
//! Linux 2.6.22 as `Agent/TCP/Linux` of ns-2.35 runs it (`tcp/linux/src/tcp_cong.c`, `tcp/tcp-linux.cc`).

use super::event::{Loss, LossSignal, NewAck};
use super::loss_based::Reno;
use super::setup::{NoParameters, Setup};

/// A window by the rules of the profile.
#[derive(Clone, Debug)]
pub(in crate::transport::congestion) struct Window {
    reno: Reno,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// A real number, cut from the window in use.
    Ns2,
    /// A real number, cut from what is in flight.
    Rfc,
    /// A whole number with counters.
    Whole(Counters),
}

#[derive(Clone, Debug)]
struct Counters {
    /// The window does not grow beyond this.
    limit: f64,
    /// Acknowledgments since the window grew last (`snd_cwnd_cnt`).
    steps: u32,
    /// Segments acknowledged and not yet turned into growth (`bytes_acked`).
    acked: u32,
}

impl Window {
    pub(in crate::transport::congestion) fn new(setup: &Setup) -> Window {
        let rule = match (setup.is_linux, setup.is_rfc) {
            (true, _) => Rule::Whole(Counters { limit: setup.window, steps: 0, acked: 0 }),
            (_, true) => Rule::Rfc,
            (_, false) => Rule::Ns2,
        };
        let mut reno = Reno::new(setup, &NoParameters {});
        if setup.is_linux {
            // ns-2's Linux agent does not wait for the answer to the opening: its first data go with it.
            reno.cwnd = setup.initial_window;
        }
        Window { reno, rule }
    }

    #[inline]
    pub(in crate::transport::congestion) fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    #[inline]
    pub(in crate::transport::congestion) fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    /// Whole segments of the window.
    pub(in crate::transport::congestion) fn whole(&self) -> u32 {
        self.reno.cwnd as u32
    }

    /// Whether it is whole and counted, as in Linux.
    pub(in crate::transport::congestion) fn is_whole(&self) -> bool {
        matches!(self.rule, Rule::Whole(_))
    }

    pub(in crate::transport::congestion) fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    pub(in crate::transport::congestion) fn set_ssthresh(&mut self, ssthresh: f64) {
        self.reno.ssthresh = ssthresh;
    }

    pub(in crate::transport::congestion) fn on_opening_lost(&mut self) {
        self.reno.initial_window = 1.0;
    }

    /// Counts what was acknowledged. To be called for every acknowledgment of new data, before the window grows.
    /// Whether it acknowledged the opening segment, which sets a real window: it is not to grow then.
    pub(in crate::transport::congestion) fn take(&mut self, ack: &NewAck<'_>) -> bool {
        match &mut self.rule {
            Rule::Whole(counters) => {
                counters.acked = counters.acked.saturating_add(ack.newly_acked);
                false
            }
            Rule::Ns2 | Rule::Rfc if ack.acked == 0 => {
                self.reno.cwnd = self.reno.initial_window;
                true
            }
            Rule::Ns2 | Rule::Rfc => false,
        }
    }

    /// Whether the start is quick. Linux counts the threshold itself as below it.
    pub(in crate::transport::congestion) fn is_slow_start(&self) -> bool {
        if self.is_whole() { self.reno.cwnd <= self.reno.ssthresh } else { self.reno.cwnd < self.reno.ssthresh }
    }

    /// One segment more for a segment acknowledged.
    pub(in crate::transport::congestion) fn slow_start(&mut self) {
        let Rule::Whole(counters) = &mut self.rule else {
            self.reno.cwnd += 1.0;
            return;
        };
        if counters.acked == 0 {
            return;
        }
        counters.acked = 0;
        // A window's worth of steps; those left from congestion avoidance may make a second segment of it.
        let whole = |cwnd: f64| (cwnd as u32).max(1);
        counters.steps = counters.steps.saturating_add(whole(self.reno.cwnd));
        while counters.steps >= whole(self.reno.cwnd) && self.reno.cwnd < counters.limit {
            counters.steps -= whole(self.reno.cwnd);
            self.reno.cwnd += 1.0;
        }
        counters.steps %= whole(self.reno.cwnd);
    }

    /// As Reno: slow start, or one segment more per window acknowledged.
    pub(in crate::transport::congestion) fn grow(&mut self, ack: &NewAck<'_>) {
        if self.is_whole() && !ack.was_full {
            return;
        }
        if self.is_slow_start() {
            self.slow_start();
            return;
        }
        let cwnd = self.reno.cwnd as u32;
        match &mut self.rule {
            Rule::Whole(counters) if counters.acked >= cwnd => {
                counters.acked -= cwnd;
                self.step_up();
            }
            Rule::Whole(_) => {}
            Rule::Ns2 | Rule::Rfc => self.reno.cwnd += 1.0 / self.reno.cwnd,
        }
    }

    /// One acknowledgment of the `every` that make a segment more. Whether a whole window has grown, or would have.
    pub(in crate::transport::congestion) fn climb(&mut self, every: u32) -> bool {
        match &mut self.rule {
            Rule::Whole(counters) if counters.steps >= every => {
                counters.steps = 0;
                self.step_up();
                true
            }
            Rule::Whole(counters) => {
                counters.steps += 1;
                false
            }
            Rule::Ns2 | Rule::Rfc => {
                self.reno.cwnd += 1.0 / f64::from(every.max(1));
                false
            }
        }
    }

    /// As [`Window::climb`], a whole window long, but the window stays as it is. Whether it would have grown.
    pub(in crate::transport::congestion) fn count_round(&mut self) -> bool {
        let cwnd = self.reno.cwnd as u32;
        let Rule::Whole(counters) = &mut self.rule else { return false };
        if counters.steps >= cwnd {
            counters.steps = 0;
            true
        } else {
            counters.steps += 1;
            false
        }
    }

    /// Adds a part of a segment, up to the limit if there is one.
    pub(in crate::transport::congestion) fn add(&mut self, part: f64) {
        let limit = if let Rule::Whole(counters) = &self.rule { counters.limit } else { f64::INFINITY };
        self.reno.cwnd = (self.reno.cwnd + part).min(limit.max(self.reno.cwnd));
    }

    /// One segment more, unless the limit is reached.
    pub(in crate::transport::congestion) fn step_up(&mut self) {
        self.add(1.0);
    }

    /// Puts the window between two segments and the limit, as Linux's delay-based controls do.
    pub(in crate::transport::congestion) fn keep_in_range(&mut self) {
        let limit = if let Rule::Whole(counters) = &self.rule { counters.limit } else { f64::INFINITY };
        self.reno.cwnd = self.reno.cwnd.min(limit).max(LEAST_SSTHRESH);
    }

    /// The window that a loss is answered from: that in use, or what is in flight by the RFCs.
    pub(in crate::transport::congestion) fn at_loss(&self, loss: &Loss) -> f64 {
        match self.rule {
            Rule::Ns2 => loss.window,
            Rule::Rfc => f64::from(loss.flight),
            Rule::Whole(_) => self.reno.cwnd,
        }
    }

    /// Whether a loss leaves the threshold as it is: a further timeout of the same segment, by RFC 5681 section 3.1.
    pub(in crate::transport::congestion) fn keeps_ssthresh(&self, loss: &Loss) -> bool {
        matches!(self.rule, Rule::Rfc) && loss.sign == LossSignal::Timeout && loss.is_repeated
    }

    /// Answers a loss with this threshold, in segments. Found by duplicates, the window becomes the threshold, or, if
    /// whole, `layer` if that is given; a timeout leaves one segment.
    pub(in crate::transport::congestion) fn lose(&mut self, loss: &Loss, ssthresh: f64, layer: Option<f64>) {
        let ssthresh = ssthresh.max(LEAST_SSTHRESH);
        if !self.keeps_ssthresh(loss) {
            self.reno.ssthresh = if matches!(self.rule, Rule::Rfc) { ssthresh } else { ssthresh.floor() };
        }
        let mut target = ssthresh;
        if let Rule::Whole(counters) = &mut self.rule {
            (counters.steps, counters.acked) = (0, 0);
            target = layer.unwrap_or(self.reno.ssthresh);
        }
        self.reno.cwnd = match loss.sign {
            LossSignal::DupAcks => target.max(1.0),
            LossSignal::Timeout => 1.0,
        };
    }

    /// Answers a loss with half the window; in Linux the window itself falls to half of that, for the repair.
    pub(in crate::transport::congestion) fn halve(&mut self, loss: &Loss) {
        let half = self.at_loss(loss) / 2.0;
        let layer = self.is_whole().then(|| (half.floor().max(LEAST_SSTHRESH) / 2.0).floor());
        self.lose(loss, half, layer);
    }
}

/// No loss sets `ssthresh` below this, in segments.
pub(in crate::transport::congestion) const LEAST_SSTHRESH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::super::testing::{ack, feed, linux, loss};
    use super::*;
    use crate::kernel::Time;
    use crate::packet::Ack;
    use crate::transport::TcpConfig;

    fn after(window: &mut Window, acks: u32) -> f64 {
        feed(acks, |ack| {
            window.take(ack);
            window.grow(ack);
        });
        window.cwnd()
    }

    #[test]
    fn a_whole_window_doubles_and_then_counts() {
        let mut window = Window::new(&linux());
        // From 2 through the threshold of 20, which still counts as below it.
        assert_eq!((window.cwnd(), after(&mut window, 19)), (2.0, 21.0));
        assert_eq!(after(&mut window, 20), 21.0);
        assert_eq!(after(&mut window, 1), 22.0);
        assert_eq!(after(&mut window, 22), 23.0);
    }

    #[test]
    fn a_window_that_is_not_full_does_not_grow() {
        let mut window = Window::new(&linux());
        let packet = Ack::plain(1, Time::ZERO);
        let idle = NewAck { was_full: false, ..ack(&packet, 0) };
        window.take(&idle);
        window.grow(&idle);
        assert_eq!(window.cwnd(), 2.0);
    }

    #[test]
    fn the_limit_holds() {
        let mut window = Window::new(&Setup { window: 6.0, ..linux() });
        assert_eq!(after(&mut window, 30), 6.0);
    }

    #[test]
    fn linux_halves_twice_for_the_repair() {
        let mut window = Window::new(&linux());
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
    fn steps_make_a_segment() {
        let mut window = Window::new(&linux());
        window.set_cwnd(10.0);
        let grown: Vec<bool> = (0..8).map(|_| window.climb(3)).collect();
        assert_eq!(grown, [false, false, false, true, false, false, false, true]);
        assert_eq!(window.cwnd(), 12.0);
    }

    #[test]
    fn a_real_window_is_renos() {
        let mut window = Window::new(&Setup::new(&TcpConfig::default(), 1460));
        let opening = Ack::plain(0, Time::ZERO);
        assert!(window.take(&ack(&opening, 0)));
        assert_eq!((window.cwnd(), after(&mut window, 18)), (2.0, 20.0));
        assert_eq!(after(&mut window, 1), 20.05);
        window.halve(&loss(LossSignal::DupAcks, 15.0, 15));
        assert_eq!((window.cwnd(), window.ssthresh()), (7.5, 7.0));
    }

    #[test]
    fn delay_based_windows_stay_between_two_and_the_limit() {
        let kept = |setup: &Setup, cwnd: f64| {
            let mut window = Window::new(setup);
            window.set_cwnd(cwnd);
            window.keep_in_range();
            window.cwnd()
        };
        let whole = Setup { window: 6.0, ..linux() };
        assert_eq!([1.0, 2.0, 6.0, 7.0].map(|cwnd| kept(&whole, cwnd)), [2.0, 2.0, 6.0, 6.0]);
        assert_eq!(kept(&Setup::new(&TcpConfig::default(), 1460), 700.0), 700.0);
    }

    #[test]
    fn a_second_timeout_of_a_segment_leaves_the_threshold_in_the_rfcs() {
        let after = |config: &TcpConfig, sign: LossSignal, is_repeated: bool| {
            let mut window = Window::new(&Setup::new(config, 1460));
            window.set_ssthresh(7.5);
            window.lose(&Loss { is_repeated, ..loss(sign, 4.0, 4) }, 3.5, None);
            window.ssthresh()
        };
        let rfc = |sign, is_repeated| after(&TcpConfig::rfc(), sign, is_repeated);
        assert_eq!((rfc(LossSignal::Timeout, false), rfc(LossSignal::Timeout, true)), (3.5, 7.5));
        assert_eq!((rfc(LossSignal::DupAcks, false), rfc(LossSignal::DupAcks, true)), (3.5, 3.5));
        assert_eq!(after(&TcpConfig::default(), LossSignal::Timeout, true), 3.0);
    }
}
