//! rt-Winf: link capacity and available bandwidth from the exchanges that a node takes part in or overhears.
//!
//! # Model
//! A node is sender or receiver of an exchange, or onlooker. Each completed exchange with data of known length is a sample
//! of the capacity: bytes over the time that the exchange takes, with interframe spaces and mean backoff. Capacity is
//! the ratio of sums over a window, per role; the smallest role counts. A receiver sends its value in the MAC's ACK.
//! Available is the share of the window without carrier, NAV, own exchange, or contention at this node.
//! # Source
//! Barreto 2015, eqs. 1 to 14 (rt-winf.md).
//! # Deviations
//! `mode = "literal"` is the printed text: eq. 4 with three SIFS, values that never recover from a minimum, busy time
//! as the sum of durations per role since the session began. The default replaces what cannot work as printed:
//! a clean link gives eq. 14. Time stamps are ends of frames.
//! # Parameters
//! Table `[winf]`.

mod attempts;
mod config;
mod literal;
mod samples;
#[cfg(test)]
mod tests;

pub use config::{Overhead, Roles, WinfConfig};

use super::busy_time::BusyTime;
use super::channel_observer::{ChannelObserver, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::Timing;
use crate::packet::explicit::Form;
use crate::packet::{Frame, FrameKind, LinkEstimate};
use attempts::Attempts;
use literal::Literal;
use samples::{Part, Reader, Sample, Samples};
use std::sync::Arc;

/// rt-Winf at one node.
#[derive(Debug)]
pub struct Winf {
    radio: RadioId,
    config: WinfConfig,
    timing: Arc<Timing>,
    samples: Samples,
    busy: BusyTime,
    own: Own,
    overheard: Option<Overheard>,
    literal: Literal,
    attempts: Attempts,
    /// When each role's last exchange ended.
    last: [Option<Time>; 3],
    /// Without `count_cs`: since when carrier sense is busy, and the total up to then.
    sensed: Option<(Time, Span)>,
}

/// The exchange that the node takes part in.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// End of the CTS for this node's RTS.
    cts: Option<Time>,
    /// Start and packet bytes of the data that this node sends.
    data: Option<(Time, Load)>,
    /// End of the RTS for this node.
    rts: Option<Time>,
}

/// An exchange of others.
#[derive(Clone, Copy, Debug)]
struct Overheard {
    sender: RadioId,
    cts: Time,
    /// Duration field of the CTS.
    duration: Span,
    /// Its data, if they were decoded.
    load: Option<Load>,
}

/// What a data frame carries.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Of the packet.
    bytes: u32,
    /// Seconds that one more byte would have taken.
    per_byte: f64,
}

/// Packet length of the first value and of normalised ones, in bytes.
const FULL_PACKET: u32 = 1500;

impl Winf {
    fn is_literal(&self) -> bool {
        self.config.mode == Form::Literal
    }

    /// Mean of the first backoff, as eq. 14 has it.
    fn backoff(&self) -> Span {
        Span(self.timing.slot.0 * u64::from(self.timing.config.cw_min) / 2)
    }

    /// Time of an exchange: `measured` lies between its time stamps; `rest` are the other frames, and `sifs` the SIFS between
    /// all of them.
    fn whole(&self, measured: Span, rest: Span, sifs: u64) -> f64 {
        match self.config.overhead {
            Overhead::Exchange | Overhead::Backoff => measured.secs(),
            Overhead::Full => (measured + rest + self.timing.sifs * sifs + self.timing.difs + self.backoff()).secs(),
        }
    }

    /// `time` of an exchange that ends at `at`, longer by the share that DIFS and backoff have of the time since the one
    /// before (`C_extra` and `T_m` of Barreto 2015, Table 3). That holds the exchange itself, and both of them.
    fn with_backoff(&mut self, at: Time, part: Part, time: f64) -> f64 {
        let extra = (self.timing.difs + self.backoff()).secs();
        match self.last[part as usize].replace(at) {
            Some(last) => time / (1.0 - extra / at.since(last).secs().max(time + extra)),
            None => time,
        }
    }

    fn load(&self, frame: &Frame) -> Load {
        let bytes = frame.bytes.saturating_sub(self.timing.config.data_overhead.0);
        let per_byte = frame.airtime.saturating_sub(self.timing.plcp()).secs() / f64::from(frame.bytes.max(1));
        Load { bytes, per_byte }
    }

