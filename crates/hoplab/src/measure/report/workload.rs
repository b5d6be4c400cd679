//! The report of a workload: its flows taken together.

use crate::measure::idle::IdleTimes;
use crate::measure::view::RunView;
use crate::metrics::{CompletionReport, Counts};
use crate::scenario::{FlowSpec, Resolved};
use schemars::JsonSchema;
use serde::Serialize;

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
                }
            })
            .collect()
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
