//! Table `[[node]]`: settings of single nodes, such as a queue limit, a transmit power, or a router's feedback.

use super::host::{self, GatewayRef};
use super::part::{self, Part};
use super::radios::{self, NodeChannel};
use crate::kernel::{Channel, NodeId, Time, Watts};
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::ObserverKind;
use crate::mobility::{PresenceError, RadioSchedule};
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::QueueConfig;
use crate::phy::Phy;
use crate::scenario::schema::fields::Shape;
use crate::scenario::schema::layers::radio::check_tx_power;
use crate::scenario::schema::layers::{queue, standard};
use crate::scenario::schema::profile::{Profile, RuleSet};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{MISSING, exceeds, mismatch, no_such_node, requires};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::{Node, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Table `[[node]]`: what is different at one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Which node; a host has no number of its own, but those after all nodes with a radio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// Whether the node has a radio. Default: `radio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<NodeKind>,
    /// Name of a host, for flows and wires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Gateways of a host: a node with a radio, or a list of several, by number or name. Default: with a routing protocol that
    /// discovers routes the nearest by delay over wires, of equally near ones all; with static paths all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway: Option<GatewayRef>,
    /// Keys of `[mac]` that differ. A `profile` brings its own defaults for what neither the node nor `[mac]` gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<MacConfig>,
    /// Keys of `[queue]` that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// When the node's radio is off: from a time to a later one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radio_off: Vec<[Time; 2]>,
    /// Keys of `[radio]` that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radio: Option<NodeRadio>,
    /// Radios of the node, each on a channel of its own. Default: one, on the channel of `[radio]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radios: Vec<NodeChannel>,
    /// What the node decides in the RTS/CTS exchange. Default: what the flows' protocols need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<HandshakeKind>,
    /// Whether the node may act as proxy. `true` at a node with a radio and a wire: it splits all connections that cross between
    /// them. Default: at the distance of `split_tcp.d_p`; of a host, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<bool>,
    /// Feedback router of this node, at its radios and wires, instead of those that the flows' protocols use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = with_none(FeedbackKind::ALL.iter().map(|kind| kind.name()))))]
    pub feedback_router: Option<String>,
    /// Observer at this node's MAC, instead of those that the flows' protocols use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = with_none(ObserverKind::ALL.iter().map(|kind| kind.name()))))]
    pub observer: Option<String>,
}

/// Kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// With a radio, at a place of the topology.
    Radio,
    /// Without a radio, at the end of a wire.
    Host,
}

/// What of the radio can differ at single nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRadio {
    /// Power that the node sends with. Default: that of `[radio]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_power: Option<Watts>,
}

/// Names of parts, and the word for having none.
fn with_none<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    std::iter::once("none").chain(names).collect()
}

/// All settings of one node: its own values over those of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSettings {
    /// Which node.
    pub id: NodeId,
    /// Its MAC.
    pub mac: MacConfig,
    /// Its interface queue.
    pub queue: QueueConfig,
    /// Power that it sends with.
    pub tx_power: Watts,
    /// Channels of its radios, in order.
    pub channels: Vec<Channel>,
    /// When its radio is on.
    pub radio_schedule: RadioSchedule,
    /// Its handshake policy, if it has its own.
    pub handshake: Option<HandshakeKind>,
    /// Whether it acts as proxy, if that is given.
    pub proxy: Option<bool>,
    /// Its feedback router.
    pub feedback_router: Part<FeedbackKind>,
    /// Its observer.
    pub observer: Part<ObserverKind>,
}

/// The settings of nodes without a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common<'c> {
    pub(crate) phy: Phy,
    pub(crate) mac: &'c MacConfig,
    pub(crate) queue: &'c QueueConfig,
    pub(crate) tx_power: Watts,
    pub(crate) channels: &'c [Channel],
}

impl Common<'_> {
    /// The settings of a node without a table.
    fn settings(self, id: NodeId) -> NodeSettings {
        NodeSettings {
            id,
            mac: self.mac.clone(),
            queue: self.queue.clone(),
            tx_power: self.tx_power,
            channels: self.channels.to_vec(),
            radio_schedule: RadioSchedule::always(),
            handshake: None,
            proxy: None,
            feedback_router: Part::Usual,
            observer: Part::Usual,
        }
    }
}

