//! Table `[traffic]`, read and checked. Generators and their keys are in `scenario/traffic`.

use super::external_controller::{self, ExternalController};
use super::flow::MAX_SEGMENT;
use crate::kernel::{Span, Time};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::{
    OUT_OF_RANGE, ZERO_RATE, ZERO_TIME, exceeds, not_before_end, not_supported_with, requires,
};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::Node;
use crate::scenario::traffic::{CBR_KEYS, Pairs, TrafficConfig, TrafficKind};
use crate::scenario::transports::Transport;
use std::sync::Arc;

/// Keys that a file replaces.
const GENERATOR_KEYS: [&str; 16] = [
    "kind",
    "pairs",
    "connections",
    "per_node",
    "ends",
    "min_hops",
    "max_flows_per_node",
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

/// Maximum number of flows for each node that may be an end point.
const MAX_PER_NODE: u32 = 1000;

/// Table `[traffic]`, if there is one.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    tree: &Node,
    duration: Span,
    renumbers: Option<bool>,
) -> Option<TrafficConfig> {
    let table = tree.get("traffic")?;
    let fields = reader.root.table("traffic");
    let mut config = reader.overlay(Some(table), "traffic", fields, TrafficConfig::default());
    config.controller = config.controller.filter(|name| name != external_controller::NONE);
    let section = Section { key: "traffic", table: Some(table) };
    if config.file.is_some() {
        check_beside_file(reader, section, &config, renumbers);
    } else {
        check(reader, section, &config, duration);
    }
    Some(config)
}

/// The controller that replaces the flows' congestion control, if the table names one.
pub(crate) fn controller(
    reader: &mut Reader<'_>,
    tree: &Node,
    config: &TrafficConfig,
) -> Option<Arc<ExternalController>> {
    let section = Section { key: "traffic", table: tree.get("traffic") };
    external_controller::read(reader, section, config.controller.as_deref()?, config.transport()?)
}

/// Keys that have no effect together with a file, which gives the flows.
fn check_beside_file(reader: &mut Reader<'_>, section: Section<'_>, config: &TrafficConfig, renumbers: Option<bool>) {
    for key in GENERATOR_KEYS {
        let holds = section.given(key).is_none();
        section.rule(reader, key, holds, &not_supported_with("file"), "file and transport only");
    }
    if let (Some(_), Some(true)) = (config.first_node, renumbers) {
        let what = not_supported_with("mobility.renumber = true");
        section.rule(reader, "first_node", false, &what, "first_node or mobility.renumber");
    }
    let is_udp = config.transport.as_deref().and_then(Transport::named).is_some_and(Transport::is_udp);
    let what = not_supported_with("file: its FTP sources require flow control");
    section.rule(reader, "transport", !is_udp, &what, "a TCP transport");
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &TrafficConfig, duration: Span) {
    let holds = config.first_node.is_none();
    section.rule(reader, "first_node", holds, &requires("file"), "file");
    let holds = config.per_node.is_none_or(|share| share > 0.0 && share <= f64::from(MAX_PER_NODE));
    section.rule(reader, "per_node", holds, OUT_OF_RANGE, "number greater than 0, at most 1000");
    let holds = config.per_node.is_none() || section.given("connections").is_none();
    section.rule(reader, "connections", holds, &not_supported_with("per_node"), "connections or per_node");
    let holds = config.length.is_none_or(|length| length > Span::ZERO);
    section.rule(reader, "length", holds, ZERO_TIME, "time greater than 0 s");
    let is_cbr = config.kind == TrafficKind::Cbr;
    let hint = Some("add rate = \"16 kb/s\", 4 packets of 512 bytes per second");
    let given = config.rate.is_some();
    section.rule_with_hint(reader, "kind", !is_cbr || given, "{} requires rate", "rate with kind = \"cbr\"", hint);
    section.rule(reader, "rate", config.rate.is_none_or(|rate| rate.0 > 0.0), ZERO_RATE, "rate greater than 0 b/s");
    for key in CBR_KEYS {
        let holds = is_cbr || section.given(key).is_none();
        section.rule(reader, key, holds, &not_supported_with("kind = \"tcp\""), "kind = \"cbr\"");
    }
    for key in ["min_hops", "max_flows_per_node"] {
        let holds = config.pairs == Pairs::Random || section.given(key).is_none();
        section.rule(reader, key, holds, &not_supported_with("pairs = \"cbrgen\""), "pairs = \"random\"");
    }
    let transport = config.transport.as_deref().and_then(Transport::named);
    let holds = is_cbr || !transport.is_some_and(Transport::is_udp);
    section.rule(reader, "transport", holds, &not_supported_with("kind = \"tcp\""), "a TCP transport");
    let holds = (1..=MAX_SEGMENT).contains(&config.segment.0);
    section.rule(reader, "segment", holds, OUT_OF_RANGE, "1 to 65495 bytes of payload");
    let holds = config.start.since(Time::ZERO) < duration || duration == Span::ZERO;
    let what = not_before_end(duration.write());
    section.rule(reader, "start", holds, &what, "time before the end of the run");
    let holds = Time::ZERO + config.start_window + config.start.since(Time::ZERO) <= Time::ZERO + duration;
    let last = config.start + config.start_window;
    let what = exceeds("start + start_window", last.write(), "duration", duration.write());
    section.rule(reader, "start_window", holds, &what, "start + start_window not above duration");
}
