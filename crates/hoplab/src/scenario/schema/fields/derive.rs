//! Keys and shapes from the JSON Schema of a config struct.

use super::shape::{Fields, Shape};
use crate::scenario::syntax::quantity::Kind;
use schemars::JsonSchema;
use serde_json::Value as Json;

impl Fields {
    /// The keys of the table that `T` is deserialized from.
    pub(crate) fn of<T: JsonSchema>() -> Fields {
        let schema = schemars::schema_for!(T).to_value();
        match shape(&schema, &schema) {
            Shape::Table(fields) => fields,
            other => unreachable!("a config is a table, not {other:?}"),
        }
    }
}

fn shape(schema: &Json, root: &Json) -> Shape {
    if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
        let name = target.rsplit('/').next().unwrap_or(target);
        return shape(&root["$defs"][name], root);
    }
    if let Some(kind) = schema.get("x-quantity").and_then(Json::as_str).and_then(Kind::named) {
        return Shape::Quantity(kind);
    }
    let words = |list: &Json| -> Vec<String> {
        let of = |word: &Json| match word {
            Json::Object(variant) => match (&variant.get("const"), variant.get("enum")) {
                (Some(word), _) => word.as_str().map(str::to_owned).into_iter().collect(),
                (None, Some(words)) => strings(words),
                _ => Vec::new(),
            },
            word => word.as_str().map(str::to_owned).into_iter().collect(),
        };
        list.as_array().into_iter().flatten().flat_map(of).collect()
    };
    if schema.get("x-node").is_some() {
        return Shape::NodeRef(words(&schema["oneOf"]));
    }
    if schema.get("x-part").is_some() {
        return Shape::Part(words(&schema["oneOf"]));
    }
    if let Some(choices) = schema.get("anyOf").and_then(Json::as_array) {
        // An optional value: the shape of the value itself.
        if let Some(there) = choices.iter().find(|choice| choice.get("type") != Some(&Json::from("null"))) {
            return shape(there, root);
        }
    }
    for list in ["enum", "oneOf"] {
        if let Some(list) = schema.get(list) {
            return Shape::Choice(words(list));
        }
    }
    let type_ = match &schema["type"] {
        Json::Array(types) => types.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or(""),
        type_ => type_.as_str().unwrap_or(""),
    };
    match type_ {
        "boolean" => Shape::Bool,
        "integer" => integer(schema),
        "number" => {
            let bound = |name: &str, otherwise| schema.get(name).and_then(Json::as_f64).unwrap_or(otherwise);
            Shape::Real(bound("minimum", f64::NEG_INFINITY), bound("maximum", f64::INFINITY))
        }
        "array" => {
            let exact = schema.get("minItems").filter(|least| schema.get("maxItems") == Some(least));
            Shape::List(Box::new(shape(&schema["items"], root)), exact.and_then(Json::as_u64).map(|n| n as usize))
        }
        "object" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            Shape::Table(Fields(properties.map(|(name, inner)| (name.clone(), shape(inner, root))).collect()))
        }
        _ => Shape::Text,
    }
}

fn strings(list: &Json) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn integer(schema: &Json) -> Shape {
    let (low, high) = match schema.get("format").and_then(Json::as_str) {
        Some("uint8") => (0, i128::from(u8::MAX)),
        Some("uint16") => (0, i128::from(u16::MAX)),
        Some("uint32") => (0, i128::from(u32::MAX)),
        Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
        // A TOML integer has 64 bits with its sign, unless the key has a wider range.
        Some("uint64" | "uint") => {
            (0, schema.get("maximum").and_then(Json::as_u64).unwrap_or(0).max(i64::MAX as u64).into())
        }
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let whole = |bound: &Json| bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
    let bound = |name: &str| schema.get(name).and_then(whole);
    Shape::Integer(
        bound("minimum").map_or(low, |least| least.max(low)),
        bound("maximum").map_or(high, |most| most.min(high)),
    )
}
