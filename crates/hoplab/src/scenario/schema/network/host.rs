//! Tables `[[node]]` of hosts: nodes without a radio, at the ends of wires.

use super::links::PLACES;
use super::part::{self, Part};
use crate::kernel::{NodeId, Span};
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::wires::WireSpec;
use crate::scenario::schema::fields::Shape;
use crate::scenario::schema::reader::{Reader, join, message};
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{MISSING, UNKNOWN_VALUE, exceeds, not_supported_with};
use crate::scenario::syntax::suggest::suggest;
use crate::scenario::syntax::tree::{Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A node without a radio.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its number, after those of all nodes with a radio.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Nodes by which it is reached. With static paths none stand for all that wires lead to; with a protocol that discovers
    /// routes there is one at least, which makes the host known.
    pub gateways: Vec<NodeId>,
    /// Whether it may act as proxy, if that is given.
    pub proxy: Option<bool>,
    /// The feedback router of its wires.
    pub feedback_router: Part<FeedbackKind>,
}

/// Key `gateway`: one node, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GatewayRef {
    /// By number.
    Number(u32),
    /// By name.
    Name(String),
    /// Several.
    List(Vec<GatewayRef>),
}

impl JsonSchema for GatewayRef {
    fn schema_name() -> Cow<'static, str> {
        "GatewayRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = json_schema!({ "oneOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] });
        json_schema!({
            "description": "A node with a radio, by number or name, or a list of several.",
            "oneOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }, { "type": "array", "items": one }],
        })
    }
}

/// Most hosts of a scenario.
const MAX_HOSTS: usize = 1_000;

/// Longest name of a host.
const MAX_NAME: usize = 40;

/// Keys of a host.
const KEYS: [&str; 5] = ["kind", "name", "gateway", "proxy", "feedback_router"];

/// Whether a table `[[node]]` is that of a host.
pub(crate) fn is_host(table: &Node) -> bool {
    matches!(table.get("kind").map(|kind| &kind.value), Some(Value::Text(kind)) if kind == "host")
}

/// The tables of hosts, with their indexes among all of `[[node]]`.
pub(crate) fn tables(tree: &Node) -> impl Iterator<Item = (usize, &Node)> {
    let items = match tree.get("node").map(|list| &list.value) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    items.iter().enumerate().filter(|(_, table)| is_host(table))
}

/// All hosts; `first` is the number of nodes with a radio.
pub(crate) fn read_all(reader: &mut Reader<'_>, tree: &Node, first: u64, names: &[String]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for (i, table) in tables(tree) {
        let key = format!("node[{i}]");
        let section = Section { key: &key, table: Some(table) };
        if hosts.len() >= MAX_HOSTS {
            let what = exceeds("number of hosts", hosts.len() + 1, "limit", MAX_HOSTS);
            section.rule(reader, "kind", false, &what, &format!("at most {MAX_HOSTS} hosts"));
            break;
        }
        refuse_keys_of_radios(reader, section);
        let Some(name) = read_name(reader, section, &hosts) else { continue };
        hosts.push(Host {
            id: NodeId((first + hosts.len() as u64) as u32),
            name,
            gateways: read_gateways(reader, section, first, names),
            proxy: part::value(reader, (table, &key), "proxy").and_then(|value| value.as_bool()),
            feedback_router: Part::read(
                reader,
                (table, &key),
                "feedback_router",
                FeedbackKind::ALL,
                FeedbackKind::name,
            ),
        });
    }
    hosts
}

/// The gateways that a host names; `first` is the number of nodes with a radio, `names` are theirs.
fn read_gateways(reader: &mut Reader<'_>, section: Section<'_>, first: u64, names: &[String]) -> Vec<NodeId> {
    let Some(node) = section.given("gateway") else { return Vec::new() };
    let items = match &node.value {
        Value::List(items) => &items[..],
        _ => std::slice::from_ref(node),
    };
    let expected = match first.checked_sub(1) {
        None => "no gateway without [topology]".to_owned(),
        Some(0) => "node 0".to_owned(),
        Some(last) => format!("a node with a radio, 0 to {last}, or several as [0, {last}]"),
    };
    let mut gateways = Vec::new();
    for item in items {
        let found = match item.value {
            Value::Integer(number) => u64::try_from(number).ok().filter(|number| *number < first),
            _ => None,
        };
        let found = found.map(|number| NodeId(number as u32));
        let what = if found.is_none() { "{} is no node with a radio" } else { "{} is listed twice" };
        if let Some(gateway) = found.filter(|gateway| !gateways.contains(gateway)) {
            gateways.push(gateway);
            continue;
        }
        let raw = reader.wrong(item, &join(section.key, "gateway"), what);
        let hint = match &item.value {
            Value::Text(name) => suggest(name, names.iter().map(String::as_str)),
            _ => None,
        };
        let hint = hint.map(|name| format!("did you mean \"{name}\"?"));
        reader.refuse(&item.origin, RawDiagnostic { expected: expected.clone(), hint, ..raw });
    }
    if items.is_empty() {
        section.rule(reader, "gateway", false, "the list is empty", &expected);
    }
    gateways
}

