//! How a flow names a node: by number, or as first, last or center node, so that a scenario can change its topology's size.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A node as a flow names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NodeRef {
    /// By number; a negative one counts from the topology's last node, which is -1.
    Number(i64),
    /// First, last or center.
    Place(Place),
}

/// Nodes that every topology has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Node 0.
    First,
    /// The topology's last node; `extra` ones do not count.
    Last,
    /// The node in the middle.
    Center,
}

impl JsonSchema for NodeRef {
    fn schema_name() -> Cow<'static, str> {
        "NodeRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A node by its number (negative: from the last), or as first, last or center.",
            "oneOf": [{ "type": "integer" }, { "type": "string", "enum": ["first", "last", "center"] }],
            "x-node": true,
        })
    }
}
