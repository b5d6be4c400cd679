//! Table `[topology]`, read and checked: keys that the family lacks, lengths of zero, and too many nodes are refused.
//!
//! Families and their keys are in `scenario/topology`.

use super::links;
use crate::scenario::schema::reader::{Reader, join, message};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{MISSING, exceeds, not_supported_with};
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::topology::{Invalid, MAX_NODES, Topology, TopologyConfig, TopologyKind};
use std::collections::BTreeSet;

/// Keys of every family.
const COMMON_KEYS: [&str; 3] = ["extra", "mobile_nodes", "names"];

/// The network that `[topology]` describes; `None` if the table is missing or wrong, which is reported.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node) -> Option<Topology> {
    let before = reader.diagnostics.len();
    let (table, kind) = table_and_kind(reader, tree.get("topology"))?;
    let fields = reader.root.table("topology");
    let kind = reader.read(kind, "topology.kind", fields.get("kind")?)?;
    let kind: TopologyKind = serde_json::from_value(kind).ok()?;
    // Rows of links are tables in a list, which have a reader of their own.
    let entries = table.entries().iter().filter(|entry| entry.key != "links");
    let mut keys = reader.overlay_entries(entries, "topology", fields, TopologyConfig::new(kind));
    if kind == TopologyKind::Links {
        keys.links = links::read_rows(reader, table);
    }
    check_keys(reader, table, kind);
    // Unreadable values are at their defaults, which would only lead to more diagnostics.
    if reader.diagnostics.len() > before {
        return None;
    }
    for invalid in Topology::invalid(&keys) {
        refuse(reader, table, invalid);
    }
    check_names(reader, table, &keys);
    if reader.diagnostics.len() > before {
        return None;
    }
    let listed = if kind == TopologyKind::Links { Some(links::read(reader, table, &mut keys)?) } else { None };
    let mut topology = Topology::from_keys(&keys)?;
    if let (Some(listed), Some(links)) = (listed, topology.layout.links_mut()) {
        links.set(listed);
    }
    check_number(reader, table, &topology, &keys);
    if reader.diagnostics.len() > before {
        return None;
    }
    is_small_enough(reader, table, &topology).then_some(topology)
}

/// The table and the value of its `kind`.
fn table_and_kind<'n>(reader: &mut Reader<'_>, table: Option<&'n Node>) -> Option<(&'n Node, &'n Node)> {
    if table.is_some_and(|table| !reader.is_table(table, "topology")) {
        return None;
    }
    if let Some(found) = table.and_then(|table| Some((table, table.get("kind")?))) {
        return Some(found);
    }
    let kinds: Vec<String> = TopologyKind::ALL.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
    let missing = if table.is_some() { "topology.kind" } else { "[topology]" };
    let raw = RawDiagnostic {
        key: "topology.kind".to_owned(),
        message: message(missing, MISSING, None),
        expected: format!("one of {}", kinds.join(", ")),
        hint: Some("add [topology] with kind = \"chain\" and hops = 4".to_owned()),
        value: None,
    };
    reader.refuse(table.map_or(&Origin::Nowhere, |table| &table.origin), raw);
    None
}

