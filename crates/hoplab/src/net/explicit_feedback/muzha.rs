//! TCP Muzha's routers: each computes a level from 1 (decelerate) to 5 (accelerate), and lowers passing options to it.
//!
//! # Model
//! The level (DRAI) follows from two smoothed signals: interface queue length, and the share of time in which the medium is
//! busy. The queue's level counts; the channel's only caps it. Levels fall at once, and rise one at a time, each after a
//! delay and only when the signal is clearly below its threshold. A queue overflow limits the level for a time.
//! The router keeps no state per flow and reads no transport header. With `mode = "table"` the queueing time and the used
//! share of an estimated capacity are signals as well, with `mode = "grid"` any function of the signals.
//! # Source
//! Lien and Hsiao name the signals and the five levels, and give no formula. The formula and its constants are hoplab's
//! (docs/specs/muzha.md section 7).
//! # Deviations
//! None from docs/specs/muzha.md. Packets that routing purges from the queue count until the next packet comes.
//! # Parameters
//! Tables `[muzha]` and `[muzha.drai]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, Lost, PacketKind, PacketView};
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, Span, Time, exp};
use crate::packet::explicit::{
    DraiConfig, DraiMode, DropOverride, Feedback, MAX_LEVEL, MIN_LEVEL, MuzhaConfig, StampAt,
};
use grid::Grid;
use signals::{Signal, Signals, Slack};
use std::collections::VecDeque;

mod grid;
mod signals;

/// The router of one node: its level and the active neighbor pairs.
#[derive(Debug)]
pub struct Muzha {
    config: MuzhaConfig,
    drai: Drai,
    /// Previous and next hop of packets through this node, and the time of the last one.
    pairs: Vec<((NodeId, RadioId), Time)>,
    chance: Option<RandomStream>,
}

const TICK: u8 = 0;

/// Separates the random stream of dithering from that of first timers.
const DITHER: u32 = 15 << 20;

/// How long a pair of neighbors counts after its last packet.
const MEMORY: Span = Span::from_millis(1000);

impl Muzha {
    /// Before the run.
    pub fn new(setup: &FeedbackSetup<'_>) -> Muzha {
        let config = setup.explicit.muzha.clone();
        let drai = Drai::new(&config.drai, setup.queue_limit);
        Muzha { config, drai, pairs: Vec::new(), chance: None }
    }

    /// Whether the node may write into this packet.
    fn may_stamp(&self, packet: &PacketView) -> bool {
        match packet.kind {
            PacketKind::Segment => self.config.source_stamps || !packet.is_own,
            PacketKind::Ack => self.config.ack_path,
            PacketKind::Datagram | PacketKind::Control => false,
        }
    }

    fn stamp(&mut self, cx: &FeedbackCtx<'_>, feedback: &mut Feedback) {
        if let Feedback::Mrai(level) = feedback {
            self.drai.advance(cx.now, &observed(cx, self.drai.config.busy_window));
            let own = self.dithered(self.drai.level(cx.now), cx.now);
            *level = (*level).clamp(MIN_LEVEL, MAX_LEVEL).min(own);
        }
    }

    /// Prevents flows that share a node from accelerating together: of n packets, n being the number of neighbors that send, one
    /// keeps the highest level, and the others carry the next lower one.
    fn dithered(&mut self, level: u8, now: Time) -> u8 {
        let Some(chance) = self.chance.as_mut().filter(|_| level == MAX_LEVEL) else { return level };
        self.pairs.retain(|(_, last)| now.since(*last) <= MEMORY);
        let active = self.pairs.len().max(1) as f64;
        if chance.unit() < 1.0 - 1.0 / active { level - 1 } else { level }
    }

    fn note_pair(&mut self, now: Time, packet: &PacketView) {
        let pair = (packet.prev_hop, packet.next_hop);
        match self.pairs.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, last)) => *last = now,
            None => self.pairs.push((pair, now)),
        }
    }
}

