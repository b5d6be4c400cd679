//! A link with a bottleneck queue in one direction, delays, losses, reordering and duplication.

use crate::kernel::{End, Purpose, RandomStreams, Rate, Span, Time};
use crate::packet::{TcpFlags, TcpSegment};
use crate::transport::TcpConfig;
use crate::transport::congestion::{CongestionKind, Setup};
use crate::transport::rules::{LossBase, LossRules, WindowKind};
use crate::transport::stream::{Endpoint, Reading, StreamConfig};
use std::collections::{BTreeMap, VecDeque};

/// What happens to a packet, by its sender and number.
type FateOf = Box<dyn FnMut(End, u64, &TcpSegment) -> Fate>;

pub(super) const MSS: u32 = 1448;

pub(super) const fn ms(millis: u64) -> Time {
    Time(millis * 1_000_000)
}

pub(super) fn endpoint(end: End, kind: CongestionKind, config: &StreamConfig, reading: Reading) -> Endpoint {
    let setup = Setup {
        initial_window: f64::from(config.initial_window),
        initial_ssthresh: f64::INFINITY,
        segment: MSS,
        window: f64::INFINITY,
        loss: LossRules { base: LossBase::UsedWindow, rounds_ssthresh: true, min_half: 2.0, keeps_ssthresh: true },
        window_kind: WindowKind::Real,
        stream: Some(RandomStreams::new(1).stream(Purpose::Control, 0)),
    };
    let congestion = config.controllers(&TcpConfig::default().congestion);
    let mut endpoint = Endpoint::closed(end, config, MSS, kind.build(&setup, &congestion), reading);
    if kind == CongestionKind::Cubic {
        endpoint.set_cubic();
    }
    endpoint
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Arrives,
    Lost,
    Marked,
    /// Later by this time, without holding up others.
    Late(Span),
    Twice,
}

/// A packet as it enters the bottleneck, or the way back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) at: Time,
    pub(super) segment: TcpSegment,
    pub(super) is_lost: bool,
}

/// Two ends and what is between them. The queue is before the link from source to sink.
pub(super) struct Path {
    pub(super) ends: [Endpoint; 2],
    pub(super) now: Time,
    pub(super) seen: Vec<Seen>,
    pub(super) keeps_seen: bool,
    pub(super) delivered: [u64; 2],
    pub(super) complete_at: Option<Time>,
    pub(super) expected: u64,
    pub(super) drops: u64,
    /// Waits of packets that were served, in seconds, since `wait_from`.
    pub(super) waits: Vec<f64>,
    pub(super) wait_from: Time,
    pub(super) rate: Rate,
    delay: Span,
    limit: usize,
    /// Departures of packets that wait, or are served.
    queue: VecDeque<Time>,
    busy_until: [Time; 2],
    in_transit: BTreeMap<(Time, u64), (usize, TcpSegment, bool)>,
    order: u64,
    numbers: [u64; 2],
    fate: FateOf,
}

impl Path {
    pub(super) fn new(kind: CongestionKind, config: &StreamConfig, reading: Reading) -> Path {
        let mut sink = endpoint(End::Sink, kind, config, reading);
        sink.listen();
        Path {
            ends: [endpoint(End::Source, kind, config, Reading::default()), sink],
            now: Time::ZERO,
            seen: Vec::new(),
            keeps_seen: true,
            delivered: [0; 2],
            complete_at: None,
            expected: u64::MAX,
            drops: 0,
            waits: Vec::new(),
            wait_from: Time::ZERO,
            rate: Rate(10e6),
            delay: Span::from_millis(25),
            limit: 42,
            queue: VecDeque::new(),
            busy_until: [Time::ZERO; 2],
            in_transit: BTreeMap::new(),
            order: 0,
            numbers: [0; 2],
            fate: Box::new(|_, _, _| Fate::Arrives),
        }
    }

    pub(super) fn with(mut self, delay: Span, limit: usize) -> Path {
        (self.delay, self.limit) = (delay, limit);
        self
    }

    pub(super) fn with_fate(mut self, fate: impl FnMut(End, u64, &TcpSegment) -> Fate + 'static) -> Path {
        self.fate = Box::new(fate);
        self
    }

    /// Loses the data segments of these numbers, from 1, each time that they are counted.
    pub(super) fn losing_data(self, numbers: &[u64]) -> Path {
        let numbers = numbers.to_vec();
        let mut count = 0;
        self.with_fate(move |end, _, segment| {
            if end == End::Source && segment.len > 0 {
                count += 1;
                if numbers.contains(&count) {
                    return Fate::Lost;
                }
            }
            Fate::Arrives
        })
    }

