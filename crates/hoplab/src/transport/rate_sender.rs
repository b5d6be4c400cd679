//! RCP's sender: one packet per interval, at the rate that the routers offer.
//!
//! # Model
//! A Syn asks for a rate and is repeated until answered. Then one segment leaves per interval, which is a packet's length
//! over the rate; every answer may change the rate and with it the moment of the next segment. A sender slower than a
//! packet per round trip also sends Refs, packets without data, so that the rate stays fresh. What is missing is sent
//! again within the same schedule; a loss changes no rate. RCP-Winf keeps the rate below its own node's capacity, and no
//! more than a rate's worth of one round trip in flight.
//! # Source
//! Dukkipati 2006; the RCP patch for ns-2.35 (rcp.md section 4). RCP-Winf: Barreto 2015, eqs. 25 to 27 (rcp-winf.md).
//! # Deviations
//! The patch counts packets and does not know which are missing; here acknowledgments carry SACK blocks, a segment is
//! missing once three later ones have arrived or the timer has ended. There is no Fin. After three timeouts in a row only
//! Refs are sent until something comes back. A rate of zero is not offered, so nobody waits for one.
//! # Parameters
//! Tables `[rcp]`, `[rcp_winf]`; `tcp.min_rto`, `tcp.max_rto`.

use super::config::TcpConfig;
use super::machine::SenderCounts;
use super::ranges::Ranges;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::{
    Ack, Echo, Feedback, LinkEstimate, RcpConfig, RcpHeader, RcpKind, RcpWinfConfig, RefClock, SegNo, Segment,
};
use std::collections::{BTreeMap, BTreeSet};

/// Parameters of a sender of the family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RcpSender {
    /// Table `[rcp]`.
    pub rcp: RcpConfig,
    /// Table `[rcp_winf]`.
    pub winf: RcpWinfConfig,
}

/// A sender that follows a rate.
#[derive(Debug)]
pub struct RateSender {
    kind: RcpKind,
    config: RcpSender,
    min_rto: f64,
    max_rto: f64,
    /// Payload of a segment, and its limit in flight.
    segment: u32,
    window: u32,
    /// One past the last segment that the application has supplied; segment 0 is the Syn.
    supply: SegNo,
    is_closed: bool,
    una: SegNo,
    next: SegNo,
    /// Segments beyond `una` that have arrived.
    arrived: Ranges,
    /// Segments to be sent again, and those sent again, with the next new one at that time.
    missing: BTreeSet<SegNo>,
    resent: BTreeMap<SegNo, SegNo>,
    sendings: Vec<(SegNo, Time)>,
    /// Bytes per second, once a router has said so.
    rate: Option<f64>,
    /// Latest, smoothed, and least round-trip time, and their deviation, in seconds; 0 before the first.
    rtt: f64,
    srtt: f64,
    rttvar: f64,
    min_rtt: f64,
    backoff: u32,
    last_sent: Option<Time>,
    /// When the last Ref was sent, if it is not answered yet.
    asked: Option<Time>,
    /// When the next segment may leave.
    turn: Option<Time>,
    /// When the next Syn or Ref leaves.
    probe: Option<Time>,
    timer: Option<Time>,
    link: Option<LinkEstimate>,
    counts: SenderCounts,
    out: Vec<Segment>,
}

/// A packet without data that asks for the rate. Receivers answer it and count nothing.
pub const REF: SegNo = -1;

/// Later segments that stand for a loss.
const REORDERING: SegNo = 3;

