//! The application of a flow: which keys describe it, and which transports carry it.

use super::app_kind::AppKind;
use super::flow_config::FlowConfig;
use crate::app::{AppConfig, INTERVAL, PROBE_BYTES, VOICE_BYTES};
use crate::kernel::{Bytes, Rate, Span};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::scheme::Scheme;

/// The application that the checked keys of a flow describe.
pub(crate) fn app_of(config: &FlowConfig) -> AppConfig {
    match (config.app, config.rate) {
        (AppKind::Cbr, Some(rate)) if config.random == Some(true) => AppConfig::JitteredCbr { rate },
        (AppKind::Cbr, Some(rate)) => AppConfig::Cbr { rate },
        (AppKind::OnOff, rate) => AppConfig::OnOff {
            rate: rate.unwrap_or(BURST_RATE),
            on_mean: config.on_mean.unwrap_or(BURST),
            off_mean: config.off_mean.unwrap_or(BURST),
        },
        (AppKind::Voip, _) => AppConfig::Voip { talk_spurts: config.talk_spurts == Some(true) },
        (AppKind::AdhocProbe, _) => AppConfig::AdhocProbe {
            interval: config.interval.unwrap_or(INTERVAL),
            samples: config.samples.unwrap_or(PAIRS),
        },
        (AppKind::WinfProbe, _) => AppConfig::WinfProbe { interval: config.interval.unwrap_or(INTERVAL) },
        (AppKind::Ftp | AppKind::Cbr, _) => AppConfig::Ftp,
    }
}

/// Payload of a packet where a flow gives none.
pub(crate) fn usual_segment(app: AppKind) -> Bytes {
    match app {
        AppKind::Ftp | AppKind::Cbr => FlowConfig::default().segment,
        AppKind::OnOff => BURST_BYTES,
        AppKind::Voip => Bytes(VOICE_BYTES),
        AppKind::AdhocProbe | AppKind::WinfProbe => Bytes(PROBE_BYTES),
    }
}

/// Rate, mean lengths and payload of bursts: those of `Application/Traffic/Exponential` of ns-2.35.
const BURST_RATE: Rate = Rate(64e3);
const BURST: Span = Span::from_millis(500);
const BURST_BYTES: Bytes = Bytes(210);

/// Pairs per estimate of AdHoc Probe (rt-winf.md section 9).
const PAIRS: u32 = 200;

/// Keys that only some applications use.
const APP_KEYS: &[(&str, &[AppKind])] = &[
    ("rate", &[AppKind::Cbr, AppKind::OnOff]),
    ("random", &[AppKind::Cbr]),
    ("on_mean", &[AppKind::OnOff]),
    ("off_mean", &[AppKind::OnOff]),
    ("talk_spurts", &[AppKind::Voip]),
    ("interval", &[AppKind::AdhocProbe, AppKind::WinfProbe]),
    ("samples", &[AppKind::AdhocProbe]),
];

/// Reports keys that the application does not use, and a transport that does not suit it.
pub(crate) fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    for (key, apps) in APP_KEYS {
        let holds = section.given(key).is_none() || apps.contains(&config.app);
        let names: Vec<&str> = apps.iter().map(|app| app.name()).collect();
        let what = format!("means nothing for app = \"{}\"", config.app.name());
        let hint = format!("add app = \"{}\"", names[0]);
        let hint = section.given("app").is_none().then_some(hint.as_str());
        let expected = format!("{key} for {} only", names.join(" and "));
        section.rule_with_hint(reader, key, holds, &what, &expected, hint);
    }
    if config.app == AppKind::Cbr && config.rate.is_none() {
        let hint = Some("for example: rate = \"64 kb/s\"");
        section.rule_with_hint(reader, "app", false, "needs a rate", "rate beside app = \"cbr\"", hint);
    }
    let holds = config.rate.is_none_or(|rate| rate.0 > 0.0);
    section.rule(reader, "rate", holds, "sends nothing", "a rate above 0 b/s");
    for (key, mean) in [("on_mean", config.on_mean), ("off_mean", config.off_mean)] {
        let holds = mean.is_none_or(|mean| mean > Span::ZERO);
        section.rule(reader, key, holds, "is no time", "a time above 0 s");
    }
    let holds = config.interval.is_none_or(|interval| interval > Span::ZERO);
    section.rule(reader, "interval", holds, "is no time", "a time above 0 s");
    let holds = config.app != AppKind::Voip || config.segment.0 == VOICE_BYTES;
    let what = "is no packet of G.711";
    section.rule(reader, "segment", holds, what, "172 bytes: 20 ms of voice and an RTP header; leave it out");
    let is_endless = config.app == AppKind::Ftp;
    let is_udp = Scheme::named(&config.transport).is_some_and(Scheme::is_udp);
    let is_probe = matches!(config.app, AppKind::AdhocProbe | AppKind::WinfProbe);
    let what = "may keep packets back, and probes must leave when they are due";
    let hint = Some("give the flow transport = \"udp\"");
    let (key, what) = match section.given("transport") {
        Some(_) => ("transport", what),
        None => ("app", "sends packets that must leave when they are due"),
    };
    section.rule_with_hint(reader, key, !is_probe || is_udp, what, "transport = \"udp\" for probes", hint);
    let hint = Some("give the flow app = \"cbr\" and a rate, such as \"64 kb/s\"");
    let what = "has nothing that slows an endless file down";
    let expected = "udp for app = \"cbr\", \"on_off\" or \"voip\" only";
    section.rule_with_hint(reader, "transport", !(is_endless && is_udp), what, expected, hint);
}
