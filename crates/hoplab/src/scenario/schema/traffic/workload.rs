//! Table `[[workload]]`, read and checked, but for its nodes, which depend on the topology.

use super::external_controller::{self, ExternalController};
use super::flow::MAX_SEGMENT;
use super::stream::STREAM_SEGMENT;
use super::workload_config::WorkloadConfig;
use super::workload_size;
use crate::app::{QUIET, SizeConfig, VIDEO_BUFFER, WorkloadKeys, WorkloadKind};
use crate::kernel::{Bytes, Rate, Span, Time};
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::section::Section;
use crate::scenario::schema::times::Times;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{
    OUT_OF_RANGE, ZERO_TIME, exceeds, mismatch, not_before_end, not_supported_with, requires,
};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::{Entry, Node, Value};
use crate::scenario::transports::{TRANSPORTS, Transport};
use std::sync::Arc;

/// A workload as written and checked.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadTable<'n> {
    /// Its path: `workload.0`.
    pub(crate) key: String,
    pub(crate) table: &'n Node,
    pub(crate) config: WorkloadConfig,
    pub(crate) transport: &'static Transport,
    pub(crate) controller: Option<Arc<ExternalController>>,
}

/// Most tables of a scenario.
const MAX_WORKLOADS: usize = 100;

/// Keys that are no plain values.
const APART: [&str; 6] = ["from", "to", "size", "answer", "page", "object"];

/// All workloads that are not wrong.
pub(crate) fn read_all<'n>(reader: &mut Reader<'_>, tree: &'n Node, times: Times) -> Vec<WorkloadTable<'n>> {
    let Some(list) = tree.get("workload") else { return Vec::new() };
    let Value::List(items) = &list.value else {
        let raw = reader.wrong(list, "workload", &mismatch("array", list.value.what()));
        let hint = Some("use double brackets, [[workload]]".to_owned());
        reader.refuse(&list.origin, RawDiagnostic { expected: "tables [[workload]]".to_owned(), hint, ..raw });
        return Vec::new();
    };
    if items.len() > MAX_WORKLOADS {
        let message = exceeds("number of workloads", items.len(), "limit", MAX_WORKLOADS);
        let raw = RawDiagnostic { key: "workload".to_owned(), message, ..RawDiagnostic::default() };
        reader.refuse(&list.origin, raw);
        return Vec::new();
    }
    let numbered = items.iter().enumerate();
    numbered.filter_map(|(id, table)| read(reader, table, format!("workload.{id}"), times)).collect()
}

fn read<'n>(reader: &mut Reader<'_>, table: &'n Node, key: String, times: Times) -> Option<WorkloadTable<'n>> {
    if !reader.is_table(table, &key) {
        return None;
    }
    let before = reader.diagnostics.len();
    let is_plain = |entry: &&Entry| !APART.contains(&entry.key.as_str());
    let fields = reader.root.table("workload");
    let plain = table.entries().iter().filter(is_plain);
    let mut config = reader.overlay_entries(plain, &key, fields, WorkloadConfig::default());
    let section = Section { key: &key, table: Some(table) };
    let mut size = |name: &str| workload_size::read(reader, section.given(name)?, &join(&key, name));
    (config.size, config.answer) = (size("size"), size("answer"));
    (config.page, config.object) = (size("page"), size("object"));
    if reader.diagnostics.len() > before {
        return None;
    }
    let transport = Transport::named(&config.transport)?;
    check_keys(reader, section, &config);
    check_times(reader, section, &config, times);
    check_transport(reader, section, &config, transport);
    if reader.diagnostics.len() > before {
        return None;
    }
    let usual = match transport {
        udp if udp.is_udp() => datagram(&config),
        stream if stream.counts_bytes() => Bytes(STREAM_SEGMENT),
        _ => Bytes(1460),
    };
    config.segment = config.segment.or(Some(usual));
    config.controller = config.controller.filter(|name| name != external_controller::NONE);
    let controller = match &config.controller {
        Some(name) => Some(external_controller::read(reader, section, name, transport)?),
        None => None,
    };
    Some(WorkloadTable { key, table, config, transport, controller })
}

/// What one datagram of a workload carries.
fn datagram(config: &WorkloadConfig) -> Bytes {
    match config.size {
        Some(SizeConfig::Fixed(bytes)) => bytes,
        _ => Bytes(1460),
    }
}

