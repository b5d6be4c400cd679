//! Compound: Reno's window, and beside it one that grows by delay.
//!
//! # Model
//! The window is the sum of two. Reno's part grows by one segment per window acknowledged. The other is decided once per
//! round trip, in congestion avoidance: with fewer than `gamma` segments queued it grows by `alpha * win^k - 1` if that is
//! positive, with more it shrinks by `zeta` times as many as are queued. A loss found by duplicates leaves `1 - beta` of
//! the sum, half of Reno's part in it; a timeout and slow start have no second part. Up to 16 segments the second part
//! does not grow: there Compound is Reno.
//!
//! # Source
//! Tan, Song, Zhang, Sridharan 2006; `tcp_compound.c` in ns-2.35, which profile `ns2_linux` follows: whole numbers, the
//! least sample of a round, three samples needed, `alpha` 1/8 by a shift, growth of the second part in slow start as well.
//!
//! # Deviations
//! The paper's round-trip time is "the latest estimate": we take the mean of the round. `gamma` is not tuned. ns-2's
//! module answers a loss as Linux's Reno answers it, with the sum; it has no other parameters than `gamma`. Shivaranjani
//! 2010 lets Reno's part grow by one segment per acknowledgment and leaves out that terms below zero count as zero.
//!
//! # Parameters
//! `alpha` 1/8, `beta` 1/2, `k` 3/4, `gamma` 30 segments, `zeta` 1: the paper's.

use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.compound]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompoundConfig {
    /// Factor of the growth by delay.
    #[schemars(range(min = 0, max = 100))]
    pub alpha: f64,
    /// Share of the window that a loss takes.
    #[schemars(range(min = 0, max = 0.9))]
    pub beta: f64,
    /// Exponent of the growth by delay.
    #[schemars(range(min = 0, max = 1))]
    pub k: f64,
    /// Segments queued in the network from which on the second part shrinks.
    #[schemars(range(min = 0))]
    pub gamma: f64,
    /// Segments that it shrinks by for each one queued.
    #[schemars(range(min = 0))]
    pub zeta: f64,
}

impl Default for CompoundConfig {
    fn default() -> Self {
        CompoundConfig { alpha: 0.125, beta: 0.5, k: 0.75, gamma: 30.0, zeta: 1.0 }
    }
}

/// Reno's window and one by delay.
#[derive(Clone, Debug)]
pub struct Compound {
    window: Window,
    config: CompoundConfig,
    /// The part that grows by delay, within the window.
    delay_part: f64,
    /// Reno's part, which Linux counts by itself.
    reno_part: f64,
    /// Acknowledgments since that grew.
    steps: u32,
    limit: f64,
    samples: MinRtt,
    /// Sum of the round's samples, in seconds, and how many.
    round: (f64, u32),
    /// Segment whose acknowledgment ends the round.
    mark: SegNo,
    /// Segment that the round began with.
    begin: SegNo,
    snd_nxt: SegNo,
}