/// Timeouts in a row after which only Refs are sent.
const OUTAGE: u32 = 3;

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl RateSender {
    /// Before anything is sent.
    pub fn new(kind: RcpKind, config: &RcpSender, tcp: &TcpConfig, segment: u32, window: u32) -> RateSender {
        RateSender {
            kind,
            config: config.clone(),
            min_rto: tcp.min_rto.secs(),
            max_rto: tcp.max_rto.secs(),
            segment,
            window,
            supply: 0,
            is_closed: false,
            una: 0,
            next: 0,
            arrived: Ranges::default(),
            missing: BTreeSet::new(),
            resent: BTreeMap::new(),
            sendings: Vec::new(),
            rate: None,
            rtt: 0.0,
            srtt: 0.0,
            rttvar: 0.0,
            min_rtt: f64::INFINITY,
            backoff: 0,
            last_sent: None,
            asked: None,
            turn: None,
            probe: None,
            timer: None,
            link: None,
            counts: SenderCounts::default(),
            out: Vec::new(),
        }
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        let is_first = self.supply == 0;
        let more = match supply {
            Supply::Segments(count) => SegNo::from(count),
            Supply::Endless => ENDLESS,
        };
        self.supply = (self.supply + more + SegNo::from(is_first)).min(ENDLESS);
        if is_first {
            self.next = 1;
            self.ask(now, 0);
        }
        self.schedule(now);
    }

    /// The application supplies nothing more.
    pub fn close(&mut self) {
        if self.supply == ENDLESS {
            self.supply = self.next;
        }
        self.is_closed = true;
        self.rest_if_done();
    }

    /// Whether everything that will ever be sent has arrived.
    pub fn is_done(&self) -> bool {
        self.is_closed && self.una >= self.supply
    }

    /// What is known of the links of the sender's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.link = link;
    }

    /// Whether [`RateSender::on_link`] is to be called.
    pub fn wants_link(&self) -> bool {
        self.kind == RcpKind::Winf
    }

    /// An answer has come.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if ack.cumulative >= self.next {
            return;
        }
        self.measure(now.since(ack.echo).secs());
        // Any answer to what was sent since is as good.
        self.asked = self.asked.filter(|asked| *asked > ack.echo);
        if let Echo::Rcp(offered) = ack.feedback {
            self.follow(now, offered);
        }
        self.backoff = 0;
        // An answer to a Ref tells nothing of what is in flight: it leaves the timer.
        if self.take(ack) {
            self.timer = Some(now + self.rto());
        }
        if self.in_flight() == 0 && self.missing.is_empty() {
            self.timer = None;
        }
        self.schedule(now);
        self.rest_if_done();
    }

    /// The time of [`RateSender::deadline`] has come.
    pub fn on_deadline(&mut self, now: Time) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.timer) {
            self.time_out(now);
        }
        if is_due(self.probe) {
            self.ask(now, if self.rate.is_none() { 0 } else { REF });
        }
        if is_due(self.turn) {
            self.turn = None;
            self.send(now);
            self.schedule(now);
        }
    }

    /// When it acts by itself.
    pub fn deadline(&self) -> Option<Time> {
        [self.timer, self.probe, self.turn].into_iter().flatten().min()
    }

    /// Takes out what is to be sent since the last call, in order, each with its bytes above the MAC.
    pub fn take_sent(&mut self) -> impl Iterator<Item = (Segment, u32)> + '_ {
        let header = self.config.rcp.header.0;
        self.out.drain(..).map(move |segment| (segment, segment.payload + header))
    }

    /// Losses found so far.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// Rate that is followed, in bytes per second with headers.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Smoothed round-trip time, once there is one.
    pub fn srtt(&self) -> Option<Span> {
        (self.srtt > 0.0).then(|| Span::from_secs(self.srtt))
    }

    /// Segments that are neither known to have arrived nor to be missing.
    fn in_flight(&self) -> u32 {
        let beyond: SegNo = self.arrived.runs().iter().map(|run| run.1 - run.0).sum();
        (self.next - self.una.max(1) - beyond - self.missing.len() as SegNo).max(0) as u32
    }

    fn measure(&mut self, rtt: f64) {
        if rtt <= 0.0 {
            return;
        }
        self.rtt = rtt;
        self.min_rtt = self.min_rtt.min(rtt);
        if self.srtt == 0.0 {
            (self.srtt, self.rttvar) = (rtt, rtt / 2.0);
        } else {
            self.rttvar += (libm::fabs(rtt - self.srtt) - self.rttvar) / 4.0;
            self.srtt += (rtt - self.srtt) / 8.0;
        }
    }

    fn rto(&self) -> Span {
        let usual = if self.srtt == 0.0 { 1.0 } else { self.srtt + 4.0 * self.rttvar };
        let doubled = usual.max(self.min_rto) * f64::from(1u32 << self.backoff.min(16));
        Span::from_secs(doubled.min(self.max_rto))
    }

    /// A rate is offered: the segment whose turn comes is timed anew.
    fn follow(&mut self, now: Time, offered: f64) {
        let rate = match self.link {
            // Eq. 25.
            Some(link) if self.kind == RcpKind::Winf => offered.min(link.capacity),
            _ => offered,
        };
        if rate.is_finite() && rate > 0.0 {
            self.rate = Some(rate);
            self.turn = None;
            self.set_probe(now);
        }
    }

    /// Time between two segments.
    fn interval(&self) -> Option<Span> {
        let rate = self.rate?;
        let header = match &self.config {
            RcpSender { rcp, .. } if self.kind == RcpKind::Base => rcp.header.0,
            // Eq. 27 as printed counts no headers.
            RcpSender { winf, .. } if winf.mode.is_literal_for(winf.eq27) => 0,
            RcpSender { winf, .. } => winf.header.0,
        };
        Some(Span::from_secs(f64::from(self.segment + header) / rate))
    }

    /// Segments that may be in flight.
    fn limit(&self) -> u32 {
        match (self.kind, self.rate) {
            // Eq. 26.
            (RcpKind::Winf, Some(rate)) => {
                let packet = f64::from(self.segment + self.config.winf.header.0);
                ((rate * self.srtt / packet) as u32).clamp(1, self.window)
            }
            _ => self.window,
        }
    }

    /// Times the next segment, if there is one that may leave.
    fn schedule(&mut self, now: Time) {
        let has_segment =
            !self.missing.is_empty() || (self.next < self.supply && self.next < self.una.max(1) + self.far());
        let may = self.una > 0 && has_segment && self.in_flight() < self.limit() && self.backoff < OUTAGE;
        if !may {
            self.turn = None;
            return;
        }
        if self.turn.is_none()
            && let Some(interval) = self.interval()
        {
            self.turn = Some(self.last_sent.map_or(now, |last| (last + interval).max(now)));
        }
    }

    /// How far beyond the first missing segment the sender may go.
    fn far(&self) -> SegNo {
        SegNo::from(self.window)
    }

    fn send(&mut self, now: Time) {
        let (seq, again) = if let Some(seq) = self.missing.pop_first() {
            self.resent.insert(seq, self.next);
            (seq, true)
        } else {
            self.next += 1;
            (self.next - 1, false)
        };
        self.last_sent = Some(now);
        self.emit(now, seq, self.segment, again);
        if self.timer.is_none() {
            self.timer = Some(now + self.rto());
        }
        if self.probe.is_none() {
            self.set_probe(now);
        }
    }

    /// Sends a packet without data.
    fn ask(&mut self, now: Time, seq: SegNo) {
        self.emit(now, seq, 0, false);
        self.asked = (seq == REF).then_some(now);
        self.set_probe(now);
    }

    fn set_probe(&mut self, now: Time) {
        let most = self.config.rcp.probe_interval;
        let is_slow = self.interval().is_some_and(|interval| interval.secs() > self.min_rtt);
        let wait = if self.rate.is_none() {
            Some(most)
        } else if self.backoff >= OUTAGE {
            Some(most.min(self.rto()))
        } else {
            let is_asked = self.asked.is_some() && self.config.rcp.ref_clock == RefClock::Answered;
            let wait = if is_asked { most } else { most.min(Span::from_secs(self.min_rtt)) };
            (is_slow && self.in_flight() > 0).then_some(wait)
        };
        self.probe = wait.map(|wait| now + wait.max(Span::from_millis(1)));
    }

    fn emit(&mut self, now: Time, seq: SegNo, payload: u32, is_retransmission: bool) {
        let first_sent = match self.sendings.binary_search_by_key(&seq, |(known, _)| *known) {
            Ok(place) => self.sendings[place].1,
            Err(place) => {
                if payload > 0 {
                    self.sendings.insert(place, (seq, now));
                }
                now
            }
        };
        let feedback = Feedback::Rcp(RcpHeader { kind: self.kind, rtt: self.rtt, rate: f64::INFINITY });
        self.out.push(Segment { seq, payload, sent_at: now, first_sent, is_retransmission, feedback });
    }

    /// Takes in what has arrived, and what is missing for good. Whether anything was news.
    fn take(&mut self, ack: &Ack) -> bool {
        let before = self.una;
        self.una = self.una.max(ack.cumulative + 1);
        let mut is_news = self.una > before;
        for (first, last) in ack.blocks() {
            is_news |= self.arrived.insert(*first, (*last).min(self.next)) > 0;
        }
        self.arrived.remove_below(self.una);
        self.una = self.arrived.first_gap(self.una);
        self.arrived.remove_below(self.una);
        if self.una > before {
            let una = self.una;
            self.missing = self.missing.split_off(&una);
            self.resent = self.resent.split_off(&una);
            self.sendings.retain(|(seq, _)| *seq >= una);
        }
        let Some(highest) = self.arrived.runs().last().map(|run| run.1) else { return is_news };
        let mut found = false;
        for seq in self.una..highest - REORDERING {
            // Sent again: missing again once three segments have arrived that were new after that.
            let is_overdue = self.resent.get(&seq).is_none_or(|next| highest >= next + REORDERING);
            if is_overdue && !self.arrived.contains(seq) && self.missing.insert(seq) {
                self.resent.remove(&seq);
                found = true;
            }
        }
        let arrived = &self.arrived;
        self.missing.retain(|seq| !arrived.contains(*seq));
        self.counts.fast_retransmits += u64::from(found);
        is_news
    }

    /// Silence: everything in flight is missing.
    fn time_out(&mut self, now: Time) {
        self.counts.timeouts += 1;
        self.backoff += 1;
        self.resent.clear();
        let all = (self.una.max(1)..self.next).filter(|seq| !self.arrived.contains(*seq));
        self.missing = all.collect();
        self.timer = (self.backoff < OUTAGE).then(|| now + self.rto());
        self.set_probe(now);
        if self.probe.is_none() && self.timer.is_none() {
            self.probe = Some(now + self.rto());
        }
        self.turn = None;
        self.schedule(now);
    }

    fn rest_if_done(&mut self) {
        if self.is_done() {
            (self.timer, self.probe, self.turn) = (None, None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(kind: RcpKind) -> RateSender {
        let mut sender = RateSender::new(kind, &RcpSender::default(), &TcpConfig::default(), 960, 1000);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    fn answer(cumulative: SegNo, echo: Time, rate: f64) -> Ack {
        Ack { feedback: Echo::Rcp(rate), ..Ack::plain(cumulative, echo) }
    }

    fn sent(sender: &mut RateSender) -> Vec<SegNo> {
        sender.take_sent().map(|(segment, _)| segment.seq).collect()
    }

    #[test]
    fn asks_until_answered_then_paces_at_the_rate() {
        let mut sender = sender(RcpKind::Base);
        assert_eq!(sent(&mut sender), [0]);
        assert_eq!(sender.deadline(), Some(ms(500)));
        sender.on_deadline(ms(500));
        assert_eq!(sent(&mut sender), [0]);
        // 100 kB/s: a packet of 1000 bytes every 10 ms, the first at once.
        sender.on_ack(ms(540), &answer(0, ms(500), 1e5));
        let mut times = Vec::new();
        while times.len() < 4 {
            let now = sender.deadline().expect("a turn");
            sender.on_deadline(now);
            times.extend(sent(&mut sender).into_iter().map(|seq| (seq, now)));
        }
        assert_eq!(times, [(1, ms(540)), (2, ms(550)), (3, ms(560)), (4, ms(570))]);
        // Half the rate: the next segment's turn comes later.
        sender.on_ack(ms(580), &answer(1, ms(540), 5e4));
        assert_eq!(sender.turn, Some(ms(590)));
        sender.on_ack(ms(581), &answer(2, ms(541), 1e6));
        assert_eq!(sender.turn, Some(ms(581)));
    }

    #[test]
    fn slow_senders_refresh_their_rate() {
        let mut sender = sender(RcpKind::Base);
        sender.on_ack(ms(40), &answer(0, ms(0), 1e4));
        sender.on_deadline(ms(40));
        assert_eq!(sender.deadline(), Some(ms(80)), "one Ref per round trip, between segments every 100 ms");
        sent(&mut sender);
        sender.on_deadline(ms(80));
        assert_eq!(sent(&mut sender), [REF]);
    }

    #[test]
    fn what_is_missing_is_sent_again_in_its_turn() {
        let mut sender = sender(RcpKind::Base);
        sender.on_ack(ms(40), &answer(0, ms(0), 1e5));
        for at in [40, 50, 60, 70, 80] {
            sender.on_deadline(ms(at));
        }
        assert_eq!(sent(&mut sender), [0, 1, 2, 3, 4, 5]);
        let mut gap = answer(1, ms(60), 1e5);
        (gap.blocks[0], gap.block_count) = ((3, 5), 1);
        sender.on_ack(ms(81), &gap);
        assert!(sender.missing.is_empty());
        gap.blocks[0] = (3, 6);
        sender.on_ack(ms(85), &gap);
        assert_eq!(sender.turn, Some(ms(90)));
        sender.on_deadline(ms(90));
        let again: Vec<_> = sender.take_sent().map(|(segment, _)| (segment.seq, segment.is_retransmission)).collect();
        assert_eq!(again, [(2, true)]);
    }

    #[test]
    fn winf_keeps_a_rates_worth_of_a_round_trip_in_flight() {
        // rcp-winf.md, test 3.
        let mut sender = RateSender::new(RcpKind::Winf, &RcpSender::default(), &TcpConfig::default(), 1500, 1000);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender.on_link(Some(LinkEstimate { capacity: 2e5, available: 1e5 }));
        sender.on_ack(ms(100), &answer(0, ms(0), 9e5));
        assert_eq!((sender.rate, sender.limit()), (Some(2e5), 13));
        assert!((sender.interval().expect("a rate").secs() - 0.00766).abs() < 1e-9);
        sender.config.winf.eq27 = Some(crate::packet::Form::Literal);
        assert!((sender.interval().expect("a rate").secs() - 0.0075).abs() < 1e-9);
    }

    #[test]
    fn everything_arrives_whatever_is_lost() {
        use crate::transport::Receiver;
        for seed in 1..60u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut chance = move || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % 100
            };
            let kind = if seed % 2 == 0 { RcpKind::Base } else { RcpKind::Winf };
            let window = 1 + (seed as u32 % 30);
            let mut sender = RateSender::new(kind, &RcpSender::default(), &TcpConfig::default(), 960, window);
            let mut receiver = Receiver::new(&TcpConfig::default(), true);
            let loss = seed % 5 * 8;
            let mut now = Time::ZERO;
            sender.on_supply(now, Supply::Segments(150));
            sender.close();
            // Answers on the way, each due after 20 ms.
            let mut answers: std::collections::VecDeque<(Time, Ack)> = std::collections::VecDeque::new();
            let mut events = 0;
            while !sender.is_done() {
                events += 1;
                assert!(events < 200_000, "seed {seed}: no end");
                for (segment, _) in sender.take_sent().collect::<Vec<_>>() {
                    if chance() >= loss {
                        let ack = receiver.on_segment(now, &segment).ack.expect("an answer at once");
                        if chance() >= loss {
                            answers.push_back((now + Span::from_millis(20), ack));
                        }
                    }
                }
                assert!(sender.in_flight() <= window, "seed {seed}: {} in flight", sender.in_flight());
                let timer = sender.deadline();
                match answers.front() {
                    Some((at, _)) if timer.is_none_or(|timer| *at <= timer) => {
                        let (at, mut ack) = answers.pop_front().expect("an answer");
                        now = at;
                        ack.feedback = Echo::Rcp(1e4 + 1e3 * chance() as f64);
                        sender.on_ack(now, &ack);
                    }
                    _ => {
                        now = timer.unwrap_or_else(|| panic!("seed {seed}: asleep with work left"));
                        sender.on_deadline(now);
                    }
                }
            }
            assert_eq!((receiver.rcv_nxt(), sender.deadline()), (151, None));
        }
    }
}
