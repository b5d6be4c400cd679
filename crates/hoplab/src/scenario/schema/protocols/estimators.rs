//! Tables `[winf]` (Barreto 2015) and `[idle_gap]` (Lee 2007): bandwidth estimators at the MAC.

use super::limits::check_capacity;
use crate::kernel::Span;
use crate::mac::observer::{IdleGapConfig, WinfConfig};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::OUT_OF_RANGE;

impl Table for WinfConfig {
    const KEY: &'static str = "winf";

    fn defaults(_: RuleSet, _: Section<'_>) -> WinfConfig {
        WinfConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let holds = (Span::from_millis(20)..=Span::from_millis(2500)).contains(&self.window);
        section.rule(reader, "window", holds, OUT_OF_RANGE, "time from 20 ms to 2.5 s");
        section.rule(reader, "ack_extra", self.ack_extra.0 <= 100, OUT_OF_RANGE, "at most 100 bytes");
        let is_packet = (1..=2304).contains(&self.probe_bytes.0);
        section.rule(reader, "probe_bytes", is_packet, OUT_OF_RANGE, "1 to 2304 bytes");
        section.rule(reader, "min_sample", self.min_sample.0 <= 2304, OUT_OF_RANGE, "at most 2304 bytes");
    }
}

impl Table for IdleGapConfig {
    const KEY: &'static str = "idle_gap";

    fn defaults(_: RuleSet, _: Section<'_>) -> IdleGapConfig {
        IdleGapConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        check_capacity(reader, section, "rate", self.rate);
    }
}
