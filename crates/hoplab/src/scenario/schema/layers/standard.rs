//! Keys of `[radio]` and `[mac]` that depend on `radio.standard`: defaults, and rules between both tables.

use super::edca;
use crate::kernel::{Bytes, Hertz, Rate, Span, Watts};
use crate::mac::rate::RateControlKind;
use crate::mac::{AIFSN, MAX_AMPDU, MacConfig, MacProfile, Protection, QOS_BYTES};
use crate::packet::Modulation;
use crate::phy::{Band, FadingKind, Noise, Phy, RadioConfig, Readable, RxModel, Standard};
use crate::scenario::schema::profile::{Profile, RuleSet};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, not_supported_with, requires};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::{Node, Value};

/// Keys of `[radio]` that only OFDM has.
const OFDM_KEYS: [&str; 4] = ["band", "cca", "cca_time", "ed_threshold"];

/// The OFDM standards, as the value of `radio.standard`.
const OFDM: &str = "standard = \"11a\", \"11g\" or \"11n\"";
/// The same, with the key's table.
const RADIO_OFDM: &str = "radio.standard = \"11a\", \"11g\" or \"11n\"";

/// Keys of `[mac]` that only OFDM in 2.4 GHz has.
const MIXED_KEYS: [&str; 2] = ["short_slot", "protection"];

/// Keys of `[mac]` that only 802.11n has.
const HT_KEYS: [&str; 5] = ["mcs", "short_gi", "ampdu", "amsdu", "mpdu_life"];

/// Longest A-MSDU, and longest one within an A-MPDU (IEEE 802.11-2016 section 9.4.2.56.2).
const MAX_AMSDU: [u32; 2] = [7935, 3839];

/// Half of the frames of 1536 bytes survive with so many errors per bit: 1 - 2^(-1 / 12288).
const LINK_BIT_ERROR: f64 = 5.640_8e-5;

/// The standard that `[radio]` gives, if it is an OFDM one.
fn ofdm_standard(radio: Section<'_>) -> Option<Standard> {
    let Value::Text(name) = &radio.given("standard")?.value else { return None };
    [Standard::A, Standard::G, Standard::N].into_iter().find(|standard| standard.name() == name)
}

/// The band that `[radio]` gives, if the standard has it.
fn band(radio: Section<'_>, standard: Standard) -> Band {
    let given = match radio.given("band").map(|node| &node.value) {
        Some(Value::Text(name)) => standard.bands().iter().find(|band| band.name() == name),
        _ => None,
    };
    *given.unwrap_or(&standard.bands()[0])
}

