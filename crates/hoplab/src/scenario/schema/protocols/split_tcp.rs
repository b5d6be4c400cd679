//! Table `[split_tcp]`: proxies that accept segments, and parameters that they share with the ends of a flow (Kopparty 2002).

use crate::kernel::PartKind;
use crate::kernel::Span;
use crate::net::routing::{RoutingConfig, RoutingKind};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, exceeds, not_supported_with};
use crate::scenario::syntax::quantity::Quantity;
use crate::transport::proxy::split_tcp::{LackRouting, LocalAck, SplitTcpConfig, StoreState, WindowMode};

/// Maximum windows and buffers, in segments.
const MAX_SEGMENTS: u32 = 100_000;

impl Table for SplitTcpConfig {
    const KEY: &'static str = "split_tcp";

    fn defaults(_: RuleSet, _: Section<'_>) -> SplitTcpConfig {
        SplitTcpConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let counts = [
            ("d_p", u32::from(self.d_p)),
            ("e2e_every", self.e2e_every),
            ("window_max", self.window_max),
            ("reorder_threshold", self.reorder_threshold),
            ("store_per_flow", self.store_per_flow),
            ("store_total", self.store_total),
            ("max_local_tries", self.max_local_tries),
            ("w_e2e", self.w_e2e),
        ];
        for (key, count) in counts {
            section.rule(reader, key, (1..=MAX_SEGMENTS).contains(&count), OUT_OF_RANGE, "1 to 100000");
        }
        let times = [
            ("initial_rto", self.initial_rto),
            ("min_rto", self.min_rto),
            ("max_rto", self.max_rto),
            ("initial_e2e_rto", self.initial_e2e_rto),
            ("min_e2e_rto", self.min_e2e_rto),
            ("e2e_idle", self.e2e_idle),
            ("store_ttl", self.store_ttl),
            ("state_ttl", self.state_ttl),
        ];
        for (key, time) in times {
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
        }
        section.rule(reader, "lack_bytes", self.lack_bytes.0 <= 1000, OUT_OF_RANGE, "at most 1000 bytes");
        if !reader.is_clean(section.key) {
            return;
        }
        for (low, high, time) in [
            ("min_rto", "max_rto", self.min_rto),
            ("initial_rto", "max_rto", self.initial_rto),
            ("min_e2e_rto", "max_rto", self.min_e2e_rto),
            ("initial_e2e_rto", "max_rto", self.initial_e2e_rto),
        ] {
            let what = exceeds(low, time.write(), high, self.max_rto.write());
            let holds = time <= self.max_rto;
            section.rule(reader, section.blamed(&[low, high]), holds, &what, &format!("{low} not above {high}"));
        }
        check_windows(reader, section, self);
        check_failure(reader, section, self);
    }
}

/// Windows and acknowledgments that go together.
fn check_windows(reader: &mut Reader<'_>, section: Section<'_>, config: &SplitTcpConfig) {
    let least = config.least_w_e2e();
    let key = section.blamed(&["w_e2e", "e2e_every", "window_max"]);
    let what = exceeds("e2e_every + window_max", least, "w_e2e", config.w_e2e);
    let expected = "w_e2e not below e2e_every + window_max; otherwise the source stalls";
    let hint = format!("set split_tcp.w_e2e = {}", (3 * config.e2e_every).max(least));
    section.rule_with_hint(reader, key, config.w_e2e >= least, &what, expected, Some(&hint));
    let is_needed = config.w_e2e_mode == WindowMode::Tcp && config.w_e2e == least;
    if is_needed {
        reader.warnings.push("split_tcp.w_e2e_mode: \"tcp\" has no effect: w_e2e is at its minimum".to_owned());
    }
    let clash = config.local_ack == LocalAck::Cumulative && config.state == StoreState::Aggregate;
    let key = section.blamed(&["local_ack", "state"]);
    let what = "local_ack = \"cumulative\" is not supported with state = \"aggregate\"";
    section.rule_with_hint(reader, key, !clash, what, "state = \"per_flow\" for cumulative local ACKs", None);
}

/// Table `[split_tcp.failure]`.
fn check_failure(reader: &mut Reader<'_>, section: Section<'_>, config: &SplitTcpConfig) {
    let section = Section { key: "split_tcp.failure", table: section.given("failure") };
    let holds = (0.0..1.0).contains(&config.failure.rate);
    section.rule(reader, "rate", holds, OUT_OF_RANGE, "share of time from 0 to below 1");
    section.rule(reader, "mean_off", config.failure.mean_off > Span::ZERO, ZERO_TIME, "time greater than 0 s");
}

/// Local acknowledgments need a route that the routing protocol provides.
pub(crate) fn check_routes(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    config: &SplitTcpConfig,
    routing: &RoutingConfig,
) {
    let clash = config.lack_routing == LackRouting::Direct && !routing.discovers_routes();
    let protocol = routing.protocol.name();
    let what = not_supported_with(format_args!("{protocol} routing, which has routes to the ends of flows only"));
    let other = RoutingKind::ALL.iter().find(|kind| kind.discovers_routes());
    let hint = other.map(|kind| format!("set routing.protocol = \"{}\"", kind.name()));
    section.rule_with_hint(
        reader,
        "lack_routing",
        !clash,
        &what,
        "\"via_source\" or \"reverse_hops\"",
        hint.as_deref(),
    );
}
