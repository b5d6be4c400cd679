//! Bursts of errors (Gilbert 1960, Elliott 1963): a good and a bad state of exponential length, each with a loss probability.
//!
//! Every link and direction has its own state, or every receiver. The state at a frame's first bit decides. The next state of
//! a Markov process follows from any earlier one, so that it is drawn when a frame arrives, and needs no timer.

use crate::kernel::{RadioId, Span, Time};
use crate::phy::config::RadioConfig;
use crate::phy::errors::config::Memory;
use crate::phy::errors::error_model::{Arrival, ErrorModel};

/// States of links or receivers.
#[derive(Clone, Debug)]
pub struct Gilbert {
    memory: Memory,
    /// Share of time in the bad state.
    bad_share: f64,
    /// How fast the correlation with an earlier state decays, in 1/s.
    decay: f64,
    /// Loss probability in the good and in the bad state.
    loss: [f64; 2],
    /// By receiver: transmitter, time of the last draw, and whether the state was bad.
    states: Vec<Vec<(RadioId, Time, bool)>>,
}

impl ErrorModel for Gilbert {
    const SUMMARY: &'static str = "bursts: a good and a bad state";
    const KEYS: &'static [&'static str] = &["good_mean", "bad_mean", "good_loss", "bad_loss"];

    fn new(config: &RadioConfig, nodes: usize) -> Self {
        let errors = &config.errors;
        let [good, bad] = [errors.good_mean, errors.bad_mean].map(Span::secs);
        Gilbert {
            memory: errors.per,
            bad_share: bad / (good + bad),
            decay: 1.0 / good + 1.0 / bad,
            loss: [errors.good_loss, errors.bad_loss],
            states: vec![Vec::new(); nodes],
        }
    }

    fn loss(&mut self, arrival: Arrival<'_>, draw: f64) -> f64 {
        let Arrival { now, frame, dst, .. } = arrival;
        let key = if self.memory == Memory::Link { frame.ta } else { dst };
        let states = &mut self.states[dst.index()];
        let slot = states.iter().position(|(known, ..)| *known == key);
        let is_bad = match slot {
            None => draw < self.bad_share,
            Some(slot) => {
                let (_, then, was_bad) = states[slot];
                let memory = libm::exp(-self.decay * now.since(then).secs());
                draw < self.bad_share + (f64::from(u8::from(was_bad)) - self.bad_share) * memory
            }
        };
        match slot {
            None => states.push((key, now, is_bad)),
            Some(slot) => states[slot] = (key, now, is_bad),
        }
        self.loss[usize::from(is_bad)]
    }
}
