//! Table `[traffic]`: many flows between nodes drawn by chance, in the manner of ns-2's `cbrgen`.
//!
//! # Model
//! - `pairs = "cbrgen"`: for each node i in order, nothing with probability 1/2, otherwise a flow to i + 1, and in half of
//!   these cases a second one to i + 2, until there are `connections`. Fewer may come out.
//! - `pairs = "ring"`: from each node to the next, from the last to the first; with more flows than nodes, then from each
//!   to the one after the next, and so on.
//! - `pairs = "random"`: pairs of nodes of which none is an end of two flows, at least `min_hops` hops apart at the start.
//! - Each flow starts at a uniform time within `start_window` after `start`, and ends after `length` if that is given.
//! - Ends are nodes of `ends`: all, or those that walk (`topology.walkers`).
//!
//! Pairs and starts are drawn for each run from its seed. With `traffic.seed` they follow from that alone, as those of
//! a generated file do from the generator's seed: all runs of a scenario have the same. The flows are numbered after
//! those of `[[flow]]`, and are written out as such.
//!
//! With `file` the flows are those of a file that `cbrgen` has written.
//!
//! # Source
//! `cbrgen.tcl` of ns-2.35: 512 bytes, at most 10 000 packets at random distances for CBR; Tahoe with a window of 32 for
//! TCP; starts within 180 s.
//!
//! # Deviations
//! `cbrgen` takes destinations modulo one more than there are nodes, and can name a node that does not exist; here that
//! flow goes to node 0, and one from a node to itself is left out. `rate` is in bits per second, not packets.
//!
//! # Parameters
//! Table `[traffic]`.