/// Reports keys that a host does not have.
fn refuse_keys_of_radios(reader: &mut Reader<'_>, section: Section<'_>) {
    let fields = reader.root.table("node");
    for entry in section.table.map_or(&[][..], Node::entries) {
        if fields.get(&entry.key).is_none() {
            reader.refuse_key(entry, section.key, fields);
        } else if !KEYS.contains(&entry.key.as_str()) {
            let key = format!("{}.{}", section.key, entry.key);
            let message = message(&key, &not_supported_with("kind = \"host\""), None);
            let hint = match entry.key.as_str() {
                "queue" => "set queue of its [[wire]]",
                "id" => "remove the key: hosts have the numbers after all other nodes",
                _ => "remove the key: a host has no radio",
            };
            let hint = Some(hint.to_owned());
            reader.refuse(&entry.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
        }
    }
}

fn read_name(reader: &mut Reader<'_>, section: Section<'_>, hosts: &[Host]) -> Option<String> {
    let expected = "name of letters, digits, \"_\", \"-\" and \".\" that begins with a letter";
    let Some(node) = section.given("name") else {
        let hint = Some("a host needs a name: name = \"server\"");
        section.rule_with_hint(reader, "name", false, MISSING, expected, hint);
        return None;
    };
    let name = reader.read(node, &format!("{}.name", section.key), &Shape::Text)?;
    let name = name.as_str()?.to_owned();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_part);
    section.rule(reader, "name", is_name && name.len() <= MAX_NAME, "{} is no name", expected);
    let is_free = !PLACES.contains(&name.as_str());
    section.rule(reader, "name", is_free, "{} names a node of the topology", "another name");
    let is_new = hosts.iter().all(|host| host.name != name);
    section.rule(reader, "name", is_new, "{} names two hosts", "another name");
    Some(name)
}

/// Puts numbers in place of the names of nodes with a radio, in flows, wires and tables of nodes.
pub(crate) fn number_nodes(tree: &mut Node, names: &[String]) {
    let numbers: BTreeMap<&str, i64> = names.iter().map(String::as_str).zip(0..).collect();
    let Value::Table(entries) = &mut tree.value else { return };
    if numbers.is_empty() {
        return;
    }
    let number = |node: &mut Node| {
        if let Value::Text(name) = &node.value
            && let Some(&number) = numbers.get(name.as_str())
        {
            node.value = Value::Integer(number);
        }
    };
    for entry in entries {
        let keys: &[&str] = match entry.key.as_str() {
            "flow" | "workload" => &["from", "to"],
            "node" => &["id", "gateway"],
            "wire" => &["between"],
            _ => continue,
        };
        let Value::List(tables) = &mut entry.node.value else { continue };
        for table in tables {
            let Value::Table(entries) = &mut table.value else { continue };
            for entry in entries.iter_mut().filter(|entry| keys.contains(&entry.key.as_str())) {
                match &mut entry.node.value {
                    Value::List(items) => items.iter_mut().for_each(number),
                    _ => number(&mut entry.node),
                }
            }
        }
    }
}

/// Puts any number in place of names as ends of flows, where the network that has the names could not be read.
pub(crate) fn forget_names(tree: &mut Node) {
    for list in ["flow", "workload"] {
        let Some(Value::List(tables)) = tree.get_mut(list).map(|tables| &mut tables.value) else { continue };
        for table in tables {
            for (key, number) in [("from", 0), ("to", 1)] {
                if let Some(end) = table.get_mut(key).filter(|end| matches!(end.value, Value::Text(_))) {
                    end.value = Value::Integer(number);
                }
            }
        }
    }
}

/// Puts numbers in place of the names of hosts, as ends of flows and workloads. `names` are those of nodes with a radio, in place of
/// which are numbers.
pub(crate) fn number_ends(reader: &mut Reader<'_>, tree: &mut Node, hosts: &[Host], names: &[String]) {
    if hosts.is_empty() && names.is_empty() {
        return;
    }
    for list in ["flow", "workload"] {
        let Some(Value::List(tables)) = tree.get_mut(list).map(|node| &mut node.value) else { continue };
        for (i, table) in tables.iter_mut().enumerate() {
            let Value::Table(entries) = &mut table.value else { continue };
            for entry in entries.iter_mut().filter(|entry| ["from", "to"].contains(&entry.key.as_str())) {
                let key = format!("{list}.{i}.{}", entry.key);
                match &mut entry.node.value {
                    Value::List(items) => items.iter_mut().for_each(|item| number(reader, item, &key, (hosts, names))),
                    _ => number(reader, &mut entry.node, &key, (hosts, names)),
                }
            }
        }
    }
}

