//! Values that can be read but make no sense.

use crate::kernel::{Rate, Span, Watts};
use crate::mac::observer::{IdleGapConfig, WinfConfig};
use crate::mac::{MacConfig, Preamble};
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::{RoutingConfig, RoutingKind};
use crate::packet::ExplicitConfig;
use crate::phy::propagation::PathLoss;
use crate::phy::{ErrorKind, RadioConfig, RxModel};
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::syntax::source::Trouble;
use crate::scenario::syntax::tree::{Node, Origin};
use crate::transport::TcpConfig;
use crate::transport::proxy::split_tcp::{LackRouting, LocalAck, SplitTcpConfig, StoreState, WindowMode};

/// A table as it was written, and the key it stands under.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'n> {
    pub(crate) key: &'n str,
    pub(crate) table: Option<&'n Node>,
}

/// Largest factors and powers that mean anything; beyond them formulas would overflow.
const MAX_FACTOR: f64 = 1e6;
const MAX_POWER: f64 = 1e6;
const POWERS: &str = "a power above 0 W, at most 1e6 W";

/// Longest contention window of IEEE 802.11-1999, in slots.
const MAX_CW: u32 = 32_767;

/// Largest retry limit that the standard's attributes can hold.
const MAX_RETRIES: u32 = 255;

/// Rates of 802.11b, in b/s.
const RATES: [f64; 4] = [1e6, 2e6, 5.5e6, 11e6];

/// Most packets that an interface queue may hold.
const MAX_QUEUE: u32 = 1_000_000;

impl Section<'_> {
    /// The value of a key, if it was written.
    pub(crate) fn given(&self, key: &str) -> Option<&Node> {
        self.table.and_then(|table| table.get(key))
    }

    /// The first of the keys that was written, to be blamed for what several of them do together.
    pub(crate) fn blamed<'k>(&self, keys: &[&'k str]) -> &'k str {
        keys.iter().find(|key| self.given(key).is_some()).unwrap_or(&keys[0])
    }

    /// Unless `holds`, `key` is wrong: `what` continues the sentence that begins with it, `expected` says what holds.
    pub(crate) fn rule(&self, reader: &mut Reader<'_>, key: &str, holds: bool, what: &str, expected: &str) {
        self.rule_with_hint(reader, key, holds, what, expected, None);
    }

    pub(crate) fn rule_with_hint(
        &self,
        reader: &mut Reader<'_>,
        key: &str,
        holds: bool,
        what: &str,
        expected: &str,
        hint: Option<&str>,
    ) {
        if holds {
            return;
        }
        let name = join(self.key, key);
        let (origin, mut trouble) = if let Some(node) = self.given(key) {
            (node.origin.clone(), reader.wrong(node, &name, what))
        } else {
            let origin = self.table.map_or(Origin::Nowhere, |table| table.origin.clone());
            (origin, Trouble { message: format!("{name} {what}"), key: name, ..Trouble::default() })
        };
        expected.clone_into(&mut trouble.expected);
        trouble.hint = hint.map(str::to_owned);
        reader.refuse(&origin, trouble);
    }
}