/// The nodes that differ from `common`, in order of number. The numbers are checked where the number of nodes is known.
pub(crate) fn read_all(
    reader: &mut Reader<'_>,
    tree: &Node,
    nodes: Option<u64>,
    common: Common<'_>,
) -> Vec<NodeSettings> {
    let Some(list) = tree.get("node") else { return Vec::new() };
    let Value::List(items) = &list.value else {
        let raw = reader.wrong(list, "node", &mismatch("array", list.value.what()));
        let hint = Some("use double brackets, [[node]], with id = 3".to_owned());
        reader.refuse(&list.origin, RawDiagnostic { expected: "tables [[node]]".to_owned(), hint, ..raw });
        return Vec::new();
    };
    let (mut settings, mut seen) = (Vec::new(), BTreeSet::new());
    for (i, table) in items.iter().enumerate().filter(|(_, table)| !host::is_host(table)) {
        let Some(id) = read_id(reader, table, i, nodes) else { continue };
        if !seen.insert(id) {
            let message = format!("node.{}: duplicate table [[node]]", id.0);
            let key = format!("node.{}", id.0);
            let hint = Some("merge the tables of the node".to_owned());
            reader.refuse(&table.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
            continue;
        }
        settings.push(read(reader, table, id, tree.get("mac"), common));
    }
    settings.retain(|node: &NodeSettings| node.differs(common));
    settings.sort_by_key(|node| node.id);
    settings
}

/// Switches the radios of nodes off outside of the times that a movement file has them.
pub(crate) fn switch_off_absent(
    settings: &mut Vec<NodeSettings>,
    present: &[Option<(Time, Time)>],
    common: Common<'_>,
) {
    for (id, present) in (0..).map(NodeId).zip(present) {
        let Some((from, to)) = *present else { continue };
        let place = settings.partition_point(|node| node.id < id);
        if settings.get(place).is_none_or(|node| node.id != id) {
            settings.insert(place, common.settings(id));
        }
        let schedule = &mut settings[place].radio_schedule;
        *schedule = schedule.present_during(from, to);
    }
    settings.retain(|node| node.differs(common));
}

/// The number of the node that a table is about.
fn read_id(reader: &mut Reader<'_>, table: &Node, i: usize, nodes: Option<u64>) -> Option<NodeId> {
    let key = format!("node[{i}]");
    if !reader.is_table(table, &key) {
        return None;
    }
    let Some(node) = table.get("id") else {
        let message = format!("{key}.id: {MISSING}");
        let hint = Some("add the number of the node: id = 3".to_owned());
        reader.refuse(&table.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
        return None;
    };
    let key = format!("{key}.id");
    let number = reader.read(node, &key, &Shape::Integer(0, i128::from(u32::MAX)))?.as_u64()?;
    let nodes = nodes?;
    if number >= nodes {
        let mut raw = reader.wrong(node, &key, &no_such_node(number));
        if let Origin::SetKey(_) = node.origin {
            raw.message = no_such_node(number);
        }
        let expected = match nodes.checked_sub(1) {
            Some(last) => format!("0 to {last}"),
            None => "kind = \"host\": the network has no radio".to_owned(),
        };
        reader.refuse(&node.origin, RawDiagnostic { expected, ..raw });
        return None;
    }
    Some(NodeId(number as u32))
}

/// The settings of one node. `mac` is the table of all nodes.
fn read(reader: &mut Reader<'_>, table: &Node, id: NodeId, mac: Option<&Node>, common: Common<'_>) -> NodeSettings {
    let fields = reader.root.table("node");
    let key = format!("node.{}", id.0);
    for entry in table.entries() {
        if fields.get(&entry.key).is_none() {
            reader.refuse_key(entry, &key, fields);
        }
    }
    let own = Own { table, key: &key };
    own.value(reader, "kind");
    for name in ["name", "gateway"] {
        let requires = requires("kind = \"host\"");
        let section = Section { key: &key, table: Some(table) };
        section.rule(reader, name, table.get(name).is_none(), &requires, "kind = \"host\"");
    }
    let radio: NodeRadio = own.overlay(reader, "radio", NodeRadio::default());
    let tx_power = radio.tx_power.unwrap_or(common.tx_power);
    let mac_base = mac_base(own.table.get("mac"), mac, common);
    let settings = NodeSettings {
        id,
        mac: own.mac(reader, mac_base, common.phy),
        queue: own.read(reader, queue::base(Section { key: &key, table: table.get("queue") }, common.queue.clone())),
        tx_power,
        channels: radios::read(reader, table, &key, common.channels),
        radio_schedule: radio_schedule(reader, own),
        handshake: own.value(reader, "handshake").and_then(|name| serde_json::from_value(name).ok()),
        proxy: own.value(reader, "proxy").and_then(|value| value.as_bool()),
        feedback_router: Part::read(reader, (table, &key), "feedback_router", FeedbackKind::ALL, FeedbackKind::name),
        observer: Part::read(reader, (table, &key), "observer", ObserverKind::ALL, ObserverKind::name),
    };
    if let radio @ Some(_) = own.table.get("radio") {
        check_tx_power(reader, Section { key: &format!("{key}.radio"), table: radio }, tx_power);
    }
    settings
}

/// A table `[[node]]` with its path.
#[derive(Clone, Copy)]
struct Own<'n> {
    table: &'n Node,
    key: &'n str,
}

impl Own<'_> {
    /// A table within it over `base`, unchecked.
    fn overlay<T: Serialize + serde::de::DeserializeOwned>(self, reader: &mut Reader<'_>, name: &str, base: T) -> T {
        let fields = reader.root.table("node").table(name);
        reader.overlay(self.table.get(name), &format!("{}.{name}", self.key), fields, base)
    }

    /// A table within it that all nodes have too, over `base`, checked.
    fn read<T: Table>(self, reader: &mut Reader<'_>, base: T) -> T {
        let mut table = self.overlay(reader, T::KEY, base);
        if let given @ Some(_) = self.table.get(T::KEY) {
            table.check(reader, Section { key: &format!("{}.{}", self.key, T::KEY), table: given });
        }
        table
    }

    /// Its table `[node.mac]` over `base`, checked.
    fn mac(self, reader: &mut Reader<'_>, base: MacConfig, phy: Phy) -> MacConfig {
        let mut mac = self.read(reader, base);
        if let given @ Some(_) = self.table.get(MacConfig::KEY) {
            let key = format!("{}.{}", self.key, MacConfig::KEY);
            standard::check_mac(reader, Section { key: &key, table: given }, &mut mac, phy);
        }
        mac
    }

    fn value(self, reader: &mut Reader<'_>, name: &str) -> Option<Json> {
        part::value(reader, (self.table, self.key), name)
    }
}

