//! Controllers from outside the engine: `controller = "FILE.py:CLASS"`, or one that the calling program holds ready as
//! `python:NAME@DIGEST`.
//!
//! The engine reads their names and, for the identity of results, the text of the file. Whoever drives it makes the
//! controllers (`World::build_with`).

use crate::scenario::schema::check::Section;
use crate::scenario::schema::reader::Reader;
use crate::scenario::scheme::Scheme;
use crate::transport::{CongestionKind, Parts, Protocol};
use std::sync::Arc;

/// A controller that is not the engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalController {
    /// As the scenario writes it.
    pub name: String,
    /// The class in its file.
    pub class: String,
    /// The file: how messages name it, and what it holds. None for one that the calling program holds ready.
    pub file: Option<(String, String)>,
    /// What identifies its behavior: BLAKE3 of the file, in hexadecimal digits, or what the caller says.
    pub digest: String,
}

/// The word for none.
pub(crate) const NONE: &str = "none";

/// What a controller that the calling program holds begins with.
const HELD: &str = "python:";

const EXPECTED: &str = "a Python file, seen from the scenario's folder, and a class in it, such as \"mine.py:MyReno\"";

/// The file that a controller is in, if it is in one.
pub(crate) fn file_of(name: &str) -> Option<&str> {
    match name.rsplit_once(':') {
        Some((file, _)) if !name.starts_with(HELD) => Some(file),
        _ => None,
    }
}

/// The controller that a flow names.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    name: &str,
    base: &Scheme,
) -> Option<Arc<ExternalController>> {
    let replaceable = |kind| matches!(kind, CongestionKind::Reno | CongestionKind::Tahoe);
    let holds = matches!(base.protocol, Protocol::Tcp(Parts { congestion, .. }) if replaceable(congestion));
    let what = format!("cannot replace the congestion control of transport = \"{}\"", base.name);
    let expected = "transport = \"new_reno\", \"sack\", \"reno\" or \"tahoe\" beside it, whose recovery it goes with";
    section.rule(reader, "controller", holds, &what, expected);
    let is_identifier = |text: &str| {
        let first = text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        first && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if let Some(held) = name.strip_prefix(HELD) {
        let parts = held.split_once('@').filter(|(class, digest)| is_identifier(class) && !digest.is_empty());
        let what = "is none that a program holds ready";
        section.rule(reader, "controller", parts.is_some(), what, "what hoplab.controllers.register returns");
        let (class, digest) = parts.filter(|_| holds)?;
        let (class, digest) = (class.to_owned(), digest.to_owned());
        return Some(Arc::new(ExternalController { name: name.to_owned(), class, file: None, digest }));
    }
    let parts = name.rsplit_once(':').filter(|(_, class)| is_identifier(class));
    let hint = format!("say which class: \"{}:NAME\"", name.trim_end_matches(':'));
    section.rule_with_hint(reader, "controller", parts.is_some(), "names no class of a file", EXPECTED, Some(&hint));
    let (file, class) = parts?;
    match reader.file(file) {
        Ok((path, text)) => holds.then(|| {
            Arc::new(ExternalController {
                name: name.to_owned(),
                class: class.to_owned(),
                file: Some((path.to_owned(), text.to_owned())),
                digest: blake3::hash(text.as_bytes()).to_hex().to_string(),
            })
        }),
        Err(what) => {
            section.rule(reader, "controller", false, &what, EXPECTED);
            None
        }
    }
}
