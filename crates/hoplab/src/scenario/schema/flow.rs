//! Flows: ends, traffic and protocol of each.

use crate::app::{AppConfig, INTERVAL, PROBE_BYTES, PROBES, VOICE_BYTES};
use crate::kernel::{Bytes, FlowId, NodeId, Rate, Span, Time};
use crate::scenario::model::resolved::FlowSpec;
use crate::scenario::schema::check::Section;
use crate::scenario::schema::external_controller;
use crate::scenario::schema::file::{AppKind, FlowConfig, NodeRef, Place, root};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::topology::Topology;
use crate::scenario::scheme::Scheme;
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::source::Trouble;
use crate::scenario::syntax::tree::{Node, Origin, Value};

/// When a run ends, and when it is measured from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
}

/// Payload that fits in an IP packet beside 40 bytes of headers.
pub(crate) const MAX_SEGMENT: u32 = 65_495;

/// Payload of a MAC frame, IEEE 802.11-1999 section 6.2.1.1.2.
const MAX_MSDU: u32 = 2304;

/// Headers of TCP and IP.
const HEADERS: u32 = 40;

/// Flows that a scenario may have.
const MAX_FLOWS: usize = 100_000;

/// Windows beyond this are a slip.
const MAX_WINDOW: u32 = 1_000_000;

/// The flows; without a topology their ends are not looked at.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node, topology: Option<&Topology>, times: Times) -> Vec<FlowSpec> {
    let Some(list) = tree.entry("flow") else {
        if tree.get("traffic").is_some() {
            return Vec::new();
        }
        return refuse_list(reader, &Origin::Nowhere, "there is no flow");
    };
    let Value::List(items) = &list.node.value else {
        let message = format!("flow is {}, and not a list of tables", list.node.value.what());
        return refuse_list(reader, &list.node.origin, &message);
    };
    if items.is_empty() {
        return refuse_list(reader, &list.node.origin, "there is no flow");
    }
    if items.len() > MAX_FLOWS {
        return refuse_list(
            reader,
            &list.node.origin,
            &format!("there are {} flows, more than {MAX_FLOWS}", items.len()),
        );
    }
    let mut taken = 0;
    let read = |(id, item): (usize, &Node)| {
        let key = format!("flow.{id}");
        let before = reader.troubles.len();
        let mut config = reader.overlay(Some(item), &key, root().table("flow"), FlowConfig::default());
        let section = Section { key: &key, table: Some(item) };
        if section.given("segment").is_none() {
            config.segment = usual_segment(config.app);
        }
        if config.app == AppKind::WinfProbe {
            config.max_packets.get_or_insert(PROBES);
        }
        check(reader, section, &config, times);
        // What could not be read is at its default now, and says nothing about the rest.
        if reader.troubles.len() > before {
            return None;
        }
        check_app(reader, section, &config);
        let scheme = Scheme::named(&config.transport)?;
        let controller = match &config.controller {
            Some(name) if name != external_controller::NONE => {
                Some(external_controller::read(reader, section, name, scheme)?)
            }
            _ => None,
        };
        let (src, dst) = ends(reader, section, &config, topology?, &mut taken)?;
        Some(FlowSpec {
            id: FlowId(id as u32),
            src,
            dst,
            app: app_of(&config),
            scheme,
            controller,
            segment: config.segment,
            window: config.window,
            start: config.start,
            start_spread: config.start_spread.unwrap_or(Span::ZERO),
            stop: config.stop,
            max_packets: config.max_packets,
        })
    };
    items.iter().enumerate().filter_map(read).collect()
}

/// Flows that start after the end of the run do nothing in it: worth a warning, as where a file of traffic is longer than
/// the run, and refused where it is so with all of them.
pub(crate) fn check_starts(reader: &mut Reader<'_>, tree: &Node, flows: &[FlowSpec], end: Time) {
    let late = flows.iter().filter(|flow| flow.start >= end).count();
    if late == 0 || end == Time::ZERO {
        return;
    }
    if late < flows.len() {
        let (count, end) = (flows.len(), end.write());
        reader.warnings.push(format!("{late} of {count} flows start at the end of the run, {end}, or after it"));
        return;
    }
    let expected = format!("a time before the end of the run, {}", end.write());
    let listed = tree.entry("flow").and_then(|list| match &list.node.value {
        Value::List(items) => items.first(),
        _ => None,
    });
    if listed.is_some() {
        Section { key: "flow.0", table: listed }.rule(reader, "start", false, "is after the end of the run", &expected);
    } else {
        let section = Section { key: "traffic", table: tree.get("traffic") };
        section.rule(reader, "file", false, "holds flows that all start after the end of the run", &expected);
    }
}

