//! Table `[wcp]`: the Wireless Control Protocol (Rangwala et al. 2008). Ranges of numbers are in the schema.

use super::limits::{check_bytes, check_control_time};
use crate::packet::explicit::WcpConfig;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;

impl Table for WcpConfig {
    const KEY: &'static str = "wcp";

    fn defaults(_: RuleSet, _: Section<'_>) -> WcpConfig {
        WcpConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        check_control_time(reader, section, "memory", self.memory);
        check_bytes(reader, section, "header", self.header, 20..=200);
        check_bytes(reader, section, "ack", self.ack, 20..=200);
    }
}
