//! What is different at single nodes.

use crate::kernel::{NodeId, Time, Watts};
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::ObserverKind;
use crate::mobility::{PresenceError, RadioSchedule};
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::QueueConfig;
use crate::scenario::model::resolved::{NodeSettings, Part};
use crate::scenario::schema::check::{self, Section};
use crate::scenario::schema::file::{NodeRadio, root};
use crate::scenario::schema::reader::{Reader, Shape, join};
use crate::scenario::schema::topology::Topology;
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::source::Trouble;
use crate::scenario::syntax::tree::{Node, Origin, Value};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Nodes with settings of their own, in order of number. Without a topology their numbers are not looked at.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    tree: &Node,
    topology: Option<&Topology>,
    mac: &MacConfig,
    queue: &QueueConfig,
    tx_power: Watts,
) -> Vec<NodeSettings> {
    let Some(list) = tree.get("node") else { return Vec::new() };
    let Value::List(items) = &list.value else {
        let trouble = reader.wrong(list, "node", &format!("is {}", list.value.what()));
        let hint = Some("write [[node]], in double brackets, with id = 3 below".to_owned());
        reader.refuse(&list.origin, Trouble { expected: "tables [[node]]".to_owned(), hint, ..trouble });
        return Vec::new();
    };
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for (i, item) in items.iter().enumerate() {
        let Some(id) = id(reader, item, i, topology) else { continue };
        if !seen.insert(id) {
            let message = format!("node {} has two tables [[node]]", id.0);
            let key = format!("node.{}", id.0);
            let hint = Some("put all that is different there into one".to_owned());
            reader.refuse(&item.origin, Trouble { key, message, hint, ..Trouble::default() });
            continue;
        }
        let settings = settings(reader, item, id, tree.get("mac"), mac, queue, tx_power);
        found.push(settings);
    }
    found.retain(|node: &NodeSettings| differs(node, mac, queue, tx_power));
    found.sort_by_key(|node| node.id);
    found
}

fn id(reader: &mut Reader<'_>, item: &Node, i: usize, topology: Option<&Topology>) -> Option<NodeId> {
    let key = format!("node[{i}]");
    if !reader.is_table(item, &key) {
        return None;
    }
    let Some(node) = item.get("id") else {
        let message = "a [[node]] has no id".to_owned();
        let hint = Some("say which node differs: id = 3".to_owned());
        reader.refuse(&item.origin, Trouble { key, message, hint, ..Trouble::default() });
        return None;
    };
    let key = format!("{key}.id");
    let number = reader.read(node, &key, &Shape::Integer(0, i128::from(u32::MAX)))?.as_u64()?;
    let nodes = topology?.nodes();
    if number >= nodes {
        let mut trouble = reader.wrong(node, &key, "is no node of this topology");
        if let Origin::SetKey(_) = node.origin {
            trouble.message = format!("there is no node {number} in this topology");
        }
        reader.refuse(&node.origin, Trouble { expected: format!("0 to {}", nodes - 1), ..trouble });
        return None;
    }
    Some(NodeId(number as u32))
}

fn settings(
    reader: &mut Reader<'_>,
    item: &Node,
    id: NodeId,
    all: Option<&Node>,
    mac: &MacConfig,
    queue: &QueueConfig,
    tx_power: Watts,
) -> NodeSettings {
    let fields = root().table("node");
    let key = format!("node.{}", id.0);
    for entry in item.entries() {
        if fields.get(&entry.key).is_none() {
            reader.refuse_key(entry, &key, fields);
        }
    }
    let table = |name: &str| item.get(name);
    let [mac_key, queue_key, radio_key] = ["mac", "queue", "radio"].map(|name| format!("{key}.{name}"));
    let mac = reader.overlay(table("mac"), &mac_key, fields.table("mac"), base(table("mac"), all, mac));
    let queue = reader.overlay(table("queue"), &queue_key, fields.table("queue"), queue.clone());
    let radio = reader.overlay(table("radio"), &radio_key, fields.table("radio"), NodeRadio::default());
    let handshake = handshake(reader, item, &key);
    let tx_power = radio.tx_power.unwrap_or(tx_power);
    if table("mac").is_some() {
        check::mac(reader, Section { key: &mac_key, table: table("mac") }, &mac);
    }
    if table("queue").is_some() {
        check::queue(reader, Section { key: &queue_key, table: table("queue") }, &queue);
    }
    if table("radio").is_some() {
        check::tx_power(reader, Section { key: &radio_key, table: table("radio") }, tx_power);
    }
    let radio_schedule = radio_schedule(reader, table("off"), &format!("{key}.off"));
    let proxy_key = format!("{key}.proxy");
    let proxy = item.get("proxy").and_then(|node| reader.read(node, &proxy_key, &Shape::Bool)?.as_bool());
    let assist = part(reader, item, "assist", &key, FeedbackKind::ALL, FeedbackKind::name);
    let observer = part(reader, item, "observer", &key, ObserverKind::ALL, ObserverKind::name);
    let is_proxy = proxy.unwrap_or(true);
    NodeSettings { id, mac, queue, tx_power, radio_schedule, handshake, is_proxy, assist, observer }
}