impl Compound {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &CompoundConfig) -> Compound {
        Compound {
            window: Window::new(setup),
            config: config.clone(),
            delay_part: 0.0,
            reno_part: setup.initial_window,
            steps: 0,
            limit: setup.window,
            samples: MinRtt::new(),
            round: (0.0, 0),
            mark: 0,
            begin: 0,
            snd_nxt: 0,
        }
    }

    /// The part that grows by delay, in segments.
    pub fn delay_part(&self) -> f64 {
        self.delay_part
    }

    /// Growth by delay at a window of `win` segments, per round trip.
    fn growth(&self, win: f64) -> f64 {
        (self.config.alpha * libm::pow(win, self.config.k) - 1.0).max(0.0)
    }

    fn see(&mut self, ack: &NewAck<'_>) -> bool {
        let is_first = self.snd_nxt == 0;
        if is_first {
            self.mark = ack.snd_nxt;
        }
        self.snd_nxt = ack.snd_nxt;
        if !self.window.is_whole() {
            if let Some(rtt) = ack.rtt {
                self.samples.take(rtt);
                self.round = (self.round.0 + rtt.secs(), self.round.1 + 1);
            }
        } else if !is_first {
            // The module begins with the answer to the opening, whose sample comes too early.
            self.samples.take(ack.rtt.unwrap_or_else(|| ack.now.since(ack.packet.echo)));
        }
        self.window.take(ack)
    }

    fn on_ack_of_paper(&mut self, ack: &NewAck<'_>) {
        let is_slow_start = self.window.is_slow_start();
        if ack.was_full {
            self.window.grow(ack);
        }
        if ack.acked < self.mark {
            return;
        }
        let (sum, count) = std::mem::take(&mut self.round);
        self.mark = ack.snd_nxt;
        if is_slow_start || count == 0 {
            return;
        }
        let win = self.window.cwnd();
        let (rtt, base) = (sum / f64::from(count), self.samples.base as f64 * 1e-6);
        let queued = win * (1.0 - base / rtt).max(0.0);
        let delay_part = if queued < self.config.gamma {
            self.delay_part + if ack.was_full { self.growth(win) } else { 0.0 }
        } else {
            (self.delay_part - self.config.zeta * queued).max(0.0)
        };
        self.window.set_cwnd((win - self.delay_part + delay_part).max(1.0));
        self.delay_part = delay_part;
    }

    fn on_ack_of_linux(&mut self, ack: &NewAck<'_>) {
        let cwnd = self.window.cwnd();
        if self.reno_part + self.delay_part > cwnd {
            if self.reno_part > cwnd || self.delay_part > cwnd {
                self.delay_part = 0.0;
            }
            self.reno_part = cwnd - self.delay_part;
        }
        if !ack.was_full {
            return;
        }
        let mut grows = self.reno_part <= self.window.ssthresh();
        let whole = self.window.whole();
        if !grows && self.steps < whole {
            self.steps += 1;
        }
        if self.steps >= whole {
            grows = true;
            self.steps = 0;
        }
        if grows && cwnd < self.limit {
            self.reno_part += 1.0;
        }
        if ack.acked + 1 > self.mark {
            let sent = (self.mark - self.begin) as u64;
            self.begin = self.mark;
            self.mark = ack.snd_nxt;
            if self.samples.count >= ENOUGH_SAMPLES {
                let queued = (2 * sent - self.samples.target_halves(sent)) as f64 / 2.0;
                self.delay_part = if queued < self.config.gamma {
                    // The fourth root of the cube, an eighth of it, in whole numbers.
                    let root = libm::floor(libm::pow(sent as f64, 0.75) + ROUNDING) as u64 >> 3;
                    self.delay_part + root.saturating_sub(1) as f64
                } else {
                    libm::floor((self.delay_part - queued).max(0.0))
                };
            }
            self.samples.reset();
        }
        self.window.set_cwnd(self.reno_part + self.delay_part);
    }
}

impl CongestionControl for Compound {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        let is_opening = self.see(ack);
        if self.window.is_whole() {
            self.on_ack_of_linux(ack);
        } else if !is_opening {
            self.on_ack_of_paper(ack);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.see(ack);
    }

    fn on_dup_ack(&mut self, now: Time, ack: &Ack) {
        if self.window.is_whole() {
            self.samples.take(now.since(ack.echo));
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.steps = 0;
        if self.window.is_whole() {
            self.window.halve(loss);
            return;
        }
        let in_use = self.window.at_loss(loss);
        let reno_part = (in_use - self.delay_part).max(0.0);
        let rest = in_use * (1.0 - self.config.beta);
        self.window.lose(loss, rest, None);
        self.delay_part = match loss.sign {
            LossSignal::DupAcks => (rest - reno_part / 2.0).max(0.0),
            LossSignal::Timeout => 0.0,
        };
        self.mark = self.snd_nxt;
        self.round = (0.0, 0);
    }

    fn on_opening_lost(&mut self) {
        self.window.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        if !self.window.is_whole() {
            self.delay_part = self.delay_part.min(cwnd);
        }
    }

    fn on_repaired(&mut self, cwnd: f64) {
        self.set_cwnd(cwnd);
        self.mark = self.snd_nxt;
        self.samples.reset();
    }
}

/// Keeps a power that is a whole number from being rounded below it.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::linux;
    use crate::transport::congestion::testing::{ack, loss};

    fn compound() -> Compound {
        Compound::new(&Setup::new(&TcpConfig::default(), 1460), &CompoundConfig::default())
    }

    #[test]
    fn growth_of_the_specification() {
        let grows = |win: f64, expected: f64| assert!((compound().growth(win) - expected).abs() < 1e-4);
        grows(10.0, 0.0);
        grows(16.0, 0.0);
        grows(32.0, 0.6818);
        grows(64.0, 1.8284);
        grows(128.0, 3.7568);
    }

    /// One acknowledgment that ends a round with this window and round-trip time; 100 ms is the least.
    fn round(cwnd: f64, delay_part: f64, rtt_ms: u64) -> Compound {
        round_of(compound(), cwnd, delay_part, rtt_ms)
    }

    fn round_of(mut compound: Compound, cwnd: f64, delay_part: f64, rtt_ms: u64) -> Compound {
        compound.samples.take(Span::from_millis(100));
        compound.window.set_cwnd(cwnd);
        compound.delay_part = delay_part;
        let packet = Ack::plain(10, Time::ZERO);
        let rtt = Some(Span::from_millis(rtt_ms));
        (compound.mark, compound.snd_nxt) = (10, 70);
        compound.on_ack(&NewAck { rtt, ..ack(&packet, 60) });
        compound
    }

