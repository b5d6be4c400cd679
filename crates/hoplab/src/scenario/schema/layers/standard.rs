//! Keys of `[radio]` and `[mac]` that depend on `radio.standard`: defaults, and rules between both tables.

use crate::kernel::{Hertz, Rate, Span, Watts};
use crate::mac::rate::RateControlKind;
use crate::mac::{MacConfig, MacProfile, Protection};
use crate::packet::Modulation;
use crate::phy::{FadingKind, Noise, Phy, RadioConfig, Readable, RxModel, Standard};
use crate::scenario::schema::profile::{Profile, RuleSet};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, not_supported_with, requires};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::{Node, Value};

/// Keys of `[radio]` that only OFDM has.
const OFDM_KEYS: [&str; 4] = ["band", "cca", "cca_time", "ed_threshold"];

/// Keys of `[mac]` that only 802.11g has.
const MIXED_KEYS: [&str; 2] = ["short_slot", "protection"];

/// Half of the frames of 1536 bytes survive with so many errors per bit: 1 - 2^(-1 / 12288).
const LINK_BIT_ERROR: f64 = 5.640_8e-5;

/// The standard that `[radio]` gives, if it is an OFDM one.
fn ofdm_standard(radio: Section<'_>) -> Option<Standard> {
    let Value::Text(name) = &radio.given("standard")?.value else { return None };
    [Standard::A, Standard::G].into_iter().find(|standard| standard.name() == name)
}

/// The defaults of `[radio]`: those of the profile, with those of an OFDM standard over them.
pub(super) fn radio_defaults(radio: RadioConfig, given: Section<'_>) -> RadioConfig {
    match ofdm_standard(given) {
        Some(standard) => radio.of_standard(standard),
        None => radio,
    }
}

/// Completes and checks keys of `[radio]` that depend on the standard.
pub(super) fn check_radio(reader: &mut Reader<'_>, section: Section<'_>, radio: &mut RadioConfig) {
    check_fading(reader, section, radio);
    let sinr = Section { key: "radio.sinr", table: section.given("sinr") };
    let Some(standard) = radio.standard.filter(|standard| standard.is_ofdm()) else {
        // The same as no key: runs of 802.11b have one name.
        radio.standard = None;
        let requires = requires("standard = \"11a\" or \"11g\"");
        for key in OFDM_KEYS {
            section.rule(reader, key, section.given(key).is_none(), &requires, "standard = \"11a\" or \"11g\"");
        }
        let holds = matches!(radio.sinr.reception, Readable::BerCurves | Readable::Threshold);
        let what = "{} requires radio.standard = \"11a\" or \"11g\"";
        sinr.rule(reader, "reception", holds, what, "\"ber_curves\" or \"threshold\" with 802.11b");
        return;
    };
    let name = standard.name();
    let is_sinr = radio.rx_model == RxModel::Sinr;
    let key = if section.given("rx_model").is_some() { "rx_model" } else { "standard" };
    let hint = Some("set profile = \"std\" at the top of the file");
    let what = requires("rx_model = \"sinr\" and profile = \"std\"");
    section.rule_with_hint(reader, key, is_sinr, &what, "rx_model = \"sinr\"", hint);
    let holds = radio.band == Some(standard.band());
    section.rule(reader, "band", holds, &not_supported_with(format!("standard = \"{name}\"")), band_of(standard));
    let width = standard.widths().iter().find(|width| Hertz(width.mhz() * 1e6) == radio.bandwidth);
    let widths: Vec<String> = standard.widths().iter().map(|width| format!("\"{} MHz\"", width.mhz())).collect();
    let what = format!("{{}} is not a channel width of 802.{name}");
    section.rule(reader, "bandwidth", width.is_some(), &what, &widths.join(", "));
    let holds = matches!(radio.sinr.reception, Readable::Nist | Readable::Yans);
    let what = not_supported_with(format!("standard = \"{name}\""));
    sinr.rule(reader, "reception", holds, &what, "\"nist\" or \"yans\" with OFDM");
    sinr.rule(reader, "frame_capture", !radio.sinr.frame_capture, &what, "frame_capture = false with OFDM");
    let is_given = radio.sinr.abort_on_header_error;
    sinr.rule(reader, "abort_on_header_error", !is_given, &what, "no such key: OFDM receivers always do");
    let phy = radio.phy();
    for (key, range, threshold) in
        [("cs_threshold", "cs_range", &mut radio.cs_threshold), ("rx_threshold", "rx_range", &mut radio.rx_threshold)]
    {
        if section.given(key).is_none() && section.given(range).is_none() {
            // Half the width has half the noise.
            *threshold = Watts(threshold.0 / phy.width.scale() as f64);
        }
    }
    let cca_time = *radio.cca_time.get_or_insert_with(|| phy.cca_time());
    let holds = cca_time > Span::ZERO && cca_time <= phy.training();
    let longest = format!("time greater than 0 s, at most {} (the preamble)", phy.training().write());
    section.rule(reader, "cca_time", holds, OUT_OF_RANGE, &longest);
}

