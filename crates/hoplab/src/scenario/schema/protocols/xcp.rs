//! Tables `[xcp]` (Katabi 2002), `[xcp_b]` (Abrantes 2006) and `[xcp_winf]` (Barreto 2015). Ranges of numbers are in the
//! schema.

use super::limits::{check_bytes, check_capacity, check_control_time};
use crate::kernel::Span;
use crate::packet::explicit::{XcpBConfig, XcpConfig, XcpWinfConfig};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::OUT_OF_RANGE;

impl Table for XcpConfig {
    const KEY: &'static str = "xcp";

    fn defaults(_: RuleSet, _: Section<'_>) -> XcpConfig {
        XcpConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let times = [
            ("initial_interval", self.initial_interval),
            ("min_interval", self.min_interval),
            ("min_queue_interval", self.min_queue_interval),
            ("max_rtt", self.max_rtt),
        ];
        for (key, time) in times {
            check_control_time(reader, section, key, time);
        }
        section.rule(reader, "tick", self.tick <= Span::from_millis(1000), OUT_OF_RANGE, "at most 1 s");
        check_capacity(reader, section, "capacity", self.capacity);
        check_bytes(reader, section, "header", self.header, 0..=200);
    }
}

impl Table for XcpBConfig {
    const KEY: &'static str = "xcp_b";

    fn defaults(_: RuleSet, _: Section<'_>) -> XcpBConfig {
        XcpBConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        check_bytes(reader, section, "target", self.target, 0..=1_000_000);
    }
}

impl Table for XcpWinfConfig {
    const KEY: &'static str = "xcp_winf";

    fn defaults(_: RuleSet, _: Section<'_>) -> XcpWinfConfig {
        XcpWinfConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        if let Some(window) = self.window {
            check_control_time(reader, section, "window", window);
        }
    }
}