    #[test]
    fn the_second_part_follows_the_delay() {
        // 64 + 1/64 at 110 ms: 6 queued.
        let free = round(64.0, 4.0, 110);
        assert!((free.delay_part() - 5.829).abs() < 1e-3 && (free.cwnd() - 65.845).abs() < 1e-2, "{}", free.cwnd());
        // At 200 ms half of them: 32 queued, all of the second part goes.
        let queued = round(64.0, 4.0, 200);
        assert_eq!(queued.delay_part(), 0.0);
        assert!((queued.cwnd() - 60.0156).abs() < 1e-3, "{}", queued.cwnd());
    }

    #[test]
    fn a_loss_halves_both_parts() {
        let mut compound = compound();
        compound.window.set_cwnd(40.0);
        compound.delay_part = 16.0;
        compound.on_loss(&loss(LossSignal::DupAcks, 40.0, 40));
        // 20 in all, 12 of Reno's 24.
        assert_eq!((compound.cwnd(), compound.delay_part()), (20.0, 8.0));
        compound.on_loss(&loss(LossSignal::Timeout, 20.0, 20));
        assert_eq!((compound.cwnd(), compound.delay_part(), compound.ssthresh()), (1.0, 0.0, 10.0));
    }

    #[test]
    fn as_many_queued_as_gamma_do_not_let_it_grow() {
        let mut compound = compound();
        compound.config.gamma = 0.0;
        assert_eq!(round_of(compound, 64.0, 4.0, 100).delay_part(), 4.0);
    }

    #[test]
    fn the_second_part_is_within_the_window_but_in_linux() {
        let after = |mut compound: Compound| {
            compound.delay_part = 8.0;
            compound.set_cwnd(5.0);
            compound.delay_part()
        };
        let linux = Compound::new(&linux(), &CompoundConfig::default());
        assert_eq!((after(compound()), after(linux)), (5.0, 8.0));
    }

    #[test]
    fn linux_fits_its_parts_to_the_window() {
        let fit = |reno_part: f64, delay_part: f64| {
            let mut compound = Compound::new(&linux(), &CompoundConfig::default());
            compound.window.set_cwnd(20.0);
            (compound.reno_part, compound.delay_part) = (reno_part, delay_part);
            compound.on_ack(&NewAck { was_full: false, ..ack(&Ack::plain(5, Time::ZERO), 9) });
            (compound.reno_part, compound.delay_part)
        };
        // `tcp_compound.c`: the second part stays unless one of the two alone is beyond the window.
        assert_eq!((fit(18.0, 4.0), fit(20.0, 4.0), fit(1.0, 20.0)), ((16.0, 4.0), (16.0, 4.0), (0.0, 20.0)));
        assert_eq!((fit(21.0, 4.0), fit(1.0, 21.0)), ((20.0, 0.0), (20.0, 0.0)));
        assert_eq!(fit(9.0, 10.0), (9.0, 10.0));
    }

    /// The second part of Linux, 10 segments before, after a round of `sent` segments with three samples of `rtt_us`, one
    /// of them a duplicate's; 100 ms is the least, and two queued segments are enough.
    fn linux_round(sent: SegNo, rtt_us: u64) -> f64 {
        let mut compound = Compound::new(&linux(), &CompoundConfig { gamma: 2.0, ..CompoundConfig::default() });
        compound.window.set_cwnd(100.0);
        compound.window.set_ssthresh(2.0);
        (compound.reno_part, compound.delay_part) = (90.0, 10.0);
        (compound.mark, compound.snd_nxt) = (sent, sent);
        // One microsecond is added to each.
        let rtt = Span((rtt_us - 1) * 1000);
        compound.samples.take(Span(99_999_000));
        compound.samples.reset();
        compound.samples.take(rtt);
        let (packet, now) = (Ack::plain(sent, Time::ZERO), Time(rtt.0));
        compound.on_dup_ack(now, &packet);
        compound.on_ack(&NewAck { now, rtt: Some(rtt), ..ack(&packet, 9) });
        assert_eq!(compound.cwnd(), 90.0 + compound.delay_part());
        compound.delay_part()
    }

    #[test]
    fn linux_decides_in_whole_numbers() {
        // 256^(3/4) is 64, an eighth of it 8, less one.
        assert_eq!(linux_round(256, 100_000), 17.0);
        // 10 * (1 - 100 / 125) = 2 queued.
        assert_eq!(linux_round(10, 125_000), 8.0);
        // 2.5 queued, and whole segments left.
        assert_eq!(linux_round(10, 133_400), 7.0);
    }
}