impl NodeSettings {
    /// Whether anything is not as at all nodes.
    fn differs(&self, common: Common<'_>) -> bool {
        let is_radio_common = self.tx_power == common.tx_power && self.channels == common.channels;
        let is_common = self.mac == *common.mac && self.queue == *common.queue && is_radio_common;
        let has_parts = self.handshake.is_some() || self.feedback_router != Part::Usual || self.observer != Part::Usual;
        !is_common || has_parts || self.radio_schedule != RadioSchedule::always() || self.proxy.is_some()
    }
}

/// The MAC under a node's `own` keys: that of all nodes. If the node has a profile of its own, keys that `[mac]` (`all`) does
/// not give follow that profile.
fn mac_base(own: Option<&Node>, all: Option<&Node>, common: Common<'_>) -> MacConfig {
    let Common { mac, phy, .. } = common;
    if own.and_then(|own| own.get("profile")).is_none() {
        return mac.clone();
    }
    let defaults = RuleSet::of_table(Section { key: "mac", table: own }, Profile::Ns2).mac.of_phy(phy);
    let [keys, given] = [&defaults, mac].map(|config| serde_json::to_value(config).expect("a table with text keys"));
    let Json::Object(mut keys) = keys else { unreachable!("a config is a table") };
    for entry in all.map_or(&[][..], Node::entries) {
        if let (Some(key), Some(value)) = (keys.get_mut(&entry.key), given.get(&entry.key)) {
            *key = value.clone();
        }
    }
    serde_json::from_value(Json::Object(keys)).expect("values of two configs")
}

/// The times at which the node's radio is off.
fn radio_schedule(reader: &mut Reader<'_>, own: Own<'_>) -> RadioSchedule {
    let (Some(off), Some(times)) = (own.table.get("radio_off"), own.value(reader, "radio_off")) else {
        return RadioSchedule::always();
    };
    let times: Vec<(Time, Time)> = serde_json::from_value(times).unwrap_or_default();
    RadioSchedule::off_during(times).unwrap_or_else(|error| {
        let (what, expected) = match error {
            PresenceError::Empty { off, on } => {
                (exceeds("off", off.write(), "on", on.write()), "pairs [off, on] with off before on")
            }
            PresenceError::Overlap { off } => {
                (format!("overlapping intervals at {}", off.write()), "disjoint intervals [off, on]")
            }
        };
        let raw = reader.wrong(off, &format!("{}.radio_off", own.key), &what);
        reader.refuse(&off.origin, RawDiagnostic { expected: expected.to_owned(), ..raw });
        RadioSchedule::always()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Bytes, Rate};
    use crate::scenario::Resolved;

    /// The MAC of node 1, where `all` are keys of the scenario and `own` keys of its table.
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
    fn profile_of_a_node_sets_its_defaults() {
        assert_eq!(mac_of("", "profile = \"std\""), MacConfig::std());
        assert_eq!(mac_of("profile = \"std\"", "profile = \"ns2\""), MacConfig::default());
        assert_eq!(mac_of("mac.profile = \"std\"", "profile = \"ns2\""), MacConfig::default());
        assert_eq!(mac_of("", "profile = \"std\"\ncw_min = 7"), MacConfig { cw_min: 7, ..MacConfig::std() });
        assert_eq!(mac_of("mac.profile = \"std\"", "ssrl = 3"), MacConfig { ssrl: 3, ..MacConfig::std() });
    }

    #[test]
    fn keys_of_all_nodes_override_a_node_profile() {
        let all = "mac.data_rate = \"11 Mb/s\"\nmac.data_overhead = 34\nmac.ssrl = 9";
        let own = MacConfig { data_rate: Rate(11e6), data_overhead: Bytes(34), ..MacConfig::std() };
        assert_eq!(mac_of(all, "profile = \"std\"\nssrl = 7"), own);
    }
}
