//! Key `radios` of `[[node]]`: the channels of a node's radios.

use crate::kernel::Channel;
use crate::scenario::schema::reader::{Reader, message};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{mismatch, not_supported_with};
use crate::scenario::syntax::tree::{Node, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One radio of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeChannel {
    /// Number of its channel. Default: `channel` of `[radio]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 233))]
    pub channel: Option<Channel>,
}

/// Most radios of a node.
const MAX_RADIOS: usize = 8;

/// What the key takes, for messages.
const EXPECTED: &str = "one to 8 tables, such as [{ channel = 36 }, { channel = 44 }]";

/// What a scenario with several radios per node does not combine with: the key to report it at (that of the radios if empty),
/// whether it is absent, what it is, and what to use instead.
pub(crate) type Conflict<'c> = (&'c str, bool, &'c str, &'c str);

/// Reports what does not combine with several radios per node.
pub(crate) fn check(reader: &mut Reader<'_>, tree: &Node, conflicts: &[Conflict<'_>]) {
    let items = match tree.get("node").map(|list| &list.value) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    let several = items.iter().find_map(|table| {
        let list = table.get("radios")?;
        let has_several = matches!(&list.value, Value::List(radios) if radios.len() > 1);
        let Value::Integer(id) = table.get("id")?.value else { return None };
        has_several.then(|| (format!("node.{id}.radios"), list))
    });
    let Some((own, list)) = several else { return };
    for &(key, is_absent, what, hint) in conflicts {
        if is_absent {
            continue;
        }
        let given = key.split_once('.').and_then(|(table, name)| tree.at(&[table, name]));
        let (name, what, node) = match given {
            Some(node) => (key, "several radios per node", node),
            None => (own.as_str(), what, list),
        };
        let message = message(name, &not_supported_with(what), None);
        let (key, hint) = (name.to_owned(), Some(hint.to_owned()));
        reader.refuse(&node.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
    }
}

/// The channels of the radios of a node, in order; those of all nodes if `table` has no list.
pub(super) fn read(reader: &mut Reader<'_>, table: &Node, node: &str, usual: &[Channel]) -> Vec<Channel> {
    let Some(list) = table.get("radios") else { return usual.to_vec() };
    let key = format!("{node}.radios");
    let refuse = |reader: &mut Reader<'_>, at: &Node, key: &str, what: &str, hint: Option<&str>| {
        let raw = reader.wrong(at, key, what);
        let hint = hint.map(str::to_owned);
        reader.refuse(&at.origin, RawDiagnostic { expected: EXPECTED.to_owned(), hint, ..raw });
    };
    let Value::List(items) = &list.value else {
        refuse(reader, list, &key, &mismatch("array", list.value.what()), None);
        return usual.to_vec();
    };
    if items.is_empty() || items.len() > MAX_RADIOS {
        refuse(reader, list, &key, &mismatch("1 to 8 radios", items.len()), Some("disable a radio with radio_off"));
        return usual.to_vec();
    }
    let fields = reader.root.table("node").table("radios");
    let mut channels = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let key = format!("{key}.{i}");
        let radio = reader.overlay(Some(item), &key, fields, NodeChannel::default());
        let channel = radio.channel.unwrap_or(usual[0]);
        if channels.contains(&channel) {
            let what = format!("two radios on channel {channel}");
            refuse(reader, item, &key, &what, Some("give each radio of a node a channel of its own"));
        }
        channels.push(channel);
    }
    channels
}
