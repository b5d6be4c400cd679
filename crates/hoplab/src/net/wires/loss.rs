//! Losses on a wire: each packet for itself, or in bursts.

use super::config::{Bursts, WireLoss};
use crate::kernel::{Purpose, RandomStream, RandomStreams, Span, Time};

/// Losses of one port.
#[derive(Debug)]
pub(super) enum Losses {
    /// None.
    Never,
    /// Each packet with this probability.
    Independent(f64, RandomStream),
    /// By the state of a Markov process, which is drawn when a packet needs it.
    Bursts {
        bursts: Bursts,
        stream: RandomStream,
        /// Time of the last draw, and whether the state was bad.
        last: Option<(Time, bool)>,
    },
}

impl Losses {
    pub(super) fn new(loss: WireLoss, streams: RandomStreams, port: u32) -> Losses {
        let stream = || streams.stream(Purpose::WireLoss, port);
        match loss {
            WireLoss::Independent(loss) if loss <= 0.0 => Losses::Never,
            WireLoss::Independent(loss) => Losses::Independent(loss, stream()),
            WireLoss::Bursts(bursts) => Losses::Bursts { bursts, stream: stream(), last: None },
        }
    }

    /// Whether a packet is lost now.
    pub(super) fn is_lost(&mut self, now: Time) -> bool {
        match self {
            Losses::Never => false,
            Losses::Independent(loss, stream) => stream.unit() < *loss,
            Losses::Bursts { bursts, stream, last } => {
                let [good, bad] = [bursts.good_mean, bursts.bad_mean].map(Span::secs);
                let share = bad / (good + bad);
                let bad_now = match *last {
                    None => share,
                    Some((then, was_bad)) => {
                        let memory = libm::exp(-(1.0 / good + 1.0 / bad) * now.since(then).secs());
                        share + (f64::from(u8::from(was_bad)) - share) * memory
                    }
                };
                let is_bad = stream.unit() < bad_now;
                *last = Some((now, is_bad));
                stream.unit() < if is_bad { bursts.bad_loss } else { bursts.good_loss }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_have_their_mean_loss_and_length() {
        let bursts = Bursts {
            good_mean: Span::from_millis(900),
            bad_mean: Span::from_millis(100),
            good_loss: 0.0,
            bad_loss: 1.0,
        };
        let mut losses = Losses::new(WireLoss::Bursts(bursts), RandomStreams::new(7), 0);
        let lost: Vec<bool> = (0..400_000_u64).map(|i| losses.is_lost(Time(i * 10_000_000))).collect();
        let count = lost.iter().filter(|lost| **lost).count();
        let runs = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        assert!((count as f64 / lost.len() as f64 - 0.1).abs() < 0.01, "{count}");
        // Bursts of 100 ms, sampled every 10 ms: 10 packets in a row, and half an interval more.
        assert!((count as f64 / runs as f64 - 10.5).abs() < 1.0, "{runs}");
    }
}
