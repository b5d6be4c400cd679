//! Bandwidth estimates over time: the values of all estimators at the end of each goodput interval.

use super::view::RunView;
use crate::kernel::{Span, Time};
use crate::mac::Mac;
use crate::packet::LinkEstimate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Values of one estimator, in bits per second, at the end of each interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Estimate {
    /// Capacity of the link; of AdHoc Probe, that of the path by the pairs of the last 10 s.
    pub capacity_bps: Vec<Option<f64>>,
    /// Available bandwidth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_bps: Vec<f64>,
}

/// Values of all estimators: by node (of a node with several radios `node.channel`, one for each of them), then by name.
pub type Estimates = BTreeMap<String, BTreeMap<&'static str, Estimate>>;

/// Estimates so far.
#[derive(Clone, Debug, Default)]
pub struct EstimateSeries {
    /// Packet length of each flow, with the header that routing adds: what pairs of AdHoc Probe are converted with.
    probe_bytes: Vec<u32>,
    values: Estimates,
}

/// Window of observers; an observer may use a shorter one.
const WINDOW: Span = Span::from_millis(1000);

fn links_of(mac: &Mac, now: Time) -> impl Iterator<Item = (&Mac, (&'static str, LinkEstimate))> {
    mac.observers().links(now, WINDOW).map(move |found| (mac, found))
}

/// Window of AdHoc Probe's pairs.
const PAIR_WINDOW: Span = Span::from_millis(10_000);

impl EstimateSeries {
    /// No estimates yet of flows with packets of these lengths.
    pub fn new(probe_bytes: Vec<u32>) -> EstimateSeries {
        EstimateSeries { probe_bytes, values: Estimates::new() }
    }

    /// Estimates so far, by node and name.
    pub fn values(&self) -> &Estimates {
        &self.values
    }

    /// Reads all estimators now.
    pub fn on_interval(&mut self, run: &RunView<'_>) {
        let now = run.now();
        for node in run.nodes() {
            let is_one = run.macs_of(node).count() == 1;
            for (mac, (name, link)) in run.macs_of(node).flat_map(|mac| links_of(mac, now)) {
                let channel = || run.ctx.radios.channel(mac.radio());
                let at = if is_one { node.0.to_string() } else { format!("{}.{}", node.0, channel()) };
                let estimate = self.values.entry(at).or_default().entry(name).or_default();
                estimate.capacity_bps.push(Some(link.capacity * 8.0));
                estimate.available_bps.push(link.available * 8.0);
            }
        }
        for (flow, &bytes) in run.flows.iter().zip(&self.probe_bytes) {
            let Some(pairs) = flow.connection.pairs() else { continue };
            let dispersion = pairs.dispersion_since(Time(now.0.saturating_sub(PAIR_WINDOW.0)));
            let capacity = dispersion.map(|span| f64::from(bytes) * 8.0 / span.secs());
            let at = self.values.entry(flow.dst.0.to_string()).or_default();
            at.entry("adhoc_probe").or_default().capacity_bps.push(capacity);
        }
    }
}