    /// The source opens, supplies `bytes` and closes; without end if `None`.
    pub(super) fn start(&mut self, bytes: Option<u64>) {
        let source = &mut self.ends[0];
        source.open(self.now);
        match bytes {
            Some(bytes) => {
                self.expected = bytes;
                source.supply(self.now, bytes);
                source.close(self.now);
            }
            None => source.supply_endless(self.now),
        }
        self.carry(0);
    }

    pub(super) fn run(&mut self, until: Time) {
        while let Some(at) = self.next().filter(|&at| at <= until) {
            self.step(at);
        }
        self.now = until;
    }

    pub(super) fn next(&self) -> Option<Time> {
        let arrival = self.in_transit.first_key_value().map(|(&(at, _), _)| at);
        [arrival, self.ends[0].deadline(), self.ends[1].deadline()]
            .into_iter()
            .flatten()
            .min()
            .map(|at| at.max(self.now))
    }

    pub(super) fn step(&mut self, at: Time) {
        assert!(at >= self.now, "time runs forward: {at} after {}", self.now);
        self.now = at;
        if let Some(end) = [1, 0].into_iter().find(|&end| self.ends[end].deadline().is_some_and(|due| due <= at)) {
            self.ends[end].on_deadline(at);
            self.carry(end);
            return;
        }
        let Some((_, (to, segment, is_marked))) = self.in_transit.pop_first() else { return };
        let arrival = self.ends[to].on_segment(at, &segment, is_marked);
        self.delivered[to] += arrival.in_order;
        if to == 1 && self.delivered[1] >= self.expected && self.complete_at.is_none() {
            self.complete_at = Some(at);
        }
        self.carry(to);
    }

    pub(super) fn carry(&mut self, from: usize) {
        let sent: Vec<TcpSegment> = self.ends[from].take_sent().collect();
        for segment in sent {
            let end = [End::Source, End::Sink][from];
            self.numbers[from] += 1;
            let fate = (self.fate)(end, self.numbers[from], &segment);
            if self.keeps_seen {
                self.seen.push(Seen { at: self.now, segment, is_lost: fate == Fate::Lost });
            }
            while self.queue.front().is_some_and(|&leaves| leaves <= self.now) {
                self.queue.pop_front();
            }
            // The limit counts packets that wait, without the one in service.
            if from == 0 && self.queue.len() > self.limit {
                self.drops += 1;
                continue;
            }
            let begin = self.busy_until[from].max(self.now);
            let leaves = begin + self.rate.time_for(u64::from(segment.bytes()) * 8);
            self.busy_until[from] = leaves;
            if from == 0 {
                if begin >= self.wait_from {
                    self.waits.push(begin.since(self.now).secs());
                }
                self.queue.push_back(leaves);
            }
            let arrives = leaves + self.delay;
            let mut add = |at, is_marked| {
                self.order += 1;
                self.in_transit.insert((at, self.order), (1 - from, segment, is_marked));
            };
            match fate {
                Fate::Arrives => add(arrives, false),
                Fate::Marked => add(arrives, segment.is_ect),
                Fate::Lost => {}
                Fate::Late(span) => add(arrives + span, false),
                Fate::Twice => {
                    add(arrives, false);
                    add(arrives + Span::from_millis(3), false);
                }
            }
        }
    }

    /// Lines as in the oracle: milliseconds, direction, bytes, flags but PSH, numbers, SACK blocks.
    pub(super) fn lines(&self) -> Vec<(f64, String)> {
        self.seen.iter().map(|seen| (seen.at.secs() * 1e3, line(&seen.segment, seen.is_lost))).collect()
    }
}

fn line(segment: &TcpSegment, is_lost: bool) -> String {
    let flags = [
        (TcpFlags::SYN, 'S'),
        (TcpFlags::FIN, 'F'),
        (TcpFlags::RST, 'R'),
        (TcpFlags::ACK, 'A'),
        (TcpFlags::ECE, 'E'),
        (TcpFlags::CWR, 'C'),
    ];
    let letters: String =
        flags.into_iter().filter(|&(flag, _)| segment.flags.has(flag)).map(|(_, letter)| letter).collect();
    let side = if segment.is_forward() { '>' } else { '<' };
    let blocks: Vec<_> = segment.blocks().map(|(first, beyond)| format!(" sack{first}-{beyond}")).collect();
    let blocks = blocks.concat();
    let lost = if is_lost { " DROPPED" } else { "" };
    let ecn = if segment.is_ect { 2 } else { 0 };
    format!(
        "{side} {} {letters} seq {} ack {} len {} ecn {ecn}{blocks}{lost}",
        segment.bytes(),
        segment.seq,
        segment.ack,
        segment.len
    )
}
