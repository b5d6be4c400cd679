//! Compound as ns-2's module for Linux has it, in place of the paper's in profile `ns2_linux`.
//!
//! # Model
//! As the paper's (`delay_based/compound.rs`), in integers: the sample is the minimum of a round, three are needed,
//! `alpha` is 1/8 by a shift, and the delay part grows in slow start as well. A loss halves the sum, as in Linux's
//! Reno.
//!
//! # Source
//! `tcp_compound.c` in ns-2.35 (`select_ca compound`).
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `gamma` of `[tcp.congestion.compound]`; the module has no other.

use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::delay_based::compound::CompoundConfig;
use crate::transport::congestion::delay_based::min_rtt::{ENOUGH_SAMPLES, MinRtt};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, CountedWindow};

/// Compound of Linux.
#[derive(Clone, Debug)]
pub struct LinuxCompound {
    window: CountedWindow,
    gamma: f64,
    /// The part of the window that grows by delay.
    delay_part: f64,
    /// Reno's part.
    reno_part: f64,
    /// Acknowledgments since Reno's part grew.
    steps: u32,
    /// Window beyond which Reno's part does not grow.
    limit: f64,
    samples: MinRtt,
    /// First segment of the round.
    begin: SegNo,
    /// Segment whose acknowledgment ends the round.
    end: SegNo,
    snd_nxt: SegNo,
}

impl LinuxCompound {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &CompoundConfig) -> LinuxCompound {
        LinuxCompound {
            window: CountedWindow::new(setup),
            gamma: config.gamma,
            delay_part: 0.0,
            reno_part: setup.initial_window,
            steps: 0,
            limit: setup.window,
            samples: MinRtt::new(),
            begin: 0,
            end: 0,
            snd_nxt: 0,
        }
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) {
        if self.snd_nxt == 0 {
            // The module begins with the acknowledgment of the SYN, whose sample is too early.
            self.end = ack.snd_nxt;
        } else {
            self.samples.on_sample(ack.rtt.unwrap_or_else(|| ack.now.since(ack.packet.echo)));
        }
        self.snd_nxt = ack.snd_nxt;
        self.window.count_acked(ack);
    }

    /// Fits the parts to a window that recovery has changed.
    fn fit_parts(&mut self, cwnd: f64) {
        if self.reno_part + self.delay_part > cwnd {
            if self.reno_part > cwnd || self.delay_part > cwnd {
                self.delay_part = 0.0;
            }
            self.reno_part = cwnd - self.delay_part;
        }
    }

    fn grow_reno_part(&mut self, cwnd: f64) {
        let mut grows = self.reno_part <= self.window.ssthresh();
        let whole = self.window.whole_cwnd();
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
    }

    fn on_round(&mut self, ack: &NewAck<'_>) {
        let sent = (self.end - self.begin) as u64;
        self.begin = self.end;
        self.end = ack.snd_nxt;
        if self.samples.count >= ENOUGH_SAMPLES {
            let queued = self.samples.queued(sent);
            self.delay_part = if queued < self.gamma {
                // An eighth of the fourth root of the cube, in integers.
                let root = libm::floor(libm::pow(sent as f64, 0.75) + ROUNDING) as u64 >> 3;
                self.delay_part + root.saturating_sub(1) as f64
            } else {
                libm::floor((self.delay_part - queued).max(0.0))
            };
        }
        self.samples.reset();
    }
}

impl CongestionControl for LinuxCompound {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
        let cwnd = self.window.cwnd();
        self.fit_parts(cwnd);
        if !ack.is_cwnd_limited {
            return;
        }
        self.grow_reno_part(cwnd);
        if ack.acked + 1 > self.end {
            self.on_round(ack);
        }
        self.window.set_cwnd(self.reno_part + self.delay_part);
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_dup_ack(&mut self, now: Time, ack: &Ack) {
        self.samples.on_sample(now.since(ack.echo));
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.steps = 0;
        self.window.halve(loss);
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
        self.end = self.snd_nxt;
        self.samples.reset();
    }
}

/// Prevents rounding of a whole power below its value.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::transport::congestion::testing::{ack, linux};

    fn compound(gamma: f64) -> LinuxCompound {
        LinuxCompound::new(&linux(), &CompoundConfig { gamma, ..CompoundConfig::default() })
    }

    #[test]
    fn smaller_window_leaves_the_delay_part() {
        let mut compound = compound(30.0);
        compound.delay_part = 8.0;
        compound.set_cwnd(5.0);
        assert_eq!(compound.delay_part, 8.0);
    }

    #[test]
    fn parts_fit_the_window_at_the_next_ack() {
        let fit = |reno_part: f64, delay_part: f64| {
            let mut compound = compound(30.0);
            compound.window.set_cwnd(20.0);
            (compound.reno_part, compound.delay_part) = (reno_part, delay_part);
            compound.on_ack(&NewAck { is_cwnd_limited: false, ..ack(&Ack::plain(5, Time::ZERO), 9) });
            (compound.reno_part, compound.delay_part)
        };
        // `tcp_compound.c`: the delay part is unchanged unless one of the two parts alone exceeds the window.
        assert_eq!((fit(18.0, 4.0), fit(20.0, 4.0), fit(1.0, 20.0)), ((16.0, 4.0), (16.0, 4.0), (0.0, 20.0)));
        assert_eq!((fit(21.0, 4.0), fit(1.0, 21.0)), ((20.0, 0.0), (20.0, 0.0)));
        assert_eq!(fit(9.0, 10.0), (9.0, 10.0));
    }

    /// The delay part, 10 segments before, after a round of `sent` segments with three samples of `rtt_us`, one of them
    /// a duplicate's; 100 ms is the minimum, and two queued segments are enough.
    fn after_round(sent: SegNo, rtt_us: u64) -> f64 {
        let mut compound = compound(2.0);
        compound.window.set_cwnd(100.0);
        compound.window.set_ssthresh(2.0);
        (compound.reno_part, compound.delay_part) = (90.0, 10.0);
        (compound.end, compound.snd_nxt) = (sent, sent);
        // One microsecond is added to each.
        let rtt = Span((rtt_us - 1) * 1000);
        compound.samples.on_sample(Span(99_999_000));
        compound.samples.reset();
        compound.samples.on_sample(rtt);
        let (packet, now) = (Ack::plain(sent, Time::ZERO), Time(rtt.0));
        compound.on_dup_ack(now, &packet);
        compound.on_ack(&NewAck { now, rtt: Some(rtt), ..ack(&packet, 9) });
        assert_eq!(compound.cwnd(), 90.0 + compound.delay_part);
        compound.delay_part
    }

    #[test]
    fn delay_part_is_decided_in_integers() {
        // 256^(3/4) is 64, an eighth of it 8, less one.
        assert_eq!(after_round(256, 100_000), 17.0);
        // 10 * (1 - 100 / 125) = 2 queued.
        assert_eq!(after_round(10, 125_000), 8.0);
        // 2.5 queued, and whole segments left.
        assert_eq!(after_round(10, 133_400), 7.0);
    }
}