impl FeedbackRouter for Muzha {
    fn start(&mut self, cx: &mut FeedbackCtx<'_>) {
        if self.config.dither {
            self.chance = Some(cx.streams.stream(Purpose::Feedback, DITHER ^ cx.radio.0));
        }
        cx.set_timer(cx.now + self.config.drai.hold, TICK);
    }

    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        let stamps = match at {
            At::Arrival => StampAt::Enqueue,
            At::Departure => StampAt::Dequeue,
        };
        if self.config.stamp_at == stamps && self.may_stamp(packet) {
            self.stamp(cx, feedback);
        }
        let waiting = cx.queue_len() + usize::from(at == At::Arrival);
        self.drai.on_queue(cx.now, waiting);
        self.drai.delay.on_packet(cx.now, at, waiting);
        if self.config.dither && packet.kind != PacketKind::Control {
            self.note_pair(cx.now, packet);
        }
    }

    fn on_delivery(&mut self, cx: &mut FeedbackCtx<'_>, packet: &PacketView, feedback: &mut Feedback) {
        if self.config.dest_stamps && packet.kind == PacketKind::Segment {
            self.stamp(cx, feedback);
        }
    }

    fn on_timer(&mut self, cx: &mut FeedbackCtx<'_>, _slot: u8) {
        self.drai.advance(cx.now, &observed(cx, self.drai.config.busy_window));
        cx.set_timer(cx.now + self.config.drai.hold, TICK);
    }

    fn on_lost(&mut self, cx: &mut FeedbackCtx<'_>, lost: Lost) {
        self.drai.on_queue(cx.now, cx.queue_len());
        self.drai.delay.on_lost(cx.now, cx.queue_len());
        self.drai.on_lost(cx.now, lost);
    }

    fn read(&self, now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        put("drai", f64::from(self.drai.level(now)));
    }
}

/// What the node's observers say: shares of recent time and of the capacity, 0 without an observer.
#[derive(Clone, Copy, Debug, Default)]
struct Observed {
    /// Share of time with a busy medium.
    busy: f64,
    /// Share of the capacity that is not available.
    used: f64,
}

fn observed(cx: &FeedbackCtx<'_>, window: Span) -> Observed {
    let used = cx.hop.link(cx.now, window).filter(|link| link.capacity > 0.0);
    Observed {
        busy: cx.hop.busy(cx.now, window).unwrap_or(0.0),
        used: used.map_or(0.0, |link| (1.0 - link.available / link.capacity).clamp(0.0, 1.0)),
    }
}

/// Queueing time: the wait of the packet that left last, as if the first in were the first out. A discipline with another
/// order has the same mean.
#[derive(Clone, Debug, Default)]
struct QueueingTime {
    /// When the waiting packets have arrived, the first in front.
    arrivals: VecDeque<Time>,
    /// Wait of the last packet, in seconds.
    last: f64,
    mean: f64,
    at: Time,
    tau: Span,
}

impl QueueingTime {
    /// A packet passes; `waiting` packets wait then.
    fn on_packet(&mut self, now: Time, at: At, waiting: usize) {
        match at {
            At::Arrival => self.arrivals.push_back(now),
            At::Departure => {
                self.smooth(now);
                self.last = self.arrivals.pop_front().map_or(0.0, |since| now.since(since).secs());
            }
        }
        // What routing has purged.
        self.arrivals.truncate(waiting);
    }

    fn on_lost(&mut self, now: Time, waiting: usize) {
        self.smooth(now);
        self.arrivals.truncate(waiting);
    }

    fn smooth(&mut self, now: Time) {
        self.mean = smoothed(self.mean, self.last, self.at, now, self.tau);
        self.at = now;
    }
}

/// A router's level over time.
#[derive(Clone, Debug)]
struct Drai {
    config: DraiConfig,
    queue_limit: f64,
    /// Packets that wait since `at`.
    waiting: f64,
    /// Smoothed signals with their times: the queue is updated at every change, the medium when the level is read.
    queue: f64,
    queue_at: Time,
    busy: f64,
    used: f64,
    busy_at: Time,
    delay: QueueingTime,
    scales: [Option<Scale>; 5],
    grid: Option<Grid>,
    level: u8,
    changed: Time,
    /// Highest level allowed after a loss, and until when.
    held: (u8, Time),
}

/// Levels of one signal, with hysteresis.
#[derive(Clone, Copy, Debug)]
struct Scale {
    signal: Signal,
    /// Signal from which the level is below 5, 4, 3, 2; infinite where that level does not occur.
    thresholds: [f64; 4],
    level: u8,
}

