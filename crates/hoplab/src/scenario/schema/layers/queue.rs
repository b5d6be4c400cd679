//! Table `[queue]`: discipline and limit of the interface queue of all nodes, or of one (`[node.queue]`).

use crate::kernel::{Part, PartKind};
use crate::net::link::{QueueConfig, QueueKind, QueueParameters};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, not_supported_with};
use crate::scenario::syntax::tree::{Node, Value};

/// Maximum of the queue limit, in packets.
const MAX_QUEUE: u32 = 1_000_000;

impl Table for QueueConfig {
    const KEY: &'static str = "queue";

    fn defaults(_: RuleSet, given: Section<'_>) -> QueueConfig {
        base(given, QueueConfig::default())
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let expected = "2 to 1000000 packets; ns-2 uses one less";
        section.rule(reader, "limit", (2..=MAX_QUEUE).contains(&self.limit), OUT_OF_RANGE, expected);
        check_parameters(reader, section, self);
    }
}

/// What a table of a queue is read over: `usual`, with the limit of the discipline that the table names.
pub(crate) fn base(given: Section<'_>, usual: QueueConfig) -> QueueConfig {
    let kind = given.given("kind").and_then(|kind| match &kind.value {
        Value::Text(name) => QueueKind::ALL.iter().find(|kind| kind.name() == name),
        _ => None,
    });
    let limit = kind.and_then(|kind| kind.usual_limit()).unwrap_or(usual.limit);
    QueueConfig { limit, ..usual }
}

/// Reports keys that the discipline does not have, and values that are no good.
pub(crate) fn check_parameters(reader: &mut Reader<'_>, section: Section<'_>, queue: &QueueConfig) {
    let Part::Engine(kind) = &queue.kind else { return };
    let accepted: Vec<&str> = ["limit", "limit_bytes"].iter().chain(kind.keys()).copied().collect();
    let (what, expected) =
        (not_supported_with(format_args!("kind = \"{}\"", kind.name())), format!("one of {}", accepted.join(", ")));
    let fields = reader.root.table("queue");
    for entry in section.table.map_or(&[][..], Node::entries) {
        let is_known = fields.get(&entry.key).is_none() || queue.has(&entry.key);
        section.rule(reader, &entry.key, is_known, &what, &expected);
    }
    let usual = if *kind == QueueKind::Lred { QueueParameters::LRED } else { QueueParameters::RED };
    for (holds, key, expected) in queue.parameters.rules(usual) {
        section.rule(reader, key, holds, OUT_OF_RANGE, expected);
    }
}
