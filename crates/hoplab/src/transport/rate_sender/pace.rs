//! When the next packet may leave: the rate that was offered, the time between segments, and the next Ref.

use super::{OUTAGE, RateSender, RcpSender};
use crate::kernel::{Span, Time};
use crate::packet::{RcpKind, RefClock, SegNo};

impl RateSender {
    pub(super) fn measure(&mut self, rtt: f64) {
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

    pub(super) fn rto(&self) -> Span {
        let usual = if self.srtt == 0.0 { 1.0 } else { self.srtt + 4.0 * self.rttvar };
        let doubled = usual.max(self.min_rto) * f64::from(1u32 << self.backoff.min(16));
        Span::from_secs(doubled.min(self.max_rto))
    }

    /// A rate is offered: the segment whose turn comes is timed anew.
    pub(super) fn follow(&mut self, offered: f64) {
        let rate = match self.link {
            // Eq. 25.
            Some(link) if self.kind == RcpKind::Winf => offered.min(link.capacity),
            _ => offered,
        };
        if rate.is_finite() && rate > 0.0 {
            if self.rate.replace(rate).is_none() {
                // The clock of Refs begins here; the Syn was none.
                (self.asked, self.asking_since) = (None, None);
            }
            self.turn = None;
        }
    }

    /// Time between two segments.
    pub(super) fn interval(&self) -> Option<Span> {
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
    pub(super) fn limit(&self) -> u32 {
        match (self.kind, self.rate) {
            // Eq. 26.
            (RcpKind::Winf, Some(rate)) => {
                let packet = f64::from(self.segment + self.config.winf.header.0);
                ((rate * self.srtt / packet) as u32).clamp(1, self.window)
            }
            _ => self.window,
        }
    }

    /// Times the next segment, and the next Syn or Ref.
    pub(super) fn schedule(&mut self, now: Time) {
        self.set_turn(now);
        self.set_probe(now);
    }

    /// Times the next segment, if there is one that may leave.
    fn set_turn(&mut self, now: Time) {
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

    /// Times the next Syn or Ref. No answer puts it off: it counts from the last one or, where answers are waited for, from
    /// the last packet that asked for the rate. Whose data has all arrived sends none, and asks again once there is more.
    fn set_probe(&mut self, now: Time) {
        let most = self.config.rcp.probe_interval;
        let waits = self.config.rcp.ref_clock == RefClock::Answered;
        let is_slow = self.interval().is_some_and(|interval| interval.secs() > self.min_rtt);
        let wait = if self.rate.is_none() {
            Some(most)
        } else if self.backoff >= OUTAGE {
            Some(most.min(self.rto()))
        } else if is_slow && self.una < self.supply {
            let is_open = waits && self.asked.is_some();
            Some(if is_open { most } else { most.min(Span::from_secs(self.min_rtt)) })
        } else {
            None
        };
        let Some(wait) = wait else {
            (self.probe, self.asking_since) = (None, None);
            return;
        };
        let since = *self.asking_since.get_or_insert(now);
        let at = (since + wait.max(Span::from_millis(1))).max(now);
        // A segment that leaves before an answer could come asks in its place.
        let is_needless = waits && self.turn.is_some_and(|turn| turn < at + Span::from_secs(self.min_rtt));
        self.probe = (!is_needless).then_some(at);
    }
}