/// The defaults of `[radio]`: those of the profile, with those of an OFDM standard over them.
pub(super) fn radio_defaults(radio: RadioConfig, given: Section<'_>) -> RadioConfig {
    match ofdm_standard(given) {
        Some(standard) => radio.of_standard(standard, band(given, standard)),
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
        for key in OFDM_KEYS {
            section.rule(reader, key, section.given(key).is_none(), &requires(OFDM), OFDM);
        }
        check_streams(reader, section, Standard::B);
        let holds = matches!(radio.sinr.reception, Readable::BerCurves | Readable::Threshold);
        let what = requires(RADIO_OFDM);
        sinr.rule(reader, "reception", holds, &what, "\"ber_curves\" or \"threshold\" with 802.11b");
        return;
    };
    let name = standard.name();
    let is_sinr = radio.rx_model == RxModel::Sinr;
    let key = if section.given("rx_model").is_some() { "rx_model" } else { "standard" };
    let hint = Some("set profile = \"std\" at the top of the file");
    let what = requires("rx_model = \"sinr\" and profile = \"std\"");
    section.rule_with_hint(reader, key, is_sinr, &what, "rx_model = \"sinr\"", hint);
    let holds = radio.band.is_some_and(|band| standard.bands().contains(&band));
    let bands: Vec<String> = standard.bands().iter().map(|band| format!("band = \"{}\"", band.name())).collect();
    section.rule(reader, "band", holds, &not_supported_with(format!("standard = \"{name}\"")), &bands.join(" or "));
    check_streams(reader, section, standard);
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

fn check_streams(reader: &mut Reader<'_>, section: Section<'_>, standard: Standard) {
    let holds = section.given("streams").is_none() || standard == Standard::N;
    section.rule(reader, "streams", holds, &requires("standard = \"11n\""), "standard = \"11n\"");
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
    let phy = radio.phy();
    let slowest = mac.adapts_rate().then(|| data_modes(mac, phy)[0]);
    let Some(data) = slowest.or_else(|| mac.data_mode(phy)) else { return };
    if phy.standard.is_ofdm() {
        let power = power_for(radio, data);
        radio.link_threshold.get_or_insert(power);
    }
}

/// Power at which data of this MAC are received at their rate, the fastest one of a rate control.
pub(crate) fn power_at_data_rate(radio: &RadioConfig, mac: &MacConfig) -> Watts {
    let mode = mac.data_mode(radio.phy()).filter(|_| radio.phy().standard.is_ofdm());
    mode.map_or(radio.rx_threshold, |mode| power_for(radio, mode))
}

/// Power at which half of the frames of 1536 bytes survive noise in this OFDM mode, at least `rx_threshold`.
fn power_for(radio: &RadioConfig, mode: Modulation) -> Watts {
    let ratio = radio.ofdm_errors().least_ratio(mode, LINK_BIT_ERROR);
    Watts((Noise::new(radio).power * ratio).max(radio.rx_threshold.0))
}

/// Checks and completes keys of a table `[mac]` that depend on the standard.
pub(crate) fn check_mac(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let Phy { standard, .. } = phy;
    check_ht(reader, section, mac, phy);
    check_qos(reader, section, mac, phy);
    check_rate_control(reader, section, mac, phy);
    for (key, rate) in [("data_rate", mac.data_rate), ("basic_rate", mac.basic_rate)] {
        let (what, expected, hint) = rate_problem(rate, phy);
        let holds = phy.modulation(rate).is_some() || (key == "data_rate" && phy.has_ht());
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
    section.rule(reader, "basic_rates", is_free, &requires(RADIO_OFDM), RADIO_OFDM);
    let mixed = "radio.standard = \"11g\", or \"11n\" with radio.band = \"2.4 GHz\"";
    for key in MIXED_KEYS {
        section.rule(reader, key, section.given(key).is_none() || phy.is_mixed(), &requires(mixed), mixed);
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

/// Checks `rate_control` and `rate_controller`, with which `data_rate` is the fastest rate.
fn check_rate_control(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let is_common = section.key == MacConfig::KEY || section.given("rate_controller").is_none();
    section.rule(reader, "rate_controller", is_common, &not_supported_with("[[node]]"), "rate_controller in [mac]");
    if section.given("rate_control").is_some() && section.key != MacConfig::KEY {
        mac.rate_controller = None;
    }
    if !mac.adapts_rate() {
        return;
    }
    let key = if mac.rate_controller.is_some() { "rate_controller" } else { "rate_control" };
    let is_alone = mac.rate_controller.is_none() || mac.rate_control.is_none();
    let what = not_supported_with("rate_control");
    section.rule(reader, "rate_controller", is_alone, &what, "one of both keys");
    section.rule(reader, key, phy.standard.is_ofdm(), &requires(RADIO_OFDM), RADIO_OFDM);
    let holds = mac.rate_control != Some(RateControlKind::MinstrelHt) || phy.has_ht() || !phy.standard.is_ofdm();
    let what = requires("radio.standard = \"11n\"");
    section.rule_with_hint(reader, "rate_control", holds, &what, "\"minstrel\"", Some("set radio.standard = \"11n\""));
    let modes = data_modes(mac, phy);
    let Some(fastest) = modes.last() else { return };
    let without = if mac.rate_controller.is_some() { "rate_controller" } else { "set rate_control = \"fixed\"" };
    let kind = mac.rate_control.map_or("", RateControlKind::name);
    let name = mac.rate_controller.as_deref().unwrap_or(kind);
    let what = not_supported_with(format!("{key} = \"{name}\""));
    let is_free = section.given("data_rate").is_none() || mac.data_rate == fastest.rate();
    for (key, is_free) in [("data_rate", is_free), ("mcs", section.given("mcs").is_none())] {
        let hint = format!("remove {key}, or {without}");
        let expected = format!("no {key}: the control chooses");
        section.rule_with_hint(reader, key, is_free, &what, &expected, Some(&hint));
    }
    if phy.has_ht() {
        mac.mcs = fastest.mcs();
    }
    if phy.standard.is_ofdm() {
        mac.data_rate = fastest.rate();
    }
}

/// The modulations of unicast data among which a rate control chooses, the slowest first.
fn data_modes(mac: &MacConfig, phy: Phy) -> Vec<Modulation> {
    if phy.has_ht() { phy.ht_modes(mac.short_gi == Some(true)) } else { Modulation::ofdm(phy.width).to_vec() }
}

/// Checks keys of 802.11n, where `data_rate` is the rate of `mcs`.
fn check_ht(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let ht = "radio.standard = \"11n\"";
    for key in HT_KEYS {
        section.rule(reader, key, section.given(key).is_none() || phy.has_ht(), &requires(ht), ht);
    }
    let Some(mode) = mac.data_mode(phy).filter(|_| phy.has_ht()) else { return };
    let mcs = mac.mcs.unwrap_or_default();
    let most = Modulation::MCS_OF_STREAM * phy.streams - 1;
    let hint = (mcs > most && mcs < 2 * Modulation::MCS_OF_STREAM).then_some("set radio.streams = 2");
    let expected = format!("0 to {most} with radio.streams = {}", phy.streams);
    section.rule_with_hint(reader, "mcs", mcs <= most, OUT_OF_RANGE, &expected, hint);
    let is_free = section.given("data_rate").is_none() || mac.data_rate == mode.rate();
    let hint = "remove data_rate, and set mac.mcs";
    let what = not_supported_with("radio.standard = \"11n\"");
    section.rule_with_hint(reader, "data_rate", is_free, &what, "the rate of mac.mcs", Some(hint));
    mac.data_rate = mode.rate();
    if !mac.has_qos() && section.given("ampdu").is_none() {
        mac.ampdu = Some(Bytes(0));
    }
    check_aggregation(reader, section, mac);
}

/// Checks keys of aggregation.
fn check_aggregation(reader: &mut Reader<'_>, section: Section<'_>, mac: &MacConfig) {
    let bytes = |limit: Option<Bytes>| limit.map_or(0, |limit| limit.0);
    let (ampdu, amsdu) = (bytes(mac.ampdu), bytes(mac.amsdu));
    section.rule(reader, "ampdu", ampdu <= MAX_AMPDU, OUT_OF_RANGE, "at most 65535 B; 0 B for none");
    let most = MAX_AMSDU[usize::from(ampdu > 0)];
    let within = if ampdu > 0 { " within A-MPDUs, 7935 B with mac.ampdu = \"0 B\"" } else { "" };
    section.rule(reader, "amsdu", amsdu <= most, OUT_OF_RANGE, &format!("at most {most} B{within}"));
    let is_long = mac.mpdu_life.is_none_or(|life| life > Span::ZERO);
    section.rule(reader, "mpdu_life", is_long, ZERO_TIME, "time greater than 0 s");
    for (key, bytes) in [("ampdu", ampdu), ("amsdu", amsdu)] {
        let holds = bytes == 0 || mac.has_qos();
        section.rule(reader, key, holds, &requires("qos = true"), "qos = true");
        // Neighbors know of each other's agreements from the start.
        let is_common = section.key == MacConfig::KEY || section.given(key).is_none();
        section.rule(reader, key, is_common, &not_supported_with("[[node]]"), &format!("{key} in [mac]"));
    }
    let is_fitting = ampdu + amsdu == 0 || mac.rate_control != Some(RateControlKind::Minstrel);
    let what = not_supported_with("mac.ampdu");
    section.rule_with_hint(
        reader,
        "rate_control",
        is_fitting,
        &what,
        "\"fixed\", \"arf\", \"aarf\", \"minstrel_ht\" or \"ideal\"",
        Some("set mac.ampdu = \"0 B\""),
    );
}

/// Checks keys of QoS, whose data frames are longer.
fn check_qos(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let holds = section.given("qos").is_none() || phy.standard.is_ofdm();
    section.rule(reader, "qos", holds, &requires(RADIO_OFDM), RADIO_OFDM);
    let holds = section.given("aifsn").is_none() || mac.has_qos();
    section.rule(reader, "aifsn", holds, &requires("qos = true"), "qos = true");
    let holds = mac.aifsn.is_none_or(|slots| (edca::AIFSN.0..=edca::AIFSN.1).contains(&slots));
    section.rule(reader, "aifsn", holds, OUT_OF_RANGE, "2 to 15 slots; 3 for best effort");
    let holds = section.given("txop_limit").is_none() || mac.has_qos();
    section.rule(reader, "txop_limit", holds, &requires("qos = true"), "qos = true");
    let holds = mac.txop_limit.is_none_or(|limit| limit <= edca::MAX_TXOP);
    section.rule(reader, "txop_limit", holds, OUT_OF_RANGE, "0 s to 8160 us; 0 s for one exchange");
    edca::check(reader, section, mac);
    if !phy.standard.is_ofdm() {
        return;
    }
    // The same as no key.
    mac.txop_limit = mac.txop_limit.filter(|limit| *limit > Span::ZERO);
    if mac.has_qos() {
        mac.aifsn.get_or_insert(AIFSN);
    } else {
        mac.aifsn = None;
    }
    if section.given("data_overhead").is_none() && mac.has_qos() != phy.has_ht() {
        let usual = mac.data_overhead.0;
        mac.data_overhead = Bytes(if mac.has_qos() { usual + QOS_BYTES } else { usual - QOS_BYTES });
    }
}

/// Why a rate is refused, what is expected, and how to get it.
fn rate_problem(rate: Rate, phy: Phy) -> (String, String, Option<String>) {
    let Phy { standard, width, .. } = phy;
    let listed = |modes: Vec<Modulation>| {
        let written: Vec<String> = modes.iter().map(|mode| format!("\"{}\"", mode.rate().write())).collect();
        match written.split_last() {
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        }
    };
    let name = standard.name();
    let channel = if standard.widths().len() > 1 { format!(" in {} MHz", width.mhz()) } else { String::new() };
    let what = format!("{{}} is not an 802.{name} rate{channel}");
    let has = |other: Standard| Phy::usual(other, Phy::DSSS.width).modulation(rate).is_some();
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