/// The MAC that a node's `own` keys lie over: that of all nodes, where what `[mac]` does not name follows the profile of the
/// node, if it has one of its own.
fn base(own: Option<&Node>, all: Option<&Node>, mac: &MacConfig) -> MacConfig {
    let defaults = match own.and_then(|own| own.get("profile")).map(|node| &node.value) {
        Some(Value::Text(profile)) if profile == "std" => MacConfig::std(),
        Some(_) => MacConfig::default(),
        None => return mac.clone(),
    };
    let [keys, given] = [&defaults, mac].map(|config| serde_json::to_value(config).expect("a table with text keys"));
    let Json::Object(mut keys) = keys else { unreachable!("a config is a table") };
    for entry in all.map_or(&[][..], Node::entries) {
        if let (Some(key), Some(value)) = (keys.get_mut(&entry.key), given.get(&entry.key)) {
            *key = value.clone();
        }
    }
    serde_json::from_value(Json::Object(keys)).expect("values of two configs")
}

/// Times at which a node is switched off.
fn radio_schedule(reader: &mut Reader<'_>, off: Option<&Node>, key: &str) -> RadioSchedule {
    let (Some(off), Some(shape)) = (off, root().table("node").get("off")) else { return RadioSchedule::always() };
    let Some(times) = reader.read(off, key, shape) else { return RadioSchedule::always() };
    let times: Vec<(Time, Time)> = serde_json::from_value(times).unwrap_or_default();
    RadioSchedule::off_during(times).unwrap_or_else(|error| {
        let (what, expected) = match error {
            PresenceError::Empty { off, on } => {
                (format!("ends at {} what begins at {}", on.write(), off.write()), "pairs of a time and a later one")
            }
            PresenceError::Overlap { off } => {
                (format!("switches off at {} what is off already", off.write()), "times that do not touch")
            }
        };
        let trouble = reader.wrong(off, key, &what);
        reader.refuse(&off.origin, Trouble { expected: expected.to_owned(), ..trouble });
        RadioSchedule::always()
    })
}

/// What the node decides in the exchange, if it says so.
fn handshake(reader: &mut Reader<'_>, item: &Node, key: &str) -> Option<HandshakeKind> {
    let (name, node) = ("handshake", item.get("handshake")?);
    let value = reader.read(node, &join(key, name), root().table("node").get(name)?)?;
    serde_json::from_value(value).ok()
}

/// Whether anything of the node is not as everywhere.
fn differs(node: &NodeSettings, mac: &MacConfig, queue: &QueueConfig, tx_power: Watts) -> bool {
    let is_usual = node.mac == *mac && node.queue == *queue && node.tx_power == tx_power;
    let has_parts = node.handshake.is_some() || node.assist != Part::Usual || node.observer != Part::Usual;
    !is_usual || has_parts || node.radio_schedule != RadioSchedule::always() || !node.is_proxy
}

/// A part by its name.
fn part<K: Copy>(
    reader: &mut Reader<'_>,
    item: &Node,
    name: &str,
    key: &str,
    all: &[K],
    name_of: fn(K) -> &'static str,
) -> Part<K> {
    let (Some(node), Some(shape)) = (item.get(name), root().table("node").get(name)) else { return Part::Usual };
    let read = reader.read(node, &format!("{key}.{name}"), shape);
    let Some(word) = read.as_ref().and_then(|word| word.as_str()) else { return Part::Usual };
    all.iter().find(|kind| name_of(**kind) == word).map_or(Part::Without, |kind| Part::Only(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Bytes, Rate};
    use crate::scenario::Resolved;

    /// The MAC of node 1, where all have these keys and it has those.
    fn mac_of(all: &str, own: &str) -> MacConfig {
        let text =
            format!("{all}\n[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\n[[node]]\nid = 1\n[node.mac]\n{own}\n");
        let read =
            |text: &str| Resolved::parse(text, "node.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let scenario = read(&text);
        let again = read(&scenario.to_toml());
        assert_eq!(again.mac_of(NodeId(1)), scenario.mac_of(NodeId(1)), "{}", scenario.to_toml());
        scenario.mac_of(NodeId(1)).clone()
    }

    #[test]
    fn a_profile_of_a_node_brings_its_defaults() {
        assert_eq!(mac_of("", "profile = \"std\""), MacConfig::std());
        assert_eq!(mac_of("profile = \"std\"", "profile = \"ns2\""), MacConfig::default());
        assert_eq!(mac_of("mac.profile = \"std\"", "profile = \"ns2\""), MacConfig::default());
        assert_eq!(mac_of("", "profile = \"std\"\ncw_min = 7"), MacConfig { cw_min: 7, ..MacConfig::std() });
        assert_eq!(mac_of("mac.profile = \"std\"", "ssrl = 3"), MacConfig { ssrl: 3, ..MacConfig::std() });
    }

    #[test]
    fn keys_given_for_all_nodes_hold_for_one_with_another_profile() {
        let all = "mac.data_rate = \"11 Mb/s\"\nmac.data_overhead = 34\nmac.ssrl = 9";
        let own = MacConfig { data_rate: Rate(11e6), data_overhead: Bytes(34), ..MacConfig::std() };
        assert_eq!(mac_of(all, "profile = \"std\"\nssrl = 7"), own);
    }
}
