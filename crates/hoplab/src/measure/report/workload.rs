//! The report of a workload: its flows taken together.

use crate::app::{SessionReport, Times};
use crate::measure::idle::IdleTimes;
use crate::measure::view::RunView;
use crate::metrics::{CompletionReport, Counts, TimesReport};
use crate::scenario::{FlowSpec, Resolved};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkloadReport {
    /// Its number.
    pub id: u32,
    /// Its kind.
    pub kind: &'static str,
    /// Flows that have begun, over the whole run.
    pub flows: u64,
    /// Payload bits per second delivered in order by all its flows, from the end of the warm-up on.
    pub goodput_bps: f64,
    /// Distinct payload bits per second received in any order.
    pub unique_bps: f64,
    /// Payload bits per second received, retransmissions included.
    pub throughput_bps: f64,
    /// Completion times of its transfers, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<CompletionReport>,
    /// Times of what users do, such as pages and pings, by name, over the whole run.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub times: BTreeMap<&'static str, TimesReport>,
    /// Other numbers of users, such as stalls of a video, by name: means over users.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<&'static str, f64>,
}

impl WorkloadReport {
    /// All workloads, in the order of the scenario.
    pub(super) fn all(run: &RunView<'_>, scenario: &Resolved, idle: Option<&IdleTimes>) -> Vec<WorkloadReport> {
        (0..)
            .zip(&scenario.workloads)
            .map(|(id, workload)| {
                let own = || scenario.flows.iter().filter(move |flow| flow.workload == Some(id));
                let begun = own().filter(|flow| run.flows[flow.id.index()].start <= run.now());
                let counts: Vec<Counts> = own().map(|flow| run.connection(flow.id).meter().measured()).collect();
                let measured = run.now().secs() - scenario.warmup.secs();
                let rate = |of: fn(&Counts) -> u64| {
                    let bytes: u64 = counts.iter().map(of).sum();
                    if measured > 0.0 { bytes as f64 * 8.0 / measured } else { 0.0 }
                };
                WorkloadReport {
                    id,
                    kind: workload.config.kind.name(),
                    flows: begun.count() as u64,
                    goodput_bps: rate(|counts| counts.in_order),
                    unique_bps: rate(|counts| counts.unique),
                    throughput_bps: rate(|counts| counts.arrived),
                    completion: completion(run, own(), idle),
                    times: BTreeMap::new(),
                    values: BTreeMap::new(),
                }
            })
            .collect()
    }
}

impl WorkloadReport {
    /// Adds what the sessions of the workload have measured.
    pub fn add_sessions(&mut self, sessions: impl Iterator<Item = SessionReport>) {
        let mut times: BTreeMap<&'static str, Times> = BTreeMap::new();
        let mut values: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        for report in sessions {
            for (name, found) in report.times {
                let all = times.entry(name).or_default();
                all.secs.extend(found.secs);
                all.unfinished += found.unfinished;
            }
            for (name, value) in report.values {
                values.entry(name).or_default().push(value);
            }
        }
        self.times =
            times.into_iter().map(|(name, found)| (name, TimesReport::of(found.secs, found.unfinished))).collect();
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        self.values = values.into_iter().map(|(name, all)| (name, mean(&all))).collect();
    }
}

/// Completion times of these flows.
pub(super) fn completion<'s>(
    run: &RunView<'_>,
    flows: impl Iterator<Item = &'s FlowSpec>,
    idle: Option<&IdleTimes>,
) -> Option<CompletionReport> {
    let of = |flow: &'s FlowSpec| {
        let transfer = run.connection(flow.id).completion()?;
        Some((transfer, idle.and_then(|idle| idle.of(flow))))
    };
    CompletionReport::of(flows.filter_map(of))
}
