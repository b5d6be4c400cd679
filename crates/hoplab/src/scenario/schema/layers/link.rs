//! Table `[link]`: ARP (RFC 826) and delays between network layer and MAC (ns-2.35 `LL`).

use crate::kernel::Span;
use crate::net::link::LinkConfig;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::OUT_OF_RANGE;

impl Table for LinkConfig {
    const KEY: &'static str = "link";

    fn defaults(_: RuleSet, _: Section<'_>) -> LinkConfig {
        LinkConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        section.rule(reader, "delay", self.delay <= Span::from_millis(1000), OUT_OF_RANGE, "at most 1 s");
    }
}
