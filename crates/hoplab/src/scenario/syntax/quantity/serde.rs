//! Serde and JSON Schema of quantities, so that config structs have kernel types and are read and written with units.

use super::kind::{BYTES, Kind};
use super::types::Quantity;
use crate::kernel::{Bytes, Hertz, Metres, PerSecond, Rate, Span, Speed, Time, Watts};
use crate::scenario::syntax::problem::{NO_UNIT, filled};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

struct QuantityVisitor<T>(std::marker::PhantomData<T>);

impl<T: Quantity> Visitor<'_> for QuantityVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&T::KIND.expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::read(text).map_err(|diagnostic| {
            let hint = diagnostic.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let what = filled(&diagnostic.what, Some(&format!("{text:?}")));
            E::custom(format!("{what}: expected {}{hint}", T::KIND.expected()))
        })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::from_bare(number).ok_or_else(|| bare::<T, E>(&number.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        u64::try_from(number).ok().and_then(T::from_bare).ok_or_else(|| bare::<T, E>(&number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        Err(bare::<T, E>(&number.to_string()))
    }
}

fn bare<T: Quantity, E: de::Error>(number: &str) -> E {
    E::custom(format!("{}: expected {}; {}", filled(NO_UNIT, Some(number)), T::KIND.expected(), T::KIND.likely(number)))
}

/// Schema of a quantity. `x-quantity` carries the kind to `schema::fields`, which reads tables by it.
fn schema_of(kind: &Kind) -> Schema {
    let units: Vec<String> = kind.units.iter().map(|unit| unit.symbol.replace('/', "\\/")).collect();
    let pattern = format!("^\\s*[+-]?[0-9]*\\.?[0-9]*([eE][+-]?[0-9]+)?\\s*({})\\s*$", units.join("|"));
    let type_ = if kind == &BYTES { serde_json::json!(["string", "integer"]) } else { "string".into() };
    json_schema!({
        "type": type_,
        "pattern": pattern,
        "minimum": 0,
        "maximum": kind.max,
        "examples": [kind.example],
        "x-quantity": kind.name,
        "x-units": kind.units.iter().map(|unit| unit.symbol).collect::<Vec<_>>(),
    })
}

macro_rules! serde_quantity {
    ($($type:ident)*) => { $(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.write())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_any(QuantityVisitor(std::marker::PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_of($type::KIND)
            }
        }
    )* };
}

serde_quantity!(Span Time Rate PerSecond Metres Watts Hertz Speed Bytes);