/// The radio; afterwards its thresholds hold what `reach` and `cs_range` said.
pub(crate) fn radio(reader: &mut Reader<'_>, section: Section<'_>, config: &mut RadioConfig) {
    let lengths = [("reach", config.reach), ("cs_range", config.cs_range)];
    for (key, length) in lengths {
        section.rule(reader, key, length.is_none_or(|metres| metres.0 > 0.0), "is no distance", "a length above 0 m");
    }
    let distance = config.reference_distance.0;
    section.rule(reader, "reference_distance", distance > 0.0, "is no distance", "a length above 0 m");
    section.rule(reader, "antenna_height", config.antenna_height.0 > 0.0, "is no height", "a length above 0 m");
    let is_radio = (1e6..=1e12).contains(&config.frequency.0);
    section.rule(reader, "frequency", is_radio, "is no radio frequency", "1 MHz to 1000 GHz");
    for (key, factor) in [("tx_gain", config.tx_gain), ("rx_gain", config.rx_gain)] {
        let holds = factor > 0.0 && factor <= MAX_FACTOR;
        section.rule(reader, key, holds, "is out of range", "a factor above 0, at most 1e6; 1 is no gain");
    }
    let holds = (1.0..=MAX_FACTOR).contains(&config.system_loss);
    section.rule(reader, "system_loss", holds, "is out of range", "a factor from 1 (no loss) to 1e6");
    let holds = (1.0..=MAX_FACTOR).contains(&config.capture_ratio);
    section.rule(
        reader,
        "capture_ratio",
        holds,
        "is out of range",
        "a ratio of powers from 1 to 1e6, such as 10 for 10 dB",
    );
    let holds = (1e3..=1e12).contains(&config.bandwidth.0);
    section.rule(reader, "bandwidth", holds, "is no width of a channel", "1 kHz to 1000 GHz");
    errors(reader, section, config);
    tx_power(reader, section, config.tx_power);
    for (key, threshold) in [("rx_threshold", config.rx_threshold), ("cs_threshold", config.cs_threshold)] {
        section.rule(reader, key, is_power(threshold), "is out of range", POWERS);
    }
    for (range, threshold) in [("reach", "rx_threshold"), ("cs_range", "cs_threshold")] {
        let both = section.given(range).is_some() && section.given(threshold).is_some();
        let what = format!("and radio.{threshold} say the same thing twice");
        section.rule(reader, range, !both, &what, "one of the two");
    }
    // What could not be read is at its default now, and contradicts nothing.
    if !reader.is_clean(section.key) {
        return;
    }
    let loss = PathLoss::new(config);
    if let Some(reach) = config.reach.take() {
        config.rx_threshold = loss.threshold(config.tx_power, reach);
    }
    if let Some(range) = config.cs_range.take() {
        config.cs_threshold = loss.threshold(config.tx_power, range);
    }
    if config.cs_threshold.0 > config.rx_threshold.0 {
        let reach = loss.range(config.tx_power, config.rx_threshold).0;
        let sensed = loss.range(config.tx_power, config.cs_threshold).0;
        let key = section.blamed(&["cs_range", "cs_threshold", "reach", "rx_threshold"]);
        let what = format!("lets frames be received farther ({reach:.0} m) than they are sensed ({sensed:.0} m)");
        let hint = format!("set radio.cs_range to \"{reach:.0} m\" or more");
        section.rule_with_hint(reader, key, false, &what, "cs_range of at least reach", Some(&hint));
    }
}

/// What spoils frames.
fn errors(reader: &mut Reader<'_>, radio: Section<'_>, config: &RadioConfig) {
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
    let uses: &[(&str, ErrorKind)] = &[
        ("frame_error_rate", ErrorKind::UniformPacket),
        ("bit_error_rate", ErrorKind::UniformBit),
        ("good_mean", ErrorKind::Gilbert),
        ("bad_mean", ErrorKind::Gilbert),
        ("good_loss", ErrorKind::Gilbert),
        ("bad_loss", ErrorKind::Gilbert),
    ];
    let unused = uses.iter().find(|(key, kind)| *kind != errors.model && section.given(key).is_some());
    if let Some((key, kind)) = unused
        && section.given("model").is_none()
    {
        let hint = format!("add model = \"{}\"", kind.name());
        let what = "means nothing without a model";
        section.rule_with_hint(reader, key, false, what, "model beside it", Some(&hint));
    }
}

/// The power of a sender.
pub(crate) fn tx_power(reader: &mut Reader<'_>, section: Section<'_>, power: Watts) {
    section.rule(reader, "tx_power", is_power(power), "is out of range", POWERS);
}

fn is_power(power: Watts) -> bool {
    power.0 > 0.0 && power.0 <= MAX_POWER
}

