//! Tables `[rcp]` and `[rcp_winf]`: the Rate Control Protocol (Dukkipati 2006) and its variant for 802.11 (Barreto 2015).
//! Ranges of numbers are in the schema.

use super::limits::{check_bytes, check_capacity, check_control_time};
use crate::packet::explicit::{RcpConfig, RcpWinfConfig};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;

impl Table for RcpConfig {
    const KEY: &'static str = "rcp";

    fn defaults(_: RuleSet, _: Section<'_>) -> RcpConfig {
        RcpConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let times = [("slot", self.slot), ("initial_rtt", self.initial_rtt), ("probe_interval", self.probe_interval)];
        for (key, time) in times {
            check_control_time(reader, section, key, time);
        }
        check_capacity(reader, section, "capacity", self.capacity);
        check_bytes(reader, section, "header", self.header, 20..=200);
        check_bytes(reader, section, "nominal_packet", self.nominal_packet, 1..=1_000_000);
    }
}

impl Table for RcpWinfConfig {
    const KEY: &'static str = "rcp_winf";

    fn defaults(_: RuleSet, _: Section<'_>) -> RcpWinfConfig {
        RcpWinfConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        check_bytes(reader, section, "mtu", self.mtu, 1..=1_000_000);
        check_bytes(reader, section, "header", self.header, 0..=200);
    }
}