fn check_fading(reader: &mut Reader<'_>, section: Section<'_>, radio: &RadioConfig) {
    let kind = radio.fading.unwrap_or(FadingKind::None);
    for (key, needed, name) in
        [("fading_m", FadingKind::Nakagami, "nakagami"), ("fading_k", FadingKind::Rician, "rician")]
    {
        let other = format!("fading = \"{name}\"");
        section.rule(reader, key, section.given(key).is_none() || kind == needed, &requires(&other), &other);
    }
    let holds = radio.fading_coherence.is_none_or(|span| span > Span::ZERO);
    section.rule(reader, "fading_coherence", holds, ZERO_TIME, "time greater than 0 s");
    let holds = radio.fading_coherence.is_none() || kind != FadingKind::None;
    section.rule(
        reader,
        "fading_coherence",
        holds,
        &requires("fading"),
        "fading = \"rayleigh\", \"nakagami\" or \"rician\"",
    );
}

fn band_of(standard: Standard) -> &'static str {
    if standard == Standard::A { "band = \"5 GHz\"" } else { "band = \"2.4 GHz\"" }
}

/// Reads and checks `[mac]` on this physical layer.
pub(crate) fn read_mac(reader: &mut Reader<'_>, tree: &Node, profile: Profile, phy: Phy) -> MacConfig {
    let section = Section { key: MacConfig::KEY, table: tree.get(MacConfig::KEY) };
    let defaults = MacConfig::defaults(RuleSet::of_table(section, profile), section).of_phy(phy);
    let mut mac = reader.overlay(section.table, MacConfig::KEY, reader.root.table(MacConfig::KEY), defaults);
    mac.check(reader, section);
    check_mac(reader, section, &mut mac, phy);
    mac
}

/// Completes keys of `[radio]` that depend on `[mac]`.
pub(crate) fn complete_radio(radio: &mut RadioConfig, mac: &MacConfig) {
    let slowest = mac.adapts_rate().then(|| Modulation::ofdm(radio.phy().width)[0]);
    let Some(data) = slowest.or_else(|| radio.phy().modulation(mac.data_rate)) else { return };
    if radio.phy().standard.is_ofdm() {
        let ratio = radio.ofdm_errors().least_ratio(data, LINK_BIT_ERROR);
        let power = Watts((Noise::new(radio).power * ratio).max(radio.rx_threshold.0));
        radio.link_threshold.get_or_insert(power);
    }
}

