//! TCP Muzha's routers: each computes a level from 1 (decelerate) to 5 (accelerate), and lowers passing options to it.
//!
//! # Model
//! The level (DRAI) follows from two smoothed signals: interface queue length, and the share of time in which the medium is
//! busy. The queue's level counts; the channel's only caps it. Levels fall at once, and rise one at a time, each after a
//! delay and only when the signal is clearly below its threshold. A queue overflow limits the level for a time.
//! The router keeps no state per flow and reads no transport header. With `mode = "table"` the queueing time and the used
//! share of an estimated capacity are signals as well.
//! # Source
//! Lien and Hsiao name the signals and the five levels, and give no formula. The formula and its constants are hoplab's
//! (muzha.md section 7).
//! # Deviations
//! None from muzha.md. Packets that routing purges from the queue count until the next packet comes.
//! # Parameters
//! Tables `[muzha]` and `[muzha.drai]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, Lost, PacketKind, PacketView};
use crate::kernel::{NodeId, Purpose, Span, Stream, Time, exp};
use crate::packet::explicit::{
    DraiConfig, DraiMode, DropOverride, Feedback, MAX_LEVEL, MIN_LEVEL, MuzhaConfig, StampAt,
};
use std::collections::VecDeque;

/// The router of one node: its level and the active neighbor pairs.
#[derive(Debug)]
pub struct Muzha {
    config: MuzhaConfig,
    drai: Drai,
    /// Previous and next hop of packets through this node, and the time of the last one.
    pairs: Vec<((NodeId, NodeId), Time)>,
    chance: Option<Stream>,
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
            self.chance = Some(cx.streams.stream(Purpose::Feedback, DITHER ^ cx.node.0));
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
    level: u8,
    changed: Time,
    /// Highest level allowed after a loss, and until when.
    held: (u8, Time),
}

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Queue,
    Share,
    Busy,
    Delay,
    Used,
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
        };
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
        let mut target = MAX_LEVEL;
        for scale in self.scales.iter_mut().flatten() {
            let (signal, slack) = match scale.signal {
                Signal::Queue => (self.queue, Slack::Share(self.config.hysteresis)),
                Signal::Share => (self.queue / self.queue_limit, Slack::Share(self.config.hysteresis)),
                Signal::Busy => (self.busy, Slack::Distance(self.config.busy_hysteresis)),
                Signal::Delay => (self.delay.mean, Slack::Share(self.config.hysteresis)),
                Signal::Used => (self.used, Slack::Distance(self.config.busy_hysteresis)),
            };
            target = target.min(scale.follow(signal, slack));
        }
        if target < self.level {
            (self.level, self.changed) = (target, now);
        } else if target > self.level && now.since(self.changed) >= self.config.hold {
            (self.level, self.changed) = (self.level + 1, now);
        }
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

/// How far past a threshold a signal must be before the level rises.
#[derive(Clone, Copy, Debug)]
enum Slack {
    /// A share of the threshold.
    Share(f64),
    /// A distance.
    Distance(f64),
}

impl Scale {
    /// The level of a signal, given the level before (hysteresis).
    fn follow(&mut self, signal: f64, slack: Slack) -> u8 {
        let plain = self.read(signal, |threshold| threshold);
        let risen = self.read(signal, |threshold| match slack {
            Slack::Share(share) => threshold * (1.0 - share),
            Slack::Distance(distance) => threshold - distance,
        });
        self.level = self.level.min(plain).max(risen);
        self.level
    }

