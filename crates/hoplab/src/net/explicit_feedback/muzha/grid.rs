//! A level for each cell of a grid of signals (`mode = "grid"`): what a formula of several signals gives, evaluated before
//! the run.

use super::signals::{Signal, Signals};
use crate::packet::explicit::{DraiGrid, MAX_LEVEL};

/// The level by several signals together. Each signal has its own hysteresis, as with thresholds.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    axes: Vec<Axis>,
    /// Of each cell; the last axis varies fastest.
    levels: Vec<u8>,
}

/// The steps of a signal, and how many of them count as passed.
#[derive(Clone, Debug)]
struct Axis {
    signal: Signal,
    steps: Vec<f64>,
    passed: usize,
}

impl Grid {
    pub(super) fn new(config: &DraiGrid) -> Grid {
        let axis =
            |(name, steps): (&str, &[f64])| Axis { signal: Signal::named(name), steps: steps.to_vec(), passed: 0 };
        Grid { axes: config.axes().map(axis).collect(), levels: config.levels().to_vec() }
    }

    /// The level of the cell that the signals are in.
    pub(super) fn follow(&mut self, signals: &Signals) -> u8 {
        let cell = self.axes.iter_mut().fold(0, |cell, axis| cell * (axis.steps.len() + 1) + axis.follow(signals));
        self.levels.get(cell).copied().unwrap_or(MAX_LEVEL)
    }
}

impl Axis {
    /// A step is passed at once, and is no longer when the signal is clearly below it.
    fn follow(&mut self, signals: &Signals) -> usize {
        let (value, slack) = (signals.value(self.signal), signals.slack(self.signal));
        let plain = self.steps.iter().filter(|step| value >= **step).count();
        let most = self.steps.iter().filter(|step| value >= slack.below(**step)).count();
        self.passed = self.passed.max(plain).min(most);
        self.passed
    }
}
