//! Table `[radio]`: propagation, thresholds, capture and error models of all nodes.
//!
//! Ranges (`reach`, `cs_range`) are another form of thresholds: the check replaces them by the equivalent powers.

use crate::kernel::{Metres, Span, Watts};
use crate::phy::propagation::PathLoss;
use crate::phy::{ErrorKind, RadioConfig, RxModel};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;

/// Largest factors and powers that make sense; beyond them formulas would overflow.
const MAX_FACTOR: f64 = 1e6;
const MAX_POWER: f64 = 1e6;
const POWERS: &str = "a power above 0 W, at most 1e6 W";

impl Table for RadioConfig {
    const KEY: &'static str = "radio";

    fn defaults(rules: RuleSet, _: Section<'_>) -> RadioConfig {
        rules.radio
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let lengths = [("rx_range", self.rx_range), ("cs_range", self.cs_range)];
        for (key, length) in lengths {
            section.rule(
                reader,
                key,
                length.is_none_or(|metres| metres.0 > 0.0),
                "is no distance",
                "a length above 0 m",
            );
        }
        let distance = self.reference_distance.0;
        section.rule(reader, "reference_distance", distance > 0.0, "is no distance", "a length above 0 m");
        section.rule(reader, "antenna_height", self.antenna_height.0 > 0.0, "is no height", "a length above 0 m");
        let is_radio = (1e6..=1e12).contains(&self.frequency.0);
        section.rule(reader, "frequency", is_radio, "is no radio frequency", "1 MHz to 1000 GHz");
        for (key, factor) in [("tx_gain", self.tx_gain), ("rx_gain", self.rx_gain)] {
            let holds = factor > 0.0 && factor <= MAX_FACTOR;
            section.rule(reader, key, holds, "is out of range", "a factor above 0, at most 1e6; 1 is no gain");
        }
        let holds = (1.0..=MAX_FACTOR).contains(&self.system_loss);
        section.rule(reader, "system_loss", holds, "is out of range", "a factor from 1 (no loss) to 1e6");
        let holds = (1.0..=MAX_FACTOR).contains(&self.capture_ratio);
        section.rule(
            reader,
            "capture_ratio",
            holds,
            "is out of range",
            "a ratio of powers from 1 to 1e6, such as 10 for 10 dB",
        );
        let holds = (1e3..=1e12).contains(&self.bandwidth.0);
        section.rule(reader, "bandwidth", holds, "is no width of a channel", "1 kHz to 1000 GHz");
        check_errors(reader, section, self);
        check_tx_power(reader, section, self.tx_power);
        for (key, threshold) in [("rx_threshold", self.rx_threshold), ("cs_threshold", self.cs_threshold)] {
            section.rule(reader, key, is_power(threshold), "is out of range", POWERS);
        }
        for (range, threshold) in [("rx_range", "rx_threshold"), ("cs_range", "cs_threshold")] {
            let both = section.given(range).is_some() && section.given(threshold).is_some();
            let what = format!("and radio.{threshold} say the same thing twice");
            section.rule(reader, range, !both, &what, "one of the two");
        }
        // Wrong values are at their defaults now, and contradict nothing.
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
            let what = format!(
                "lets frames be received farther ({received:.digits$} m) than they are sensed ({sensed:.digits$} m)"
            );
            let hint = format!("set radio.cs_range to \"{enough:.0} m\" or more");
            section.rule_with_hint(reader, key, false, &what, "cs_range of at least rx_range", Some(&hint));
        }
    }
}

/// Table `[radio.errors]`.
fn check_errors(reader: &mut Reader<'_>, radio: Section<'_>, config: &RadioConfig) {
    let section = Section { key: "radio.errors", table: radio.given("errors") };
    let errors = &config.errors;
    for (key, mean) in [("good_mean", errors.good_mean), ("bad_mean", errors.bad_mean)] {
        section.rule(reader, key, mean > Span::ZERO, "is no time", "a time above 0 s");
    }
    if section.table.is_none() || !reader.is_clean(section.key) {
        return;
    }
    let twice = errors.model == ErrorKind::BerCurves && config.rx_model == RxModel::Sinr;
    let what = "counts thermal noise that rx_model = \"sinr\" counts already";
    section.rule(reader, "model", !twice, what, "another model, or rx_model = \"ns2\"");
    let mut uses = ErrorKind::ALL.iter().flat_map(|kind| kind.keys().iter().map(move |key| (*key, *kind)));
    let unused = uses.find(|(key, kind)| *kind != errors.model && section.given(key).is_some());
    if let Some((key, kind)) = unused
        && section.given("model").is_none()
    {
        let hint = format!("add model = \"{}\"", kind.name());
        let what = "means nothing without a model";
        section.rule_with_hint(reader, key, false, what, "model beside it", Some(&hint));
    }
}

/// The transmit power, of the scenario or of one node.
pub(crate) fn check_tx_power(reader: &mut Reader<'_>, section: Section<'_>, power: Watts) {
    section.rule(reader, "tx_power", is_power(power), "is out of range", POWERS);
}

fn is_power(power: Watts) -> bool {
    power.0 > 0.0 && power.0 <= MAX_POWER
}