impl Drai {
    fn new(config: &DraiConfig, queue_limit: u32) -> Drai {
        let scale = |signal, thresholds| Some(Scale { signal, thresholds, level: MAX_LEVEL });
        let queue = scale(Signal::Queue, [config.q1, config.q2, config.q3, config.q4]);
        // Near the optimum of a chain its middle is busy nearly always: the channel alone is no reason to halve.
        let busy = scale(Signal::Busy, [config.u1, config.u2, config.u3, f64::INFINITY]);
        let of_table = |signal, thresholds: Option<[f64; 4]>| thresholds.and_then(|four| scale(signal, four));
        let table = &config.table;
        let scales = match config.mode {
            DraiMode::QueueAndChannel => [queue, busy, None, None, None],
            DraiMode::Queue => [queue, None, None, None, None],
            DraiMode::Channel => [busy, None, None, None, None],
            DraiMode::Table => [
                of_table(Signal::Queue, table.queue),
                of_table(Signal::Share, table.share),
                of_table(Signal::Busy, table.busy),
                of_table(Signal::Delay, table.delay),
                of_table(Signal::Used, table.used),
            ],
            DraiMode::Grid => [None; 5],
        };
        let grid = (config.mode == DraiMode::Grid).then(|| Grid::new(&config.grid));
        Drai {
            config: config.clone(),
            queue_limit: f64::from(queue_limit),
            waiting: 0.0,
            queue: 0.0,
            queue_at: Time::ZERO,
            busy: 0.0,
            used: 0.0,
            busy_at: Time::ZERO,
            delay: QueueingTime { tau: config.tau, ..QueueingTime::default() },
            scales,
            grid,
            level: MAX_LEVEL,
            changed: Time::ZERO,
            held: (MAX_LEVEL, Time::ZERO),
        }
    }

    /// The queue length changes.
    fn on_queue(&mut self, now: Time, waiting: usize) {
        self.smooth_queue(now);
        self.waiting = waiting as f64;
    }

    fn on_lost(&mut self, now: Time, lost: Lost) {
        let most = match (self.config.drop_override, lost) {
            (DropOverride::Ifq | DropOverride::Both, Lost::QueueFull) => MIN_LEVEL,
            (DropOverride::Both, Lost::MacRetry) => MIN_LEVEL + 1,
            _ => return,
        };
        let (so_far, until) = self.held;
        let most = if now < until { most.min(so_far) } else { most };
        self.held = (most, now + self.config.drop_hold);
    }

    /// Updates the means.
    fn advance(&mut self, now: Time, observed: &Observed) {
        self.smooth_queue(now);
        self.delay.smooth(now);
        self.busy = smoothed(self.busy, observed.busy, self.busy_at, now, self.config.tau);
        self.used = smoothed(self.used, observed.used, self.busy_at, now, self.config.tau);
        self.busy_at = now;
        let signals = self.signals();
        let mut target = self.grid.as_mut().map_or(MAX_LEVEL, |grid| grid.follow(&signals));
        for scale in self.scales.iter_mut().flatten() {
            target = target.min(scale.follow(signals.value(scale.signal), signals.slack(scale.signal)));
        }
        if target < self.level {
            (self.level, self.changed) = (target, now);
        } else if target > self.level && now.since(self.changed) >= self.config.hold {
            (self.level, self.changed) = (self.level + 1, now);
        }
    }

    fn signals(&self) -> Signals {
        let share = Slack::Share(self.config.hysteresis);
        let distance = Slack::Distance(self.config.busy_hysteresis);
        Signals([
            (self.queue, share),
            (self.queue / self.queue_limit, share),
            (self.busy, distance),
            (self.delay.mean, share),
            (self.used, distance),
        ])
    }

    /// The level, after [`Drai::advance`].
    fn level(&self, now: Time) -> u8 {
        let (most, until) = self.held;
        if now < until { self.level.min(most) } else { self.level }
    }

    fn smooth_queue(&mut self, now: Time) {
        self.queue = smoothed(self.queue, self.waiting, self.queue_at, now, self.config.tau);
        self.queue_at = now;
    }
}

/// The exponential mean of a signal with this value since the last update: exact for a signal that changes in steps.
fn smoothed(mean: f64, value: f64, since: Time, now: Time, tau: Span) -> f64 {
    let keep = exp(-now.since(since).secs() / tau.secs());
    mean * keep + value * (1.0 - keep)
}

impl Scale {
    /// The level of a signal, given the level before (hysteresis).
    fn follow(&mut self, signal: f64, slack: Slack) -> u8 {
        let plain = self.read(signal, |threshold| threshold);
        let risen = self.read(signal, |threshold| slack.below(threshold));
        self.level = self.level.min(plain).max(risen);
        self.level
    }

    fn read(&self, signal: f64, shift: impl Fn(f64) -> f64) -> u8 {
        let passed = self.thresholds.iter().filter(|threshold| signal >= shift(**threshold)).count();
        MAX_LEVEL - passed as u8
    }
}

#[cfg(test)]
mod tests;
