//! rt-Winf: link capacity and available bandwidth from the exchanges that a node takes part in or overhears.
//!
//! # Model
//! A node is sender or receiver of an exchange, or onlooker. Each completed exchange with data of known length is a sample
//! of the capacity: bytes over the time that the exchange takes, with inter-frame spaces and mean backoff. Capacity is
//! the ratio of sums over a window, per role; the least role counts. A receiver tells its value in the MAC's ACK.
//! Available is the share of the window in which the node's air was neither used nor reserved, nor waited for.
//! # Source
//! Barreto 2015, eqs. 1 to 14 (rt-winf.md).
//! # Deviations
//! `mode = "literal"` is the printed text: eq. 4 with three SIFS, values that never recover from a minimum, busy time
//! as the sum of durations per role since the session began. The default is what it must have been meant to be, and what
//! it is compared with: a clean link gives eq. 14. Time stamps are ends of frames.
//! # Parameters
//! Table `[winf]`.

use super::clock::BusyClock;
use super::{ChannelObserver, ObserverSetup, Role};
use crate::kernel::{Bytes, NodeId, Span, Time};
use crate::mac::Timing;
use crate::packet::{Form, Frame, FrameKind, LinkEstimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// Table `[winf]` of a scenario: rt-Winf, wherever it listens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WinfConfig {
    /// Whether it listens at every node, also if no flow's protocol asks for it.
    pub everywhere: bool,
    /// How the equations are read.
    pub mode: Form,
    /// What of an exchange counts as its time, unless literal.
    pub overhead: Overhead,
    /// Time over which capacity is taken, and at most the available bandwidth.
    pub window: Span,
    /// Packets shorter than this count only if there are no others.
    pub min_sample: Bytes,
    /// Whether carrier that cannot be read counts as busy.
    pub count_cs: bool,
    /// Bytes that the receiver's value adds to every MAC ACK: 0 as a header field of ns-2, 4 on the air.
    pub ack_extra: Bytes,
}

/// What of an exchange counts as its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overhead {
    /// All of it, with DIFS and the mean of the first backoff: the highest rate that can be sustained.
    #[default]
    Full,
    /// Data and ACK only, as in eq. 1.
    Exchange,
}

impl Default for WinfConfig {
    fn default() -> Self {
        WinfConfig {
            everywhere: false,
            mode: Form::Consistent,
            overhead: Overhead::Full,
            window: Span::from_millis(1000),
            min_sample: Bytes(200),
            count_cs: true,
            ack_extra: Bytes(0),
        }
    }
}

/// rt-Winf at one node.
#[derive(Debug)]
pub struct Winf {
    node: NodeId,
    config: WinfConfig,
    timing: Arc<Timing>,
    samples: VecDeque<Sample>,
    /// A neighbor's value as receiver, from its last ACK.
    told: Option<(Time, f64)>,
    busy: BusyClock,
    own: Own,
    overheard: Option<Overheard>,
    literal: Literal,
}

/// The exchange that the node takes part in.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// End of the CTS for this node's RTS.
    cts: Option<Time>,
    /// Start and packet bytes of the data that this node sends.
    data: Option<(Time, u32)>,
    /// End of the RTS for this node.
    rts: Option<Time>,
}

/// An exchange of others.
#[derive(Clone, Copy, Debug)]
struct Overheard {
    sender: NodeId,
    cts: Time,
    /// Duration field of the CTS.
    duration: Span,
    /// Packet bytes, if the data was heard.
    bytes: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    at: Time,
    role: usize,
    bytes: f64,
    /// Seconds.
    time: f64,
}

const SENDER: usize = 0;
const RECEIVER: usize = 1;
const ONLOOKER: usize = 2;

/// The printed rules: last values, and sums since the session began.
#[derive(Clone, Copy, Debug, Default)]
struct Literal {
    /// Last value per role, in bytes per second.
    capacity: [Option<f64>; 3],
    /// Sum of duration fields per role, and the first and last moment of the session.
    reserved: [Span; 3],
    began: [Option<Time>; 3],
    last: [Time; 3],
    role: usize,
    /// Without RTS and CTS: seconds of transfers of this node's data so far, and the start of the first one.
    transfers: f64,
    first_transfer: Option<Time>,
}