/// A MAC, of the scenario or of one node.
pub(crate) fn mac(reader: &mut Reader<'_>, section: Section<'_>, config: &MacConfig) {
    for (key, rate) in [("data_rate", config.data_rate), ("basic_rate", config.basic_rate)] {
        let expected = "a rate of 802.11b: \"1 Mb/s\", \"2 Mb/s\", \"5.5 Mb/s\" or \"11 Mb/s\"";
        section.rule(reader, key, RATES.contains(&rate.0), "is no rate of the radio", expected);
    }
    for (key, limit) in [("ssrl", config.ssrl), ("slrl", config.slrl)] {
        let holds = (1..=MAX_RETRIES).contains(&limit);
        section.rule(reader, key, holds, "is out of range", "a number of attempts from 1 to 255");
    }
    section.rule(reader, "cw_min", config.cw_min >= 1, "is out of range", "at least 1 slot; 31 for 802.11b");
    section.rule(reader, "cw_max", config.cw_max <= MAX_CW, "is out of range", "at most 32767 slots; 1023 for 802.11b");
    section.rule(
        reader,
        "data_overhead",
        config.data_overhead.0 <= 1000,
        "is out of range",
        "at most 1000 bytes; 34 for 802.11",
    );
    if !reader.is_clean(section.key) {
        return;
    }
    let key = section.blamed(&["cw_min", "cw_max"]);
    let what = format!("puts cw_min ({}) above cw_max ({})", config.cw_min, config.cw_max);
    section.rule(reader, key, config.cw_min <= config.cw_max, &what, "cw_min of at most cw_max");
    let is_long = config.preamble == Preamble::Long;
    let slowest = Rate(RATES[0]);
    let clash = !is_long && (config.basic_rate == slowest || config.data_rate == slowest);
    let key = section.blamed(&["preamble", "basic_rate", "data_rate"]);
    let hint = "set mac.basic_rate = \"2 Mb/s\", or keep the long preamble";
    let what = "puts a short preamble before frames at 1 Mb/s";
    section.rule_with_hint(reader, key, !clash, what, "a short preamble only at 2 Mb/s and faster", Some(hint));
    if config.basic_rate.0 > config.data_rate.0 {
        let place = section.key.strip_suffix("mac").unwrap_or_default();
        reader.warnings.push(format!("{place}mac.basic_rate is faster than {place}mac.data_rate"));
    }
}

/// An interface queue, of the scenario or of one node.
pub(crate) fn queue(reader: &mut Reader<'_>, section: Section<'_>, config: &QueueConfig) {
    let expected = "2 to 1000000 packets; one place always stays empty, as in ns-2";
    section.rule(reader, "limit", (2..=MAX_QUEUE).contains(&config.limit), "is out of range", expected);
}

/// Between network layer and MAC.
pub(crate) fn link(reader: &mut Reader<'_>, section: Section<'_>, config: &LinkConfig) {
    section.rule(reader, "delay", config.delay <= Span::from_millis(1000), "is out of range", "at most 1 s");
}

/// Routing. The layer knows its own limits.
pub(crate) fn routing(reader: &mut Reader<'_>, section: Section<'_>, config: &RoutingConfig) {
    if let Err(invalid) = config.check() {
        let expected = invalid.problem.strip_prefix("must be ").unwrap_or(invalid.problem);
        section.rule(reader, invalid.key, false, "is out of range", expected);
    }
}

/// Protocols with explicit feedback: times and rates that clocks can follow. Numbers have their ranges in the schema.
pub(crate) fn explicit<'n>(
    reader: &mut Reader<'_>,
    section: impl Fn(&'static str) -> Section<'n>,
    config: &ExplicitConfig,
) {
    crate::scenario::schema::muzha::check(reader, section("muzha"), &config.muzha);
    let ExplicitConfig { xcp, xcp_winf, rcp, .. } = config;
    let least = Span::from_micros(100);
    let most = Span::from_millis(10_000);
    let expected = "a time from 0.1 ms to 10 s";
    let times = [
        ("xcp", "initial_interval", Some(xcp.initial_interval)),
        ("xcp", "min_interval", Some(xcp.min_interval)),
        ("xcp", "min_queue_interval", Some(xcp.min_queue_interval)),
        ("xcp", "max_rtt", Some(xcp.max_rtt)),
        ("xcp_winf", "window", xcp_winf.window),
        ("rcp", "slot", Some(rcp.slot)),
        ("rcp", "initial_rtt", Some(rcp.initial_rtt)),
        ("rcp", "probe_interval", Some(rcp.probe_interval)),
    ];
    for (table, key, time) in times {
        let holds = time.is_none_or(|time| (least..=most).contains(&time));
        section(table).rule(reader, key, holds, "is out of range", expected);
    }
    section("xcp").rule(reader, "tick", xcp.tick <= Span::from_millis(1000), "is out of range", "at most 1 s");
    for (table, capacity) in [("xcp", xcp.capacity), ("rcp", rcp.capacity)] {
        let holds = capacity.is_none_or(|rate| (1e3..=1e12).contains(&rate.0));
        section(table).rule(reader, "capacity", holds, "is out of range", "a rate from 1 kb/s to 1000 Gb/s");
    }
    let sizes = [
        ("xcp", "header", xcp.header.0, 0),
        ("rcp", "header", rcp.header.0, 20),
        ("rcp", "nominal_packet", rcp.nominal_packet.0, 1),
        ("rcp_winf", "mtu", config.rcp_winf.mtu.0, 1),
        ("rcp_winf", "header", config.rcp_winf.header.0, 0),
        ("xcp_b", "target", config.xcp_b.target.0, 0),
    ];
    for (table, key, bytes, least) in sizes {
        let most = if key == "header" { 200 } else { 1_000_000 };
        let expected = format!("{least} to {most} bytes");
        section(table).rule(reader, key, (least..=most).contains(&bytes), "is out of range", &expected);
    }
}

