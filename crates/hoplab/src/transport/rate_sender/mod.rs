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
//! Refs are sent until something comes back. A rate of zero is not offered, so nobody waits for one. The patch knows files
//! only: here no Refs are sent while all that the application has supplied has arrived.
//! # Parameters
//! Tables `[rcp]`, `[rcp_winf]`; `tcp.min_rto`, `tcp.max_rto`.

mod pace;

use super::config::TcpConfig;
use super::ranges::Ranges;
use super::tcb::SenderCounts;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::{Ack, Echo, Feedback, LinkEstimate, RcpConfig, RcpHeader, RcpKind, RcpWinfConfig, RefClock};
use crate::packet::{SegNo, Segment};
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
    /// When the last packet was sent that asks for the rate, if it is not answered yet.
    asked: Option<Time>,
    /// When the next segment may leave.
    turn: Option<Time>,
    /// What the next Syn or Ref counts from.
    asking_since: Option<Time>,
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
const REORDERING: u32 = 3;

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
            asking_since: None,
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
            self.follow(offered);
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
        // A segment asks for the rate too.
        self.asked = Some(now);
        if self.config.rcp.ref_clock == RefClock::Answered {
            self.asking_since = Some(now);
        }
    }

    /// Sends a packet without data.
    fn ask(&mut self, now: Time, seq: SegNo) {
        self.emit(now, seq, 0, false);
        (self.asked, self.asking_since) = (Some(now), Some(now));
        self.schedule(now);
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
        // The third from above of those that have arrived: what lies below it is overtaken by three.
        let Some(third) = self.arrived.nth_highest(REORDERING) else { return is_news };
        let mut found = false;
        for seq in self.una..third {
            // Sent again: missing again once three segments have arrived that were new after that.
            let is_overdue = self.resent.get(&seq).is_none_or(|next| third >= *next);
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
mod tests;