/// Keys of other families, and a missing required key.
fn check_keys(reader: &mut Reader<'_>, table: &Node, kind: TopologyKind) {
    let keys = kind.keys();
    let is_of_any = |key: &str| TopologyKind::ALL.iter().any(|kind| kind.keys().contains(&key));
    for entry in table.entries().iter().filter(|entry| is_of_any(&entry.key)) {
        if !keys.contains(&entry.key.as_str()) {
            let key = join("topology", &entry.key);
            let what = not_supported_with(format_args!("kind = \"{}\"", kind.name()));
            let message = message(&key, &what, None);
            let accepted: Vec<&str> = keys.iter().chain(&COMMON_KEYS).copied().collect();
            let expected = format!("one of {}", accepted.join(", "));
            reader.refuse(&entry.origin, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
        }
    }
    let required = if kind == TopologyKind::Links && table.get("links").is_some() { "links" } else { keys[0] };
    if table.get(required).is_none() {
        let key = join("topology", required);
        let message = message(&key, MISSING, None);
        let hint = Some(format!("kind = \"{}\" requires it: {required} = {}", kind.name(), kind.example()));
        let origin = table.get("kind").map_or(&table.origin, |kind| &kind.origin).clone();
        reader.refuse(&origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
    }
}

/// Names that are none, or that occur twice.
fn check_names(reader: &mut Reader<'_>, table: &Node, keys: &TopologyConfig) {
    let mut known = BTreeSet::new();
    for (i, name) in keys.names.iter().flatten().enumerate() {
        let twice = || (format!("{name:?} names two nodes"), "another name".to_owned());
        let checked = links::check_name(name).and_then(|()| if known.insert(name) { Ok(()) } else { Err(twice()) });
        if let Err((what, expected)) = checked {
            refuse(reader, table, Invalid { key: format!("names.{i}"), what: what.into(), expected });
        }
    }
}

/// Names and places for other nodes than those of the network, and places of which heights do not allow movement.
fn check_number(reader: &mut Reader<'_>, table: &Node, topology: &Topology, keys: &TopologyConfig) {
    let nodes = topology.nodes();
    let number = |list: Option<usize>| list.map(|length| length as u64).filter(|length| *length != nodes);
    for (key, length) in [("names", keys.names.as_ref().map(Vec::len)), ("geo", keys.geo.as_ref().map(Vec::len))] {
        if key == "geo" && keys.kind == TopologyKind::Places {
            continue;
        }
        if let Some(length) = number(length) {
            let expected = format!("{nodes} entries, one for each node");
            let what = format!("{length} entries for {nodes} nodes").into();
            refuse(reader, table, Invalid { key: key.to_owned(), what, expected });
        }
    }
    let has_heights = topology.layout.heights().is_some();
    for key in ["extra", "mobile_nodes"].into_iter().filter(|key| table.get(key).is_some()) {
        if keys.kind == TopologyKind::Places && (has_heights || key == "extra") {
            let what = not_supported_with("kind = \"places\" and heights").into();
            refuse(
                reader,
                table,
                Invalid { key: key.to_owned(), what, expected: "places of all nodes in geo".to_owned() },
            );
        }
    }
}

/// Reports a value that no network can have.
fn refuse(reader: &mut Reader<'_>, table: &Node, Invalid { key, what, expected }: Invalid) {
    let value = match key.split_once('.') {
        None => table.get(&key),
        Some((list, index)) => table.get(list).and_then(|list| match &list.value {
            Value::List(items) => items.get(index.parse::<usize>().ok()?),
            _ => None,
        }),
    };
    let Some(value) = value else { return };
    let raw = reader.wrong(value, &join("topology", &key), &what);
    reader.refuse(&value.origin, RawDiagnostic { expected, ..raw });
}

/// Whether the network has at most [`MAX_NODES`] nodes; if not, the key that contributes most is reported.
fn is_small_enough(reader: &mut Reader<'_>, table: &Node, topology: &Topology) -> bool {
    let nodes = topology.nodes();
    if nodes <= MAX_NODES {
        return true;
    }
    let size = |node: &Node| match &node.value {
        Value::Integer(number) => number.unsigned_abs(),
        Value::List(items) => items.len() as u64,
        _ => 0,
    };
    let keys = topology.layout.kind().size_keys().iter().chain(&COMMON_KEYS);
    let given = keys.filter_map(|key| table.get(key).map(|node| (*key, node)));
    let Some((key, node)) = given.max_by_key(|(_, node)| size(node)) else { return false };
    let what = exceeds("number of nodes", nodes, "limit", MAX_NODES);
    let raw = reader.wrong(node, &join("topology", key), &what);
    reader.refuse(&node.origin, RawDiagnostic { expected: format!("at most {MAX_NODES} nodes"), ..raw });
    false
}
