//! Applications from outside the engine: `source = "program:NAME@DIGEST"`. The caller builds them (`World::build_with`).

use crate::kernel::RegisteredPart;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use std::sync::Arc;

/// The application that a flow names with `source`.
pub(crate) fn read(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> Option<Arc<RegisteredPart>> {
    let part = RegisteredPart::parse(name);
    let what = "is no application of the calling program";
    section.rule(reader, "source", part.is_some(), what, "program:NAME@DIGEST, as the program names it");
    section.rule(reader, "app", section.given("app").is_none(), "means nothing beside source", "source alone");
    part.map(Arc::new)
}