/// Estimators at the MAC.
pub(crate) fn estimators<'n>(
    reader: &mut Reader<'_>,
    section: impl Fn(&'static str) -> Section<'n>,
    winf: &WinfConfig,
    idle_gap: &IdleGapConfig,
) {
    let holds = (Span::from_millis(20)..=Span::from_millis(2500)).contains(&winf.window);
    section("winf").rule(reader, "window", holds, "is out of range", "a time from 20 ms to 2.5 s");
    section("winf").rule(reader, "ack_extra", winf.ack_extra.0 <= 100, "is out of range", "at most 100 bytes");
    section("winf").rule(reader, "min_sample", winf.min_sample.0 <= 2304, "is out of range", "at most 2304 bytes");
    let holds = idle_gap.rate.is_none_or(|rate| (1e3..=1e12).contains(&rate.0));
    section("idle_gap").rule(reader, "rate", holds, "is out of range", "a rate from 1 kb/s to 1000 Gb/s");
}

/// TCP.
pub(crate) fn tcp(reader: &mut Reader<'_>, section: Section<'_>, config: &TcpConfig) {
    let times = [
        ("initial_rto", config.initial_rto),
        ("min_rto", config.min_rto),
        ("tick", config.tick),
        ("delayed_ack_timeout", config.delayed_ack_timeout),
    ];
    for (key, time) in times {
        section.rule(reader, key, time > Span::ZERO, "is no time", "a time above 0 s");
    }
    let sizes = [
        ("header", config.header),
        ("timestamp_bytes", config.timestamp_bytes),
        ("sack_block_bytes", config.sack_block_bytes),
    ];
    for (key, bytes) in sizes {
        section.rule(reader, key, bytes.0 <= 1000, "is out of range", "at most 1000 bytes");
    }
    if !reader.is_clean(section.key) {
        return;
    }
    for (low, high, holds) in [
        ("min_rto", "max_rto", config.min_rto <= config.max_rto),
        ("initial_rto", "max_rto", config.initial_rto <= config.max_rto),
        ("tick", "max_rto", config.tick <= config.max_rto),
    ] {
        let what = format!("puts {low} above {high}");
        section.rule(reader, section.blamed(&[low, high]), holds, &what, &format!("{low} of at most {high}"));
    }
    let (vegas, linux) = (&config.congestion.vegas, &config.congestion.linux_vegas);
    let tables = [
        ("vegas", "tcp.congestion.vegas", vegas.alpha <= vegas.beta),
        ("linux_vegas", "tcp.congestion.linux_vegas", linux.alpha <= linux.beta),
    ];
    let congestion = section.given("congestion");
    for (name, key, holds) in tables {
        let section = Section { key, table: congestion.and_then(|table| table.get(name)) };
        let key = section.blamed(&["alpha", "beta"]);
        section.rule(reader, key, holds, "puts alpha above beta", "alpha of at most beta");
    }
    let table = congestion.and_then(|table| table.get("westwood"));
    let section = Section { key: "tcp.congestion.westwood", table };
    let holds = (Span::from_millis(1)..=Span::from_millis(60_000)).contains(&config.congestion.westwood.tau);
    section.rule(reader, "tau", holds, "is out of range", "a time from 1 ms to 60 s");
}

