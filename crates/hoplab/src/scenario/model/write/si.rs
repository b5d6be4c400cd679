//! Tables in SI units.

use crate::scenario::schema::fields::{Fields, Shape};
use crate::scenario::syntax::quantity::BYTES;
use serde_json::{Map, Value as Json, json};

/// A table with its quantities in SI units, and the unit in the key.
pub(super) fn si(fields: &Fields, values: Json) -> Json {
    let Json::Object(keys) = values else { return values };
    let converted = keys.into_iter().map(|(key, value)| match fields.get(&key) {
        Some(shape) => {
            let (value, suffix) = si_value(shape, value);
            (format!("{key}{suffix}"), value)
        }
        None => (key, value),
    });
    converted.collect::<Map<_, _>>().into()
}

/// A value in SI units, and what that adds to its key.
fn si_value(shape: &Shape, value: Json) -> (Json, &'static str) {
    match (shape, value) {
        (Shape::Quantity(kind), Json::String(text)) => {
            let number = kind.si(&text).ok();
            let value = if *kind == &BYTES { json!(number.map(|bytes| bytes as u64)) } else { json!(number) };
            (value, kind.suffix)
        }
        (Shape::Table(inner), value) => (si(inner, value), ""),
        (Shape::List(item, _), Json::Array(items)) => {
            let (items, suffixes): (Vec<Json>, Vec<&str>) = items.into_iter().map(|one| si_value(item, one)).unzip();
            (Json::from(items), suffixes.first().copied().unwrap_or(""))
        }
        (_, value) => (value, ""),
    }
}