fn check_keys(reader: &mut Reader<'_>, section: Section<'_>, config: &WorkloadConfig) {
    let kind = config.kind;
    for key in WorkloadKeys::NAMES {
        let holds = section.given(key).is_none() || kind.keys().contains(&key);
        let users: Vec<String> = WorkloadKind::ALL
            .iter()
            .filter(|kind| kind.keys().contains(&key))
            .map(|kind| format!("kind = \"{}\"", kind.name()))
            .collect();
        let what = not_supported_with(format_args!("kind = \"{}\"", kind.name()));
        section.rule(reader, key, holds, &what, &users.join(" or "));
    }
    for (keys, example) in kind.needs() {
        let given: Vec<&str> = keys.iter().copied().filter(|key| section.given(key).is_some()).collect();
        let hint = format!("add {example}");
        let either = keys.join(" or ");
        let what = format!("{{}} requires {either}");
        section.rule_with_hint(reader, "kind", !given.is_empty(), &what, &either, Some(&hint));
        if let [first, second, ..] = given[..] {
            section.rule(reader, second, false, &not_supported_with(first), &format!("{first} or {second}"));
        }
    }
    let holds = config.rate.is_none_or(|rate| rate.0 > 0.0);
    section.rule(reader, "rate", holds, "must be greater than 0 /s", "rate greater than 0 /s");
    let holds = config.load.is_none_or(|load| load > 0.0);
    section.rule(reader, "load", holds, OUT_OF_RANGE, "share greater than 0, such as 0.5");
    for (key, time) in
        [("reading", config.reading), ("segment_time", config.segment_time), ("interval", config.interval)]
    {
        let holds = time.is_none_or(|time| time > Span::ZERO);
        section.rule(reader, key, holds, ZERO_TIME, "time greater than 0 s");
    }
    let holds = config.segment_time.is_none_or(|time| time <= VIDEO_BUFFER);
    let what = format!("exceeds the buffer of a viewer ({})", VIDEO_BUFFER.write());
    section.rule(reader, "segment_time", holds, &what, &format!("at most {}", VIDEO_BUFFER.write()));
    let holds = config.ask.is_none_or(|ask| ask.0 > 0);
    section.rule(reader, "ask", holds, OUT_OF_RANGE, "at least 1 B");
    let is_rate = |rate: &Rate| rate.0 >= 8.0;
    let holds = config.ladder.as_ref().is_none_or(|ladder| !ladder.is_empty() && ladder.iter().all(is_rate));
    section.rule(reader, "ladder", holds, OUT_OF_RANGE, "one or more rates of at least 8 b/s");
    let holds = config.segment.is_none_or(|bytes| (1..=MAX_SEGMENT).contains(&bytes.0));
    section.rule(reader, "segment", holds, OUT_OF_RANGE, "1 to 65495 bytes of payload");
}

fn check_times(reader: &mut Reader<'_>, section: Section<'_>, config: &WorkloadConfig, times: Times) {
    let end = Time(times.duration.0);
    let what = not_before_end(end.write());
    let holds = config.start < end || end == Time::ZERO;
    section.rule(reader, "start", holds, &what, "time before the end of the run");
    let what = format!("must be after the start ({})", config.start.write());
    let holds = config.stop.is_none_or(|stop| stop > config.start);
    section.rule(reader, "stop", holds, &what, "time after the start");
    if config.kind == WorkloadKind::Rrul {
        let load = config.start + config.quiet.unwrap_or(QUIET);
        let (stop, name) =
            config.stop.filter(|stop| *stop < end).map_or((end, "the end of the run"), |stop| (stop, "stop"));
        let what = format!("start + quiet ({}) must be before {name} ({})", load.write(), stop.write());
        section.rule(reader, "quiet", load < stop, &what, "time that leaves some for the bulk transfers");
    }
}

fn check_transport(reader: &mut Reader<'_>, section: Section<'_>, config: &WorkloadConfig, transport: &Transport) {
    let kind = config.kind;
    let needs_turns = kind != WorkloadKind::PoissonFlows;
    let streams: Vec<String> = TRANSPORTS
        .iter()
        .filter(|transport| transport.is_stream())
        .map(|transport| format!("\"{}\"", transport.name))
        .collect();
    let streams = streams.join(" or ");
    if !transport.is_udp() {
        let what = not_supported_with(format_args!("kind = \"{}\": its ends take turns", kind.name()));
        let holds = !needs_turns || transport.is_stream();
        section.rule(reader, "transport", holds, &what, &streams);
        return;
    }
    let what = not_supported_with(format_args!("kind = \"{}\"", kind.name()));
    section.rule(reader, "transport", kind.takes_datagrams(), &what, &streams);
    let is_datagram = matches!(config.size, None | Some(SizeConfig::Fixed(Bytes(1..=MAX_SEGMENT))));
    let what = "not supported with transport = \"udp\": a transfer is one datagram";
    section.rule(reader, "size", is_datagram, what, "1 to 65495 B");
    let what = not_supported_with("transport = \"udp\"");
    section.rule(reader, "count", section.given("count").is_none(), &what, "no such key");
    // Scenarios as they are written out have it.
    let holds = config.segment.is_none_or(|segment| segment == datagram(config));
    section.rule(reader, "segment", holds, &what, "no such key");
    let holds = section.given("window").is_none();
    section.rule(reader, "window", holds, &requires("a window"), "no such key with transport = \"udp\"");
}
