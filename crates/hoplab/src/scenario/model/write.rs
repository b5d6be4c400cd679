//! The resolved scenario as text: JSON in SI units for programs, TOML with units for users.

mod si;

use super::flow::FlowSpec;
use super::resolved::Resolved;
use super::workload::WorkloadSpec;
use crate::kernel::{NodeId, Span, Time};
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::{IdleGapConfig, ObserverKind, WinfConfig};
use crate::mobility::{MobilityConfig, RadioSchedule};
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::{LinkConfig, QueueConfig, QueueKind};
use crate::net::routing::RoutingConfig;
use crate::packet::Category;
use crate::packet::explicit::{
    AtpConfig, MuzhaConfig, RcpConfig, RcpWinfConfig, WcpConfig, XcpBConfig, XcpConfig, XcpWinfConfig,
};
use crate::phy::RadioConfig;
use crate::scenario::schema::network::live::LiveConfig;
use crate::scenario::schema::network::wire;
use crate::scenario::schema::profile::Profile;
use crate::scenario::schema::protocols::hop_release::HopReleaseConfig;
use crate::scenario::schema::protocols::semi_tcp::SemiTcpConfig;
use crate::scenario::schema::root::root;
use crate::scenario::schema::traffic::flow_config::FlowConfig;
use crate::scenario::schema::traffic::node_ref::NodeRef;
use crate::scenario::schema::traffic::workload_config::WorkloadConfig;
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::topology::{Links, TopologyConfig};
use crate::scenario::traffic::TrafficConfig;
use crate::scenario::transports::Transport;
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use crate::transport::{StreamConfig, TcpConfig};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use si::si;

/// The complete file. Fields in the order of `ScenarioFile`.
#[derive(Serialize)]
struct Written<'a> {
    name: &'a str,
    profile: Profile,
    duration: Span,
    warmup: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    goodput_interval: Option<Span>,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    topology: Option<TopologyConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mobility: Option<&'a MobilityConfig>,
    radio: &'a RadioConfig,
    mac: &'a MacConfig,
    link: &'a LinkConfig,
    queue: &'a QueueConfig,
    routing: &'a RoutingConfig,
    tcp: &'a TcpConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<&'a StreamConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semi_tcp: Option<&'a SemiTcpConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_release: Option<&'a HopReleaseConfig>,
    split_tcp: &'a SplitTcpConfig,
    muzha: &'a MuzhaConfig,
    xcp: &'a XcpConfig,
    xcp_b: &'a XcpBConfig,
    xcp_winf: &'a XcpWinfConfig,
    rcp: &'a RcpConfig,
    rcp_winf: &'a RcpWinfConfig,
    atp: &'a AtpConfig,
    wcp: &'a WcpConfig,
    winf: &'a WinfConfig,
    idle_gap: &'a IdleGapConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<&'a LiveConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic: Option<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    node: Vec<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wire: Vec<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flow: Vec<FlowConfig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workload: Vec<&'a WorkloadConfig>,
}

/// Default values of the tables of constants, in the form of `Resolved::to_json`.
pub fn defaults() -> Json {
    let root = root();
    let table = |key: &str, values: Json| (key.to_owned(), si(root.table(key), values));
    Json::Object(Map::from_iter([
        table("mobility", plain(&MobilityConfig::default())),
        table("radio", plain(&RadioConfig::default())),
        table("mac", plain(&MacConfig::default())),
        table("link", plain(&LinkConfig::default())),
        table("queue", plain(&QueueConfig::default())),
        table("routing", plain(&RoutingConfig::default())),
        table("tcp", plain(&TcpConfig::default())),
        table("stream", plain(&StreamConfig::default())),
        table("semi_tcp", plain(&SemiTcpConfig::default())),
        table("hop_release", plain(&HopReleaseConfig::default())),
        table("split_tcp", plain(&SplitTcpConfig::default())),
        table("muzha", plain(&MuzhaConfig::default())),
        table("xcp", plain(&XcpConfig::default())),
        table("xcp_b", plain(&XcpBConfig::default())),
        table("xcp_winf", plain(&XcpWinfConfig::default())),
        table("rcp", plain(&RcpConfig::default())),
        table("rcp_winf", plain(&RcpWinfConfig::default())),
        table("atp", plain(&AtpConfig::default())),
        table("wcp", plain(&WcpConfig::default())),
        table("winf", plain(&WinfConfig::default())),
        table("idle_gap", plain(&IdleGapConfig::default())),
    ]))
}

