//! How a flow names a node: by number, from either end, or by place.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A node as a flow names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NodeRef {
    /// By number; a negative one counts from the topology's last node, which is -1.
    Number(i64),
    /// By its place.
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
            "description": "A node by its number (negative: from the last), or by its place.",
            "oneOf": [{ "type": "integer" }, { "type": "string", "enum": ["first", "last", "center"] }],
            "x-node": true,
        })
    }
}
