//! Keys of `[radio]` and `[mac]` that depend on `radio.standard`: defaults, and rules between both tables.

use super::edca;
use super::standard_names::{radio_standards, standards};
use crate::kernel::{Bytes, Hertz, Rate, Span, Watts};
use crate::mac::rate::RateControlKind;
use crate::mac::{AIFSN, MacConfig, MacProfile, Protection, QOS_BYTES};
use crate::packet::{Modulation, Width};
use crate::phy::{AggregationLimits, Band, FadingKind, Noise, Phy, RadioConfig, Readable, RxModel, Standard};
use crate::scenario::schema::profile::{Profile, RuleSet};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, not_supported_with, quoted, requires};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::{Node, Value};

/// Keys of `[radio]` that only OFDM has.
const OFDM_KEYS: [&str; 4] = ["band", "cca", "cca_time", "ed_threshold"];

/// Keys of `[mac]` that only OFDM in 2.4 GHz has.
const MIXED_KEYS: [&str; 2] = ["short_slot", "protection"];

/// Keys of `[mac]` of standards with MCSs.
const MCS_KEYS: [&str; 2] = ["mcs", "short_gi"];

/// Keys of `[mac]` of standards with aggregation.
const AGGREGATION_KEYS: [&str; 3] = ["ampdu", "amsdu", "mpdu_life"];

/// Half of the frames of 1536 bytes survive with so many errors per bit: 1 - 2^(-1 / 12288).
const LINK_BIT_ERROR: f64 = 5.640_8e-5;