impl Resolved {
    /// The scenario with every default written out, in SI units (`duration_s`, `tx_power_w`); positions of all nodes.
    pub fn to_json(&self) -> Json {
        let root = root();
        let table = |key: &str, values: Json| si(root.table(key), values);
        let mut topology = json!({ "kind": self.topology.layout.kind().name() });
        if self.topology.layout.random().is_some() {
            topology = table("topology", plain(&self.topology.config()));
        }
        if self.is_drawn() {
            topology["drawn"] = json!(true);
        }
        let layout = &self.topology.layout;
        if let (Some(_), Some(table)) = (layout.links(), &self.radio.links) {
            topology["links_blake3"] = json!(table.digest());
            if let Some(file) = layout.links().and_then(|links| links.file()) {
                topology["file"] = json!(file);
            }
            topology["placed"] = json!(layout.links().is_some_and(Links::is_placed));
        }
        if let Some(heights) = layout.heights() {
            topology["heights_m"] = json!(heights);
        }
        if !self.topology.names.is_empty() {
            topology["names"] = json!(self.topology.names);
        }
        topology["positions"] = self.positions.iter().map(|&(x, y)| json!([x, y])).collect();
        let mut whole = json!({
            "name": self.name,
            "profile": self.profile.name(),
            "duration_s": self.duration.si(),
            "warmup_s": self.warmup.si(),
            "seed": self.seed,
            "topology": topology,
            "radio": table("radio", plain(&self.radio)),
            "mac": table("mac", plain(&self.mac)),
            "link": table("link", plain(&self.link)),
            "queue": table("queue", plain(&self.queue)),
            "routing": table("routing", plain(&self.routing)),
            "tcp": table("tcp", plain(&self.tcp)),
            "split_tcp": table("split_tcp", plain(&self.split_tcp)),
            "muzha": table("muzha", plain(&self.explicit.muzha)),
            "xcp": table("xcp", plain(&self.explicit.xcp)),
            "xcp_b": table("xcp_b", plain(&self.explicit.xcp_b)),
            "xcp_winf": table("xcp_winf", plain(&self.explicit.xcp_winf)),
            "rcp": table("rcp", plain(&self.explicit.rcp)),
            "rcp_winf": table("rcp_winf", plain(&self.explicit.rcp_winf)),
            "atp": table("atp", plain(&self.explicit.atp)),
            "wcp": table("wcp", plain(&self.explicit.wcp)),
            "winf": table("winf", plain(&self.winf)),
            "idle_gap": table("idle_gap", plain(&self.idle_gap)),
            "nodes": self.node_tables().into_iter().map(|node| table("node", node)).collect::<Vec<_>>(),
            "flows": self.flows.iter().map(flow_json).collect::<Vec<_>>(),
        });
        if !self.wires.is_empty() {
            whole["hosts"] = self.host_tables().into();
            whole["wires"] = self.wires.iter().map(|wire| table("wire", wire::table(wire))).collect();
        }
        if let Some(controller) = &self.rate_controller {
            whole["mac"]["rate_controller_blake3"] = json!(controller.digest);
        }
        if !self.workloads.is_empty() {
            whole["workloads"] = self.workloads.iter().map(workload_json).collect();
        }
        // Identities of results that were stored before there was a choice have no kind.
        if self.queue.kind.is(QueueKind::DropTail)
            && let Some(queue) = whole["queue"].as_object_mut()
        {
            queue.remove("kind");
        }
        if self.moves() {
            whole["mobility"] = table("mobility", plain(&self.mobility));
        }
        if let Some(traffic) = &self.traffic {
            whole["traffic"] = table("traffic", traffic_table(&traffic.config));
            if let Some(controller) = &traffic.controller {
                whole["traffic"]["controller_blake3"] = json!(controller.digest);
            }
        }
        if let Some(replay) = &self.replay {
            whole["mobility"]["file_blake3"] = json!(replay.digest);
        }
        if let Some(live) = &self.live {
            whole["live"] = table("live", plain(&live.config));
            whole["live"]["nodes"] = live.ports.iter().map(|node| node.0).collect();
            if let Some(digest) = &live.digest {
                whole["live"]["file_blake3"] = json!(digest);
            }
        }
        if let Some(interval) = self.goodput_interval {
            whole["goodput_interval_s"] = json!(interval.si());
        }
        if let Some(stream) = self.stream_in_use() {
            whole["stream"] = table("stream", plain(stream));
        }
        if let Some(semi_tcp) = self.semi_tcp_in_use() {
            whole["semi_tcp"] = table("semi_tcp", plain(semi_tcp));
        }
        if let Some(hop_release) = self.hop_release_in_use() {
            whole["hop_release"] = table("hop_release", plain(hop_release));
        }
        whole
    }

