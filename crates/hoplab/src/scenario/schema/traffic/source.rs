//! External applications: `source = "program:NAME@DIGEST"`. The caller builds them (`World::build_with`).

use crate::kernel::RegisteredPart;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::not_supported_with;
use std::sync::Arc;

/// The application that a flow names with `source`.
pub(crate) fn read(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> Option<Arc<RegisteredPart>> {
    let part = RegisteredPart::parse(name);
    let what = "{} is not a registered application";
    section.rule(reader, "source", part.is_some(), what, "program:NAME@DIGEST, as registered by the program");
    section.rule(reader, "app", section.given("app").is_none(), &not_supported_with("source"), "source only");
    part.map(Arc::new)
}