/// The standard that `[radio]` gives, if it is an OFDM one.
fn ofdm_standard(radio: Section<'_>) -> Option<&'static Standard> {
    let Value::Text(name) = &radio.given("standard")?.value else { return None };
    Standard::named(name).filter(|standard| standard.is_ofdm())
}

/// The band that `[radio]` gives, if the standard has it.
fn band(radio: Section<'_>, standard: &Standard) -> Band {
    let given = match radio.given("band").map(|node| &node.value) {
        Some(Value::Text(name)) => standard.bands.iter().find(|band| band.name() == name),
        _ => None,
    };
    *given.unwrap_or(&standard.bands[0])
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
        let ofdm = standards(Standard::is_ofdm);
        for key in OFDM_KEYS {
            section.rule(reader, key, section.given(key).is_none(), &requires(&ofdm), &ofdm);
        }
        check_streams(reader, section, Standard::USUAL, radio);
        let holds = matches!(radio.sinr.reception, Readable::BerCurves | Readable::Threshold);
        let what = requires(radio_standards(Standard::is_ofdm));
        sinr.rule(reader, "reception", holds, &what, "\"ber_curves\" or \"threshold\" with 802.11b");
        return;
    };
    let name = standard.name;
    let is_sinr = radio.rx_model == RxModel::Sinr;
    let key = if section.given("rx_model").is_some() { "rx_model" } else { "standard" };
    let hint = Some("set profile = \"std\" at the top of the file");
    let what = requires("rx_model = \"sinr\" and profile = \"std\"");
    section.rule_with_hint(reader, key, is_sinr, &what, "rx_model = \"sinr\"", hint);
    let holds = radio.band.is_some_and(|band| standard.bands.contains(&band));
    let bands: Vec<String> = standard.bands.iter().map(|band| format!("band = \"{}\"", band.name())).collect();
    section.rule(reader, "band", holds, &not_supported_with(format!("standard = \"{name}\"")), &bands.join(" or "));
    check_streams(reader, section, standard, radio);
    let width = standard.widths.iter().find(|width| Hertz(width.mhz() * 1e6) == radio.bandwidth);
    let widths: Vec<String> = standard.widths.iter().map(|width| format!("\"{} MHz\"", width.mhz())).collect();
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

fn check_streams(reader: &mut Reader<'_>, section: Section<'_>, standard: &Standard, radio: &RadioConfig) {
    let holds = section.given("streams").is_none() || standard.mcs.is_some();
    let with_mcs = standards(|standard| standard.mcs.is_some());
    section.rule(reader, "streams", holds, &requires(&with_mcs), &with_mcs);
    let most = standard.mcs.map_or(1, |rule| rule.streams);
    let holds = standard.mcs.is_none() || radio.streams.is_none_or(|streams| streams <= most);
    section.rule(reader, "streams", holds, OUT_OF_RANGE, &format!("1 to {most}"));
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
    let slowest = data_modes(mac, phy).first().copied().filter(|_| mac.adapts_rate());
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
    check_mcs(reader, section, mac, phy);
    check_qos(reader, section, mac, phy);
    check_rate_control(reader, section, mac, phy);
    for (key, rate) in [("data_rate", mac.data_rate), ("basic_rate", mac.basic_rate)] {
        let (what, expected, hint) = rate_problem(rate, phy);
        let holds = phy.modulation(rate).is_some() || (key == "data_rate" && standard.mcs.is_some());
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
    let ofdm = radio_standards(Standard::is_ofdm);
    section.rule(reader, "basic_rates", is_free, &requires(&ofdm), &ofdm);
    let mixed = mixed_standards();
    for key in MIXED_KEYS {
        section.rule(reader, key, section.given(key).is_none() || phy.is_mixed(), &requires(&mixed), &mixed);
    }
    let is_std = mac.profile == MacProfile::Std || !standard.is_ofdm();
    let what = not_supported_with(format!("radio.standard = \"{}\"", standard.name));
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
    let ofdm = radio_standards(Standard::is_ofdm);
    section.rule(reader, key, phy.standard.is_ofdm(), &requires(&ofdm), &ofdm);
    let is_grouping = mac.rate_control == Some(RateControlKind::MinstrelHt);
    let holds = !is_grouping || phy.standard.mcs.is_some() || !phy.standard.is_ofdm();
    let with_mcs = radio_standards(|standard| standard.mcs.is_some());
    let hint = format!("set {with_mcs}");
    section.rule_with_hint(reader, "rate_control", holds, &requires(&with_mcs), "\"minstrel\"", Some(&hint));
    let modes = data_modes(mac, phy);
    let Some(fastest) = modes.last() else { return };
    let without = if mac.rate_controller.is_some() { "rate_controller" } else { "set rate_control = \"fixed\"" };
    let kind = mac.rate_control.map_or("", RateControlKind::name);
    let name = mac.rate_controller.as_deref().unwrap_or(kind);
    let what = not_supported_with(format!("{key} = \"{name}\""));
    // Scenarios as they are written out have what the control begins with.
    let has_rate = section.given("data_rate").is_none() || mac.data_rate == fastest.rate();
    let has_mcs = section.given("mcs").is_none() || mac.mcs == fastest.mcs();
    for (key, is_free) in [("data_rate", has_rate), ("mcs", has_mcs)] {
        let hint = format!("remove {key}, or {without}");
        let expected = format!("no {key}: the control chooses");
        section.rule_with_hint(reader, key, is_free, &what, &expected, Some(&hint));
    }
    if phy.standard.mcs.is_some() {
        mac.mcs = fastest.mcs();
    }
    if phy.standard.is_ofdm() {
        mac.data_rate = fastest.rate();
    }
}

/// The modulations of unicast data among which a rate control chooses, the slowest first.
fn data_modes(mac: &MacConfig, phy: Phy) -> Vec<Modulation> {
    phy.data_modes(mac.guard_ns())
}

/// Checks keys of standards with MCSs, where `data_rate` is the rate of `mcs`, and of those with aggregation.
fn check_mcs(reader: &mut Reader<'_>, section: Section<'_>, mac: &mut MacConfig, phy: Phy) {
    let Standard { name, mcs, aggregation, .. } = phy.standard;
    let with_mcs = radio_standards(|standard| standard.mcs.is_some());
    for key in MCS_KEYS {
        section.rule(reader, key, section.given(key).is_none() || mcs.is_some(), &requires(&with_mcs), &with_mcs);
    }
    let aggregating = radio_standards(|standard| standard.aggregation.is_some());
    for key in AGGREGATION_KEYS {
        let holds = section.given(key).is_none() || aggregation.is_some();
        section.rule(reader, key, holds, &requires(&aggregating), &aggregating);
    }
    if mcs.is_some() {
        let holds = phy.guards().contains(&mac.guard_ns());
        let what = not_supported_with(format!("radio.standard = \"{name}\""));
        section.rule(reader, "short_gi", holds, &what, "short_gi = false");
        check_mcs_number(reader, section, mac, phy);
        if let Some(mode) = mac.data_mode(phy) {
            let is_free = section.given("data_rate").is_none() || mac.data_rate == mode.rate();
            let hint = "remove data_rate, and set mac.mcs";
            let what = not_supported_with(format!("radio.standard = \"{name}\""));
            section.rule_with_hint(reader, "data_rate", is_free, &what, "the rate of mac.mcs", Some(hint));
            mac.data_rate = mode.rate();
        }
    }
    if let Some(limits) = aggregation {
        if !mac.has_qos() && section.given("ampdu").is_none() {
            mac.ampdu = Some(Bytes(0));
        }
        check_aggregation(reader, section, mac, limits);
    }
}

/// Checks that `mac.mcs` is a mode of the streams that the radio has.
fn check_mcs_number(reader: &mut Reader<'_>, section: Section<'_>, mac: &MacConfig, phy: Phy) {
    let of_streams = |streams: u32| Phy { streams, ..phy }.modes_with_mcs(mac.guard_ns());
    let numbers = |streams: u32| of_streams(streams).into_iter().filter_map(Modulation::mcs).collect::<Vec<_>>();
    let (mcs, own) = (mac.mcs.unwrap_or_default(), numbers(phy.streams));
    let most = own.iter().max().copied().unwrap_or_default();
    let mut further = phy.streams + 1..=phy.standard.mcs.map_or(1, |rule| rule.streams);
    let hint = further.find(|streams| numbers(*streams).contains(&mcs));
    let hint = hint.map(|streams| format!("set radio.streams = {streams}"));
    let expected = format!("0 to {most} with radio.streams = {}", phy.streams);
    section.rule_with_hint(reader, "mcs", own.contains(&mcs), OUT_OF_RANGE, &expected, hint.as_deref());
}

/// Checks keys of aggregation.
fn check_aggregation(reader: &mut Reader<'_>, section: Section<'_>, mac: &MacConfig, limits: &AggregationLimits) {
    let bytes = |limit: Option<Bytes>| limit.map_or(0, |limit| limit.0);
    let (ampdu, amsdu) = (bytes(mac.ampdu), bytes(mac.amsdu));
    let expected = format!("at most {} B; 0 B for none", limits.ampdu);
    section.rule(reader, "ampdu", ampdu <= limits.ampdu, OUT_OF_RANGE, &expected);
    let (most, within) = if ampdu > 0 {
        (limits.amsdu_in_ampdu, format!(" within A-MPDUs, {} B with mac.ampdu = \"0 B\"", limits.amsdu))
    } else {
        (limits.amsdu, String::new())
    };
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
    let holds = section.given("qos").is_none() || phy.standard.qos.is_some();
    let with_qos = radio_standards(|standard| standard.qos.is_some());
    section.rule(reader, "qos", holds, &requires(&with_qos), &with_qos);
    let holds = section.given("aifsn").is_none() || mac.has_qos();
    section.rule(reader, "aifsn", holds, &requires("qos = true"), "qos = true");
    let holds = mac.aifsn.is_none_or(|slots| (edca::AIFSN.0..=edca::AIFSN.1).contains(&slots));
    section.rule(reader, "aifsn", holds, OUT_OF_RANGE, "2 to 15 slots; 3 for best effort");
    let holds = section.given("txop_limit").is_none() || mac.has_qos();
    section.rule(reader, "txop_limit", holds, &requires("qos = true"), "qos = true");
    let holds = mac.txop_limit.is_none_or(|limit| limit <= edca::MAX_TXOP);
    section.rule(reader, "txop_limit", holds, OUT_OF_RANGE, "0 s to 8160 us; 0 s for one exchange");
    edca::check(reader, section, mac);
    let Some(is_usual) = phy.standard.qos else { return };
    // The same as no key.
    mac.txop_limit = mac.txop_limit.filter(|limit| *limit > Span::ZERO);
    if mac.has_qos() {
        mac.aifsn.get_or_insert(AIFSN);
    } else {
        mac.aifsn = None;
    }
    if section.given("data_overhead").is_none() && mac.has_qos() != is_usual {
        let usual = mac.data_overhead.0;
        mac.data_overhead = Bytes(if mac.has_qos() { usual + QOS_BYTES } else { usual.saturating_sub(QOS_BYTES) });
    }
}

/// The standards in which stations of 802.11b may take part, with the band where it is not the usual one.
fn mixed_standards() -> String {
    let ofdm = || Standard::ALL.iter().filter(|standard| standard.is_ofdm());
    let usual = quoted(ofdm().filter(|standard| standard.bands[0] == Band::Ghz2).map(|standard| standard.name));
    let others =
        quoted(ofdm().filter(|standard| standard.bands[1..].contains(&Band::Ghz2)).map(|standard| standard.name));
    format!("radio.standard = {usual}, or {others} with radio.band = \"{}\"", Band::Ghz2.name())
}

/// Why a rate is refused, what is expected, and how to get it.
fn rate_problem(rate: Rate, phy: Phy) -> (String, String, Option<String>) {
    let Phy { standard, width, .. } = phy;
    let name = standard.name;
    let channel = if standard.widths.len() > 1 { format!(" in {} MHz", width.mhz()) } else { String::new() };
    let what = format!("{{}} is not an 802.{name} rate{channel}");
    let has = |other: &'static Standard| Phy::of(other, Width::MHZ20).modulation(rate).is_some();
    // Standards whose data have a `data_rate`, and this one is a rate of theirs.
    let others: Vec<&Standard> =
        Standard::ALL.iter().copied().filter(|other| other.mcs.is_none() && has(other)).collect();
    let names = quoted(others.iter().filter(|other| other.is_ofdm()).map(|other| other.name));
    let hint = if has(standard) {
        Some("set radio.bandwidth = \"20 MHz\"".to_owned())
    } else if others.is_empty() || standard.mcs.is_some() {
        None
    } else if standard.is_ofdm() {
        Some(format!("set radio.standard = {names}"))
    } else {
        Some(format!("set radio.standard = {names}, with profile = \"std\""))
    };
    (what, quoted(phy.modulations().iter().map(|mode| mode.rate().write())), hint)
}

#[cfg(test)]
mod tests {
    use crate::scenario::Resolved;

    #[test]
    fn messages_name_the_standards_that_allow_a_value() {
        let a = "standard = \"11a\"";
        let n = "standard = \"11n\"";
        let narrow = "standard = \"11a\"\nbandwidth = \"10 MHz\"";
        for (radio, mac, part) in [
            (a, "mcs = 3", "requires radio.standard = \"11n\""),
            (a, "ampdu = \"0 B\"", "requires radio.standard = \"11n\""),
            ("streams = 1", "", "requires standard = \"11n\""),
            ("", "qos = true", "requires radio.standard = \"11a\", \"11g\" or \"11n\""),
            (a, "short_slot = false", "requires radio.standard = \"11g\", or \"11n\" with radio.band = \"2.4 GHz\""),
            (n, "mcs = 9", "set radio.streams = 2"),
            (n, "mcs = 16", "0 to 7 with radio.streams = 1"),
            (n, "amsdu = \"4000 B\"", "at most 3839 B within A-MPDUs, 7935 B with mac.ampdu = \"0 B\""),
            (a, "rate_control = \"minstrel_ht\"", "set radio.standard = \"11n\""),
            (a, "data_rate = \"11 Mb/s\"", "set radio.standard = \"11g\""),
            (narrow, "data_rate = \"54 Mb/s\"", "set radio.bandwidth = \"20 MHz\""),
            ("", "data_rate = \"54 Mb/s\"", "set radio.standard = \"11a\" or \"11g\", with profile = \"std\""),
            ("standard = \"802.11g\"", "", "use \"11g\", in radio.standard"),
            ("standard = \"11a\"\nbandwidth = \"40 MHz\"", "", "\"20 MHz\", \"10 MHz\", \"5 MHz\""),
        ] {
            let chain = "profile = \"std\"\n[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\n";
            let text = format!("{chain}[radio]\n{radio}\n[mac]\n{mac}\n");
            let message = Resolved::parse(&text, "x.toml", &[]).map(|_| ()).expect_err(&text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn node_without_qos_has_no_less_than_an_empty_header() {
        let chain =
            "profile = \"std\"\n[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\n[radio]\nstandard = \"11n\"\n";
        let text =
            format!("{chain}[mac]\nampdu = \"0 B\"\ndata_overhead = \"0 B\"\n[[node]]\nid = 1\nmac.qos = false\n");
        let scenario = Resolved::parse(&text, "x.toml", &[]).expect(&text);
        assert_eq!(scenario.mac_of(crate::kernel::NodeId(1)).data_overhead.0, 0);
    }
}
