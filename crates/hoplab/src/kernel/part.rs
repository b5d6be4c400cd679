//! The name of a part that can be replaced: one of the engine's list, or one that the calling program supplies.
//!
//! A scenario names the latter `program:NAME@DIGEST`, or `python:NAME@DIGEST` from the Python package; the program builds it
//! (`World::build_with`). The digest identifies its behavior, and is part of the identity of results.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// The parts of one list.
pub trait PartKind: Copy + PartialEq + 'static {
    /// What the list is a list of, such as `Routing`: the name of its schema.
    const LIST: &'static str;

    /// All parts, in the order of documentation.
    const ALL: &'static [Self];

    /// Its name in scenarios.
    fn name(self) -> &'static str;

    /// What it does, in one line.
    fn summary(self) -> &'static str;
}

/// A part that the calling program supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredPart {
    /// Its name as written in the scenario.
    pub name: String,
    /// NAME of it.
    pub part: String,
    /// The caller's digest of its behavior.
    pub digest: String,
}

/// Prefixes of registered parts.
const PREFIXES: [&str; 2] = ["program:", "python:"];

/// A part as a scenario names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<K> {
    /// One of the engine's.
    Engine(K),
    /// One of the calling program's.
    Program(RegisteredPart),
}

impl RegisteredPart {
    /// What follows the prefix of a registered part, if the name has one.
    pub fn strip_prefix(name: &str) -> Option<&str> {
        PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
    }

    /// The registered part of this name, if it is well formed.
    pub fn parse(name: &str) -> Option<RegisteredPart> {
        let (part, digest) = RegisteredPart::strip_prefix(name)?.split_once('@')?;
        let part = RegisteredPart { name: name.to_owned(), part: part.to_owned(), digest: digest.to_owned() };
        (is_identifier(&part.part) && !part.digest.is_empty()).then_some(part)
    }
}

/// Whether a text is an identifier.
pub fn is_identifier(text: &str) -> bool {
    let starts_well = text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    starts_well && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

impl<K: PartKind> Part<K> {
    /// Its name in scenarios.
    pub fn name(&self) -> &str {
        match self {
            Part::Engine(kind) => kind.name(),
            Part::Program(part) => &part.name,
        }
    }

    /// Whether it is this part of the engine.
    pub fn is(&self, kind: K) -> bool {
        matches!(self, Part::Engine(own) if *own == kind)
    }
}

impl<K: PartKind> Serialize for Part<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de, K: PartKind> Deserialize<'de> for Part<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if let Some(kind) = K::ALL.iter().find(|kind| kind.name() == name) {
            return Ok(Part::Engine(*kind));
        }
        let registered = RegisteredPart::parse(&name).map(Part::Program);
        registered.ok_or_else(|| D::Error::custom(format!("{name} is not a part of the list")))
    }
}

impl<K: PartKind> JsonSchema for Part<K> {
    fn schema_name() -> Cow<'static, str> {
        K::LIST.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut choices: Vec<serde_json::Value> = K::ALL
            .iter()
            .map(|kind| serde_json::json!({ "type": "string", "const": kind.name(), "description": kind.summary() }))
            .collect();
        choices.push(serde_json::json!({
            "type": "string",
            "pattern": "^(program|python):[^@]+@.+$",
            "description": "A part that the calling program supplies.",
        }));
        json_schema!({ "oneOf": choices, "x-part": true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Only;

    impl PartKind for Only {
        const LIST: &'static str = "Only";
        const ALL: &'static [Only] = &[Only];

        fn name(self) -> &'static str {
            "only"
        }

        fn summary(self) -> &'static str {
            "the only one"
        }
    }

    #[test]
    fn part_is_read_and_written_by_its_name() {
        let own = RegisteredPart::parse("program:X@1").expect("a part");
        for (text, part) in [("only", Part::Engine(Only)), ("program:X@1", Part::Program(own))] {
            let json = serde_json::json!(text);
            assert_eq!(serde_json::from_value::<Part<Only>>(json.clone()).ok(), Some(part.clone()));
            assert_eq!(serde_json::to_value(&part).ok(), Some(json));
            assert_eq!(part.is(Only), text == "only");
        }
        assert!(serde_json::from_value::<Part<Only>>(serde_json::json!("other")).is_err());
    }

    #[test]
    fn registered_part_has_prefix_name_and_digest() {
        let part = RegisteredPart::parse("program:Sawtooth@1").expect("a part");
        assert_eq!((part.part.as_str(), part.digest.as_str()), ("Sawtooth", "1"));
        assert_eq!(RegisteredPart::parse("python:Mine@0f").map(|part| part.part), Some("Mine".to_owned()));
        for wrong in ["Sawtooth@1", "program:Sawtooth", "program:@1", "program:Saw tooth@1", "program:Sawtooth@"] {
            assert_eq!(RegisteredPart::parse(wrong), None, "{wrong}");
        }
    }
}