    /// Whether `[mobility]` differs from its defaults.
    fn moves(&self) -> bool {
        self.mobility != MobilityConfig::default()
    }

    /// The scenario as a file with every default written out. It reads as an equal scenario.
    pub fn to_toml(&self) -> String {
        let written = Written {
            name: &self.name,
            profile: self.profile,
            duration: self.duration,
            warmup: self.warmup,
            goodput_interval: self.goodput_interval,
            seed: self.seed.min(i64::MAX as u64),
            topology: (self.topology.nodes() > 0).then(|| self.topology.config()),
            mobility: self.moves().then_some(&self.mobility),
            radio: &self.radio,
            mac: &self.mac,
            link: &self.link,
            queue: &self.queue,
            routing: &self.routing,
            tcp: &self.tcp,
            stream: self.stream_in_use(),
            semi_tcp: self.semi_tcp_in_use(),
            hop_release: self.hop_release_in_use(),
            split_tcp: &self.split_tcp,
            muzha: &self.explicit.muzha,
            xcp: &self.explicit.xcp,
            xcp_b: &self.explicit.xcp_b,
            xcp_winf: &self.explicit.xcp_winf,
            rcp: &self.explicit.rcp,
            rcp_winf: &self.explicit.rcp_winf,
            atp: &self.explicit.atp,
            wcp: &self.explicit.wcp,
            winf: &self.winf,
            idle_gap: &self.idle_gap,
            node: self.node_tables().into_iter().chain(self.host_tables()).collect(),
            wire: self.wires.iter().map(wire::table).collect(),
            live: self.live.as_ref().map(|live| &live.config),
            traffic: self.traffic.as_ref().map(|traffic| traffic_table(&traffic.config)),
            flow: self.own_flows().iter().map(flow_table).collect(),
            workload: self.workloads.iter().map(|workload| &workload.config).collect(),
        };
        let text = toml::to_string(&written).expect("a scenario has only tables with text keys");
        if i64::try_from(self.seed).is_ok() {
            return text;
        }
        // The serializer refuses what TOML need not read; seeds have 64 bits all the same.
        text.replacen(&format!("\nseed = {}\n", i64::MAX), &format!("\nseed = {}\n", self.seed), 1)
    }