/// Checks and completes keys of a table `[mac]` that depend on the standard.
pub(crate) fn check_mac(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let Phy { standard, .. } = phy;
    check_rate_control(reader, section, mac, phy);
    for (key, rate) in [("data_rate", mac.data_rate), ("basic_rate", mac.basic_rate)] {
        let (what, expected, hint) = rate_problem(rate, phy);
        let holds = phy.modulation(rate).is_some();
        section.rule_with_hint(reader, key, holds, &what, &expected, hint.as_deref());
    }
    for rate in mac.basic_rates.iter().flatten() {
        let (what, expected, _) = rate_problem(*rate, phy);
        let holds = phy.modulation(*rate).is_some() || !standard.is_ofdm();
        section.rule(reader, "basic_rates", holds, &what.replace("{}", &rate.write()), &expected);
    }
    let has_some = mac.basic_rates.as_ref().is_none_or(|rates| !rates.is_empty());
    section.rule(reader, "basic_rates", has_some, "empty array", "at least one rate");
    let is_free = section.given("basic_rates").is_none() || standard.is_ofdm();
    let ofdm = "radio.standard = \"11a\" or \"11g\"";
    section.rule(reader, "basic_rates", is_free, &requires(ofdm), ofdm);
    for key in MIXED_KEYS {
        let holds = section.given(key).is_none() || standard == Standard::G;
        section.rule(reader, key, holds, &requires("radio.standard = \"11g\""), "radio.standard = \"11g\"");
    }
    let is_std = mac.profile == MacProfile::Std || !standard.is_ofdm();
    let what = not_supported_with(format!("radio.standard = \"{}\"", standard.name()));
    section.rule_with_hint(
        reader,
        "profile",
        is_std,
        &what,
        "profile = \"std\"",
        Some("set profile = \"std\" at the top of the file"),
    );
    let is_protected = mac.protection.is_some_and(|protection| protection != Protection::None);
    let is_slow = phy.modulation(mac.basic_rate).is_none_or(|mode| !mode.is_ofdm());
    let what = "{} requires a basic_rate of 802.11b";
    section.rule(
        reader,
        "protection",
        !is_protected || is_slow,
        what,
        "mac.basic_rate = \"1 Mb/s\", \"2 Mb/s\", \"5.5 Mb/s\" or \"11 Mb/s\"",
    );
}

/// Checks `rate_control`, with which `data_rate` is the fastest rate.
fn check_rate_control(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    if !mac.adapts_rate() {
        return;
    }
    let ofdm = "radio.standard = \"11a\" or \"11g\"";
    section.rule(reader, "rate_control", phy.standard.is_ofdm(), &requires(ofdm), ofdm);
    let [.., fastest] = Modulation::ofdm(phy.width);
    let is_free = section.given("data_rate").is_none() || mac.data_rate == fastest.rate();
    let name = mac.rate_control.map_or("", RateControlKind::name);
    let what = not_supported_with(format!("rate_control = \"{name}\""));
    let hint = "remove data_rate, or set rate_control = \"fixed\"";
    section.rule_with_hint(reader, "data_rate", is_free, &what, "no data_rate: the control chooses", Some(hint));
    if phy.standard.is_ofdm() {
        mac.data_rate = fastest.rate();
    }
}

/// Why a rate is refused, what is expected, and how to get it.
fn rate_problem(rate: Rate, phy: Phy) -> (String, String, Option<String>) {
    let Phy { standard, width } = phy;
    let listed = |modes: Vec<Modulation>| {
        let written: Vec<String> = modes.iter().map(|mode| format!("\"{}\"", mode.rate().write())).collect();
        match written.split_last() {
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        }
    };
    let name = standard.name();
    let channel = if standard == Standard::A { format!(" in {} MHz", width.mhz()) } else { String::new() };
    let what = format!("{{}} is not an 802.{name} rate{channel}");
    let has = |other: Standard| Phy { standard: other, width: Phy::DSSS.width }.modulation(rate).is_some();
    let hint = if standard == Standard::B && has(Standard::G) {
        Some("set radio.standard = \"11a\" or \"11g\", with profile = \"std\"".to_owned())
    } else if standard == Standard::A && has(Standard::A) {
        Some("set radio.bandwidth = \"20 MHz\"".to_owned())
    } else if standard == Standard::A && has(Standard::B) {
        Some("set radio.standard = \"11g\"".to_owned())
    } else {
        None
    };
    (what, listed(phy.modulations()), hint)
}