/// Split TCP.
pub(crate) fn split_tcp(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    config: &SplitTcpConfig,
    routing: &RoutingConfig,
) {
    let counts = [
        ("d_p", u32::from(config.d_p)),
        ("e2e_every", config.e2e_every),
        ("window_max", config.window_max),
        ("reorder_threshold", config.reorder_threshold),
        ("store_per_flow", config.store_per_flow),
        ("store_total", config.store_total),
        ("max_local_tries", config.max_local_tries),
        ("w_e2e", config.w_e2e),
    ];
    for (key, count) in counts {
        section.rule(reader, key, (1..=MOST_SEGMENTS).contains(&count), "is out of range", "1 to 100000");
    }
    let times = [
        ("initial_rto", config.initial_rto),
        ("min_rto", config.min_rto),
        ("max_rto", config.max_rto),
        ("initial_e2e_rto", config.initial_e2e_rto),
        ("min_e2e_rto", config.min_e2e_rto),
        ("e2e_idle", config.e2e_idle),
        ("store_ttl", config.store_ttl),
        ("state_ttl", config.state_ttl),
    ];
    for (key, time) in times {
        section.rule(reader, key, time > Span::ZERO, "is no time", "a time above 0 s");
    }
    section.rule(reader, "lack_bytes", config.lack_bytes.0 <= 1000, "is out of range", "at most 1000 bytes");
    if !reader.is_clean(section.key) {
        return;
    }
    for (low, high, holds) in [
        ("min_rto", "max_rto", config.min_rto <= config.max_rto),
        ("initial_rto", "max_rto", config.initial_rto <= config.max_rto),
        ("min_e2e_rto", "max_rto", config.min_e2e_rto <= config.max_rto),
        ("initial_e2e_rto", "max_rto", config.initial_e2e_rto <= config.max_rto),
    ] {
        let what = format!("puts {low} above {high}");
        section.rule(reader, section.blamed(&[low, high]), holds, &what, &format!("{low} of at most {high}"));
    }
    let least = config.least_w_e2e();
    let key = section.blamed(&["w_e2e", "e2e_every", "window_max"]);
    let what = format!(
        "lets the source stall: {} segments may be unacknowledged, of which the destination keeps up to {} to itself",
        config.w_e2e, config.e2e_every
    );
    let expected = format!("w_e2e of at least e2e_every + window_max, {least}");
    let hint = format!("set split_tcp.w_e2e = {}", (3 * config.e2e_every).max(least));
    section.rule_with_hint(reader, key, config.w_e2e >= least, &what, &expected, Some(&hint));
    let is_needed = config.w_e2e_mode == WindowMode::Tcp && config.w_e2e == least;
    if is_needed {
        reader.warnings.push("split_tcp.w_e2e_mode = \"tcp\" never moves: w_e2e is at its least".to_owned());
    }
    let clash = config.local_ack == LocalAck::Cumulative && config.state == StoreState::Aggregate;
    let key = section.blamed(&["local_ack", "state"]);
    let what = "counts the segments of all flows of a node in one, though they go to different proxies";
    section.rule_with_hint(reader, key, !clash, what, "cumulative with state = \"per_flow\" only", None);
    let clash = config.lack_routing == LackRouting::Direct && routing.protocol == RoutingKind::Static;
    let what = "needs routes to proxies, and static routing knows those to the ends of flows only";
    let hint = Some("set routing.protocol = \"aodv\"");
    section.rule_with_hint(reader, "lack_routing", !clash, what, "via_source or reverse_hops", hint);
    let table = section.given("failure");
    let section = Section { key: "split_tcp.failure", table };
    let holds = (0.0..1.0).contains(&config.failure.rate);
    section.rule(reader, "rate", holds, "is out of range", "a share of the time from 0 to below 1");
    section.rule(reader, "mean_off", config.failure.mean_off > Span::ZERO, "is no time", "a time above 0 s");
}

/// More segments than a window or store of a relay makes sense for.
const MOST_SEGMENTS: u32 = 100_000;
