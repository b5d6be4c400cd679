//! The application of a flow: the keys that describe it, and the transports that carry it. Applications are in `app/`.

use super::flow_config::FlowConfig;
use crate::app::{AppConfig, AppKeys, AppKind, Carrier};
use crate::kernel::Span;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::{ZERO_RATE, ZERO_TIME, not_supported_with};
use crate::scenario::transports::Transport;

impl FlowConfig {
    /// The application that the checked keys describe.
    pub(crate) fn application(&self) -> AppConfig {
        self.app.with_keys(&self.app_keys())
    }

    fn app_keys(&self) -> AppKeys {
        let &FlowConfig { rate, random, on_mean, off_mean, talk_spurts, interval, samples, .. } = self;
        AppKeys { rate, random, on_mean, off_mean, talk_spurts, interval, samples }
    }

    /// A table with the keys of an application.
    pub(crate) fn of_application(app: &AppConfig) -> FlowConfig {
        let AppKeys { rate, random, on_mean, off_mean, talk_spurts, interval, samples } = app.keys();
        let keys = FlowConfig { rate, random, on_mean, off_mean, talk_spurts, interval, samples, ..Default::default() };
        FlowConfig { app: app.kind(), ..keys }
    }
}

/// Reports keys that the application does not use, and a transport that cannot carry it.
pub(crate) fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    check_keys(reader, section, config);
    check_values(reader, section, config);
    check_carrier(reader, section, config);
}

fn check_keys(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let app = config.app;
    for key in AppKeys::NAMES {
        let holds = section.given(key).is_none() || app.keys().contains(&key);
        let users: Vec<&str> =
            AppKind::ALL.iter().filter(|app| app.keys().contains(&key)).map(|app| app.name()).collect();
        let what = not_supported_with(format_args!("app = \"{}\"", app.name()));
        let hint = format!("add app = \"{}\"", users[0]);
        let hint = section.given("app").is_none().then_some(hint.as_str());
        let expected = format!("app = \"{}\"", users.join("\" or \""));
        section.rule_with_hint(reader, key, holds, &what, &expected, hint);
    }
    if let Some((key, example)) = app.required() {
        let hint = format!("add {key} = {example}");
        let expected = format!("{key} with app = \"{}\"", app.name());
        let holds = section.given(key).is_some();
        section.rule_with_hint(reader, "app", holds, &format!("{{}} requires {key}"), &expected, Some(&hint));
    }
}

fn check_values(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let holds = config.rate.is_none_or(|rate| rate.0 > 0.0);
    section.rule(reader, "rate", holds, ZERO_RATE, "rate greater than 0 b/s");
    let times = [("on_mean", config.on_mean), ("off_mean", config.off_mean), ("interval", config.interval)];
    for (key, time) in times {
        let holds = time.is_none_or(|time| time > Span::ZERO);
        section.rule(reader, key, holds, ZERO_TIME, "time greater than 0 s");
    }
    if let Some(fixed) = config.app.fixed_segment() {
        section.rule(reader, "segment", config.segment.0 == fixed.bytes, fixed.otherwise, fixed.expected);
    }
}

fn check_carrier(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let is_udp = Transport::named(&config.transport).is_some_and(Transport::is_udp);
    if config.source.is_some() {
        return;
    }
    match config.app.carrier() {
        Carrier::Datagrams if !is_udp => {
            let (key, what) = match section.given("transport") {
                Some(_) => ("transport", not_supported_with(format_args!("app = \"{}\"", config.app.name()))),
                None => ("app", not_supported_with(format_args!("transport = \"{}\"", config.transport))),
            };
            let hint = Some("set transport = \"udp\"");
            section.rule_with_hint(reader, key, false, &what, "transport = \"udp\", which sends probes when due", hint);
        }
        Carrier::Controlled if is_udp => {
            let what = not_supported_with(format_args!("app = \"{}\", which requires flow control", config.app.name()));
            let expected = "app = \"cbr\", \"on_off\" or \"voip\"";
            let hint = Some("set app = \"cbr\" and rate = \"64 kb/s\"");
            section.rule_with_hint(reader, "transport", false, &what, expected, hint);
        }
        Carrier::Any | Carrier::Controlled | Carrier::Datagrams => {}
    }
}