/// Silence that ends a session.
const SESSION: Span = Span::from_millis(1000);

/// Packet that the first value stands for, in bytes.
const FIRST_PACKET: u32 = 1500;

impl Winf {
    /// Nothing heard yet.
    pub fn new(setup: &ObserverSetup<'_>) -> Winf {
        Winf {
            node: setup.node,
            config: setup.winf.clone(),
            timing: Arc::clone(setup.timing),
            samples: VecDeque::new(),
            told: None,
            busy: BusyClock::default(),
            own: Own::default(),
            overheard: None,
            literal: Literal::default(),
        }
    }

    fn is_literal(&self) -> bool {
        self.config.mode == Form::Literal
    }

    /// Mean of the first backoff, as eq. 14 has it.
    fn backoff(&self) -> Span {
        Span(self.timing.slot.0 * u64::from(self.timing.config.cw_min) / 2)
    }

    /// Time of an exchange of which `measured` is what lies between its stamps and `rest` the frames that are not in it.
    fn whole(&self, measured: Span, rest: Span, gaps: u64) -> f64 {
        match self.config.overhead {
            Overhead::Exchange => measured.secs(),
            Overhead::Full => (measured + rest + self.timing.sifs * gaps + self.timing.difs + self.backoff()).secs(),
        }
    }

    fn packet_bytes(&self, frame: &Frame) -> u32 {
        frame.bytes.saturating_sub(self.timing.config.data_overhead.0)
    }

    fn sample(&mut self, at: Time, role: usize, bytes: u32, time: f64, printed: Span) {
        let bytes = f64::from(bytes);
        if bytes <= 0.0 || time <= 0.0 {
            return;
        }
        if self.is_literal() {
            let from_onlooker = self.literal.capacity[ONLOOKER].filter(|_| role != ONLOOKER);
            let told = self.told.filter(|_| role == SENDER).map(|(_, value)| value);
            let value = [from_onlooker, told].into_iter().flatten().fold(bytes / printed.secs(), f64::min);
            self.literal.capacity[role] = Some(value);
            self.literal.role = role;
            return;
        }
        while self.samples.front().is_some_and(|old| at.since(old.at) > self.config.window) {
            // The last one is kept: without exchanges the last value holds.
            if self.samples.len() == 1 {
                break;
            }
            self.samples.pop_front();
        }
        self.samples.push_back(Sample { at, role, bytes, time });
    }

    /// Ratio of sums per role, over the window that ends now or at the last sample.
    fn windowed(&self, now: Time, roles: &[usize]) -> Option<f64> {
        let newest = self.samples.back()?.at;
        let from = if now.since(newest) > self.config.window { newest } else { now };
        let recent = |sample: &&Sample| from.since(sample.at) <= self.config.window;
        let least = f64::from(self.config.min_sample.0);
        let has_long = self.samples.iter().filter(recent).any(|sample| sample.bytes >= least);
        let of = |role: usize| {
            let counted = self.samples.iter().filter(recent);
            let counted = counted.filter(|sample| sample.role == role && (!has_long || sample.bytes >= least));
            let (bytes, time) = counted.fold((0.0, 0.0), |(b, t), sample| (b + sample.bytes, t + sample.time));
            (time > 0.0).then(|| bytes / time)
        };
        roles.iter().filter_map(|role| of(*role)).reduce(f64::min)
    }

    /// Capacity in bytes per second, and before the first sample that of a clean link.
    fn capacity(&self, now: Time) -> f64 {
        if self.is_literal() {
            let rate = self.timing.config.data_rate.0 / 8.0;
            return self.literal.capacity[self.literal.role].unwrap_or(rate);
        }
        let told = self.told.filter(|(at, _)| now.since(*at) <= self.config.window).map(|(_, value)| value);
        let own = self.windowed(now, &[SENDER, RECEIVER, ONLOOKER]);
        match (own, told) {
            (Some(own), Some(told)) => own.min(told),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => clean(&self.timing, FIRST_PACKET),
        }
    }

