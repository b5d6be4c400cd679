//! Inputs of `hoplab bound`: air times, receivers of each node, and packets of each flow, of a run before its first event.
//!
//! The bounds themselves are linear programs outside of the engine (`python/hoplab/bounding`); they repeat no formula of
//! radio, MAC or transport.

use super::exchange::modes;
use super::view::RunView;
use crate::kernel::{NodeId, RadioId, Span, Time};
use crate::mac::Timing;
use crate::mac::aggregation::AggregationRules;
use crate::mac::handshake::HandshakeKind;
use crate::net::routing::static_path::routes;
use crate::net::routing::{ReachGraph, RoutingKind};
use crate::net::wires::WireSpec;
use crate::packet::Category;
use crate::packet::aggregate::{padded, with_mpdu};
use crate::phy::{ErrorKind, Medium, Noise, RxModel};
use crate::scenario::{FlowSpec, Resolved};
use crate::transport::Protocol;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// SERVICE field and tail of an OFDM PPDU, in bits (IEEE 802.11-2016 section 17.3.2).
const SERVICE_AND_TAIL: f64 = 22.0;

/// The radios that sense each radio's frames at `now`, which never decreases: rows `[sender, receiver, watts, seconds]`.
pub fn sensed(medium: &mut Medium, now: Time) -> Json {
    let mut rows = Vec::new();
    for sender in (0..medium.nodes() as u32).map(RadioId) {
        let receivers = medium.receivers(sender, now).iter();
        rows.extend(
            receivers.map(|receiver| json!([sender.0, receiver.radio.0, receiver.power, receiver.delay().secs()])),
        );
    }
    Json::from(rows)
}

/// Constants of the radio, times of every node's frames, and the flows; `graph` has the links at the start, and wires.
pub fn bound_inputs(view: &RunView<'_>, scenario: &Resolved, graph: &ReachGraph) -> Json {
    let flows: Vec<FlowBytes> = scenario.flows.iter().map(|flow| FlowBytes::new(view, scenario, flow)).collect();
    let lengths: BTreeSet<u32> =
        flows.iter().flat_map(|flow| [flow.data, flow.ack]).filter(|&bytes| bytes > 0).collect();
    let is_static = scenario.routing.protocol.is(RoutingKind::Static);
    let pairs: Vec<_> = scenario.flows.iter().map(|flow| (flow.src, flow.dst)).collect();
    let tables = routes(graph, &pairs, &scenario.path_rules(&view.ctx.radios));
    let path = |src: NodeId, dst: NodeId| -> Option<Vec<u32>> {
        let mut nodes = vec![src.0];
        while *nodes.last()? != dst.0 {
            nodes.push(tables[*nodes.last()? as usize].next_hop(dst)?.0);
        }
        Some(nodes)
    };
    json!({
        "nodes": view.macs.len(),
        "is_still": view.medium.is_still(),
        "is_random": scenario.radio.is_random(),
        "is_sinr": scenario.radio.rx_model == RxModel::Sinr,
        "is_bursty": scenario.radio.errors.model == ErrorKind::Gilbert,
        "noise_w": Noise::new(&scenario.radio).power,
        "wires": scenario.wires.iter().flat_map(WireSpec::directions).map(|(from, to, port)| {
            json!([from.0, to.0, port.rate.0, port.overhead.0])
        }).collect::<Vec<_>>(),
        "rx_threshold_w": scenario.radio.rx_threshold.0,
        "cs_threshold_w": scenario.radio.cs_threshold.0,
        "capture_ratio": scenario.radio.capture_ratio,
        "routing": scenario.routing.protocol.name(),
        "lengths": lengths,
        "stations": view.nodes().map(|node| station(view, scenario, node, &lengths)).collect::<Vec<_>>(),
        "flows": scenario.flows.iter().zip(&flows).map(|(flow, bytes)| {
            let mut table = bytes.to_json(flow);
            if is_static {
                table["path"] = json!(path(flow.src, flow.dst));
                table["back"] = json!(path(flow.dst, flow.src));
            }
            table
        }).collect::<Vec<_>>(),
    })
}

/// Times of a station, in seconds; `exchanges` are `[RTS, CTS, DATA, ACK]` by length of the packet, the last two by modulation.
fn station(view: &RunView<'_>, scenario: &Resolved, node: NodeId, lengths: &BTreeSet<u32>) -> Json {
    let timing = view.mac(node).timing();
    let exchange = |&bytes: &u32| {
        let [rts, cts] = if timing.uses_rts(bytes) { [timing.rts, timing.cts] } else { [Span::ZERO; 2] };
        let modes = modes(timing);
        let data: Vec<f64> = modes.iter().map(|&mode| timing.data_of(mode, bytes).secs()).collect();
        let acks: Vec<f64> = modes.iter().map(|&mode| timing.ack_to(mode).secs()).collect();
        json!([rts.secs(), cts.secs(), data, acks])
    };
    let config = &timing.config;
    // Flows of several categories count their backoffs at once: none is included then.
    let used: BTreeSet<Category> = scenario.flows.iter().map(|flow| flow.priority).collect();
    let access = used.iter().map(|category| view.macs[node.index()].access_of(*category));
    let (difs, [cw_min, cw_max], txop) = access
        .reduce(|a, b| (a.0.min(b.0), [0, 1].map(|end| a.1[end].min(b.1[end])), a.2.max(b.2)))
        .unwrap_or((timing.difs, [config.cw_min, config.cw_max], Span::ZERO));
    let counts_at_once = scenario.mac.edca.is_some() && used.len() > 1;
    json!({
        "slot_s": if counts_at_once { 0.0 } else { timing.slot.secs() },
        "sifs_s": timing.sifs.secs(),
        "difs_s": difs.secs(),
        "txop_s": txop.secs(),
        "draws_cw": timing.rules.draws_cw,
        "cw_min": cw_min,
        "cw_max": cw_max,
        "ssrl": config.ssrl,
        "slrl": config.slrl,
        "short": lengths.iter().map(|&bytes| timing.is_short(bytes)).collect::<Vec<_>>(),
        "longest_delay_s": timing.longest_delay().secs(),
        "always_waits": !timing.rules.skips_backoff_when_idle,
        "waits": scenario.handshake_of(node) == HandshakeKind::Plain,
        "exchanges": lengths.iter().map(exchange).collect::<Vec<_>>(),
        "aggregate": aggregate(timing, scenario.queue_of(node).limit, lengths),
    })
}

