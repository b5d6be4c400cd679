//! The report of a run: flows, nodes, losses, routing, connectivity, and optional measures.

use super::flow::flow_report;
use super::live::LiveReport;
use super::node::NodeReport;
use super::proxy::{ProxyReport, SplitReport, proxy_reports, split_reports};
use super::wire::WireReport;
use super::workload::{self, SessionTotals, WorkloadReport};
use crate::kernel::RadioId;
use crate::measure::airtime::AirtimeReport;
use crate::measure::connectivity::NetworkReport;
use crate::measure::estimates::Estimates;
use crate::measure::measures::Measures;
use crate::measure::view::RunView;
use crate::metrics::{CompletionReport, FlowReport};
use crate::packet::FrameKind;
use crate::scenario::Resolved;
use crate::trace::{Counters, DropReason, FINGERPRINTED, Loss};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of one run. All but `cpu_s` follow from scenario, seed and version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// Version of this format: rises when a field is renamed, removed or given another unit.
    pub format: u32,
    /// Root of its random streams.
    pub seed: u64,
    /// Its flows, measured from the later of warm-up and flow start to the end.
    pub flows: Vec<FlowReport>,
    /// Packets dropped over the whole run, by reason. Reasons that did not occur are left out.
    pub drops: BTreeMap<&'static str, u64>,
    /// Frames sent over the whole run, by type.
    pub frames: Frames,
    /// Frames lost at their addressee over the whole run, by cause.
    pub lost: BTreeMap<&'static str, u64>,
    /// Work of routing over the whole run.
    pub routing: RoutingCounts,
    /// Connectivity, from the end of the warm-up on.
    pub network: NetworkReport,
    /// The nodes, over the whole run.
    pub nodes: Vec<NodeReport>,
    /// Both directions of each wire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireReport>,
    /// Packets of real programs, if the scenario has a table `[live]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveReport>,
    /// Proxies that have done anything, over the whole run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proxies: Vec<ProxyReport>,
    /// Flows through proxies, over the whole run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<SplitReport>,
    /// Airtime of each node over the whole run, if it was accounted for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub airtime: Vec<AirtimeReport>,
    /// Workloads: their flows taken together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<WorkloadReport>,
    /// Completion times of finite transfers, over the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<CompletionReport>,
    /// What the sessions of all workloads measure, over the whole run.
    #[serde(skip_serializing_if = "SessionTotals::is_empty")]
    pub sessions: SessionTotals,
    /// Bits per second that each flow delivered in order, by goodput interval from the start of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goodput_series_bps: Vec<Vec<f64>>,
    /// Former name of `goodput_series_bps`; deprecated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub progress_bps: Vec<Vec<f64>>,
    /// Bandwidth estimates at the end of each goodput interval, by node and estimator.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub estimates: Estimates,
    /// Events handled.
    pub events: u64,
    /// CPU time of building and running it, in seconds.
    pub cpu_s: f64,
    /// Simulated time, in seconds.
    pub sim_s: f64,
    /// Hash of the whole event sequence.
    pub fingerprint: String,
    /// Hashes by layer.
    pub fingerprints: BTreeMap<&'static str, String>,
    /// Warnings about the scenario.
    pub warnings: Vec<String>,
    /// The scenario's name.
    pub scenario: String,
    /// Version of the engine.
    pub version: &'static str,
}

/// Frames sent, by type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Frames {
    /// RTS.
    pub rts: u64,
    /// CTS.
    pub cts: u64,
    /// Unicast data.
    pub data: u64,
    /// MAC acknowledgments.
    pub ack: u64,
    /// Broadcast data.
    pub broadcast: u64,
}

/// Work of routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RoutingCounts {
    /// Control packets sent, ARP included.
    pub messages: u64,
    /// New routes, and changes of next hops.
    pub changes: u64,
    /// Routes lost because a link broke somewhere.
    pub breaks: u64,
    /// Packets that exceeded the MAC's retry limit, or whose ARP resolution failed.
    pub link_failures: u64,
}

