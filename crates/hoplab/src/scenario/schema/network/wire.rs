//! Table `[[wire]]`: a wire between two nodes, read as two ports.

use super::host::{self, Host};
use crate::kernel::{Bytes, NodeId, Part, PartKind, Rate, Span};
use crate::net::link::{QueueConfig, QueueKind, RadioPart};
use crate::net::wires::{Bursts, PortConfig, WireLoss, WireSpec};
use crate::scenario::schema::fields::{Fields, Shape};
use crate::scenario::schema::layers::queue;
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::section::Section;
use crate::scenario::schema::traffic::node_ref::NodeRef;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{
    MISSING, OUT_OF_RANGE, ZERO_RATE, ZERO_TIME, exceeds, mismatch, no_such_node, not_supported_with,
};
use crate::scenario::syntax::tree::{Entry, Node, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Table `[[wire]]`: a wire in both directions. Keys are those of the direction from the first to the second node, and of
/// the other direction, unless `back` has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireConfig {
    /// The two nodes, by number or by the name of a host. A node with a radio becomes a gateway.
    pub between: [NodeRef; 2],
    /// Bits per second.
    pub rate: Option<Rate>,
    /// Propagation time from one end to the other. Default: 0 s.
    pub delay: Option<Span>,
    /// Maximum of a uniform random time that is added to the delay of each packet. Default: 0 s.
    pub jitter: Option<Span>,
    /// Whether jitter may change the order of packets. Default: no.
    pub reorder: Option<bool>,
    /// Probability that a packet is lost after its transmission; or a table with `good_mean`, `bad_mean`, `good_loss` and
    /// `bad_loss`, for bursts. Default: 0.
    pub loss: Option<WireLoss>,
    /// Bytes that are added to each packet, such as 38 of Ethernet. Default: 0 B.
    pub overhead: Option<Bytes>,
    /// Queue at each end; `limit` counts waiting packets without the one in service. Default: `drop_tail`, 1000
    /// packets.
    pub queue: Option<QueueConfig>,
    /// Keys that differ from the second to the first node.
    pub back: Option<WireBack>,
}

/// Table `[wire.back]`: what differs in the direction from the second to the first node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireBack {
    /// Bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Propagation time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// Maximum of a uniform random time that is added to the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Span>,
    /// Whether jitter may change the order of packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reorder: Option<bool>,
    /// Probability that a packet is lost, or a table for bursts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<WireLoss>,
    /// Bytes that are added to each packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Bytes>,
    /// Queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
}

/// Most wires of a scenario.
const MAX_WIRES: usize = 10_000;

/// Packets that wait at a port, unless the queue says otherwise (Linux: `txqueuelen`).
const LIMIT: u32 = 1_000;

/// Most packets that wait at a port.
const MAX_LIMIT: u32 = 1_000_000;

/// Longest delay and jitter of a wire.
const MAX_DELAY: Span = Span::from_millis(100_000);

/// Highest rate of a wire, in bits per second.
const MAX_RATE: f64 = 1e12;

/// Most bytes that a wire adds to a packet.
const MAX_OVERHEAD: u32 = 1_000;

/// All wires between nodes that exist; `radio` is the number of nodes with a radio.
pub(crate) fn read_all(reader: &mut Reader<'_>, tree: &Node, hosts: &[Host], radio: u64) -> Vec<WireSpec> {
    let Some(list) = tree.get("wire") else { return Vec::new() };
    let Value::List(items) = &list.value else {
        let raw = reader.wrong(list, "wire", &mismatch("array", list.value.what()));
        let hint = Some("use double brackets, [[wire]]".to_owned());
        reader.refuse(&list.origin, RawDiagnostic { expected: "tables [[wire]]".to_owned(), hint, ..raw });
        return Vec::new();
    };
    let (mut wires, mut pairs) = (Vec::new(), BTreeSet::new());
    for (i, table) in items.iter().enumerate() {
        let key = format!("wire.{i}");
        if i >= MAX_WIRES {
            let message = format!("{key}: {}", exceeds("number of wires", items.len(), "limit", MAX_WIRES));
            reader.refuse(&table.origin, RawDiagnostic { key, message, ..RawDiagnostic::default() });
            break;
        }
        if !reader.is_table(table, &key) {
            continue;
        }
        let section = Section { key: &key, table: Some(table) };
        let ends = ends(reader, section, hosts, radio);
        let there = port(reader, section, reader.root.table("wire"), None);
        let back = table.get("back");
        let back_key = join(&key, "back");
        let back = match back {
            Some(back) if reader.is_table(back, &back_key) => {
                let section = Section { key: &back_key, table: Some(back) };
                port(reader, section, reader.root.table("wire").table("back"), Some(&there))
            }
            _ => there.clone(),
        };
        let Some([a, b]) = ends else { continue };
        section.rule(reader, "between", a != b, "{} names one node twice", "two different nodes");
        let is_new = pairs.insert((a.min(b), a.max(b)));
        section.rule(reader, "between", is_new, "{}: a second wire between these nodes", "one wire between two nodes");
        wires.push(WireSpec { ends: [a, b], ports: [there, back] });
    }
    wires
}

