//! Parts that the calling program supplies: `program:NAME@DIGEST`, or `python:NAME@DIGEST` from the Python package.
//!
//! The scenario names the part; the caller builds it (`World::build_with`). The digest identifies its behavior, as the
//! identity of results needs.

use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use std::sync::Arc;

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

/// What follows the prefix, if the name has one.
pub(crate) fn strip(name: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// The registered part of this name, if it is well formed.
pub(crate) fn parse(name: &str) -> Option<RegisteredPart> {
    let (part, digest) = strip(name)?.split_once('@')?;
    let part = RegisteredPart { name: name.to_owned(), part: part.to_owned(), digest: digest.to_owned() };
    (is_identifier(&part.part) && !part.digest.is_empty()).then_some(part)
}

/// The application that a flow names with `source`.
pub(crate) fn read_source(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> Option<Arc<RegisteredPart>> {
    let part = parse(name);
    let what = "is no application of the calling program";
    section.rule(reader, "source", part.is_some(), what, "program:NAME@DIGEST, as the program names it");
    section.rule(reader, "app", section.given("app").is_none(), "means nothing beside source", "source alone");
    part.map(Arc::new)
}

/// Whether a text is an identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    let starts_well = text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    starts_well && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_part_has_prefix_name_and_digest() {
        let part = parse("program:Sawtooth@1").expect("a part");
        assert_eq!((part.part.as_str(), part.digest.as_str()), ("Sawtooth", "1"));
        assert_eq!(parse("python:Mine@0f").map(|part| part.part), Some("Mine".to_owned()));
        for wrong in ["Sawtooth@1", "program:Sawtooth", "program:@1", "program:Saw tooth@1", "program:Sawtooth@"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