    /// An exchange with these neighbors has taken `time` seconds, and `printed` by the printed equation.
    fn sample(&mut self, at: Time, part: Part, ends: [RadioId; 2], load: Load, time: f64, printed: Span) {
        let (mut bytes, mut time, mut printed) = (f64::from(load.bytes), time, printed.secs());
        if bytes <= 0.0 || time <= 0.0 {
            return;
        }
        if self.config.overhead == Overhead::Backoff {
            time = self.with_backoff(at, part, time);
        }
        if self.config.normalise {
            let more = (f64::from(FULL_PACKET) - bytes) * load.per_byte;
            (bytes, time, printed) = (f64::from(FULL_PACKET), time + more, printed + more);
        }
        if self.is_literal() {
            let received = self.samples.last_received();
            self.literal.measured(part, bytes / printed, received, self.config.least_role);
        } else {
            self.samples.push(Sample { at, part, ends, bytes, time });
        }
    }

    /// Capacity that a reader has, in bytes per second; before the first sample, that of a clean link.
    fn capacity(&self, now: Time, reader: Reader) -> f64 {
        if self.is_literal() {
            let own = match reader {
                Reader::Node => None,
                Reader::Sender => self.literal.capacity_as(Part::Sender),
                Reader::Router => self.literal.capacity_as(Part::Onlooker),
            };
            return own.or(self.literal.capacity()).unwrap_or(self.timing.config.data_rate.0 / 8.0);
        }
        let capacity = self.samples.capacity(now, reader).unwrap_or_else(|| clean(&self.timing, FULL_PACKET));
        if self.config.collisions { capacity * self.attempts.answered(now) } else { capacity }
    }

    /// The estimate of a reader; of any reader, unless roles are apart.
    fn estimate(&self, now: Time, window: Span, reader: Reader) -> LinkEstimate {
        let reader = match self.config.roles {
            Roles::Least => Reader::Node,
            Roles::Apart => reader,
        };
        let capacity = self.capacity(now, reader);
        LinkEstimate { capacity, available: self.available(now, window, capacity) }
    }

    fn on_sent(&mut self, now: Time, frame: &Frame) {
        let ends = now + frame.airtime + Span::from_micros(u64::from(frame.duration));
        self.busy.cover(now, ends + self.timing.difs);
        match frame.kind {
            FrameKind::Rts => {
                self.own = Own::default();
                self.attempts.begin(now);
            }
            FrameKind::Data if !frame.is_broadcast() => {
                if self.own.cts.is_none() {
                    self.attempts.begin(now);
                }
                self.own.data = Some((now, self.load(frame)));
            }
            FrameKind::Data
            | FrameKind::Cts
            | FrameKind::Ack
            | FrameKind::Aggregate
            | FrameKind::BlockAck
            | FrameKind::BlockAckRequest
            | FrameKind::CfEnd => {}
        }
    }