/// The two nodes.
fn ends(reader: &mut Reader<'_>, section: Section<'_>, hosts: &[Host], radio: u64) -> Option<[NodeId; 2]> {
    let expected = "two nodes, such as [\"server\", 0]";
    let Some(between) = section.given("between") else {
        section.rule(reader, "between", false, MISSING, expected);
        return None;
    };
    let key = join(section.key, "between");
    let items = match &between.value {
        Value::List(items) if items.len() == 2 => items,
        Value::List(items) => {
            section.rule(reader, "between", false, &mismatch("2 entries", items.len()), expected);
            return None;
        }
        other => {
            section.rule(reader, "between", false, &mismatch("array", other.what()), expected);
            return None;
        }
    };
    let mut node = |node: &Node| end(reader, node, &key, hosts, radio);
    let (a, b) = (node(&items[0]), node(&items[1]));
    Some([a?, b?])
}

fn end(reader: &mut Reader<'_>, node: &Node, key: &str, hosts: &[Host], radio: u64) -> Option<NodeId> {
    let all = radio + hosts.len() as u64;
    match &node.value {
        Value::Integer(number) => {
            let found = u64::try_from(*number).ok().filter(|number| *number < all);
            if found.is_none() {
                let expected = if all == 0 { "the name of a host".to_owned() } else { format!("0 to {}", all - 1) };
                let raw = reader.wrong(node, key, &no_such_node("{}"));
                reader.refuse(&node.origin, RawDiagnostic { expected, ..raw });
            }
            found.map(|number| NodeId(number as u32))
        }
        Value::Text(name) => {
            let found = hosts.iter().find(|host| host.name == *name).map(|host| host.id);
            if found.is_none() {
                let raw = host::unknown(reader, node, key, hosts, &[]);
                let hint = raw.hint.clone().or_else(|| {
                    Some(format!("add [[node]] with kind = \"host\" and name = \"{}\"", name.escape_default()))
                });
                reader.refuse(&node.origin, RawDiagnostic { hint, ..raw });
            }
            found
        }
        other => {
            let raw = reader.wrong(node, key, &mismatch("node number or name", other.what()));
            reader.refuse(&node.origin, raw);
            None
        }
    }
}