fn refuse_list(reader: &mut Reader<'_>, origin: &Origin, message: &str) -> Vec<FlowSpec> {
    let trouble = Trouble {
        key: "flow".to_owned(),
        message: message.to_owned(),
        expected: format!("1 to {MAX_FLOWS} tables [[flow]]"),
        hint: Some("write [[flow]], in double brackets, and transport = \"new_reno\" below".to_owned()),
        value: None,
    };
    reader.refuse(origin, trouble);
    Vec::new()
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig, times: Times) {
    let holds = (1..=MAX_SEGMENT).contains(&config.segment.0);
    section.rule(reader, "segment", holds, "is out of range", "1 to 65495 bytes of payload");
    let holds = (1..=MAX_WINDOW).contains(&config.window);
    section.rule(reader, "window", holds, "is out of range", "1 to 1000000 segments");
    let end = Time(times.duration.0);
    let expected = format!("a time before the end of the run, {}", end.write());
    let latest = config.start + config.start_spread.unwrap_or(Span::ZERO);
    let holds = config.start_spread.is_none() || latest < end || config.start >= end || end == Time::ZERO;
    section.rule(reader, "start_spread", holds, "lets the flow start after the end of the run", &expected);
    if let Some(stop) = config.stop {
        let expected = format!("a time after the start, {}", latest.write());
        section.rule(reader, "stop", stop > latest, "is not after the start", &expected);
        if stop.0 <= times.warmup.0 {
            reader.warnings.push(format!("{} stops before the warm-up ends: nothing of it is measured", section.key));
        }
    }
    if (MAX_MSDU - HEADERS + 1..=MAX_SEGMENT).contains(&config.segment.0) {
        reader.warnings.push(format!(
            "{}.segment: {} bytes and headers are more than the {MAX_MSDU} that an 802.11 frame may carry",
            section.key, config.segment.0
        ));
    }
}

/// What the keys of a flow say that it sends; they have been checked.
pub(crate) fn app_of(config: &FlowConfig) -> AppConfig {
    match (config.app, config.rate) {
        (AppKind::Cbr, Some(rate)) if config.random == Some(true) => AppConfig::JitteredCbr { rate },
        (AppKind::Cbr, Some(rate)) => AppConfig::Cbr { rate },
        (AppKind::OnOff, rate) => AppConfig::OnOff {
            rate: rate.unwrap_or(BURST_RATE),
            on_mean: config.on_mean.unwrap_or(BURST),
            off_mean: config.off_mean.unwrap_or(BURST),
        },
        (AppKind::Voip, _) => AppConfig::Voip { talk_spurts: config.talk_spurts == Some(true) },
        (AppKind::AdhocProbe, _) => AppConfig::AdhocProbe {
            interval: config.interval.unwrap_or(INTERVAL),
            samples: config.samples.unwrap_or(PAIRS),
        },
        (AppKind::WinfProbe, _) => AppConfig::WinfProbe { interval: config.interval.unwrap_or(INTERVAL) },
        (AppKind::Ftp | AppKind::Cbr, _) => AppConfig::Ftp,
    }
}

/// Payload of a packet where a flow does not say.
pub(crate) fn usual_segment(app: AppKind) -> Bytes {
    match app {
        AppKind::Ftp | AppKind::Cbr => FlowConfig::default().segment,
        AppKind::OnOff => BURST_BYTES,
        AppKind::Voip => Bytes(VOICE_BYTES),
        AppKind::AdhocProbe | AppKind::WinfProbe => Bytes(PROBE_BYTES),
    }
}

/// Rate, lengths and packets of bursts, as `Application/Traffic/Exponential` of ns-2.35 has them.
const BURST_RATE: Rate = Rate(64e3);
const BURST: Span = Span::from_millis(500);
const BURST_BYTES: Bytes = Bytes(210);

/// Pairs of AdHoc Probe that a value is taken from (rt-winf.md section 9).
const PAIRS: u32 = 200;

/// Keys that mean something for some traffic only.
const APP_KEYS: &[(&str, &[AppKind])] = &[
    ("rate", &[AppKind::Cbr, AppKind::OnOff]),
    ("random", &[AppKind::Cbr]),
    ("on_mean", &[AppKind::OnOff]),
    ("off_mean", &[AppKind::OnOff]),
    ("talk_spurts", &[AppKind::Voip]),
    ("interval", &[AppKind::AdhocProbe, AppKind::WinfProbe]),
    ("samples", &[AppKind::AdhocProbe]),
];

