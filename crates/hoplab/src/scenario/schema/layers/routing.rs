//! Table `[routing]`: the routing protocol and its constants. Limits are checked by the layer.

use crate::net::routing::RoutingConfig;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;

impl Table for RoutingConfig {
    const KEY: &'static str = "routing";

    fn defaults(rules: RuleSet, _: Section<'_>) -> RoutingConfig {
        rules.routing
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        if let Err(invalid) = RoutingConfig::check(self) {
            let expected = invalid.problem.strip_prefix("must be ").unwrap_or(invalid.problem);
            section.rule(reader, invalid.key, false, "is out of range", expected);
        }
    }
}
