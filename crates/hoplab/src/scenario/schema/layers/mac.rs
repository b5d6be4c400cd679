//! Table `[mac]`: the MAC (IEEE 802.11) of all nodes, or of one (`[node.mac]`), checked against the limits of the standard.
//! `standard.rs` checks rates.

use crate::kernel::Rate;
use crate::mac::{MAX_COVERAGE_CLASS, MacConfig, Preamble};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds, not_supported_with};
use crate::scenario::syntax::quantity::Quantity;

/// Longest contention window of IEEE 802.11-1999, in slots.
const MAX_CW: u32 = 32_767;

/// Maximum of the standard's attributes for retry limits.
const MAX_RETRIES: u32 = 255;

/// The rate that the short preamble excludes, in b/s.
const SLOWEST: Rate = Rate(1e6);

impl Table for MacConfig {
    const KEY: &'static str = "mac";

    fn defaults(rules: RuleSet, _: Section<'_>) -> MacConfig {
        rules.mac
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        for (key, limit) in [("ssrl", self.ssrl), ("slrl", self.slrl)] {
            let holds = (1..=MAX_RETRIES).contains(&limit);
            section.rule(reader, key, holds, OUT_OF_RANGE, "1 to 255 attempts");
        }
        section.rule(reader, "cw_min", self.cw_min >= 1, OUT_OF_RANGE, "at least 1 slot; 31 in 802.11b");
        section.rule(reader, "cw_max", self.cw_max <= MAX_CW, OUT_OF_RANGE, "at most 32767 slots; 1023 in 802.11b");
        section.rule(
            reader,
            "data_overhead",
            self.data_overhead.0 <= 1000,
            OUT_OF_RANGE,
            "at most 1000 bytes; 34 in 802.11",
        );
        let holds = self.coverage_class <= MAX_COVERAGE_CLASS;
        section.rule(reader, "coverage_class", holds, "is out of range", "a coverage class from 0 to 31");
        if !reader.is_clean(section.key) {
            return;
        }
        let key = section.blamed(&["cw_min", "cw_max"]);
        let what = exceeds("cw_min", self.cw_min, "cw_max", self.cw_max);
        section.rule(reader, key, self.cw_min <= self.cw_max, &what, "cw_min not above cw_max");
        let is_long = self.preamble == Preamble::Long;
        let clash = !is_long && (self.basic_rate == SLOWEST || self.data_rate == SLOWEST);
        let key = section.blamed(&["preamble", "basic_rate", "data_rate"]);
        let hint = "set mac.basic_rate = \"2 Mb/s\", or mac.preamble = \"long\"";
        let what = not_supported_with("a rate of 1 Mb/s");
        section.rule_with_hint(reader, key, !clash, &what, "a short preamble with rates of 2 Mb/s or more", Some(hint));
        if self.basic_rate.0 > self.data_rate.0 {
            let place = section.key.strip_suffix("mac").unwrap_or_default();
            reader.warnings.push({
                let (basic, data) = (self.basic_rate.write(), self.data_rate.write());
                format!("{place}mac.basic_rate: {}", exceeds("basic_rate", basic, "data_rate", data))
            });
        }
    }
}