use crate::app::AppConfig;
use crate::kernel::{Bytes, FlowId, NodeId, Purpose, Rate, Span, Stream, Streams, Time};
use crate::net::routing::ReachGraph;
use crate::scenario::imports::cbrgen::{ImportedFlow, ImportedSource, TrafficFileError};
use crate::scenario::model::resolved::FlowSpec;
use crate::scenario::schema::check::Section;
use crate::scenario::schema::external_controller::{self, ExternalController};
use crate::scenario::schema::file::{AppKind, FlowConfig, root};
use crate::scenario::schema::flow::app_of;
use crate::scenario::schema::reader::Reader;
use crate::scenario::scheme::{SCHEMES, Scheme};
use crate::scenario::syntax::source::Trouble;
use crate::scenario::syntax::tree::{Node, Origin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Table `[traffic]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrafficConfig {
    /// File that `cbrgen` of ns-2 has written; it says all but `transport`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What the flows send.
    pub kind: TrafficKind,
    /// How their ends are drawn.
    pub pairs: Pairs,
    /// How many flows.
    #[schemars(range(min = 1, max = 100_000))]
    pub connections: u32,
    /// How many flows for each node that may be an end, in place of `connections`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<f64>,
    /// Who may be an end.
    pub ends: Ends,
    /// Hops between the ends at the start, at least (`random`).
    #[schemars(range(min = 1))]
    pub min_hops: u32,
    /// Where pairs and starts come from. Default: the seed of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Payload bits per second of each flow (`cbr`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether distances of packets are spread by up to half of their mean (`cbr`).
    pub random: bool,
    /// Packets of a flow (`cbr`).
    #[schemars(range(min = 1))]
    pub max_packets: u32,
    /// Protocol of the flows; of a file, of those over connections. Default: `udp` for `cbr`, `tahoe` for `tcp`.
    #[schemars(extend("enum" = SCHEMES.iter().map(|scheme| scheme.name).collect::<Vec<_>>()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Congestion control of the flows over connections instead of that of `transport`, which is to be `new_reno`, `sack`,
    /// `reno` or `tahoe`: a class in a Python file, as `FILE.py:CLASS`; or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Payload of a packet.
    pub segment: Bytes,
    /// Limit of the window, in segments.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: u32,
    /// Flows start within this time.
    pub start_window: Span,
    /// When the first may start.
    pub start: Time,
    /// How long each lasts. Default: to the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Span>,
}

/// What flows of `[traffic]` send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficKind {
    /// Packets at a constant rate.
    Cbr,
    /// Files without end.
    Tcp,
}

/// How ends of flows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// From each node, perhaps, to the next one or two.
    Cbrgen,
    /// Any two nodes, each an end of one flow at most.
    Random,
    /// From each node to the next one, around.
    Ring,
}

/// Who may be an end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Any node.
    All,
    /// Those that walk while others stand (`topology.walkers`).
    Walkers,
}

/// Keys that a file takes the place of.
const OF_GENERATOR: [&str; 15] = [
    "kind",
    "pairs",
    "connections",
    "per_node",
    "ends",
    "min_hops",
    "seed",
    "rate",
    "random",
    "max_packets",
    "segment",
    "window",
    "start_window",
    "start",
    "length",
];

/// Flows for each node that are a slip beyond.
const MAX_PER_NODE: u32 = 1000;

/// Flows that there may be.
const MOST: f64 = 100_000.0;

/// Pairs that are drawn for each one that is needed, before there are taken to be none.
const TRIES: u32 = 10_000;

impl Default for TrafficConfig {
    fn default() -> Self {
        TrafficConfig {
            file: None,
            kind: TrafficKind::Cbr,
            pairs: Pairs::Cbrgen,
            connections: 10,
            per_node: None,
            ends: Ends::All,
            min_hops: 1,
            seed: None,
            rate: None,
            random: true,
            max_packets: 10_000,
            transport: None,
            controller: None,
            segment: Bytes(512),
            window: 32,
            start_window: Span::from_millis(180_000),
            start: Time::ZERO,
            length: None,
        }
    }
}

/// Table `[traffic]`, checked.
pub(crate) fn read(reader: &mut Reader<'_>, table: &Node, duration: Span) -> TrafficConfig {
    let mut config = reader.overlay(Some(table), "traffic", root().table("traffic"), TrafficConfig::default());
    config.controller = config.controller.filter(|name| name != external_controller::NONE);
    check(reader, Section { key: "traffic", table: Some(table) }, &config, duration);
    config
}

/// The controller that the flows have in place of their scheme's, if the table names one.
pub(crate) fn controller(
    reader: &mut Reader<'_>,
    table: &Node,
    config: &TrafficConfig,
) -> Option<Arc<ExternalController>> {
    let name = config.controller.as_deref()?;
    let scheme = config.scheme()?;
    external_controller::read(reader, Section { key: "traffic", table: Some(table) }, name, scheme)
}

/// Where flows are drawn.
pub(crate) struct Ground<G> {
    /// How many nodes there are.
    pub(crate) nodes: u32,
    /// How many of them, the last ones, walk while others stand.
    pub(crate) walkers: u32,
    /// Seed of the run.
    pub(crate) seed: u64,
    /// Number of the first flow.
    pub(crate) first: usize,
    /// When the run ends.
    pub(crate) end: Time,
    /// What the flows have in place of their scheme's congestion control.
    pub(crate) controller: Option<Arc<ExternalController>>,
    /// Makes the links at the start.
    pub(crate) graph: G,
}

/// The flows of table `[traffic]` in the run with this seed.
pub(crate) fn draw(
    reader: &mut Reader<'_>,
    table: &Node,
    config: &TrafficConfig,
    ground: Ground<impl FnOnce() -> Option<ReachGraph>>,
) -> Vec<FlowSpec> {
    let section = Section { key: "traffic", table: Some(table) };
    let Ground { nodes, walkers, seed, first, end, controller, graph } = ground;
    if let Some(file) = &config.file {
        let mut flows = imported(reader, section, config, file, (nodes, first));
        for flow in flows.iter_mut().filter(|flow| !flow.scheme.is_udp()) {
            flow.controller.clone_from(&controller);
        }
        return flows;
    }
    if config.ends == Ends::Walkers && walkers < 2 {
        let what = format!("finds {walkers} of them");
        section.rule(reader, "ends", false, &what, "two or more nodes that walk, by topology.walkers");
        return Vec::new();
    }
    let (before, nodes) = if config.ends == Ends::Walkers { (nodes - walkers, walkers) } else { (0, nodes) };
    section.rule(reader, "pairs", nodes > 1, "needs two nodes", "a topology of two nodes or more");
    if nodes < 2 {
        return Vec::new();
    }
    let connections = match config.per_node {
        Some(share) => (libm::round(share * f64::from(nodes)).min(MOST) as u32).max(1),
        None => config.connections,
    };
    let mut chance = Streams::new(config.seed.unwrap_or(seed)).stream(Purpose::Pairs, 0);
    let pairs = match config.pairs {
        Pairs::Cbrgen => cbrgen(nodes, connections, &mut chance),
        Pairs::Random => {
            let graph = if config.min_hops > 1 { graph() } else { None };
            let global = |node: NodeId| NodeId(node.0 + before);
            let hops = |src, dst| graph.as_ref().map_or(Some(1), |graph| graph.hops(global(src), global(dst)));
            let mut is_far = |src, dst| hops(src, dst).is_some_and(|hops| hops >= config.min_hops);
            random(nodes, connections, &mut chance, &mut is_far)
        }
        Pairs::Ring => ring(nodes, connections),
    };
    if config.pairs == Pairs::Random {
        let holds = pairs.len() == connections as usize;
        let what = format!("finds no more than {} pairs here", pairs.len());
        let expected = "as many pairs as there are, with ends of their own and a path of min_hops between them";
        section.rule(reader, "connections", holds, &what, expected);
    } else if pairs.len() < connections as usize {
        reader.warnings.push(format!("traffic: {} flows instead of {}, as cbrgen does", pairs.len(), connections));
    }
    let shifted = pairs.into_iter().map(|(src, dst)| (NodeId(src.0 + before), NodeId(dst.0 + before)));
    let flows = shifted.enumerate().filter_map(|(n, pair)| config.flow(first + n, pair, end, &mut chance));
    flows.map(|flow| FlowSpec { controller: controller.clone(), ..flow }).collect()
}

/// The flows of a traffic file.
fn imported(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    config: &TrafficConfig,
    name: &str,
    (nodes, first): (u32, usize),
) -> Vec<FlowSpec> {
    let (path, text) = match reader.file(name) {
        Ok(found) => found,
        Err(what) => {
            section.rule(reader, "file", false, &what, "a file that cbrgen of ns-2 has written");
            return Vec::new();
        }
    };
    match crate::scenario::imports::cbrgen::cbrgen(text, path, nodes) {
        Ok(flows) => flows.iter().zip(first..).filter_map(|(flow, id)| config.of_file(id, flow)).collect(),
        Err(TrafficFileError { path, line, message }) => {
            let text = text.lines().nth(line as usize - 1).map(Into::into);
            let origin = Origin::Beside { path: path.into(), line: Some(line), text };
            let expected = "what cbrgen of ns-2 writes".to_owned();
            let key = "traffic.file".to_owned();
            reader.refuse(&origin, Trouble { key, message, expected, ..Trouble::default() });
            Vec::new()
        }
    }
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &TrafficConfig, duration: Span) {
    if config.file.is_some() {
        for key in OF_GENERATOR {
            let holds = section.given(key).is_none();
            section.rule(reader, key, holds, "means nothing beside a file", "file and transport, without it");
        }
        let is_udp = config.transport.as_deref().and_then(Scheme::named).is_some_and(Scheme::is_udp);
        section.rule(
            reader,
            "transport",
            !is_udp,
            "cannot carry endless files",
            "a transport that is none of datagrams",
        );
        return;
    }
    let holds = config.per_node.is_none_or(|share| share > 0.0 && share <= f64::from(MAX_PER_NODE));
    section.rule(reader, "per_node", holds, "is out of range", "a number above 0, and at most 1000");
    let holds = config.per_node.is_none() || section.given("connections").is_none();
    section.rule(reader, "connections", holds, "and per_node both say how many flows there are", "one of them");
    let holds = config.length.is_none_or(|length| length > Span::ZERO);
    section.rule(reader, "length", holds, "is no time", "a time above 0 s");
    let is_cbr = config.kind == TrafficKind::Cbr;
    let hint = Some("for example: rate = \"16 kb/s\", 4 packets of 512 bytes a second");
    let given = config.rate.is_some();
    section.rule_with_hint(reader, "kind", !is_cbr || given, "needs a rate", "rate beside kind = \"cbr\"", hint);
    section.rule(reader, "rate", config.rate.is_none_or(|rate| rate.0 > 0.0), "sends nothing", "a rate above 0 b/s");
    for key in OF_CBR {
        let holds = is_cbr || section.given(key).is_none();
        section.rule(reader, key, holds, "means nothing for kind = \"tcp\"", "kind = \"cbr\" beside it");
    }
    let holds = config.pairs == Pairs::Random || section.given("min_hops").is_none();
    section.rule(reader, "min_hops", holds, "means nothing for pairs = \"cbrgen\"", "pairs = \"random\" beside it");
    let scheme = config.transport.as_deref().and_then(Scheme::named);
    let holds = is_cbr || !scheme.is_some_and(Scheme::is_udp);
    section.rule(
        reader,
        "transport",
        holds,
        "has nothing that slows an endless file down",
        "a transport that is none of datagrams",
    );
    let holds = (1..=crate::scenario::schema::flow::MAX_SEGMENT).contains(&config.segment.0);
    section.rule(reader, "segment", holds, "is out of range", "1 to 65495 bytes of payload");
    let holds = config.start.since(Time::ZERO) < duration || duration == Span::ZERO;
    section.rule(reader, "start", holds, "is after the end of the run", "a time before the end of the run");
    let holds = Time::ZERO + config.start_window + config.start.since(Time::ZERO) <= Time::ZERO + duration;
    section.rule(reader, "start_window", holds, "goes beyond the end of the run", "at most the duration of the run");
}

/// Keys of packets at a constant rate.
const OF_CBR: [&str; 3] = ["rate", "random", "max_packets"];

impl TrafficConfig {
    /// Whether a key may stand beside the values of the others.
    pub(crate) fn has(&self, key: &str) -> bool {
        match key {
            "connections" => self.per_node.is_none(),
            "min_hops" => self.pairs == Pairs::Random,
            key => self.kind == TrafficKind::Cbr || !OF_CBR.contains(&key),
        }
    }

    /// How the flows send.
    pub(crate) fn scheme(&self) -> Option<&'static Scheme> {
        Scheme::named(self.transport.as_deref().unwrap_or(self.usual_transport()))
    }

    /// What carries the flows if nothing is said.
    fn usual_transport(&self) -> &'static str {
        let has_connections = self.kind == TrafficKind::Tcp || self.file.is_some();
        if has_connections { "tahoe" } else { "udp" }
    }

    /// A flow of a file.
    fn of_file(&self, id: usize, flow: &ImportedFlow) -> Option<FlowSpec> {
        let bits = 8.0 * f64::from(flow.segment);
        let (app, scheme, window, max_packets) = match flow.source {
            ImportedSource::Cbr { interval, random, max_packets } => {
                let rate = Rate(bits / interval.secs());
                let app = if random { AppConfig::JitteredCbr { rate } } else { AppConfig::Cbr { rate } };
                (app, "udp", self.window, max_packets)
            }
            ImportedSource::Ftp { window } => {
                (AppConfig::Ftp, self.transport.as_deref().unwrap_or(self.usual_transport()), window, None)
            }
        };
        Some(FlowSpec {
            id: FlowId(id as u32),
            src: flow.src,
            dst: flow.dst,
            app,
            scheme: Scheme::named(scheme)?,
            controller: None,
            segment: Bytes(flow.segment),
            window,
            start: flow.start,
            start_spread: Span::ZERO,
            stop: None,
            max_packets,
        })
    }

    fn flow(&self, id: usize, (src, dst): (NodeId, NodeId), end: Time, chance: &mut Stream) -> Option<FlowSpec> {
        let start = self.start + Span((self.start_window.0 as f64 * chance.unit()) as u64);
        let is_cbr = self.kind == TrafficKind::Cbr;
        let keys = FlowConfig {
            app: if is_cbr { AppKind::Cbr } else { AppKind::Ftp },
            rate: self.rate,
            random: Some(self.random),
            ..FlowConfig::default()
        };
        Some(FlowSpec {
            id: FlowId(id as u32),
            src,
            dst,
            app: app_of(&keys),
            scheme: self.scheme()?,
            controller: None,
            segment: self.segment,
            window: self.window,
            start,
            start_spread: Span::ZERO,
            stop: self.length.map(|length| start + length).filter(|stop| *stop < end),
            max_packets: is_cbr.then_some(self.max_packets),
        })
    }
}

/// Flow j leaves node j, counted around, for the one that is as many nodes farther as rounds have begun.
fn ring(nodes: u32, connections: u32) -> Vec<(NodeId, NodeId)> {
    let pair = |flow: u32| {
        let (src, round) = (flow % nodes, flow / nodes);
        (NodeId(src), NodeId((src + 1 + round % (nodes - 1)) % nodes))
    };
    (0..connections).map(pair).collect()
}

fn cbrgen(nodes: u32, connections: u32, chance: &mut Stream) -> Vec<(NodeId, NodeId)> {
    let mut pairs = Vec::new();
    let existing = |node: u32| NodeId(if node < nodes { node } else { 0 });
    for src in 0..nodes {
        let draw = chance.unit();
        let more = [draw >= 0.5, draw >= 0.75];
        for (step, _) in (1..).zip(more).filter(|(_, is_drawn)| *is_drawn) {
            let dst = existing(src + step);
            if pairs.len() < connections as usize && dst.0 != src {
                pairs.push((NodeId(src), dst));
            }
        }
    }
    pairs
}

fn random(
    nodes: u32,
    connections: u32,
    chance: &mut Stream,
    is_far: &mut impl FnMut(NodeId, NodeId) -> bool,
) -> Vec<(NodeId, NodeId)> {
    let mut free: Vec<u32> = (0..nodes).collect();
    let mut pairs = Vec::new();
    let mut tries = 0;
    while pairs.len() < connections as usize && free.len() > 1 && tries < TRIES {
        tries += 1;
        let count = free.len() as u32;
        let (a, b) = (chance.below(count) as usize, chance.below(count) as usize);
        if a != b && is_far(NodeId(free[a]), NodeId(free[b])) {
            pairs.push((NodeId(free[a]), NodeId(free[b])));
            free.remove(a.max(b));
            free.remove(a.min(b));
            tries = 0;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(seed: u64) -> Stream {
        Streams::new(seed).stream(Purpose::Pairs, 0)
    }

    #[test]
    fn cbrgen_draws_neighbors_by_number() {
        let (mut flows, mut second) = (0.0, 0.0);
        for seed in 0..400 {
            let pairs = cbrgen(50, 1000, &mut chance(seed));
            for &(src, dst) in &pairs {
                let step = if dst.0 == 0 { 50 - src.0 } else { dst.0 - src.0 };
                assert!(step == 1 || step == 2, "{src:?} to {dst:?}");
                second += f64::from(u8::from(pairs.iter().filter(|(from, _)| *from == src).count() == 2)) / 2.0;
            }
            flows += pairs.len() as f64;
            assert!(cbrgen(50, 7, &mut chance(seed)) == pairs[..7.min(pairs.len())]);
        }
        // 3/4 of a flow per node, and a second one at every fourth node; 20 000 nodes.
        assert!((flows / 20_000.0 - 0.75).abs() < 4.0 * 0.83 / 141.0, "{flows}");
        assert!((second / 20_000.0 - 0.25).abs() < 4.0 * 0.433 / 141.0, "{second}");
        assert!((0..100).all(|seed| cbrgen(2, 9, &mut chance(seed)).iter().all(|(src, dst)| src != dst)));
    }

    #[test]
    fn a_ring_goes_around_and_then_farther() {
        let numbers = |nodes, connections| -> Vec<(u32, u32)> {
            ring(nodes, connections).into_iter().map(|(src, dst)| (src.0, dst.0)).collect()
        };
        assert_eq!(numbers(3, 3), [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(numbers(4, 9), [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (2, 0), (3, 1), (0, 3)]);
        // After all distances comes the first again.
        assert_eq!(numbers(2, 4), [(0, 1), (1, 0), (0, 1), (1, 0)]);
        assert!(ring(5, 1000).iter().all(|(src, dst)| src != dst && dst.0 < 5));
    }

    #[test]
    fn random_pairs_share_no_end_and_keep_their_distance() {
        for seed in 0..50 {
            let mut far = |src: NodeId, dst: NodeId| src.0.abs_diff(dst.0) >= 3;
            let pairs = random(20, 6, &mut chance(seed), &mut far);
            assert_eq!(pairs.len(), 6);
            assert!(pairs.iter().all(|(src, dst)| src.0.abs_diff(dst.0) >= 3));
            let mut ends: Vec<u32> = pairs.iter().flat_map(|(src, dst)| [src.0, dst.0]).collect();
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), 12);
        }
        assert_eq!(random(5, 9, &mut chance(1), &mut |_, _| true).len(), 2);
        assert!(random(5, 1, &mut chance(1), &mut |_, _| false).is_empty());
    }
}