/// Traffic and protocol must suit each other.
fn check_app(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    for (key, apps) in APP_KEYS {
        let holds = section.given(key).is_none() || apps.contains(&config.app);
        let names: Vec<&str> = apps.iter().map(|app| app.name()).collect();
        let what = format!("means nothing for app = \"{}\"", config.app.name());
        let hint = format!("add app = \"{}\"", names[0]);
        let hint = section.given("app").is_none().then_some(hint.as_str());
        let expected = format!("{key} for {} only", names.join(" and "));
        section.rule_with_hint(reader, key, holds, &what, &expected, hint);
    }
    if config.app == AppKind::Cbr && config.rate.is_none() {
        let hint = Some("for example: rate = \"64 kb/s\"");
        section.rule_with_hint(reader, "app", false, "needs a rate", "rate beside app = \"cbr\"", hint);
    }
    let holds = config.rate.is_none_or(|rate| rate.0 > 0.0);
    section.rule(reader, "rate", holds, "sends nothing", "a rate above 0 b/s");
    for (key, mean) in [("on_mean", config.on_mean), ("off_mean", config.off_mean)] {
        let holds = mean.is_none_or(|mean| mean > Span::ZERO);
        section.rule(reader, key, holds, "is no time", "a time above 0 s");
    }
    let holds = config.interval.is_none_or(|interval| interval > Span::ZERO);
    section.rule(reader, "interval", holds, "is no time", "a time above 0 s");
    let holds = config.app != AppKind::Voip || config.segment.0 == VOICE_BYTES;
    let what = "is no packet of G.711";
    section.rule(reader, "segment", holds, what, "172 bytes: 20 ms of voice and an RTP header; leave it out");
    let is_endless = config.app == AppKind::Ftp;
    let is_udp = Scheme::named(&config.transport).is_some_and(Scheme::is_udp);
    let is_probe = matches!(config.app, AppKind::AdhocProbe | AppKind::WinfProbe);
    let what = "may keep packets back, and probes must leave when they are due";
    let hint = Some("give the flow transport = \"udp\"");
    let (key, what) = match section.given("transport") {
        Some(_) => ("transport", what),
        None => ("app", "sends packets that must leave when they are due"),
    };
    section.rule_with_hint(reader, key, !is_probe || is_udp, what, "transport = \"udp\" for probes", hint);
    let hint = Some("give the flow app = \"cbr\" and a rate, such as \"64 kb/s\"");
    let what = "has nothing that slows an endless file down";
    let expected = "udp for app = \"cbr\", \"on_off\" or \"voip\" only";
    section.rule_with_hint(reader, "transport", !(is_endless && is_udp), what, expected, hint);
}

/// The two ends: those named, or the next natural pair of the topology.
fn ends(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    config: &FlowConfig,
    topology: &Topology,
    taken: &mut usize,
) -> Option<(NodeId, NodeId)> {
    let (from, to) = match (config.from, config.to) {
        (Some(from), Some(to)) => (from, to),
        (None, None) => {
            let pair = topology.layout.natural_pair(*taken);
            *taken += 1;
            if let Some((src, dst)) = pair {
                return Some((NodeId(src), NodeId(dst)));
            }
            let offered = match topology.layout.natural_pairs() {
                0 => "none".to_owned(),
                1 => "one".to_owned(),
                count => count.to_string(),
            };
            let message = format!(
                "{} has no ends: of natural pairs, kind = \"{}\" has {offered} here",
                section.key,
                topology.layout.kind().name()
            );
            let hint = Some("say from and to, such as from = \"first\", to = \"last\"".to_owned());
            let key = section.key.to_owned();
            let origin = section.table.map_or(Origin::Nowhere, |table| table.origin.clone());
            reader.refuse(&origin, Trouble { key, message, hint, ..Trouble::default() });
            return None;
        }
        (from, _) => {
            let (there, missing) = if from.is_some() { ("from", "to") } else { ("to", "from") };
            let what = format!("has no {missing} beside it");
            section.rule(reader, there, false, &what, "from and to, or neither for the topology's natural pair");
            return None;
        }
    };
    let src = node(reader, section, "from", from, topology)?;
    let dst = node(reader, section, "to", to, topology)?;
    section.rule(
        reader,
        "to",
        src != dst,
        "makes a flow from a node to itself",
        &format!("another node than {}", src.0),
    );
    (src != dst).then_some((src, dst))
}

fn node(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    key: &str,
    node: NodeRef,
    topology: &Topology,
) -> Option<NodeId> {
    let is_nowhere = node == NodeRef::Place(Place::Center) && topology.layout.random().is_some();
    section.rule(reader, key, !is_nowhere, "means nothing where places are random", "a node's number");
    let [own, all] = [topology.layout.nodes(), topology.nodes()].map(u64::cast_signed);
    let number = match node {
        NodeRef::Number(number) if number < 0 => own.checked_add(number)?.max(-1),
        NodeRef::Number(number) => number,
        NodeRef::Place(Place::First) => 0,
        NodeRef::Place(Place::Last) => own - 1,
        NodeRef::Place(Place::Center) => i64::from(topology.layout.center()),
    };
    let exists = (0..all).contains(&number);
    let expected = format!("0 to {}, -1 to -{own}, \"first\", \"last\" or \"center\"", all - 1);
    section.rule(reader, key, exists, "is no node of this topology", &expected);
    exists.then_some(NodeId(number as u32))
}
