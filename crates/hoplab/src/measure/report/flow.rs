//! The report of one flow: its meter, and the network's packet counters, from the end of its warm-up on.

use crate::kernel::{FlowId, Time};
use crate::measure::idle::IdleTimes;
use crate::measure::view::RunView;
use crate::metrics::{FlowLabel, FlowReport};
use crate::scenario::{FlowSpec, Resolved};
use crate::trace::PacketCounters;

/// The network's counters of a flow when its measurement started.
#[derive(Clone, Debug, Default)]
pub struct FlowBaseline {
    data: PacketCounters,
    acks: PacketCounters,
}

impl FlowBaseline {
    /// The counters now.
    pub fn now(flow: FlowId, run: &RunView<'_>) -> FlowBaseline {
        let counters = &run.ctx.trace.counters;
        FlowBaseline { data: counters.data(flow).clone(), acks: counters.acks(flow).clone() }
    }
}

/// Goodput over a flow's own life, which ends with its transfer or its supply; none where that is not before `now`.
fn own_goodput(report: &FlowReport, since: Time, stop: Option<Time>, now: Time) -> Option<f64> {
    let complete = report.fct_s.flatten().map(|secs| Time::from_secs(report.start_s + secs));
    let end = complete.or(stop).filter(|end| *end < now && *end > since)?;
    Some(report.goodput_bps * now.since(since).secs() / end.since(since).secs())
}

/// The report of a flow up to now.
pub(super) fn flow_report(
    run: &RunView<'_>,
    baseline: &FlowBaseline,
    scenario: &Resolved,
    spec: &FlowSpec,
    idle: Option<&IdleTimes>,
) -> FlowReport {
    let flow = &run.flows[spec.id.index()];
    let label = FlowLabel {
        id: spec.id,
        src: spec.src,
        dst: spec.dst,
        transport: spec.transport_name().to_owned(),
        start: flow.start,
        is_datagrams: spec.transport.is_udp(),
        is_voice: spec.app.is_voice(),
    };
    let counters = &run.ctx.trace.counters;
    let data = counters.data(spec.id).since(&baseline.data);
    let acks = counters.acks(spec.id).since(&baseline.acks);
    let mut report = flow.connection.meter().report(&label, &data, &acks, run.now());
    if let Some(transfer) = flow.connection.completion() {
        report.transfer_bytes = Some(transfer.bytes());
        report.fct_s = Some(transfer.secs());
        let alone = idle.and_then(|idle| idle.of(spec));
        report.slowdown = transfer.secs().zip(alone).map(|(secs, alone)| secs / alone);
        report.is_aborted = Some(transfer.has_aborted());
    }
    report.own_goodput_bps = own_goodput(&report, flow.connection.meter().since(), spec.stop, run.now());
    report.aborted_by = flow.connection.abort().map(|cause| cause.name().to_owned());
    report.declared_lost = flow.connection.reveals_losses().then(|| flow.connection.meter().measured().declared_lost);
    report.workload = spec.workload;
    report.drops = counters.data(spec.id).by_reason();
    report.ack_drops = counters.acks(spec.id).by_reason();
    report.capacity_bps = run.path_capacity(scenario, spec, Time::ZERO).map(|rate| rate.0);
    report
}
