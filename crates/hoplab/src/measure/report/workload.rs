//! The report of a workload: its flows taken together.

use crate::app::{SessionReport, Times, WorkloadKind};
use crate::measure::idle::IdleTimes;
use crate::measure::view::RunView;
use crate::metrics::{CompletionReport, Counts, FlowReport, TimesReport};
use crate::scenario::{FlowSpec, Resolved, WorkloadSpec};
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
    /// What its sessions measure, such as page load times, over the whole run.
    #[serde(skip_serializing_if = "SessionTotals::is_empty")]
    pub sessions: SessionTotals,
}

impl WorkloadReport {
    /// All workloads, in the order of the scenario.
    pub(super) fn all(
        run: &RunView<'_>,
        scenario: &Resolved,
        idle: Option<&IdleTimes>,
        flows: &[FlowReport],
    ) -> Vec<WorkloadReport> {
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
                    sessions: SessionTotals { times: BTreeMap::new(), values: bulk_rates(workload, own(), flows) },
                }
            })
            .collect()
    }
}

/// What sessions measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SessionTotals {
    /// Times by name, such as those of pages and pings.
    pub times: BTreeMap<&'static str, TimesReport>,
    /// Other numbers by name, such as stalls of a video: means over sessions; `down_bps` and `up_bps` are sums over flows.
    pub values: BTreeMap<&'static str, f64>,
}

impl SessionTotals {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty() && self.values.is_empty()
    }

    /// Adds what these sessions have measured.
    pub fn add(&mut self, sessions: &[SessionReport]) {
        let mut times: BTreeMap<&'static str, Times> = BTreeMap::new();
        let mut values: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        for report in sessions {
            for (&name, found) in &report.times {
                let all = times.entry(name).or_default();
                all.secs.extend(&found.secs);
                all.unfinished += found.unfinished;
            }
            for (&name, &value) in &report.values {
                values.entry(name).or_default().push(value);
            }
        }
        let of = |(name, found): (_, Times)| (name, TimesReport::of(found.secs, found.unfinished));
        self.times.extend(times.into_iter().map(of));
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        self.values.extend(values.into_iter().map(|(name, all)| (name, mean(&all))));
    }

    /// Adds the rates of the bulk transfers of all workloads.
    pub(super) fn add_rates(&mut self, workloads: &[WorkloadReport]) {
        for (name, rate) in workloads.iter().flat_map(|workload| &workload.sessions.values) {
            *self.values.entry(name).or_default() += rate;
        }
    }
}

/// Goodput of the bulk transfers of `rrul` over their own time: those from the nodes of `from`, and those to them.
fn bulk_rates<'s>(
    workload: &WorkloadSpec,
    flows: impl Iterator<Item = &'s FlowSpec>,
    reports: &[FlowReport],
) -> BTreeMap<&'static str, f64> {
    let mut rates = BTreeMap::new();
    let has_bulk = workload.config.kind == WorkloadKind::Rrul;
    for flow in flows.filter(|flow| has_bulk && flow.session.is_none()) {
        let name = if workload.pairs.contains(&(flow.src, flow.dst)) { "down_bps" } else { "up_bps" };
        *rates.entry(name).or_default() += reports[flow.id.index()].goodput_bps;
    }
    rates
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