    /// Counts a reservation of the printed text.
    fn reserve(&mut self, now: Time, role: usize, duration: Span) {
        let literal = &mut self.literal;
        if literal.began[role].is_none() || now.since(literal.last[role]) > SESSION {
            literal.began[role] = Some(now);
            literal.reserved[role] = Span::ZERO;
        }
        literal.reserved[role] += duration;
        literal.last[role] = now + duration;
        literal.role = role;
    }

    fn on_sent(&mut self, now: Time, frame: &Frame) {
        let ends = now + frame.airtime + Span::from_micros(u64::from(frame.duration));
        self.busy.cover(now, ends + self.timing.difs);
        match frame.kind {
            FrameKind::Rts => self.own = Own::default(),
            FrameKind::Data if !frame.is_broadcast() => self.own.data = Some((now, self.packet_bytes(frame))),
            FrameKind::Data | FrameKind::Cts | FrameKind::Ack => {}
        }
    }

    fn on_own(&mut self, now: Time, frame: &Frame) {
        let Timing { sifs, rts, cts, ack, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => {
                self.own = Own { rts: Some(now), ..Own::default() };
                self.reserve(now, RECEIVER, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Cts => {
                self.own.cts = Some(now);
                self.reserve(now, SENDER, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Data => {
                if let Some(began) = self.own.rts.take() {
                    let bytes = self.packet_bytes(frame);
                    let time = self.whole(now.since(began).saturating_sub(sifs * 2), rts + ack, 3);
                    // Eq. 4 takes three SIFS off where two lie between.
                    self.sample(now, RECEIVER, bytes, time, now.since(began).saturating_sub(sifs * 3));
                }
            }
            FrameKind::Ack => {
                if frame.note > 0 {
                    self.told = Some((now, f64::from(frame.note)));
                }
                if let Some((started, bytes)) = self.own.data.take() {
                    if let Some(began) = self.own.cts.take() {
                        let measured = now.since(began).saturating_sub(sifs * 2);
                        let time = self.whole(measured, rts + cts, 3);
                        self.sample(now, SENDER, bytes, time, measured);
                    } else {
                        // Eq. 12: without RTS and CTS, from the start of the data.
                        let measured = now.since(started);
                        self.literal.transfers += measured.secs();
                        self.literal.first_transfer.get_or_insert(started);
                        let time = self.whole(measured, Span::ZERO, 0);
                        self.sample(now, SENDER, bytes, time, measured);
                    }
                }
            }
        }
    }

    fn on_others(&mut self, now: Time, frame: &Frame) {
        let Timing { sifs, rts, cts, ack, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => self.reserve(now, ONLOOKER, Span::from_micros(u64::from(frame.duration))),
            FrameKind::Cts => {
                let duration = Span::from_micros(u64::from(frame.duration));
                // Of an exchange whose RTS was heard the reservation is counted already.
                if self.literal.last[ONLOOKER] < now + duration.saturating_sub(sifs) {
                    self.reserve(now, ONLOOKER, duration);
                }
                self.overheard = Some(Overheard { sender: frame.ra, cts: now, duration, bytes: None });
            }
            FrameKind::Data => {
                let bytes = self.packet_bytes(frame);
                if let Some(heard) = self.overheard.as_mut().filter(|heard| heard.sender == frame.ta) {
                    heard.bytes = Some(bytes);
                }
            }
            FrameKind::Ack => {
                let Some(heard) = self.overheard.take().filter(|heard| heard.sender == frame.ra) else { return };
                let measured = now.since(heard.cts).saturating_sub(sifs * 2);
                let bytes = heard.bytes.unwrap_or_else(|| self.inferred(heard.duration));
                let time = self.whole(measured, rts + cts, 3);
                if measured > ack {
                    self.sample(now, ONLOOKER, bytes, time, measured);
                }
            }
        }
    }

    /// Packet bytes of data that a CTS with this duration announces: of a sender that is out of reach.
    fn inferred(&self, duration: Span) -> u32 {
        let data = duration.saturating_sub(self.timing.sifs * 2 + self.timing.ack);
        let empty = self.timing.data(0, false);
        let rate = self.timing.config.data_rate.0;
        libm::round(data.saturating_sub(empty).secs() * rate / 8.0) as u32
    }

    fn available(&self, now: Time, window: Span) -> f64 {
        let capacity = self.capacity(now);
        if self.is_literal() {
            let literal = &self.literal;
            if let Some(first) = literal.first_transfer {
                let share = literal.transfers / now.since(first).secs();
                return eq13(capacity, share).clamp(0.0, capacity);
            }
            let role = literal.role;
            let total = literal.began[role].map_or(Span::ZERO, |began| literal.last[role].since(began));
            if total == Span::ZERO {
                return capacity;
            }
            return (capacity * (1.0 - literal.reserved[role].secs() / total.secs())).clamp(0.0, capacity);
        }
        let window = Span(window.0.min(self.config.window.0));
        capacity * (1.0 - self.busy.share(now, window)).max(0.0)
    }
}

/// Eq. 13 as printed, without units that fit: 1 less the used share times the capacity. Below zero for every capacity
/// that a network has; the parenthesis was meant to hold the share alone.
fn eq13(capacity: f64, share: f64) -> f64 {
    1.0 - share * capacity
}

/// Eq. 14: the highest rate of a clean link in bytes per second, for packets of this length with RTS and CTS as
/// configured.
pub fn clean(timing: &Timing, packet: u32) -> f64 {
    let handshake = if timing.uses_rts(packet) { timing.rts + timing.cts + timing.sifs * 2 } else { Span::ZERO };
    let backoff = Span(timing.slot.0 * u64::from(timing.config.cw_min) / 2);
    let exchange = timing.difs + backoff + handshake + timing.data(packet, false) + timing.sifs + timing.ack;
    f64::from(packet) / exchange.secs()
}

impl ChannelObserver for Winf {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        match role {
            Role::Sent => self.on_sent(now, frame),
            Role::Heard if frame.ra == self.node => self.on_own(now, frame),
            Role::Heard if frame.is_broadcast() => {}
            Role::Heard => self.on_others(now, frame),
        }
    }

    fn on_carrier(&mut self, now: Time) {
        if self.config.count_cs {
            self.busy.open(now);
        }
    }

    fn on_quiet(&mut self, now: Time) {
        if self.config.count_cs {
            self.busy.close(now);
            self.busy.cover(now, now + self.timing.difs);
        }
    }

    fn on_reserved(&mut self, now: Time, until: Time) {
        self.busy.reserve(now, if until > now { until + self.timing.difs } else { until });
    }

    fn on_contending(&mut self, now: Time, is_waiting: bool) {
        self.busy.wait(now, is_waiting);
    }

    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        Some(LinkEstimate { capacity: self.capacity(now), available: self.available(now, window) })
    }

    fn note(&self, now: Time) -> u32 {
        let value = if self.is_literal() { self.literal.capacity[RECEIVER] } else { self.windowed(now, &[RECEIVER]) };
        value.map_or(0, |value| value as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Rate;
    use crate::mac::MacConfig;
    use crate::mac::observer::IdleGapConfig;

    fn winf(config: &WinfConfig) -> Winf {
        let mac = MacConfig { data_rate: Rate(11e6), basic_rate: Rate(1e6), ..MacConfig::default() };
        let timing = Arc::new(Timing::new(&mac));
        Winf::new(&ObserverSetup {
            node: NodeId(0),
            timing: &timing,
            winf: config,
            idle_gap: &IdleGapConfig::default(),
        })
    }

    fn frame(winf: &Winf, kind: FrameKind, from: u32, to: u32) -> Frame {
        let timing = &winf.timing;
        let data = timing.data(1500, false);
        let rts = timing.rts_duration(data);
        let (bytes, airtime, duration) = match kind {
            FrameKind::Rts => (20, timing.rts, rts),
            FrameKind::Cts => (14, timing.cts, timing.cts_duration(rts)),
            FrameKind::Data => (timing.data_bytes(1500), data, timing.data_duration()),
            FrameKind::Ack => (14, timing.ack, 0),
        };
        Frame {
            bytes,
            airtime,
            modulation: timing.modulation(false),
            duration,
            ..Frame::blank(kind, NodeId(from), NodeId(to))
        }
    }

    /// One exchange of 1500 bytes from `from` to `to` that begins at `at`, as node 0 sees it; its end.
    fn exchange(winf: &mut Winf, mut at: Time, from: u32, to: u32) -> Time {
        for kind in [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack] {
            let is_forward = matches!(kind, FrameKind::Rts | FrameKind::Data);
            let (ta, ra) = if is_forward { (from, to) } else { (to, from) };
            let frame = frame(winf, kind, ta, ra);
            if ta == 0 {
                winf.on_frame(at, Role::Sent, &frame);
            } else {
                winf.on_carrier(at);
                let end = at + frame.airtime;
                winf.on_frame(end, Role::Heard, &frame);
                if ra != 0 && frame.duration > 0 {
                    winf.on_reserved(end, end + Span::from_micros(u64::from(frame.duration)));
                }
                winf.on_quiet(end);
            }
            at = at + frame.airtime + winf.timing.sifs;
        }
        Time(at.0 - winf.timing.sifs.0)
    }

    fn literal() -> WinfConfig {
        WinfConfig { mode: Form::Literal, ..WinfConfig::default() }
    }

    #[test]
    fn one_exchange_in_each_role() {
        // rt-winf.md section 11, test 1.
        for (from, to, printed) in [(0, 1, 930_731.0), (1, 0, 936_542.0), (1, 2, 930_731.0)] {
            let mut winf = winf(&literal());
            let end = exchange(&mut winf, Time(1_000_000), from, to);
            let capacity = winf.capacity(end);
            assert!((capacity / printed - 1.0).abs() < 1e-3, "{from} to {to}: {capacity}");
        }
        for (from, to) in [(0, 1), (1, 0), (1, 2)] {
            let mut winf = winf(&WinfConfig::default());
            assert!((winf.capacity(Time::ZERO) / 564_411.0 - 1.0).abs() < 1e-3);
            let end = exchange(&mut winf, Time(1_000_000), from, to);
            let capacity = winf.capacity(end);
            assert!((capacity / 564_411.0 - 1.0).abs() < 1e-3, "{from} to {to}: {capacity}");
        }
    }

    #[test]
    fn an_onlooker_at_half_duty_sees_half() {
        let mut winf = winf(&WinfConfig::default());
        let mut at = Time(1_000_000);
        while at < Time(3_000_000_000) {
            let end = exchange(&mut winf, at, 1, 2) + winf.timing.difs;
            at = end + end.since(at);
        }
        let now = at;
        let LinkEstimate { capacity, available } = winf.link(now, Span::from_millis(1000)).expect("an estimate");
        assert!((available / capacity - 0.5).abs() < 0.03, "{available} of {capacity}");
    }

    #[test]
    fn the_sender_may_be_hidden() {
        let mut winf = winf(&WinfConfig::default());
        let cts = frame(&winf, FrameKind::Cts, 2, 1);
        let data = frame(&winf, FrameKind::Data, 1, 2);
        let end = Time(1_000_000) + cts.airtime;
        winf.on_frame(end, Role::Heard, &cts);
        let ack = frame(&winf, FrameKind::Ack, 2, 1);
        let end = end + winf.timing.sifs * 2 + data.airtime + ack.airtime;
        winf.on_frame(end, Role::Heard, &ack);
        assert!((winf.capacity(end) / 564_411.0 - 1.0).abs() < 2e-3, "{}", winf.capacity(end));
    }

    #[test]
    fn saturation_leaves_nothing_but_by_the_printed_sums() {
        // rt-winf.md section 11, test 2: one-way traffic, 15 slots of backoff after each exchange.
        let run = |config: &WinfConfig| {
            let mut winf = winf(config);
            let mut at = Time(1_000_000);
            winf.on_contending(at, true);
            while at < Time(4_000_000_000) {
                at = exchange(&mut winf, at, 1, 0) + winf.timing.difs + Span::from_micros(310);
            }
            winf.link(at, Span::from_millis(1000)).expect("an estimate")
        };
        let literal = run(&literal());
        let share = literal.available / literal.capacity;
        assert!((share - 0.268).abs() < 0.002, "{share}");
        let consistent = run(&WinfConfig::default());
        assert!(consistent.available / consistent.capacity < 0.02);
    }

    #[test]
    fn short_packets_do_not_spoil_the_capacity() {
        let mut winf = winf(&WinfConfig::default());
        let mut at = Time(1_000_000);
        for _ in 0..20 {
            at = exchange(&mut winf, at, 0, 1) + Span::from_micros(400);
            winf.sample(at, RECEIVER, 40, 0.0016, Span::from_micros(600));
        }
        assert!(winf.capacity(at) > 0.5 * 564_411.0);
        // A silent link keeps its last value.
        assert!(winf.capacity(at + Span::from_millis(60_000)) > 0.5 * 564_411.0);
    }

    #[test]
    fn without_rts_the_printed_equation_leaves_nothing() {
        // rt-winf.md section 11, test 5, and eq. 12 of section 3: 7.40 Mb/s for 1500 bytes.
        assert_eq!(eq13(500_000.0, 0.25), 1.0 - 125_000.0);
        for (config, mbps, left) in [
            (literal(), 7.40, 0.0..1e-9),
            (WinfConfig { overhead: Overhead::Exchange, ..WinfConfig::default() }, 7.40, 0.98..1.0),
            (WinfConfig::default(), 6.06, 0.98..1.0),
        ] {
            let mut winf = winf(&config);
            let (data, ack) = (frame(&winf, FrameKind::Data, 0, 1), frame(&winf, FrameKind::Ack, 1, 0));
            for n in 0..4 {
                let start = Time(1_000_000_000 + n * 250_000_000);
                winf.on_frame(start, Role::Sent, &data);
                let end = start + data.airtime + winf.timing.sifs + ack.airtime;
                winf.on_frame(end, Role::Heard, &ack);
            }
            let now = Time(2_000_000_000);
            let LinkEstimate { capacity, available } = winf.link(now, Span::from_millis(1000)).expect("an estimate");
            assert!((capacity * 8e-6 - mbps).abs() < 0.01, "{mbps}: {capacity}");
            assert!(left.contains(&(available / capacity)), "{mbps}: {available} of {capacity}");
        }
    }

    #[test]
    fn data_and_acknowledgments_together() {
        // rt-winf.md section 11, test 6: segments one way, acknowledgments of 40 bytes the other.
        let of = |both: bool| {
            let mut winf = winf(&WinfConfig::default());
            let mut at = Time(1_000_000);
            while at < Time(2_000_000_000) {
                at = exchange(&mut winf, at, 0, 1) + Span::from_micros(360);
                if both {
                    let time = 40.0 / (clean(&winf.timing, 40));
                    at += Span::from_secs(time);
                    winf.sample(at, RECEIVER, 40, time, Span::from_secs(time));
                }
            }
            winf.capacity(at)
        };
        assert!(of(true) >= 0.5 * of(false));
    }

    #[test]
    fn clean_links() {
        // rt-winf.md section 3, the table.
        let rates = |data, basic, packet, threshold| {
            let config = MacConfig {
                data_rate: Rate(data),
                basic_rate: Rate(basic),
                rts_threshold: Bytes(threshold),
                ..MacConfig::default()
            };
            clean(&Timing::new(&config), packet) * 8e-6
        };
        for (packet, with, without) in [(1500, 4.52, 6.06), (512, 2.11, 3.24), (188, 0.88, 1.46), (40, 0.20, 0.35)] {
            assert!((rates(11e6, 1e6, packet, 0) - with).abs() < 0.006, "{packet}");
            assert!((rates(11e6, 1e6, packet, 3000) - without).abs() < 0.006, "{packet}");
        }
        assert!((rates(11e6, 2e6, 1500, 0) - 4.87).abs() < 0.006);
    }
}
