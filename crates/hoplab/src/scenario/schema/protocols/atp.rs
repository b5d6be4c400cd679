//! Table `[atp]`: the transport ATP (Sundaresan et al. 2003). Ranges of numbers are in the schema.

use super::limits::{check_bytes, check_control_time};
use crate::packet::explicit::AtpConfig;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;

impl Table for AtpConfig {
    const KEY: &'static str = "atp";

    fn defaults(_: RuleSet, _: Section<'_>) -> AtpConfig {
        AtpConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        check_control_time(reader, section, "epoch", self.epoch);
        check_control_time(reader, section, "idle_after", self.idle_after);
        check_bytes(reader, section, "nominal_packet", self.nominal_packet, 1..=1_000_000);
        check_bytes(reader, section, "header", self.header, 20..=200);
        check_bytes(reader, section, "block_bytes", self.block_bytes, 0..=100);
    }
}
