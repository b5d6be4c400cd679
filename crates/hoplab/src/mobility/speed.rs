//! Speeds, as people write them: `"10 m/s"`, `"36 km/h"`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Metres per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Speed(pub f64);

/// Faster than any signal here: the speed of light as the radio has it, in m/s.
pub(super) const MAX_SPEED: f64 = 3.0e8;

/// Units with the number of metres per second that `per` of them are.
const UNITS: [(&str, f64, f64); 2] = [("km/h", 1.0, 3.6), ("m/s", 1.0, 1.0)];

const EXPECTED: &str = "a speed with its unit, such as \"10 m/s\"";

impl Speed {
    /// Reads `"10 m/s"`.
    ///
    /// # Errors
    /// Says what is wrong with the text, as the end of a sentence that begins with it.
    pub fn read(text: &str) -> Result<Speed, String> {
        let text = text.trim();
        let Some((number, metres, per)) =
            UNITS.iter().find_map(|&(unit, metres, per)| text.strip_suffix(unit).map(|number| (number, metres, per)))
        else {
            return Err(match text.parse::<f64>() {
                Ok(_) => format!("has no unit: expected {EXPECTED}; write \"{text} m/s\" or \"{text} km/h\""),
                Err(_) => format!("is no speed: expected {EXPECTED}"),
            });
        };
        match number.trim_end().parse::<f64>() {
            Err(_) => Err(format!("is no speed: expected {EXPECTED}")),
            Ok(number) if !number.is_finite() => Err(format!("is not a finite number: expected {EXPECTED}")),
            Ok(number) if number < 0.0 => Err(format!("is negative: expected {EXPECTED}")),
            Ok(number) if number * metres / per > MAX_SPEED => Err("is too large: at most 3e8 m/s".to_owned()),
            Ok(number) => Ok(Speed(number * metres / per)),
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} m/s", self.0)
    }
}

impl Serialize for Speed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Speed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Speed, D::Error> {
        deserializer.deserialize_any(SpeedVisitor)
    }
}

struct SpeedVisitor;

impl Visitor<'_> for SpeedVisitor {
    type Value = Speed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Speed, E> {
        Speed::read(text).map_err(|what| E::custom(format!("{text:?} {what}")))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Speed, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Speed, E> {
        self.visit_f64(number as f64)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Speed, E> {
        Err(E::custom(format!("{number} has no unit: expected {EXPECTED}; write \"{number} m/s\"")))
    }
}

impl JsonSchema for Speed {
    fn schema_name() -> Cow<'static, str> {
        "Speed".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^\\s*[+]?[0-9]*\\.?[0-9]*([eE][+-]?[0-9]+)?\\s*(m\\/s|km\\/h)\\s*$",
            "minimum": 0,
            "maximum": MAX_SPEED,
            "examples": ["10 m/s"],
            "x-quantity": "speed",
            "x-units": ["m/s", "km/h"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        assert_eq!(Speed::read("10 m/s"), Ok(Speed(10.0)));
        assert_eq!(Speed::read(" 0.5m/s "), Ok(Speed(0.5)));
        assert_eq!(Speed::read("36 km/h"), Ok(Speed(10.0)));
        assert_eq!(Speed(12.5).to_string(), "12.5 m/s");
        assert_eq!(Speed::read(&Speed(1.0 / 3.0).to_string()), Ok(Speed(1.0 / 3.0)));
    }

    #[test]
    fn says_what_is_wrong() {
        let wrong = |text: &str| Speed::read(text).expect_err("no speed");
        assert!(wrong("10").ends_with("write \"10 m/s\" or \"10 km/h\""));
        assert!(wrong("-1 m/s").starts_with("is negative"));
        assert!(wrong("nan m/s").starts_with("is not a finite number"));
        assert!(wrong("1e9 m/s").starts_with("is too large"));
        assert!(wrong("fast").starts_with("is no speed"));
        assert!(wrong("m/s").starts_with("is no speed"));
        let error = serde_json::from_str::<Speed>("10").expect_err("no unit");
        assert!(error.to_string().starts_with("10 has no unit"), "{error}");
    }
}
