//! The signals of a moment, by which a router finds its level.

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Queue,
    Share,
    Busy,
    Delay,
    Used,
}

impl Signal {
    /// By its key in `[muzha.drai.grid]`.
    pub(super) fn named(key: &str) -> Signal {
        match key {
            "queue" => Signal::Queue,
            "share" => Signal::Share,
            "busy" => Signal::Busy,
            "delay" => Signal::Delay,
            _ => Signal::Used,
        }
    }
}

/// The smoothed signals of a moment, in the order of [`Signal`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Signals(pub(super) [(f64, Slack); 5]);

impl Signals {
    pub(super) fn value(&self, signal: Signal) -> f64 {
        self.0[signal as usize].0
    }

    pub(super) fn slack(&self, signal: Signal) -> Slack {
        self.0[signal as usize].1
    }
}

/// How far past a threshold a signal must be before the level rises.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slack {
    /// A share of the threshold.
    Share(f64),
    /// A distance.
    Distance(f64),
}

impl Slack {
    /// Below which a signal counts as clearly below a threshold.
    pub(super) fn below(self, threshold: f64) -> f64 {
        match self {
            Slack::Share(share) => threshold * (1.0 - share),
            Slack::Distance(distance) => threshold - distance,
        }
    }
}