    /// Everything that a run depends on but its seed, for names by content: equal texts give equal results.
    pub fn canonical(&self) -> String {
        let mut whole = self.to_json();
        if let Json::Object(keys) = &mut whole {
            keys.remove("seed");
        }
        if let Some(topology) = whole["topology"].as_object_mut() {
            if self.is_drawn() {
                // Those of one seed; each run draws its own.
                topology.remove("positions");
            }
            // Names, and drawings of networks without positions, change no result.
            topology.remove("names");
            topology.remove("file");
            if topology.remove("placed").is_some() {
                topology.remove("positions");
            }
        }
        if let Some(live) = whole.get_mut("live").and_then(Json::as_object_mut) {
            live.remove("file");
        }
        // Drawn flows likewise.
        whole["flows"] = self.own_flows().iter().map(flow_json).collect();
        whole.to_string()
    }

    /// All flows as tables of a scenario file, those that `[traffic]` draws with this seed included.
    pub fn flow_tables(&self) -> Json {
        self.flows.iter().map(|flow| plain(&flow_table(flow))).collect()
    }

    /// The flows that the scenario lists itself.
    fn own_flows(&self) -> &[FlowSpec] {
        let drawn = self.flows.iter().position(|flow| flow.workload.is_some()).unwrap_or(self.flows.len());
        &self.flows[..self.traffic.as_ref().map_or(drawn, |traffic| traffic.first)]
    }

    /// The constants of real TCP, if a flow uses it or a key of them is given.
    fn stream_in_use(&self) -> Option<&StreamConfig> {
        let drawn = self.traffic.as_ref().and_then(|traffic| traffic.config.transport());
        let of_workloads = self.workloads.iter().map(|workload| workload.transport);
        let mut transports = self.flows.iter().map(|flow| flow.transport).chain(of_workloads).chain(drawn);
        (transports.any(Transport::is_stream) || self.stream != StreamConfig::default()).then_some(&self.stream)
    }

    /// Semi-TCP, if a node uses it or a key of it is given.
    fn semi_tcp_in_use(&self) -> Option<&SemiTcpConfig> {
        let is_said = self.semi_tcp != SemiTcpConfig::default();
        (self.has_handshake(HandshakeKind::SemiTcp) || is_said).then_some(&self.semi_tcp)
    }

    /// Release by overhearing, if a node uses it or a key of it is given.
    fn hop_release_in_use(&self) -> Option<&HopReleaseConfig> {
        let is_said = self.hop_release != HopReleaseConfig::default();
        (self.has_handshake(HandshakeKind::HopRelease) || is_said).then_some(&self.hop_release)
    }

    fn has_handshake(&self, kind: HandshakeKind) -> bool {
        (0..self.positions.len() as u32).any(|node| self.handshake_of(NodeId(node)) == kind)
    }

    /// `[[node]]` of each host.
    fn host_tables(&self) -> Vec<Json> {
        let tables = self.hosts.iter().map(|host| {
            let mut table = json!({ "kind": "host", "name": host.name });
            match &host.gateways[..] {
                [] => {}
                [gateway] => table["gateway"] = json!(gateway.0),
                several => table["gateway"] = several.iter().map(|gateway| gateway.0).collect(),
            }
            if let Some(is_proxy) = host.proxy {
                table["proxy"] = json!(is_proxy);
            }
            if let Some(word) = host.feedback_router.word(FeedbackKind::name) {
                table["feedback_router"] = json!(word);
            }
            table
        });
        tables.collect()
    }

