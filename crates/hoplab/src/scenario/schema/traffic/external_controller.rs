//! External controllers of flows and of rates: `controller = "FILE.py:CLASS"`, or one that the calling program has registered.
//!
//! The engine reads the name and, for the identity of results, the text of the file. The caller builds the controller
//! (`World::build_with`).

use crate::kernel::{RegisteredPart, is_identifier};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::not_supported_with;
use crate::scenario::transports::Transport;
use crate::transport::{CongestionKind, Parts, Protocol};
use std::sync::Arc;

/// A congestion control or a rate control that the caller builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalController {
    /// Its name as written in the scenario.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Path and text of its file; `None` for a registered one.
    pub file: Option<(String, String)>,
    /// Identity of its behavior: BLAKE3 of the file in hexadecimal digits, or the caller's digest.
    pub digest: String,
}

/// The word for no external controller.
pub(crate) const NONE: &str = "none";

const EXPECTED: &str = "Python file (relative to the scenario) and class, such as \"mine.py:MyReno\"";

const EXPECTED_RATES: &str = "Python file (relative to the scenario) and class, such as \"my_rates.py:MyRates\"";

/// The file of a controller, unless it is registered.
pub(crate) fn file_of(name: &str) -> Option<&str> {
    match name.rsplit_once(':') {
        Some((file, _)) if RegisteredPart::strip_prefix(name).is_none() => Some(file),
        _ => None,
    }
}

/// The controller that a flow, `[traffic]` or a workload names. `base` repairs losses for it.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    name: &str,
    base: &Transport,
) -> Option<Arc<ExternalController>> {
    let replaceable = |kind| matches!(kind, CongestionKind::Reno | CongestionKind::Tahoe);
    let is_agent = matches!(base.protocol, Protocol::Tcp(Parts { congestion, .. }) if replaceable(congestion));
    let holds = is_agent || base.is_stream();
    let what = not_supported_with(format_args!("transport = \"{}\"", base.name));
    let expected = "transport = \"tcp_reno\" or another tcp_*, \"new_reno\", \"sack\", \"reno\" or \"tahoe\"";
    section.rule(reader, "controller", holds, &what, expected);
    named(reader, section, "controller", name, EXPECTED).filter(|_| holds)
}

/// The rate control that `[mac]` names.
pub(crate) fn read_rates(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    name: Option<&str>,
) -> Option<Arc<ExternalController>> {
    named(reader, section, "rate_controller", name?, EXPECTED_RATES)
}

/// The controller that a key names.
fn named(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    key: &str,
    name: &str,
    expected: &str,
) -> Option<Arc<ExternalController>> {
    if RegisteredPart::strip_prefix(name).is_some() {
        let parsed = RegisteredPart::parse(name);
        let what = "{} is not a registered controller";
        section.rule(reader, key, parsed.is_some(), what, "a name returned by hoplab.controllers.register");
        let RegisteredPart { name, part, digest } = parsed?;
        return Some(Arc::new(ExternalController { name, class: part, file: None, digest }));
    }
    let parts = name.rsplit_once(':').filter(|(_, class)| is_identifier(class));
    let hint = format!("add the class: \"{}:NAME\"", name.trim_end_matches(':'));
    section.rule_with_hint(reader, key, parts.is_some(), "{} has no class name", expected, Some(&hint));
    let (file, class) = parts?;
    match reader.file(file) {
        Ok((path, text)) => Some(Arc::new(ExternalController {
            name: name.to_owned(),
            class: class.to_owned(),
            file: Some((path.to_owned(), text.to_owned())),
            digest: blake3::hash(text.as_bytes()).to_hex().to_string(),
        })),
        Err(what) => {
            section.rule(reader, key, false, &what, expected);
            None
        }
    }
}
