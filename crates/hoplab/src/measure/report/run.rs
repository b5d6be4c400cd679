//! A run in numbers: the object that `hoplab run --json` prints, one per seed.

use super::World;
use super::airtime::AirtimeReport;
use super::node_report::NodeReport;
use super::progress::Estimate;
use super::proxies::{ProxyReport, SplitReport};
use super::survey::NetworkReport;
use crate::app::AppConfig;
use crate::kernel::Time;
use crate::metrics::{FlowLabel, FlowReport};
use crate::packet::FrameKind;
use crate::scenario::{FlowSpec, Resolved};
use crate::trace::{DropReason, FINGERPRINTED, Loss};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of one run. All but `cpu_s` follow from scenario, seed and version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// Version of this form: rises when a field is renamed, removed or given another unit.
    pub format: u32,
    /// Root of its random streams.
    pub seed: u64,
    /// Its flows, measured from the later of warm-up and their start to the end.
    pub flows: Vec<FlowReport>,
    /// Packets dropped in the whole run, by reason. Reasons that did not occur are left out.
    pub drops: BTreeMap<&'static str, u64>,
    /// Frames sent in the whole run, by type.
    pub frames: Frames,
    /// Frames that their addressee did not get, in the whole run, by cause.
    pub lost: BTreeMap<&'static str, u64>,
    /// What routing had to do in the whole run.
    pub routing: RoutingCounts,
    /// Who could reach whom, from the end of the warm-up on.
    pub network: NetworkReport,
    /// The nodes, over the whole run.
    pub nodes: Vec<NodeReport>,
    /// Proxies that had something to do, over the whole run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proxies: Vec<ProxyReport>,
    /// Flows that proxies took part in, over the whole run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<SplitReport>,
    /// What each node's time went into, over the whole run, if that was accounted for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub airtime: Vec<AirtimeReport>,
    /// Bits per second that each flow delivered in order in each interval of `progress`, from the start of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub progress_bps: Vec<Vec<f64>>,
    /// What estimators say at the end of each of these intervals, by node and name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub estimates: BTreeMap<String, BTreeMap<&'static str, Estimate>>,
    /// Events handled.
    pub events: u64,
    /// Processor time of building and running it, in seconds.
    pub cpu_s: f64,
    /// Simulated time, in seconds.
    pub sim_s: f64,
    /// The whole trajectory in one number.
    pub fingerprint: String,
    /// The same by layer.
    pub fingerprints: BTreeMap<&'static str, String>,
    /// What the scenario was warned about.
    pub warnings: Vec<String>,
    /// Name of the scenario.
    pub scenario: String,
    /// Version of the engine.
    pub version: &'static str,
}

/// Frames sent, by type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Frames {
    /// Requests to send.
    pub rts: u64,
    /// Clear to send.
    pub cts: u64,
    /// Unicast data.
    pub data: u64,
    /// Acknowledgments.
    pub ack: u64,
    /// Broadcast data.
    pub broadcast: u64,
}

/// What routing had to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RoutingCounts {
    /// Messages sent, by whatever node; address resolution is among them.
    pub messages: u64,
    /// Routes found, or found anew through another neighbor.
    pub changes: u64,
    /// Routes lost because a link broke somewhere.
    pub breaks: u64,
    /// Packets that the MAC gave up, or whose next hop's address nobody knew.
    pub link_failures: u64,
}

impl World {
    /// This run in numbers, as of now.
    pub fn report(&self, scenario: &Resolved, seed: u64, cpu_s: f64) -> RunReport {
        let counters = &self.ctx.trace.counters;
        let sent = |kind: FrameKind| counters.frames(kind);
        let drops = DropReason::ALL.into_iter().map(|reason| (reason.name(), counters.dropped(reason)));
        let prints = self.ctx.trace.fingerprints();
        let flow = |spec: &FlowSpec| {
            let flow = &self.flows[spec.id.index()];
            let label = FlowLabel {
                id: spec.id,
                src: spec.src,
                dst: spec.dst,
                transport: spec.transport().to_owned(),
                start: flow.start,
                is_datagrams: spec.scheme.is_udp(),
                is_voice: matches!(spec.app, AppConfig::Voip { .. }),
            };
            let data = counters.data(spec.id).since(&flow.unmeasured);
            let acks = counters.acks(spec.id).since(&flow.unmeasured_acks);
            let mut report = flow.connection.meter().report(&label, &data, &acks, self.now());
            report.capacity_bps = self.path_capacity(scenario, spec, Time::ZERO).map(|rate| rate.0);
            report
        };
        RunReport {
            format: RunReport::FORMAT,
            seed,
            flows: scenario.flows.iter().map(flow).collect(),
            drops: drops.filter(|&(_, count)| count > 0).collect(),
            frames: Frames {
                rts: sent(FrameKind::Rts),
                cts: sent(FrameKind::Cts),
                data: sent(FrameKind::Data),
                ack: sent(FrameKind::Ack),
                broadcast: counters.broadcasts(),
            },
            lost: Loss::ALL.into_iter().map(|cause| (cause.name(), counters.lost(cause))).collect(),
            routing: RoutingCounts {
                messages: counters.control().originated,
                changes: counters.routes_changed,
                breaks: counters.routes_lost,
                link_failures: counters.nodes().iter().map(|node| node.link_failures).sum(),
            },
            network: self.network_report(),
            nodes: NodeReport::all(counters.nodes()),
            proxies: self.proxy_reports(),
            split: self.split_reports(),
            airtime: self.airtime_reports(),
            progress_bps: self.progress.rates().to_vec(),
            estimates: self.progress.said().clone(),
            events: self.events,
            cpu_s,
            sim_s: self.now().secs(),
            fingerprint: self.ctx.trace.fingerprint().to_string(),
            fingerprints: FINGERPRINTED.into_iter().zip(prints.map(|print| print.to_string())).collect(),
            warnings: scenario.warnings.clone(),
            scenario: scenario.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl RunReport {
    /// The present form.
    pub const FORMAT: u32 = 1;

    /// JSON Schema of a run, as it is written.
    pub fn schema() -> schemars::Schema {
        schemars::generate::SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<RunReport>()
    }

    /// As one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and strings are always JSON")
    }
}