    /// `[[node]]` with what differs, for each node that differs.
    fn node_tables(&self) -> Vec<Json> {
        let tables = self.nodes.iter().map(|node| {
            let mut table = json!({ "id": node.id.0 });
            let parts = [
                ("mac", different(plain(&node.mac), &plain(&self.mac))),
                ("queue", different(plain(&node.queue), &plain(&self.queue))),
                (
                    "radio",
                    if node.tx_power == self.radio.tx_power { json!({}) } else { json!({ "tx_power": node.tx_power }) },
                ),
            ];
            if node.radio_schedule != RadioSchedule::always() {
                table["radio_off"] = json!(off(&node.radio_schedule));
            }
            if node.channels != self.radio.usual_channels() {
                table["radios"] = node.channels.iter().map(|channel| json!({ "channel": channel })).collect();
            }
            if let Some(handshake) = node.handshake {
                table["handshake"] = json!(handshake);
            }
            for (key, part) in parts {
                if part.as_object().is_some_and(|keys| !keys.is_empty()) {
                    table[key] = part;
                }
            }
            if let Some(is_proxy) = node.proxy {
                table["proxy"] = json!(is_proxy);
            }
            let words = [
                ("feedback_router", node.feedback_router.word(FeedbackKind::name)),
                ("observer", node.observer.word(ObserverKind::name)),
            ];
            for (key, word) in words {
                if let Some(word) = word {
                    table[key] = json!(word);
                }
            }
            table
        });
        tables.collect()
    }
}

/// The latest time that a scenario can name: no run lasts as long.
const LATEST: Time = Time(1_000_000_000 * 1_000_000_000);

/// Times at which a node is switched off, and on again.
fn off(radio_schedule: &RadioSchedule) -> Vec<[Time; 2]> {
    let switches: Vec<Time> = radio_schedule.switches().map(|(at, _)| at).collect();
    switches.chunks(2).map(|pair| [pair[0], pair.get(1).copied().unwrap_or(LATEST)]).collect()
}

/// The keys of `[traffic]` that have an effect together.
fn traffic_table(config: &TrafficConfig) -> Json {
    let mut table = plain(config);
    if let Json::Object(keys) = &mut table {
        keys.retain(|key, _| config.has(key));
    }
    table
}

fn flow_json(flow: &FlowSpec) -> Json {
    let Json::Object(mut table) = si(root().table("flow"), plain(&flow_table(flow))) else {
        unreachable!("a flow is a table")
    };
    table.insert("id".to_owned(), json!(flow.id.0));
    table.entry("stop_s").or_insert(Json::Null);
    if let Some(controller) = &flow.controller {
        table.insert("controller_blake3".to_owned(), json!(controller.digest));
    }
    Json::Object(table)
}

fn workload_json(workload: &WorkloadSpec) -> Json {
    let mut table = si(root().table("workload"), plain(&workload.config));
    if let Some(controller) = &workload.controller {
        table["controller_blake3"] = json!(controller.digest);
    }
    table
}

fn flow_table(flow: &FlowSpec) -> FlowConfig {
    FlowConfig {
        from: Some(NodeRef::Number(i64::from(flow.src.0))),
        to: Some(NodeRef::Number(i64::from(flow.dst.0))),
        max_packets: flow.max_packets,
        max_datagram: flow.max_datagram,
        bytes: flow.bytes,
        read_from: flow.read_from,
        read_rate: flow.read_rate,
        relays: flow.relays.map(|relayed| i64::from(relayed.flow.0)),
        relay_buffer: flow.relays.map(|relayed| relayed.buffer),
        transport: flow.transport.name.to_owned(),
        priority: Some(flow.priority).filter(|priority| *priority != Category::default()),
        controller: flow.controller.as_ref().map(|controller| controller.name.clone()),
        source: flow.source.as_ref().map(|source| source.name.clone()),
        segment: flow.segment,
        window: flow.window,
        start: flow.start,
        start_spread: (flow.start_spread > Span::ZERO).then_some(flow.start_spread),
        stop: flow.stop,
        ..FlowConfig::of_application(&flow.app)
    }
}

fn plain(table: &impl Serialize) -> Json {
    serde_json::to_value(table).expect("configs are tables with text keys")
}

/// The entries of `own` that `common` does not have.
fn different(own: Json, common: &Json) -> Json {
    let Json::Object(keys) = own else { return own };
    keys.into_iter().filter(|(key, value)| common.get(key) != Some(value)).collect::<Map<_, _>>().into()
}