    fn on_own(&mut self, now: Time, frame: &Frame) {
        let Timing { sifs, rts, cts, ack, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => {
                self.own = Own { rts: Some(now), ..Own::default() };
                self.literal.count_nav(now, Part::Receiver, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Cts => {
                self.own.cts = Some(now);
                self.literal.count_nav(now, Part::Sender, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Data => {
                if let Some(began) = self.own.rts.take() {
                    let load = self.load(frame);
                    let time = self.whole(now.since(began).saturating_sub(sifs * 2), rts + ack, 3);
                    // Eq. 4 takes three SIFS off where two lie between.
                    self.sample(
                        now,
                        Part::Receiver,
                        [frame.ta; 2],
                        load,
                        time,
                        now.since(began).saturating_sub(sifs * 3),
                    );
                }
            }
            FrameKind::Ack => {
                if frame.note > 0 {
                    self.samples.receive(now, frame.ta, f64::from(frame.note));
                }
                if let Some((started, load)) = self.own.data.take() {
                    self.attempts.succeed(now);
                    if let Some(began) = self.own.cts.take() {
                        let measured = now.since(began).saturating_sub(sifs * 2);
                        let time = self.whole(measured, rts + cts, 3);
                        self.sample(now, Part::Sender, [frame.ta; 2], load, time, measured);
                    } else {
                        // Eq. 12: without RTS and CTS, from the start of the data.
                        let measured = now.since(started);
                        self.literal.transferred(started, measured.secs());
                        let time = self.whole(measured, Span::ZERO, 0);
                        self.sample(now, Part::Sender, [frame.ta; 2], load, time, measured);
                    }
                }
            }
            FrameKind::Aggregate | FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::CfEnd => {}
        }
    }

    fn on_others(&mut self, now: Time, frame: &Frame) {
        let Timing { sifs, rts, cts, ack, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => self.literal.count_nav(now, Part::Onlooker, Span::from_micros(u64::from(frame.duration))),
            FrameKind::Cts => {
                let duration = Span::from_micros(u64::from(frame.duration));
                // If the RTS was decoded, its NAV counts already.
                if !self.literal.has_counted(now + duration.saturating_sub(sifs)) {
                    self.literal.count_nav(now, Part::Onlooker, duration);
                }
                self.overheard = Some(Overheard { sender: frame.ra, cts: now, duration, load: None });
            }
            FrameKind::Data => {
                let load = self.load(frame);
                if let Some(heard) = self.overheard.as_mut().filter(|heard| heard.sender == frame.ta) {
                    heard.load = Some(load);
                }
            }
            FrameKind::Ack => {
                let Some(heard) = self.overheard.take().filter(|heard| heard.sender == frame.ra) else { return };
                let measured = now.since(heard.cts).saturating_sub(sifs * 2);
                let load = heard.load.unwrap_or_else(|| self.inferred(heard.duration));
                let time = self.whole(measured, rts + cts, 3);
                if measured > ack {
                    self.sample(now, Part::Onlooker, [frame.ra, frame.ta], load, time, measured);
                }
            }
            FrameKind::Aggregate | FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::CfEnd => {}
        }
    }

    /// The data that a CTS with this Duration announces, if the sender is out of range; at the rate of this node.
    fn inferred(&self, duration: Span) -> Load {
        let data = duration.saturating_sub(self.timing.sifs * 2 + self.timing.ack);
        let empty = self.timing.data(0, false);
        let rate = self.timing.config.data_rate.0;
        let bytes = libm::round(data.saturating_sub(empty).secs() * rate / 8.0) as u32;
        Load { bytes, per_byte: 8.0 / rate }
    }

    fn available(&self, now: Time, window: Span, capacity: f64) -> f64 {
        if self.is_literal() {
            return self.literal.available(now, capacity);
        }
        let window = Span(window.0.min(self.config.window.0));
        capacity * (1.0 - self.busy.share(now, window)).max(0.0)
    }
}

/// Eq. 14: the highest rate of a clean link in bytes per second, for packets of this length with RTS and CTS as
/// configured.
pub fn clean(timing: &Timing, packet: u32) -> f64 {
    let handshake = if timing.uses_rts(packet) { timing.rts + timing.cts + timing.sifs * 2 } else { Span::ZERO };
    let backoff = Span(timing.slot.0 * u64::from(timing.config.cw_min) / 2);
    let exchange = timing.difs + backoff + handshake + timing.data(packet, false) + timing.sifs + timing.ack;
    f64::from(packet) / exchange.secs()
}

impl EngineObserver for Winf {
    const PAGE: &'static str = "winf";
    type Config = WinfConfig;

    fn build(config: &WinfConfig, setup: &ObserverSetup<'_>) -> Winf {
        Winf {
            radio: setup.radio,
            config: config.clone(),
            timing: Arc::clone(setup.timing),
            samples: Samples::new(config),
            busy: BusyTime::default(),
            own: Own::default(),
            overheard: None,
            literal: Literal::default(),
            attempts: Attempts::new(config.window),
            last: [None; 3],
            sensed: None,
        }
    }
}

impl ChannelObserver for Winf {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        // The carrier was a frame that was decoded.
        if role == Role::Received
            && let Some((since, before)) = self.sensed.take()
        {
            self.busy.fill(now, since, before);
            self.busy.cover(now, now + self.timing.difs);
        }
        match role {
            Role::Sent => self.on_sent(now, frame),
            Role::Received if frame.ra == self.radio => self.on_own(now, frame),
            Role::Received if frame.is_broadcast() => {}
            Role::Received => self.on_others(now, frame),
        }
    }

    fn on_carrier(&mut self, now: Time) {
        if self.config.count_cs {
            self.busy.open(now);
        } else {
            self.sensed = Some((now, self.busy.total(now)));
        }
    }

    fn on_idle(&mut self, now: Time) {
        self.sensed = None;
        if self.config.count_cs {
            self.busy.close(now);
            self.busy.cover(now, now + self.timing.difs);
        }
    }

    fn on_nav(&mut self, now: Time, until: Time) {
        self.busy.set_nav(now, if until > now { until + self.timing.difs } else { until });
    }

    fn on_contending(&mut self, now: Time, is_waiting: bool) {
        self.busy.wait(now, is_waiting);
    }

    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        Some(self.estimate(now, window, Reader::Sender))
    }

    fn router_link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        Some(self.estimate(now, window, Reader::Router))
    }

    fn note(&self, now: Time) -> u32 {
        let value =
            if self.is_literal() { self.literal.capacity_as(Part::Receiver) } else { self.samples.as_receiver(now) };
        value.map_or(0, |value| value as u32)
    }
}
