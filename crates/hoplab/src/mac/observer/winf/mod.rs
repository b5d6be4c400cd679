//! rt-Winf: link capacity and available bandwidth from the exchanges that a node takes part in or overhears.
//!
//! # Model
//! A node is sender or receiver of an exchange, or onlooker. Each completed exchange with data of known length is a sample
//! of the capacity: bytes over the time that the exchange takes, with interframe spaces and mean backoff. Capacity is
//! the ratio of sums over a window, per role; the smallest role counts. A receiver sends its value in the MAC's ACK.
//! Available is the share of the window without carrier, NAV, own exchange, or contention at this node.
//! # Source
//! Barreto 2015, eqs. 1 to 14 (docs/specs/rt-winf.md).
//! # Deviations
//! `mode = "literal"` is the printed text: eq. 4 with three SIFS, values that never recover from a minimum, busy time
//! as the sum of durations per role since the session began. The default replaces what cannot work as printed:
//! a clean link gives eq. 14. Time stamps are ends of frames.
//! # Parameters
//! Table `[winf]`.

mod access;
mod attempts;
mod config;
mod exchange;
mod literal;
mod samples;
#[cfg(test)]
mod tests;

pub use access::clean;
pub use config::{Overhead, Roles, WinfConfig};

use super::busy_time::BusyTime;
use super::channel_observer::{ChannelObserver, Content, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::Timing;
use crate::packet::explicit::Form;
use crate::packet::{Category, Frame, FrameKind, LinkEstimate};
use attempts::Attempts;
use exchange::{Beyond, Gauge, Last, Load, acknowledged};
use literal::Literal;
use samples::{Part, Reader, Sample, Samples};
use std::sync::Arc;

/// rt-Winf at one node.
#[derive(Debug)]
pub struct Winf {
    radio: RadioId,
    config: WinfConfig,
    timing: Arc<Timing>,
    gauge: Gauge,
    samples: Samples,
    busy: BusyTime,
    own: Own,
    overheard: Option<Overheard>,
    exchange: Option<Last>,
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
    /// This node has protected its data by a CTS to itself.
    is_protected: bool,
    /// What it sends, and since when.
    data: Option<(Time, Load)>,
    /// End of the RTS for this node.
    rts: Option<Time>,
}

/// An exchange of others.
#[derive(Clone, Copy, Debug)]
struct Overheard {
    sender: RadioId,
    /// End of the CTS, or SIFS before the data of an exchange without.
    cts: Time,
    /// The sender has sent the CTS to itself: no RTS precedes it.
    is_protected: bool,
    /// Duration field of the CTS.
    duration: Span,
    /// Its data, if they were decoded.
    load: Option<Load>,
}

/// Packet length of the first value and of normalised ones, in bytes.
const FULL_PACKET: u32 = 1500;

impl Winf {
    fn observe(&mut self, now: Time, role: Role, frame: &Frame, content: Option<&Content>) {
        // The carrier was a frame that was decoded.
        if role == Role::Received
            && let Some((since, before)) = self.sensed.take()
        {
            self.busy.fill(now, since, before);
            self.busy.cover(now, now + self.timing.difs);
        }
        match role {
            Role::Sent => self.on_sent(now, frame, content),
            Role::Received if frame.ra == self.radio => self.on_own(now, frame, content),
            Role::Received if frame.kind == FrameKind::CfEnd => self.on_burst_end(now, frame),
            Role::Received if frame.is_broadcast() => {}
            Role::Received => self.on_others(now, frame, content),
        }
    }

    fn is_literal(&self) -> bool {
        self.config.mode == Form::Literal
    }

    /// `time` of an exchange that ends at `at`, longer by the share that DIFS and backoff have of the time since the one
    /// before (`C_extra` and `T_m` of Barreto 2015, Table 3). That holds the exchange itself, and both of them.
    fn with_backoff(&mut self, at: Time, part: Part, extra: Span, time: f64) -> f64 {
        let extra = extra.secs();
        match self.last[part as usize].replace(at) {
            Some(last) => time / (1.0 - extra / at.since(last).secs().max(time + extra)),
            None => time,
        }
    }

    /// An exchange of `sender` that ends at `end` has taken `time` seconds, and `printed` by the printed equation.
    fn sample(&mut self, end: Time, part: Part, ends: [RadioId; 2], load: Load, time: f64, printed: Span) {
        let (mut bytes, mut time, mut printed) = (f64::from(load.bytes), time, printed.secs());
        if bytes <= 0.0 || time <= 0.0 {
            return;
        }
        if self.config.overhead == Overhead::Backoff {
            time = self.with_backoff(end, part, self.gauge.before(&load), time);
        }
        if self.config.normalise {
            let full = f64::from(FULL_PACKET * load.packets);
            let more = (full - bytes) * load.per_byte;
            (bytes, time, printed) = (full, time + more, printed + more);
        }
        let packet = bytes / f64::from(load.packets);
        if self.is_literal() {
            let received = self.samples.last_received();
            self.literal.measured(part, bytes / printed, received, self.config.least_role);
            return;
        }
        // A packet that comes to an idle station has no backoff: what the mean adds was not used by the exchange.
        let sent = (load.room > 1.0).then_some((bytes, time - self.gauge.backoff(&load)));
        (bytes, time) = (bytes * load.room, time + load.body * (load.room - 1.0));
        self.samples.push(Sample { at: end, part, ends, bytes, time, packet, sent });
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

    fn on_sent(&mut self, now: Time, frame: &Frame, content: Option<&Content>) {
        let ends = now + frame.airtime + Span::from_micros(u64::from(frame.duration));
        self.busy.cover(now, ends + self.timing.difs);
        match frame.kind {
            FrameKind::Rts => {
                self.own = Own::default();
                self.attempts.begin(now);
            }
            // To itself.
            FrameKind::Cts if frame.ra == self.radio => self.own = Own { is_protected: true, ..Own::default() },
            FrameKind::Data | FrameKind::Aggregate if !frame.is_broadcast() => {
                if self.own.cts.is_none() {
                    self.attempts.begin(now);
                }
                self.own.data = Some((now, self.gauge.load(now, Role::Sent, frame, content, self.exchange)));
            }
            // What it asks for has not been acknowledged by the exchange itself.
            FrameKind::BlockAckRequest => self.own = Own::default(),
            FrameKind::CfEnd => self.on_burst_end(now, frame),
            FrameKind::Data | FrameKind::Aggregate | FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck => {}
        }
    }

    /// A CF-End belongs to the exchange before it.
    fn on_burst_end(&mut self, now: Time, frame: &Frame) {
        self.busy.cut(now);
        let own = frame.ta == self.radio;
        let ends = if own { now + frame.airtime } else { now };
        self.busy.cover(now, ends + self.timing.difs);
        if let Some(last) = self.exchange.take().filter(|last| last.sender == frame.ta)
            && self.config.overhead == Overhead::Full
        {
            self.samples.lengthen(last.part, (self.timing.sifs + frame.airtime).secs());
        }
    }

    fn on_own(&mut self, now: Time, frame: &Frame, content: Option<&Content>) {
        let Timing { sifs, rts, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => {
                self.own = Own { rts: Some(now), ..Own::default() };
                self.literal.count_nav(now, Part::Receiver, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Cts => {
                self.own.cts = Some(now);
                self.literal.count_nav(now, Part::Sender, Span::from_micros(u64::from(frame.duration)));
            }
            FrameKind::Data | FrameKind::Aggregate => {
                let answer = self.timing.answer_to(frame);
                let load = self.gauge.load(now, Role::Received, frame, content, self.exchange);
                let began = self.own.rts.take();
                let end = now + sifs + answer;
                if let Some(began) = began {
                    let load = Load { follows: false, ..load };
                    // Eq. 4 takes three SIFS off where two lie between.
                    let measured = now.since(began).saturating_sub(sifs * 2);
                    let time = self.gauge.whole(&load, measured, Beyond { frames: rts + answer, sifs: 3 });
                    let printed = now.since(began).saturating_sub(sifs * 3);
                    self.sample(now, Part::Receiver, [frame.ta; 2], load, time, printed);
                } else if load.follows {
                    let time = self.gauge.whole(&load, frame.airtime, Beyond { frames: answer, sifs: 1 });
                    self.sample(now, Part::Receiver, [frame.ta; 2], load, time, frame.airtime);
                }
                let is_measured = began.is_some() || load.follows;
                self.exchange = is_measured.then_some(Last { sender: frame.ta, part: Part::Receiver, end });
            }
            FrameKind::Ack | FrameKind::BlockAck => {
                if frame.note > 0 {
                    self.samples.receive(now, frame.ta, f64::from(frame.note));
                }
                self.on_answered(now, frame, content);
            }
            FrameKind::BlockAckRequest | FrameKind::CfEnd => {}
        }
    }

    /// The ACK or Block Ack of this node's data arrives.
    fn on_answered(&mut self, now: Time, frame: &Frame, content: Option<&Content>) {
        let Some((started, load)) = self.own.data.take() else { return };
        let (cts, is_protected) = (self.own.cts.take(), std::mem::take(&mut self.own.is_protected));
        let load = acknowledged(load, content);
        let Timing { sifs, rts, cts: cts_time, .. } = *self.timing;
        self.attempts.succeed(now);
        let (measured, beyond) = if let Some(began) = cts {
            (now.since(began).saturating_sub(sifs * 2), Beyond { frames: rts + cts_time, sifs: 3 })
        } else {
            // Eq. 12: without RTS and CTS, from the start of the data.
            let measured = now.since(started);
            if !load.follows {
                self.literal.transferred(started, measured.secs());
            }
            let protection = Beyond { frames: self.timing.self_cts(), sifs: 1 };
            (measured, if is_protected { protection } else { Beyond::default() })
        };
        let time = self.gauge.whole(&load, measured, beyond);
        self.sample(now, Part::Sender, [frame.ta; 2], load, time, measured);
        self.exchange = Some(Last { sender: self.radio, part: Part::Sender, end: now });
    }

    fn on_others(&mut self, now: Time, frame: &Frame, content: Option<&Content>) {
        let Timing { sifs, rts, cts, .. } = *self.timing;
        match frame.kind {
            FrameKind::Rts => self.literal.count_nav(now, Part::Onlooker, Span::from_micros(u64::from(frame.duration))),
            FrameKind::Cts => {
                let duration = Span::from_micros(u64::from(frame.duration));
                // If the RTS was decoded, its NAV counts already.
                if !self.literal.has_counted(now + duration.saturating_sub(sifs)) {
                    self.literal.count_nav(now, Part::Onlooker, duration);
                }
                let is_protected = frame.ta == frame.ra;
                self.overheard = Some(Overheard { sender: frame.ra, cts: now, is_protected, duration, load: None });
            }
            FrameKind::Data | FrameKind::Aggregate => {
                let load = self.gauge.load(now, Role::Received, frame, content, self.exchange);
                if let Some(heard) = self.overheard.as_mut().filter(|heard| heard.sender == frame.ta) {
                    heard.load = Some(Load { follows: false, ..load });
                } else if load.follows {
                    let cts = Time(now.0.saturating_sub((frame.airtime + sifs).0));
                    let first =
                        Overheard { sender: frame.ta, cts, is_protected: false, duration: Span::ZERO, load: None };
                    self.overheard = Some(Overheard { load: Some(load), ..first });
                }
            }
            FrameKind::Ack | FrameKind::BlockAck => {
                let Some(heard) = self.overheard.take().filter(|heard| heard.sender == frame.ra) else { return };
                let measured = now.since(heard.cts).saturating_sub(sifs * 2);
                let load = heard.load.unwrap_or_else(|| self.gauge.inferred(heard.duration, frame, content));
                let load = acknowledged(load, content.filter(|_| heard.load.is_some()));
                let beyond = match (load.follows, heard.is_protected) {
                    (true, _) => Beyond { sifs: 1, ..Beyond::default() },
                    (false, true) => Beyond { frames: self.timing.self_cts(), sifs: 2 },
                    (false, false) => Beyond { frames: rts + cts, sifs: 3 },
                };
                let time = self.gauge.whole(&load, measured, beyond);
                if measured > frame.airtime {
                    self.sample(now, Part::Onlooker, [frame.ra, frame.ta], load, time, measured);
                    self.exchange = Some(Last { sender: frame.ra, part: Part::Onlooker, end: now });
                }
            }
            // Its answer is that to an exchange which has failed.
            FrameKind::BlockAckRequest => self.overheard = None,
            FrameKind::CfEnd => {}
        }
    }

    fn available(&self, now: Time, window: Span, capacity: f64) -> f64 {
        if self.is_literal() {
            return self.literal.available(now, capacity);
        }
        let window = Span(window.0.min(self.config.window.0));
        let idle = capacity * (1.0 - self.busy.share(now, window)).max(0.0);
        let room = self.samples.room(now, window, capacity);
        // A run shorter than the window counts as a whole, as in the busy share.
        let elapsed = window.0.min(now.0);
        if room > 0.0 { (idle + room / Span(elapsed).secs()).min(capacity) } else { idle }
    }
}

impl EngineObserver for Winf {
    const PAGE: &'static str = "winf";
    type Config = WinfConfig;

    fn build(config: &WinfConfig, setup: &ObserverSetup<'_>) -> Winf {
        Winf {
            radio: setup.radio,
            config: config.clone(),
            gauge: Gauge::new(setup.timing, config),
            timing: Arc::clone(setup.timing),
            samples: Samples::new(config),
            busy: BusyTime::default(),
            own: Own::default(),
            overheard: None,
            exchange: None,
            literal: Literal::default(),
            attempts: Attempts::new(config.window),
            last: [None; 3],
            sensed: None,
        }
    }
}

impl ChannelObserver for Winf {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        self.observe(now, role, frame, None);
    }

    fn on_content(&mut self, now: Time, role: Role, frame: &Frame, content: &Content) {
        self.observe(now, role, frame, Some(content));
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

    fn on_service(&mut self, now: Time, category: Category, is_begun: bool) {
        self.busy.wait(now, category, is_begun);
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
