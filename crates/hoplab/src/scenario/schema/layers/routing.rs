//! Table `[routing]`, with a table of constants for each routing protocol. The layer checks its values itself.

use crate::net::routing::{InvalidRouting, RoutingConfig};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::OUT_OF_RANGE;

impl Table for RoutingConfig {
    const KEY: &'static str = "routing";

    fn defaults(rules: RuleSet, _: Section<'_>) -> RoutingConfig {
        rules.routing
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        if let Err(InvalidRouting { table, key, expected }) = RoutingConfig::check(self) {
            let path = table.map_or(section.key.to_owned(), |table| join(section.key, table));
            let table = table.map_or(section.table, |table| section.given(table));
            Section { key: &path, table }.rule(reader, key, false, OUT_OF_RANGE, expected);
        }
    }
}