/// What a report states of its run beyond what happened in it.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts {
    /// Root of the random streams.
    pub seed: u64,
    /// Events handled.
    pub events: u64,
    /// CPU time of building and running it, in seconds.
    pub cpu_s: f64,
}

impl RunReport {
    /// The current format.
    pub const FORMAT: u32 = 1;

    /// JSON Schema of a report as it is written.
    pub fn schema() -> schemars::Schema {
        schemars::generate::SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<RunReport>()
    }

    /// The report of a run up to now.
    pub fn new(run: &RunView<'_>, measures: &Measures, scenario: &Resolved, facts: RunFacts) -> RunReport {
        let trace = &run.ctx.trace;
        let counters = &trace.counters;
        let drops = DropReason::ALL.into_iter().map(|reason| (reason.name(), counters.dropped(reason)));
        let idle = measures.idle.as_deref();
        let flow = |(spec, baseline)| flow_report(run, baseline, scenario, spec, idle);
        let goodput_series = measures.goodput.as_ref().map_or_else(Vec::new, |goodput| goodput.rates().to_vec());
        let radios = &run.ctx.radios;
        let airtime = |radio: RadioId| {
            let node = radios.owner(radio);
            let channel = (radios.of(node).count() > 1).then(|| radios.channel(radio));
            Some(AirtimeReport { node: node.0, channel, airtime: measures.airtime_of(run, radio)? })
        };
        let flows: Vec<_> = scenario.flows.iter().zip(&measures.baselines).map(flow).collect();
        let workloads = WorkloadReport::all(run, scenario, idle, &flows);
        let mut sessions = SessionTotals::default();
        sessions.add_rates(&workloads);
        RunReport {
            format: RunReport::FORMAT,
            seed: facts.seed,
            flows,
            drops: drops.filter(|&(_, count)| count > 0).collect(),
            frames: Frames::of(counters),
            lost: Loss::ALL.into_iter().map(|cause| (cause.name(), counters.lost(cause))).collect(),
            routing: RoutingCounts::of(counters),
            network: measures.connectivity.report(),
            nodes: NodeReport::all(counters),
            wires: WireReport::all(run),
            live: LiveReport::of(run),
            proxies: proxy_reports(run),
            split: split_reports(run),
            airtime: run.nodes().flat_map(|node| radios.of(node)).filter_map(airtime).collect(),
            workloads,
            completion: workload::completion(run, scenario.flows.iter(), idle),
            sessions,
            progress_bps: goodput_series.clone(),
            goodput_series_bps: goodput_series,
            estimates: measures.estimates.values().clone(),
            events: facts.events,
            cpu_s: facts.cpu_s,
            sim_s: run.now().secs(),
            fingerprint: trace.fingerprint().to_string(),
            fingerprints: FINGERPRINTED
                .into_iter()
                .zip(trace.fingerprints())
                .chain(trace.wire_fingerprint().map(|print| ("wire", print)))
                .map(|(layer, print)| (layer, print.to_string()))
                .collect(),
            warnings: scenario.warnings.clone(),
            scenario: scenario.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// As one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and strings are always JSON")
    }
}

impl Frames {
    fn of(counters: &Counters) -> Frames {
        Frames {
            rts: counters.frames(FrameKind::Rts),
            cts: counters.frames(FrameKind::Cts),
            data: counters.frames(FrameKind::Data) + counters.frames(FrameKind::Aggregate),
            ack: counters.frames(FrameKind::Ack) + counters.frames(FrameKind::BlockAck),
            broadcast: counters.broadcasts(),
        }
    }
}

impl RoutingCounts {
    fn of(counters: &Counters) -> RoutingCounts {
        RoutingCounts {
            messages: counters.control().originated,
            changes: counters.routes_changed,
            breaks: counters.routes_lost,
            link_failures: counters.nodes().iter().map(|node| node.link_failures).sum(),
        }
    }
}
