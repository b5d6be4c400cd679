//! Table `[radio]`: propagation, thresholds, capture and error models of all nodes.
//!
//! Ranges (`rx_range`, `cs_range`) are another form of thresholds: the check replaces them by the equivalent powers.

use super::standard;
use crate::kernel::{Metres, Span, Watts};
use crate::phy::propagation::PathLoss;
use crate::phy::{ErrorKind, RadioConfig, RxModel};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_LENGTH, ZERO_TIME, exceeds, not_supported_with, requires};

/// Maximum factor and power; beyond them formulas would overflow.
const MAX_FACTOR: f64 = 1e6;
const MAX_POWER: f64 = 1e6;
const POWERS: &str = "power greater than 0 W, at most 1e6 W";

impl Table for RadioConfig {
    const KEY: &'static str = "radio";

    fn defaults(rules: RuleSet, given: Section<'_>) -> RadioConfig {
        standard::radio_defaults(rules.radio, given)
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let lengths = [("rx_range", self.rx_range), ("cs_range", self.cs_range)];
        for (key, length) in lengths {
            section.rule(
                reader,
                key,
                length.is_none_or(|metres| metres.0 > 0.0),
                ZERO_LENGTH,
                "length greater than 0 m",
            );
        }
        let distance = self.reference_distance.0;
        section.rule(reader, "reference_distance", distance > 0.0, ZERO_LENGTH, "length greater than 0 m");
        section.rule(reader, "antenna_height", self.antenna_height.0 > 0.0, ZERO_LENGTH, "length greater than 0 m");
        let is_radio = (1e6..=1e12).contains(&self.frequency.0);
        section.rule(reader, "frequency", is_radio, OUT_OF_RANGE, "1 MHz to 1000 GHz");
        for (key, factor) in [("tx_gain", self.tx_gain), ("rx_gain", self.rx_gain)] {
            let holds = factor > 0.0 && factor <= MAX_FACTOR;
            section.rule(reader, key, holds, OUT_OF_RANGE, "factor greater than 0, at most 1e6; 1 is no gain");
        }
        let holds = (1.0..=MAX_FACTOR).contains(&self.system_loss);
        section.rule(reader, "system_loss", holds, OUT_OF_RANGE, "factor from 1 (no loss) to 1e6");
        let holds = (1.0..=MAX_FACTOR).contains(&self.capture_ratio);
        section.rule(reader, "capture_ratio", holds, OUT_OF_RANGE, "power ratio from 1 to 1e6, such as 10 for 10 dB");
        let holds = (1e3..=1e12).contains(&self.bandwidth.0);
        section.rule(reader, "bandwidth", holds, OUT_OF_RANGE, "1 kHz to 1000 GHz");
        standard::check_radio(reader, section, self);
        check_errors(reader, section, self);
        check_tx_power(reader, section, self.tx_power);
        for (key, threshold) in [("rx_threshold", self.rx_threshold), ("cs_threshold", self.cs_threshold)] {
            section.rule(reader, key, is_power(threshold), OUT_OF_RANGE, POWERS);
        }
        let is_fitting = self.link_threshold.is_none_or(is_power);
        section.rule(reader, "link_threshold", is_fitting, OUT_OF_RANGE, POWERS);
        for (range, threshold) in [("rx_range", "rx_threshold"), ("cs_range", "cs_threshold")] {
            let both = section.given(range).is_some() && section.given(threshold).is_some();
            let what = not_supported_with(threshold);
            section.rule(reader, range, !both, &what, &format!("{range} or {threshold}"));
        }
        // Refused values are at their defaults now, and cause no contradiction.
        if !reader.is_clean(section.key) {
            return;
        }
        let loss = PathLoss::new(self);
        if let Some(range) = self.rx_range.take() {
            self.rx_threshold = loss.threshold(self.tx_power, range);
        }
        if let Some(range) = self.cs_range.take() {
            self.cs_threshold = loss.threshold(self.tx_power, range);
        }
        if self.cs_threshold.0 > self.rx_threshold.0 {
            let received = loss.range(self.tx_power, self.rx_threshold).0;
            let sensed = loss.range(self.tx_power, self.cs_threshold).0;
            let key = section.blamed(&["cs_range", "cs_threshold", "rx_range", "rx_threshold"]);
            let is_heard = |metres: f64| loss.threshold(self.tx_power, Metres(metres)).0 <= self.rx_threshold.0;
            let whole = libm::round(received).max(1.0);
            let enough = if is_heard(whole) { whole } else { whole + 1.0 };
            let digits = if libm::round(received) > libm::round(sensed) { 0 } else { 4 };
            let what = exceeds(
                "reception range",
                format_args!("{received:.digits$} m"),
                "carrier-sense range",
                format_args!("{sensed:.digits$} m"),
            );
            let hint = format!("set radio.cs_range to \"{enough:.0} m\" or more");
            section.rule_with_hint(reader, key, false, &what, "cs_range not below rx_range", Some(&hint));
        }
    }
}

/// Table `[radio.errors]`.
fn check_errors(reader: &mut Reader<'_>, radio: Section<'_>, config: &RadioConfig) {
    let section = Section { key: "radio.errors", table: radio.given("errors") };
    let errors = &config.errors;
    for (key, mean) in [("good_mean", errors.good_mean), ("bad_mean", errors.bad_mean)] {
        section.rule(reader, key, mean > Span::ZERO, ZERO_TIME, "time greater than 0 s");
    }
    if section.table.is_none() || !reader.is_clean(section.key) {
        return;
    }
    let twice = errors.model == ErrorKind::BerCurves && config.rx_model == RxModel::Sinr;
    let what = not_supported_with("rx_model = \"sinr\", which has thermal noise too");
    section.rule(reader, "model", !twice, &what, "another model, or rx_model = \"ns2\"");
    let mut uses = ErrorKind::ALL.iter().flat_map(|kind| kind.keys().iter().map(move |key| (*key, *kind)));
    let unused = uses.find(|(key, kind)| *kind != errors.model && section.given(key).is_some());
    if let Some((key, kind)) = unused
        && section.given("model").is_none()
    {
        let hint = format!("add model = \"{}\"", kind.name());
        let what = requires("model");
        section.rule_with_hint(reader, key, false, &what, &format!("model = \"{}\"", kind.name()), Some(&hint));
    }
}

/// The transmit power, of the scenario or of one node.
pub(crate) fn check_tx_power(reader: &mut Reader<'_>, section: Section<'_>, power: Watts) {
    section.rule(reader, "tx_power", is_power(power), OUT_OF_RANGE, POWERS);
}

fn is_power(power: Watts) -> bool {
    power.0 > 0.0 && power.0 <= MAX_POWER
}
