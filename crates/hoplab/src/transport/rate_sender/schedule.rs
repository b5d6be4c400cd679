//! When the next packet may leave: the offered rate, the time between segments, and the next Ref.

use super::{OUTAGE, RateSender};
use crate::kernel::{Span, Time};
use crate::packet::SegNo;
use crate::packet::explicit::{RcpKind, RefClock};

impl RateSender {
    pub(super) fn rto(&self) -> Span {
        self.rtt.rto(self.limits.rto, self.backoff)
    }

    /// Follows an offered rate: recomputes the departure of the next segment.
    pub(super) fn follow(&mut self, offered: f64) {
        let rate = match self.link {
            // Eq. 25.
            Some(link) if self.kind == RcpKind::Winf => offered.min(link.capacity),
            _ => offered,
        };
        if rate.is_finite() && rate > 0.0 {
            if self.rate.replace(rate).is_none() {
                // The clock of Refs starts here, not at the Syn.
                (self.prober.asked, self.prober.since) = (None, None);
            }
            self.departure = None;
        }
    }

    /// Time between two segments.
    pub(super) fn interval(&self) -> Option<Span> {
        let rate = self.rate?;
        let (rcp, winf) = (&self.config.rcp, &self.config.winf);
        let header = match self.kind {
            RcpKind::Base => rcp.header.0,
            // Eq. 27 as printed counts no headers.
            RcpKind::Winf if winf.mode.is_literal_for(winf.eq27) => 0,
            RcpKind::Winf => winf.header.0,
        };
        Some(Span::from_secs(f64::from(self.limits.segment + header) / rate))
    }

    /// Segments that may be in flight.
    pub(super) fn max_in_flight(&self) -> u32 {
        match (self.kind, self.rate) {
            // Eq. 26.
            (RcpKind::Winf, Some(rate)) => {
                let packet = f64::from(self.limits.segment + self.config.winf.header.0);
                ((rate * self.rtt.smoothed / packet) as u32).clamp(1, self.window())
            }
            _ => self.window(),
        }
    }

    /// How far the sender runs ahead of the first missing segment; without limit if lost segments are only counted.
    fn window(&self) -> u32 {
        if self.segments.is_counted { u32::MAX } else { self.limits.window }
    }

    /// Whether only Refs are sent. A sender that only counts lost segments never stops.
    pub(super) fn is_in_outage(&self) -> bool {
        self.backoff >= OUTAGE && !self.segments.is_counted
    }

    /// Whether segments in flight have a timeout. If lost segments are only counted, RCP's have one when all are sent, to
    /// end the flow.
    pub(super) fn has_timer(&self) -> bool {
        let has_sent_all = self.segments.next >= self.supply;
        !self.segments.is_counted || self.kind == RcpKind::Winf || has_sent_all
    }

    /// Schedules the next segment, and the next Syn or Ref.
    pub(super) fn schedule(&mut self, now: Time) {
        self.schedule_segment(now);
        self.schedule_probe(now);
    }

    /// Schedules the next segment, if there is one that may leave.
    fn schedule_segment(&mut self, now: Time) {
        let segments = &self.segments;
        let has_new = segments.next < self.supply && segments.next < segments.una.max(1) + SegNo::from(self.window());
        let has_segment = segments.has_missing() || has_new;
        let has_room = segments.in_flight() < self.max_in_flight();
        if segments.una == 0 || !has_segment || !has_room || self.is_in_outage() {
            self.departure = None;
        } else if self.departure.is_none()
            && let Some(interval) = self.interval()
        {
            self.departure = Some(self.last_sent.map_or(now, |last| (last + interval).max(now)));
        }
    }

    /// Schedules the next Syn or Ref. No response delays it: it counts from the last one or, where responses are
    /// awaited, from the last packet that requested the rate. A sender whose data has all arrived sends none, and
    /// resumes once there is more.
    fn schedule_probe(&mut self, now: Time) {
        let longest = self.config.rcp.probe_interval;
        let waits = self.config.rcp.ref_clock == RefClock::Answered;
        let min_rtt = || Span::from_secs(self.rtt.min);
        let is_slow = self.interval().is_some_and(|interval| interval.secs() > self.rtt.min);
        let wait = if self.rate.is_none() {
            Some(longest)
        } else if self.is_in_outage() {
            Some(longest.min(self.rto()))
        } else if is_slow && self.segments.una < self.supply {
            let is_unanswered = waits && self.prober.asked.is_some();
            Some(if is_unanswered { longest } else { longest.min(min_rtt()) })
        } else {
            None
        };
        let Some(wait) = wait else {
            (self.prober.deadline, self.prober.since) = (None, None);
            return;
        };
        let since = *self.prober.since.get_or_insert(now);
        let at = (since + wait.max(Span::from_millis(1))).max(now);
        // A segment that leaves before a response could arrive replaces the Ref.
        let is_needless = waits && self.departure.is_some_and(|departure| departure < at + min_rtt());
        self.prober.deadline = (!is_needless).then_some(at);
    }
}
