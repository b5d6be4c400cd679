//! Table `[[flow]]`, read and checked, but for end points, which depend on the topology.

use super::app;
use super::external_controller::{self, ExternalController};
use super::flow_config::FlowConfig;
use super::source;
use super::stream::{self, STREAM_SEGMENT};
use crate::kernel::RegisteredPart;
use crate::kernel::{Bytes, Span, Time};
use crate::scenario::schema::reader::{Reader, message};
use crate::scenario::schema::section::Section;
use crate::scenario::schema::times::Times;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{MISSING, OUT_OF_RANGE, exceeds, mismatch, not_before_end, requires};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::transports::Transport;
use std::sync::Arc;

/// Maximum payload of an IP packet with 40 bytes of headers.
pub(crate) const MAX_SEGMENT: u32 = 65_495;

/// Payload of a MAC frame, IEEE 802.11-1999 section 6.2.1.1.2.
const MAX_MSDU: u32 = 2304;

/// Headers of TCP and IP.
const HEADERS: u32 = 40;

/// Flows that a scenario may have.
const MAX_FLOWS: usize = 100_000;

/// Largest window in segments.
const MAX_WINDOW: u32 = 1_000_000;

/// A flow as written and checked. Its end points depend on the topology.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<'n> {
    /// Its path: `flow.3`.
    pub(crate) key: String,
    pub(crate) id: u32,
    pub(crate) table: &'n Node,
    pub(crate) config: FlowConfig,
    pub(crate) transport: &'static Transport,
    pub(crate) controller: Option<Arc<ExternalController>>,
    pub(crate) source: Option<Arc<RegisteredPart>>,
}

/// All flows that are not wrong.
pub(crate) fn read_all<'n>(reader: &mut Reader<'_>, tree: &'n Node, times: Times) -> Vec<FlowTable<'n>> {
    let Some(items) = tables(reader, tree) else { return Vec::new() };
    items.iter().zip(0..).filter_map(|(table, id)| read(reader, table, id, times)).collect()
}

/// The tables `[[flow]]`; a list that is missing or too long is reported.
fn tables<'n>(reader: &mut Reader<'_>, tree: &'n Node) -> Option<&'n [Node]> {
    let Some(list) = tree.entry("flow") else {
        if ["traffic", "workload", "live"].iter().all(|other| tree.get(other).is_none()) {
            refuse_list(reader, &Origin::Nowhere, MISSING);
        }
        return None;
    };
    let what = match &list.node.value {
        Value::List(items) if items.is_empty() && tree.get("workload").is_none() => MISSING.to_owned(),
        Value::List(items) if items.len() > MAX_FLOWS => exceeds("number of flows", items.len(), "limit", MAX_FLOWS),
        Value::List(items) => return Some(items),
        other => mismatch("array of tables", other.what()),
    };
    refuse_list(reader, &list.node.origin, &what);
    None
}

fn read<'n>(reader: &mut Reader<'_>, table: &'n Node, id: u32, times: Times) -> Option<FlowTable<'n>> {
    let key = format!("flow.{id}");
    let before = reader.diagnostics.len();
    let mut config = reader.overlay(Some(table), &key, reader.root.table("flow"), FlowConfig::default());
    let section = Section { key: &key, table: Some(table) };
    if section.given("segment").is_none() {
        let counts_bytes = Transport::named(&config.transport).is_some_and(Transport::counts_bytes);
        let usual = config.app.segment();
        config.segment = Bytes(if counts_bytes { usual.min(STREAM_SEGMENT) } else { usual });
    }
    config.max_packets = config.max_packets.or(config.app.max_packets());
    check(reader, section, &config, times);
    // Wrong values are at their defaults now, and do not bear on the rest.
    if reader.diagnostics.len() > before {
        return None;
    }
    app::check(reader, section, &config);
    let transport = Transport::named(&config.transport)?;
    let controller = match &config.controller {
        Some(name) if name != external_controller::NONE => {
            Some(external_controller::read(reader, section, name, transport)?)
        }
        _ => None,
    };
    let source = match &config.source {
        Some(name) => Some(source::read(reader, section, name)?),
        None => None,
    };
    Some(FlowTable { key, id, table, config, transport, controller, source })
}

fn refuse_list(reader: &mut Reader<'_>, origin: &Origin, what: &str) {
    let raw = RawDiagnostic {
        key: "flow".to_owned(),
        message: message("flow", what, None),
        expected: format!("1 to {MAX_FLOWS} tables [[flow]]"),
        hint: Some("add [[flow]], in double brackets, with transport = \"new_reno\"".to_owned()),
        value: None,
    };
    reader.refuse(origin, raw);
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig, times: Times) {
    let holds = (1..=MAX_SEGMENT).contains(&config.segment.0);
    section.rule(reader, "segment", holds, OUT_OF_RANGE, "1 to 65495 bytes of payload");
    let holds = config.max_datagram.is_none_or(|longest| (1..=MAX_SEGMENT).contains(&longest.0));
    section.rule(reader, "max_datagram", holds, OUT_OF_RANGE, "1 to 65495 bytes of payload");
    let is_udp = Transport::named(&config.transport).is_some_and(Transport::is_udp);
    let holds = config.max_datagram.is_none() || is_udp;
    section.rule(reader, "max_datagram", holds, &requires("transport = \"udp\""), "transport = \"udp\"");
    stream::check(reader, section, config);
    let holds = (1..=MAX_WINDOW).contains(&config.window);
    section.rule(reader, "window", holds, OUT_OF_RANGE, "1 to 1000000 segments");
    let end = Time(times.duration.0);
    let what = not_before_end(end.write());
    let latest = config.start + config.start_spread.unwrap_or(Span::ZERO);
    let holds = config.start_spread.is_none() || latest < end || config.start >= end || end == Time::ZERO;
    section.rule(reader, "start_spread", holds, &what, "start + start_spread before the end of the run");
    if let Some(stop) = config.stop {
        let what = format!("must be after the start ({})", latest.write());
        section.rule(reader, "stop", stop > latest, &what, "time after the start");
        if stop.0 <= times.warmup.0 {
            reader
                .warnings
                .push(format!("{}.stop: the flow stops before the end of warmup and is not measured", section.key));
        }
    }
    let longest = config.segment.0.min(config.max_datagram.map_or(u32::MAX, |longest| longest.0));
    if (MAX_MSDU - HEADERS + 1..=MAX_SEGMENT).contains(&longest) {
        reader.warnings.push(format!(
            "{}.segment: {}, the maximum MSDU of 802.11",
            section.key,
            exceeds("segment + headers", longest + HEADERS, "limit", MAX_MSDU)
        ));
    }
}
