//! How late a run was behind the clock, and its grade.

use hoplab::kernel::{NodeId, Span, Time};
use hoplab::metrics::Delays;
use serde::Serialize;

/// Lateness of a run so far.
#[derive(Debug)]
pub struct Lateness {
    /// From the simulated arrival of a packet to the end of its write to the device.
    deliveries: Delays,
    /// Durations of a turn of the loop: a packet that a program sends waits at most so long before it enters.
    turns: Delays,
    /// The latest deliveries, the latest first.
    worst: Vec<Moment>,
    /// Deliveries beyond the bound.
    beyond: u64,
    bound: Span,
}

/// A late delivery.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// Simulated time of arrival, in seconds.
    pub at_s: f64,
    /// Node of arrival.
    pub node: u32,
    /// Lateness, in seconds.
    pub late_s: f64,
}

/// What the lateness of a run permits to conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Round-trip times of single hops hold.
    Precise,
    /// Goodput holds.
    Fair,
    /// Nothing holds.
    Late,
}

/// Lateness of a whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatenessReport {
    /// Its grade.
    pub grade: Grade,
    /// Packets delivered to programs.
    pub deliveries: u64,
    /// Median lateness of deliveries, in seconds.
    pub p50_s: Option<f64>,
    /// 99th percentile, in seconds.
    pub p99_s: Option<f64>,
    /// Largest, in seconds.
    pub max_s: Option<f64>,
    /// Deliveries later than the bound.
    pub beyond: u64,
    /// The bound, in seconds.
    pub bound_s: f64,
    /// 99th percentile of the turns of the loop, in seconds.
    pub turn_p99_s: Option<f64>,
    /// Longest turn of the loop, in seconds.
    pub turn_max_s: Option<f64>,
    /// The latest deliveries, the latest first.
    pub worst: Vec<Moment>,
}

/// Late deliveries that are listed.
const LISTED: usize = 20;

/// 99th percentile and largest lateness of a precise run: a tenth of a slotted exchange at 2 Mb/s, and one stall.
const PRECISE: (f64, f64) = (0.25e-3, 20e-3);

impl Lateness {
    /// No delivery so far. A run whose 99th percentile is above `bound` is late.
    pub fn new(bound: Span) -> Lateness {
        Lateness {
            deliveries: Delays::default(),
            turns: Delays::default(),
            worst: Vec::with_capacity(LISTED + 1),
            beyond: 0,
            bound,
        }
    }

    /// A packet that arrived at `at` was written at `now`.
    pub fn on_delivery(&mut self, at: Time, now: Time, node: NodeId) {
        let late = if now > at { now.since(at) } else { Span::ZERO };
        self.deliveries.add(late);
        self.beyond += u64::from(late > self.bound);
        let late_s = late.secs();
        if self.worst.len() < LISTED || self.worst.last().is_some_and(|least| late_s > least.late_s) {
            let place = self.worst.partition_point(|moment| moment.late_s >= late_s);
            self.worst.insert(place, Moment { at_s: at.secs(), node: node.0, late_s });
            self.worst.truncate(LISTED);
        }
    }

    /// A turn of the loop took so long.
    pub fn on_turn(&mut self, span: Span) {
        self.turns.add(span);
    }

    /// The report up to now, of this many deliveries.
    pub fn report(&self, deliveries: u64) -> LatenessReport {
        let (p99, max) = (self.deliveries.quantile(0.99), self.deliveries.max());
        let grade = match (p99, max) {
            (Some(p99), _) if p99 > self.bound.secs() => Grade::Late,
            (Some(p99), Some(max)) if p99 > PRECISE.0 || max > PRECISE.1 => Grade::Fair,
            _ => Grade::Precise,
        };
        LatenessReport {
            grade,
            deliveries,
            p50_s: self.deliveries.quantile(0.5),
            p99_s: p99,
            max_s: max,
            beyond: self.beyond,
            bound_s: self.bound.secs(),
            turn_p99_s: self.turns.quantile(0.99),
            turn_max_s: self.turns.max(),
            worst: self.worst.clone(),
        }
    }
}