/// Limits and times of the A-MPDUs of a station, or of its A-MSDUs alone; none if it sends single frames. All are such that no PPDU
/// carries more packets or bytes, or takes less time: a PPDU of packets takes `head_s` and the `packet_s` of each.
fn aggregate(timing: &Timing, queue_limit: u32, lengths: &BTreeSet<u32>) -> Option<Json> {
    let rules = AggregationRules::of(&timing.config, timing.aggregation_limits())?;
    let modes = modes(timing);
    // With its delimiter and padding, which the last MPDU lacks; in an A-MSDU each packet shares the header of its MPDU.
    let bytes = |&packet: &u32| {
        let alone = with_mpdu(0, padded(rules.mpdu(AggregationRules::body_with(0, packet), 1)));
        if rules.amsdu > 0 { alone.min(padded(AggregationRules::body_with(0, packet))) } else { alone }
    };
    let secs = |bits: f64| modes.iter().map(|mode| bits / mode.rate().0).collect::<Vec<f64>>();
    let spared = f64::from(8 * with_mpdu(0, 3));
    let heads = modes.iter().map(|&mode| timing.header(mode).secs() + (SERVICE_AND_TAIL - spared) / mode.rate().0);
    let shortest = lengths.first().map_or(1, |packet| padded(AggregationRules::body_with(0, *packet)));
    let longest = lengths.last().map_or(0, |packet| rules.mpdu(AggregationRules::body_with(0, *packet), 1));
    let window = if rules.has_agreement() { u32::from(rules.window) } else { 1 };
    let most_bytes = if rules.has_agreement() {
        modes.iter().map(|&mode| timing.longest_psdu(mode)).max().unwrap_or(u32::MAX).min(rules.ampdu)
    } else {
        rules.amsdu + rules.overhead
    };
    Some(json!({
        "head_s": heads.collect::<Vec<f64>>(),
        // One is in service, the others come from the queue.
        "packets": (window * (padded(rules.amsdu) / shortest).max(1)).min(queue_limit.saturating_add(1)),
        "bytes": with_mpdu(most_bytes.max(longest), 3),
        "packet_bytes": lengths.iter().map(bytes).collect::<Vec<u32>>(),
        "packet_s": lengths.iter().map(|length| secs(f64::from(8 * bytes(length)))).collect::<Vec<_>>(),
    }))
}

/// Lengths above the MAC of what a flow sends, in bytes.
struct FlowBytes {
    data: u32,
    /// Zero where nothing is acknowledged end to end.
    ack: u32,
    /// Acknowledgments per segment, at least.
    acks: f64,
    has_window: bool,
}

impl FlowBytes {
    fn new(view: &RunView<'_>, scenario: &Resolved, flow: &FlowSpec) -> FlowBytes {
        let added = scenario.routing.source_bytes();
        let connection = view.connection(flow.id);
        let Some((data, ack)) = connection.packet_bytes() else {
            return FlowBytes { data: flow.segment.0 + added.udp, ack: 0, acks: 0.0, has_window: false };
        };
        // Semi-TCP and Split TCP acknowledge several segments at once where they can.
        let is_thin = connection.is_pulled() || flow.transport.protocol == Protocol::Split;
        let acks = match connection.receiver() {
            None => 0.0,
            Some(_) if is_thin => 0.0,
            Some(receiver) => receiver.least_acks_per_segment(),
        };
        let has_window = matches!(flow.transport.protocol, Protocol::Tcp(_)) && !connection.is_pulled();
        FlowBytes { data: data + added.tcp, ack: if acks > 0.0 { ack + added.tcp } else { 0 }, acks, has_window }
    }

    fn to_json(&self, flow: &FlowSpec) -> Json {
        json!({
            "id": flow.id.0,
            "src": flow.src.0,
            "dst": flow.dst.0,
            "transport": flow.transport_name(),
            "payload_bytes": flow.segment.0,
            "data_bytes": self.data,
            "ack_bytes": self.ack,
            "acks": self.acks,
            "rate_bps": flow.app.constant_rate().map(|rate| rate.0),
            "window": self.has_window.then_some(flow.window),
        })
    }
}