/// Puts the number of a host in place of its name; `names` are those of nodes with a radio.
fn number(reader: &mut Reader<'_>, node: &mut Node, key: &str, (hosts, names): (&[Host], &[String])) {
    let Value::Text(name) = &node.value else { return };
    if let Some(host) = hosts.iter().find(|host| host.name == *name) {
        node.value = Value::Integer(i64::from(host.id.0));
    } else if !PLACES.contains(&name.as_str()) {
        let known: Vec<&str> = PLACES.into_iter().chain(names.iter().map(String::as_str)).collect();
        let raw = unknown(reader, node, key, hosts, &known);
        reader.refuse(&node.origin, raw);
    }
}

/// The diagnostic for a name that no node has.
pub(super) fn unknown(reader: &Reader<'_>, node: &Node, key: &str, hosts: &[Host], places: &[&str]) -> RawDiagnostic {
    let Value::Text(name) = &node.value else { return reader.wrong(node, key, UNKNOWN_VALUE) };
    let names = || places.iter().copied().chain(hosts.iter().map(|host| host.name.as_str()));
    let hint = match name.trim().parse::<i64>() {
        Ok(number) => Some(format!("write {number} without quotes")),
        Err(_) => suggest(name, names()).map(|name| format!("did you mean \"{name}\"?")),
    };
    let listed: Vec<String> = names().take(12).map(|name| format!("\"{name}\"")).collect();
    let expected = format!("node number, or one of {}", listed.join(", "));
    RawDiagnostic { expected, hint, ..reader.wrong(node, key, UNKNOWN_VALUE) }
}

/// Reports hosts without a wire; with `needs_gateways`, sets the gateways of hosts that name none.
pub(crate) fn connect(
    reader: &mut Reader<'_>,
    tree: &Node,
    hosts: &mut [Host],
    (wires, names): (&[WireSpec], &[String]),
    needs_gateways: bool,
) {
    let mut around: BTreeMap<NodeId, Vec<(NodeId, Span)>> = BTreeMap::new();
    for (from, to, port) in wires.iter().flat_map(WireSpec::directions) {
        around.entry(from).or_default().push((to, port.delay));
    }
    let first = hosts.first().map_or(u32::MAX, |host| host.id.0);
    // A table without a name is no host.
    let named = tables(tree).filter(|(_, table)| table.get("name").is_some());
    for ((i, table), host) in named.zip(hosts) {
        let key = format!("node[{i}]");
        let section = Section { key: &key, table: Some(table) };
        let hint = format!("add [[wire]] with between = [\"{}\", 0] and rate = \"100 Mb/s\"", host.name);
        let has_wire = around.contains_key(&host.id);
        let what = "host {} has no wire";
        section.rule_with_hint(reader, "name", has_wire, what, "a [[wire]] to each host", Some(&hint));
        if !has_wire {
            continue;
        }
        let near = gateways(&around, host.id, first);
        let is_near = |gateway: &NodeId| near.iter().any(|(node, _)| node == gateway);
        if let Some(far) = host.gateways.iter().find(|gateway| !is_near(gateway)) {
            let word = |node: NodeId| names.get(node.index()).cloned().unwrap_or_else(|| format!("node {}", node.0));
            let what = format!("no wires lead to {}", word(*far));
            let there: Vec<String> = near.iter().map(|&(node, _)| word(node)).collect();
            let expected = format!("gateways that wires of the host lead to: {}", there.join(", "));
            let hint = format!("add [[wire]] with between = [\"{}\", {}]", host.name, far.0);
            section.rule_with_hint(reader, "gateway", false, &what, &expected, Some(&hint));
        } else if host.gateways.is_empty() && needs_gateways {
            let nearest = near.first().map(|&(_, delay)| delay);
            host.gateways = near.iter().filter(|&&(_, delay)| Some(delay) == nearest).map(|&(node, _)| node).collect();
        }
    }
}

/// Nodes with a radio that wires connect with a host, nearest first by the delay of the wires, then by number.
fn gateways(around: &BTreeMap<NodeId, Vec<(NodeId, Span)>>, host: NodeId, first: u32) -> Vec<(NodeId, Span)> {
    let mut found = Vec::new();
    let (mut open, mut done) = (BTreeSet::from([(Span::ZERO, host)]), BTreeSet::new());
    while let Some((delay, node)) = open.pop_first() {
        if !done.insert(node) {
            continue;
        }
        if node.0 < first {
            found.push((node, delay));
            // The path to another gateway does not lead through this one.
            continue;
        }
        let next = around.get(&node).into_iter().flatten();
        open.extend(next.map(|&(other, more)| (delay + more, other)));
    }
    found
}