/// One direction: the keys of a table over those of `base`.
fn port(reader: &mut Reader<'_>, section: Section<'_>, fields: &Fields, base: Option<&PortConfig>) -> PortConfig {
    let entries = section.table.map_or(&[][..], Node::entries);
    let is_plain = |entry: &&Entry| !["between", "loss", "queue", "back"].contains(&entry.key.as_str());
    let keys = reader.root.table("wire").table("back");
    // Unknown keys are those of neither this table nor its parts.
    for entry in entries.iter().filter(|entry| fields.get(&entry.key).is_none()) {
        reader.refuse_key(entry, section.key, fields);
    }
    let known = entries.iter().filter(is_plain).filter(|entry| fields.get(&entry.key).is_some());
    let given = reader.overlay_entries(known, section.key, keys, WireBack::default());
    let usual = PortConfig {
        rate: Rate(0.0),
        delay: Span::ZERO,
        jitter: Span::ZERO,
        reorder: false,
        loss: WireLoss::Independent(0.0),
        overhead: Bytes(0),
        queue: QueueConfig { limit: LIMIT, ..QueueConfig::default() },
    };
    let base = base.cloned().unwrap_or(usual);
    let mut port = PortConfig {
        rate: given.rate.unwrap_or(base.rate),
        delay: given.delay.unwrap_or(base.delay),
        jitter: given.jitter.unwrap_or(base.jitter),
        reorder: given.reorder.unwrap_or(base.reorder),
        loss: base.loss,
        overhead: given.overhead.unwrap_or(base.overhead),
        queue: base.queue,
    };
    let queue_key = join(section.key, "queue");
    let given = Section { key: &queue_key, table: section.given("queue") };
    let base = queue::base(given, port.queue);
    port.queue = reader.overlay(given.table, &queue_key, keys.table("queue"), base);
    if let Some(loss) = section.given("loss") {
        port.loss = self::loss(reader, loss, &join(section.key, "loss")).unwrap_or(port.loss);
    }
    check(reader, section, &port);
    port
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, port: &PortConfig) {
    if section.given("rate").is_none() && port.rate == Rate(0.0) {
        let hint = Some("add rate = \"100 Mb/s\"");
        section.rule_with_hint(reader, "rate", false, MISSING, "bits per second", hint);
    } else {
        section.rule(reader, "rate", port.rate.0 >= 1.0, ZERO_RATE, "1 b/s to 1000 Gb/s");
        section.rule(reader, "rate", port.rate.0 <= MAX_RATE, OUT_OF_RANGE, "1 b/s to 1000 Gb/s");
    }
    section.rule(reader, "delay", port.delay <= MAX_DELAY, OUT_OF_RANGE, "at most 100 s");
    section.rule(reader, "jitter", port.jitter <= MAX_DELAY, OUT_OF_RANGE, "at most 100 s");
    section.rule(reader, "overhead", port.overhead.0 <= MAX_OVERHEAD, OUT_OF_RANGE, "at most 1000 B");
    let given = Section { key: &join(section.key, "queue"), table: section.given("queue") };
    let holds = (1..=MAX_LIMIT).contains(&port.queue.limit);
    given.rule(reader, "limit", holds, OUT_OF_RANGE, "1 to 1000000 packets that wait");
    let is_served = |kind: &QueueKind| kind.radio_part(&port.queue.parameters) == RadioPart::None;
    if let Part::Engine(kind) = &port.queue.kind
        && given.given("kind").is_some()
        && !is_served(kind)
    {
        let names: Vec<&str> = QueueKind::ALL.iter().filter(|kind| is_served(kind)).map(|kind| kind.name()).collect();
        let (what, expected) = (not_supported_with("a wire, which has no MAC"), format!("one of {}", names.join(", ")));
        given.rule_with_hint(reader, "kind", false, &what, &expected, Some("use \"fq_codel\""));
        return;
    }
    queue::check_parameters(reader, given, &port.queue);
}

/// A probability, or a table for bursts.
fn loss(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<WireLoss> {
    if !matches!(node.value, Value::Table(_)) {
        let value = reader.read(node, key, &Shape::Real(0.0, 1.0))?;
        return value.as_f64().map(WireLoss::Independent);
    }
    let fields = Fields::of::<Bursts>();
    let bursts = reader.overlay(Some(node), key, &fields, Bursts::default());
    let section = Section { key, table: Some(node) };
    for (name, mean) in [("good_mean", bursts.good_mean), ("bad_mean", bursts.bad_mean)] {
        section.rule(reader, name, mean > Span::ZERO, ZERO_TIME, "time above zero");
    }
    Some(WireLoss::Bursts(bursts))
}

/// The table of a wire, with numbers as ends and `back` where the directions differ.
pub(crate) fn table(wire: &WireSpec) -> Json {
    let [there, back] = &wire.ports;
    let ends = wire.ends.map(|end| end.0);
    let mut table = json!({ "between": ends });
    write(&mut table, there, None);
    if back != there {
        let mut different = json!({});
        write(&mut different, back, Some(there));
        table["back"] = different;
    }
    table
}

/// Writes the keys of a direction that differ from `base`.
fn write(table: &mut Json, port: &PortConfig, base: Option<&PortConfig>) {
    let keys = |port: &PortConfig| {
        let PortConfig { rate, delay, jitter, reorder, loss, overhead, queue } = port;
        [
            ("rate", json!(rate)),
            ("delay", json!(delay)),
            ("jitter", json!(jitter)),
            ("reorder", json!(reorder)),
            ("loss", json!(loss)),
            ("overhead", json!(overhead)),
            ("queue", json!(queue)),
        ]
    };
    let others = base.map(keys);
    for (i, (key, value)) in keys(port).into_iter().enumerate() {
        if others.as_ref().is_none_or(|others| others[i].1 != value) {
            table[key] = value;
        }
    }
}