    fn read(&self, signal: f64, shift: impl Fn(f64) -> f64) -> u8 {
        let passed = self.thresholds.iter().filter(|threshold| signal >= shift(**threshold)).count();
        MAX_LEVEL - passed as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(busy: f64) -> Observed {
        Observed { busy, ..Observed::default() }
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// With the constants of muzha.md section 7, which its numbers are computed for.
    fn drai() -> Drai {
        Drai::new(&DraiConfig { q1: 0.1, q3: 0.8, q4: 2.0, tau: Span::from_millis(500), ..DraiConfig::default() }, 50)
    }

    #[test]
    fn constant_queue_lowers_the_level_in_steps() {
        // muzha.md T7: from empty, one packet waits from 0 on. With tau = 0.5 s the mean reaches 0.8 after 0.805 s.
        let mut node = drai();
        node.on_queue(Time::ZERO, 1);
        let mut levels = Vec::new();
        for step in 1..=300u64 {
            node.advance(ms(10 * step), &busy(0.0));
            levels.push((10 * step, node.level(ms(10 * step))));
        }
        let first = |level: u8| levels.iter().find(|(_, found)| *found <= level).map(|(at, _)| *at);
        // -0.5 ln(0.9), ln(0.6), ln(0.2) seconds; steps of 10 ms.
        assert_eq!((first(4), first(3), first(2), first(1)), (Some(60), Some(260), Some(810), None));
        assert!((node.queue - (1.0 - exp(-6.0))).abs() < 1e-12);
    }

    #[test]
    fn means_are_independent_of_sampling_times() {
        let (mut often, mut seldom) = (drai(), drai());
        for node in [&mut often, &mut seldom] {
            node.on_queue(ms(100), 3);
        }
        for step in 11..=70 {
            often.advance(ms(10 * step), &busy(0.6));
        }
        for node in [&mut often, &mut seldom] {
            node.on_queue(ms(705), 0);
            node.advance(ms(1000), &busy(0.6));
        }
        assert!((often.queue - seldom.queue).abs() < 1e-12, "{} {}", often.queue, seldom.queue);
        // Three packets for 605 ms, none for 295.
        let expected = 3.0 * (1.0 - exp(-1.21)) * exp(-0.59);
        assert!((seldom.queue - expected).abs() < 1e-12);
        // Changes of the queue between two updates leave the mean of the medium unchanged.
        for node in [often, seldom] {
            assert!((node.busy - 0.6 * (1.0 - exp(-2.0))).abs() < 1e-12, "{}", node.busy);
        }
    }

    #[test]
    fn hysteresis_holds_the_level_near_a_threshold() {
        // T8: 0.4 plus and minus 5 % leaves level 3; only below 0.34 it rises.
        let mut scale = Scale { signal: Signal::Queue, thresholds: [0.1, 0.4, 0.8, 2.0], level: 5 };
        let slack = Slack::Share(0.15);
        let levels: Vec<u8> =
            [0.2, 0.42, 0.38, 0.42, 0.38, 0.35, 0.33, 0.38, 0.42, 0.33].map(|q| scale.follow(q, slack)).to_vec();
        assert_eq!(levels, [4, 3, 3, 3, 3, 3, 4, 4, 3, 4]);
    }

    #[test]
    fn levels_fall_at_once_and_rise_one_at_a_time() {
        let mut node = drai();
        node.on_queue(Time::ZERO, 100);
        node.advance(ms(100), &busy(0.0));
        assert_eq!(node.level(ms(100)), 1);
        node.on_queue(ms(100), 0);
        // After 5 s the queue no longer contributes to the mean.
        let levels: Vec<u8> = [5000, 5050, 5100, 5199, 5200, 5300, 5400]
            .map(|at| {
                node.advance(ms(at), &busy(0.0));
                node.level(ms(at))
            })
            .to_vec();
        assert_eq!(levels, [2, 2, 3, 3, 4, 5, 5]);
    }

    #[test]
    fn the_channel_caps_and_never_halves() {
        let config = DraiConfig::default();
        for (share, level) in [(0.6, 5), (0.75, 4), (0.92, 3), (0.99, 2), (1.0, 2)] {
            let mut node = Drai::new(&config, 50);
            node.advance(Time::from_secs(60.0), &busy(share));
            assert_eq!(node.level(Time::from_secs(60.0)), level, "busy {share}");
        }
        let mut node = Drai::new(&DraiConfig { mode: DraiMode::Queue, ..config.clone() }, 50);
        node.advance(Time::from_secs(60.0), &busy(1.0));
        assert_eq!(node.level(Time::from_secs(60.0)), 5);
        let mut node = Drai::new(&DraiConfig { mode: DraiMode::Channel, ..config }, 50);
        node.on_queue(Time::ZERO, 40);
        node.advance(Time::from_secs(60.0), &busy(0.92));
        assert_eq!(node.level(Time::from_secs(60.0)), 3);
    }

    #[test]
    fn table_mode_uses_the_given_signals() {
        let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
        config.table.share = Some([0.1, 0.2, 0.4, 0.7]);
        let mut node = Drai::new(&config, 50);
        node.on_queue(Time::ZERO, 15);
        node.advance(Time::from_secs(60.0), &busy(1.0));
        // 15 of 50 packets are 0.3.
        assert_eq!(node.level(Time::from_secs(60.0)), 3);
        config.table.busy = Some([0.1, 0.2, 0.3, 0.9]);
        let mut node = Drai::new(&config, 50);
        node.advance(Time::from_secs(60.0), &busy(1.0));
        assert_eq!(node.level(Time::from_secs(60.0)), 1);
    }

    #[test]
    fn queueing_time_is_the_wait_of_the_last_packet() {
        let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
        config.table.delay = Some([0.01, 0.1, 0.2, 0.4]);
        let mut node = Drai::new(&config, 50);
        // Packets arrive at 0, 10 and 20 ms, the first two leave after 300 ms each, the last is purged.
        for (at, waiting) in [(0, 1), (10, 2), (20, 3)] {
            node.delay.on_packet(ms(at), At::Arrival, waiting);
        }
        node.delay.on_packet(ms(300), At::Departure, 2);
        node.delay.on_packet(ms(310), At::Departure, 1);
        assert!((node.delay.last - 0.3).abs() < 1e-12);
        node.advance(Time::from_secs(60.0), &busy(1.0));
        assert_eq!(node.level(Time::from_secs(60.0)), 2, "the mean is 0.3 s");
        node.delay.on_lost(Time::from_secs(60.0), 0);
        node.delay.on_packet(Time::from_secs(61.0), At::Arrival, 1);
        node.delay.on_packet(Time::from_secs(61.0), At::Departure, 0);
        node.advance(Time::from_secs(70.0), &busy(1.0));
        assert_eq!((node.delay.last, node.level(Time::from_secs(70.0))), (0.0, 3), "a purged packet leaves no wait");
    }

    #[test]
    fn used_share_of_an_estimated_capacity_gives_the_level() {
        let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
        config.table.used = Some([0.5, 0.7, 0.9, 0.98]);
        for (used, level) in [(0.0, 5), (0.6, 4), (0.8, 3), (0.95, 2), (1.0, 1)] {
            let mut node = Drai::new(&config, 50);
            node.advance(Time::from_secs(60.0), &Observed { busy: 1.0, used });
            assert_eq!(node.level(Time::from_secs(60.0)), level, "{used}");
        }
    }

    #[test]
    fn loss_limits_the_level_temporarily() {
        let lose = |drop_override, lost| {
            let mut node = Drai::new(&DraiConfig { drop_override, ..DraiConfig::default() }, 50);
            node.on_lost(ms(100), lost);
            (node.level(ms(299)), node.level(ms(300)))
        };
        assert_eq!(lose(DropOverride::Ifq, Lost::QueueFull), (1, 5));
        assert_eq!(lose(DropOverride::Ifq, Lost::MacRetry), (5, 5));
        assert_eq!(lose(DropOverride::Both, Lost::MacRetry), (2, 5));
        assert_eq!(lose(DropOverride::None, Lost::QueueFull), (5, 5));
        let mut node = Drai::new(&DraiConfig { drop_override: DropOverride::Both, ..DraiConfig::default() }, 50);
        node.on_lost(ms(100), Lost::QueueFull);
        node.on_lost(ms(200), Lost::MacRetry);
        assert_eq!((node.level(ms(399)), node.level(ms(400))), (1, 5));
        node.on_lost(ms(400), Lost::MacRetry);
        assert_eq!(node.level(ms(400)), 2, "what held it down before is over");
    }
}
