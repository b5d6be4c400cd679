//! What each flow has delivered in each interval of the run, and what observers said of links at its end, where a
//! scenario asks for it.

use super::World;
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::sim::{Event, MeasureTimer};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    interval: Span,
    /// Bits that had arrived by the last count, by flow.
    before: Vec<f64>,
    /// Bits per second, by flow and interval.
    rates: Vec<Vec<f64>>,
    /// What is said at nodes.
    said: Said,
}

/// What estimators say over time: by node, then by name.
pub(super) type Said = BTreeMap<String, BTreeMap<&'static str, Estimate>>;

/// What one estimator says, in bits per second, at the end of each interval of `progress`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    /// Of the capacity; of AdHoc Probe, that of the path, by the pairs of the last 10 s.
    pub capacity_bps: Vec<Option<f64>>,
    /// Of the available bandwidth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_bps: Vec<f64>,
}

impl World {
    /// Counts every `interval`, which is not zero.
    pub(super) fn begin_progress(&mut self, interval: Span) {
        let flows = self.flows.len();
        self.progress =
            Progress { interval, before: vec![0.0; flows], rates: vec![Vec::new(); flows], said: Said::new() };
        self.schedule_count();
    }

    fn schedule_count(&mut self) {
        let event = Event::Measure(MeasureTimer::Goodput);
        self.ctx.events.schedule(self.ctx.now + self.progress.interval, event);
    }

    pub(super) fn count_progress(&mut self) {
        for flow in 0..self.flows.len() {
            let bits = self.delivered_bits(FlowId(flow as u32));
            let progress = &mut self.progress;
            progress.rates[flow].push((bits - progress.before[flow]) / progress.interval.secs());
            progress.before[flow] = bits;
        }
        self.note_estimates();
        self.schedule_count();
    }

    fn note_estimates(&mut self) {
        let now = self.ctx.now;
        for (node, mac) in self.macs.iter().enumerate() {
            for (name, link) in mac.hop().links(now, ESTIMATE_WINDOW) {
                let estimate = self.progress.said.entry(node.to_string()).or_default().entry(name).or_default();
                estimate.capacity_bps.push(Some(link.capacity * 8.0));
                estimate.available_bps.push(link.available * 8.0);
            }
        }
        for flow in &self.flows {
            let Some(pairs) = flow.connection.pairs() else { continue };
            let dispersion = pairs.dispersion_since(Time(now.0.saturating_sub(PAIR_WINDOW.0)));
            let capacity = dispersion.map(|span| f64::from(flow.probe_bytes) * 8.0 / span.secs());
            let at = self.progress.said.entry(NodeId::index(flow.dst).to_string()).or_default();
            at.entry("adhoc_probe").or_default().capacity_bps.push(capacity);
        }
    }
}

/// Time over which estimators are asked, at most their own window.
const ESTIMATE_WINDOW: Span = Span::from_millis(1000);

/// Time over which pairs of AdHoc Probe are judged.
const PAIR_WINDOW: Span = Span::from_millis(10_000);

impl Progress {
    /// What estimators say, by node and name; nothing if they are not asked.
    pub(super) fn said(&self) -> &Said {
        &self.said
    }

    /// Bits per second by flow and interval; nothing if they are not counted.
    pub(super) fn rates(&self) -> &[Vec<f64>] {
        &self.rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Resolved;

    fn chain(keys: &str) -> Resolved {
        let text = format!(
            "duration = \"10 s\"\n{keys}\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\nstart = \"2 s\"\nstop = \"6 s\"\n"
        );
        Resolved::parse(&text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn intervals_add_up_to_what_was_delivered_and_change_nothing() {
        let run = |scenario: &Resolved| {
            let mut world = World::new(scenario, 1);
            world.run_until(scenario.end()).expect("a run");
            (world.report(scenario, 1, 0.0), world.ctx.trace.fingerprints())
        };
        let (plain, before) = run(&chain(""));
        let (counted, after) = run(&chain("progress = \"1 s\""));
        assert_eq!((plain.progress_bps.len(), before), (0, after));
        let rates = &counted.progress_bps[0];
        assert_eq!(rates.len(), 10);
        assert!(rates[..2].iter().all(|rate| *rate == 0.0) && rates[2..6].iter().all(|rate| *rate > 1e5), "{rates:?}");
        assert!(rates[7..].iter().all(|rate| *rate == 0.0));
        let total = plain.flows[0].goodput_bps * 8.0;
        assert!((rates.iter().sum::<f64>() - total).abs() < 1.0, "{rates:?} and not {total}");
    }
}
