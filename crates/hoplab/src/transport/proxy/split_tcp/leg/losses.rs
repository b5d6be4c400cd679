//! Effects of acknowledgments and timeouts on a leg: segments that have arrived or are lost, and the size of its window.

use super::{Entry, Item, Leg, Lifetime, State};
use crate::kernel::{FlowId, Time};
use crate::packet::{Lack, SegNo};
use crate::transport::proxy::split_tcp::config::Flavor;
use crate::transport::rules::MIN_SSTHRESH;

/// Duplicate cumulative acknowledgments that signal a loss.
const DUPLICATES: u32 = 3;

impl Leg {
    /// A local acknowledgment arrived. Segments that the other side is responsible for now are appended to `released`,
    /// which is empty.
    pub(in super::super) fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, released: &mut Vec<Item>) {
        debug_assert!(released.is_empty(), "all its items are counted");
        match self.wins.iter_mut().find(|(of, _)| *of == flow) {
            Some((_, win)) => *win = lack.win,
            None => self.wins.push((flow, lack.win)),
        }
        if self.acked_by.replace(lack.from).is_some_and(|before| before != lack.from) && self.rules.resets_on_new_proxy
        {
            self.cwnd = 1.0;
            self.ssthresh = f64::from(self.rules.window_max);
        }
        if self.rules.is_cumulative {
            self.on_cumulative(now, lack, released);
        } else if let Some(seq) = lack.seq {
            self.on_selective(now, flow, seq, lack, released);
        }
        if self.in_flight == 0 {
            self.timer = None;
            self.wait_for_room(now);
        }
    }

    fn on_selective(&mut self, now: Time, flow: FlowId, seq: SegNo, lack: &Lack, released: &mut Vec<Item>) {
        let caused = self.entries.iter().find(|entry| entry.is(flow, seq));
        // The echoed time identifies the transmission that arrived; an earlier one is no sign of the order.
        let order = caused.and_then(|entry| match entry.state {
            State::InFlight { order, sent_at } if sent_at == lack.echo => Some(order),
            _ => None,
        });
        self.release(
            |entry| entry.is(flow, seq) || entry.item.flow == flow && entry.item.segment.seq < lack.cumulative,
            released,
        );
        let newly = released.len();
        if let Some(order) = order {
            self.measure(now, lack.echo);
            if order >= self.recover {
                self.grow(newly);
            }
            self.note_overtaken(flow, order);
        }
        if newly > 0 && self.in_flight > 0 {
            self.restart_timer(now);
        }
    }

    /// Transmission `arrived` has arrived: it has overtaken those sent before it.
    fn note_overtaken(&mut self, flow: FlowId, arrived: u64) {
        let mut newest_lost = None;
        for entry in &mut self.entries {
            if let State::InFlight { order, .. } = entry.state
                && order < arrived
                && entry.item.flow == flow
            {
                entry.overtaken += 1;
                if entry.overtaken >= self.rules.reorder_threshold {
                    entry.state = State::Lost;
                    self.in_flight -= 1;
                    newest_lost = newest_lost.max(Some(order));
                }
            }
        }
        if let Some(order) = newest_lost {
            self.exempt = 1;
            if order >= self.recover || self.rules.flavor == Flavor::Reno {
                self.cut();
            }
        }
    }

    fn on_cumulative(&mut self, now: Time, lack: &Lack, released: &mut Vec<Item>) {
        // Numbers wrap: what is ahead of the lowest by less than half the range is new.
        let ahead = lack.number.wrapping_sub(self.numbers.oldest);
        let sent = self.numbers.next.wrapping_sub(self.numbers.oldest);
        if ahead > sent {
            return;
        }
        if ahead > 0 {
            let oldest = self.numbers.oldest;
            let is_exact = self.entries.iter().any(|entry| {
                entry.number.wrapping_sub(oldest) < ahead
                    && matches!(entry.state, State::InFlight { sent_at, .. } if sent_at == lack.echo)
            });
            self.release(|entry| entry.transmissions > 0 && entry.number.wrapping_sub(oldest) < ahead, released);
            let newly = released.len();
            self.find_oldest();
            self.numbers.dup_acks = 0;
            if is_exact {
                self.measure(now, lack.echo);
            }
            let is_recovering = lack.number.wrapping_sub(self.numbers.recover) > u32::MAX / 2;
            if is_recovering && self.rules.flavor == Flavor::NewReno {
                self.lose_oldest();
            } else {
                self.grow(newly);
            }
            self.restart_timer(now);
        } else if lack.seq.is_some() && self.in_flight > 0 {
            self.numbers.dup_acks += 1;
            let is_recovering = self.numbers.oldest.wrapping_sub(self.numbers.recover) > u32::MAX / 2;
            if self.numbers.dup_acks == DUPLICATES && !is_recovering {
                self.cut();
                self.numbers.recover = self.numbers.next;
                self.lose_oldest();
            }
        }
    }

    fn lose_oldest(&mut self) {
        let oldest = self.numbers.oldest;
        for entry in &mut self.entries {
            if entry.number == oldest && matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
                self.in_flight -= 1;
                self.exempt = 1;
            }
        }
    }

    fn grow(&mut self, newly: usize) {
        for _ in 0..newly {
            self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        }
        self.cwnd = self.cwnd.min(f64::from(self.rules.window_max));
    }

    fn cut(&mut self) {
        self.ssthresh = (self.cwnd / 2.0).max(MIN_SSTHRESH);
        self.cwnd = if self.rules.flavor == Flavor::Tahoe { 1.0 } else { self.ssthresh };
        self.recover = self.next_order;
        self.counts.fast_retransmits += 1;
    }

    fn measure(&mut self, now: Time, sent_at: Time) {
        self.rtt.on_sample(now.since(sent_at), sent_at);
        self.rtt.end_back_off();
    }

    /// Removes the segments that this leg is no longer responsible for.
    fn release(&mut self, mut is_done: impl FnMut(&Entry) -> bool, released: &mut Vec<Item>) {
        let in_flight = &mut self.in_flight;
        self.entries.retain(|entry| {
            let goes = is_done(entry);
            if goes {
                *in_flight -= u32::from(matches!(entry.state, State::InFlight { .. }));
                released.push(entry.item);
            }
            !goes
        });
    }

    /// Drops everything of this flow below `seq`, which the destination has.
    pub(in super::super) fn drop_below(&mut self, now: Time, flow: FlowId, seq: SegNo) {
        let mut released = Vec::new();
        self.release(|entry| entry.item.flow == flow && entry.item.segment.seq < seq, &mut released);
        self.skip_released(now, &released);
    }

    fn skip_released(&mut self, now: Time, released: &[Item]) {
        if released.is_empty() {
            return;
        }
        self.find_oldest();
        self.numbers.dup_acks = 0;
        if self.in_flight == 0 {
            self.timer = None;
            self.wait_for_room(now);
        }
    }

    /// Finds the lowest number that is not acknowledged. Numbers that were dropped, expired or acknowledged by the
    /// destination, need not be in order: no acknowledgment of them will follow.
    fn find_oldest(&mut self) {
        let next = self.numbers.next;
        let numbers = self.entries.iter().filter(|entry| entry.transmissions > 0).map(|entry| entry.number);
        self.numbers.oldest = numbers.max_by_key(|number| next.wrapping_sub(*number)).unwrap_or(next);
    }

    /// The deadline of [`Leg::deadline`] has expired.
    pub(in super::super) fn on_deadline(&mut self, now: Time) {
        if self.timer.is_some_and(|at| at <= now) {
            self.timer = None;
            if self.in_flight > 0 {
                self.time_out();
            } else {
                // The window update may be lost: probe with one segment.
                self.is_probing = true;
                self.rtt.back_off();
            }
        }
    }

    /// Moves expired segments into `expired`.
    pub(in super::super) fn expire(&mut self, now: Time, expired: &mut Vec<Item>) {
        if let Some(Lifetime { transmissions, age }) = self.rules.lifetime {
            let before = expired.len();
            let is_expired = |entry: &Entry| {
                let is_worn = entry.transmissions >= transmissions && entry.state == State::Lost;
                entry.stored_at + age <= now || is_worn
            };
            self.release(is_expired, expired);
            if expired.len() > before && self.entries.iter().all(|entry| entry.state != State::Lost) {
                self.exempt = 0;
            }
            self.skip_released(now, &expired[before..]);
        }
    }

    fn time_out(&mut self) {
        self.counts.timeouts += 1;
        self.ssthresh = (self.cwnd / 2.0).max(MIN_SSTHRESH);
        self.cwnd = 1.0;
        self.rtt.back_off();
        self.recover = self.next_order;
        self.numbers.recover = self.numbers.next;
        self.numbers.dup_acks = 0;
        self.exempt = 0;
        for entry in &mut self.entries {
            if matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
            }
        }
        self.in_flight = 0;
    }

    /// Retransmits the oldest segment at once, and ends the backoff, since routing found a route.
    pub(in super::super) fn retransmit_oldest(&mut self) {
        let oldest = self.entries.iter_mut().find(|entry| entry.state != State::Waiting);
        if let Some(entry) = oldest {
            if matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
                self.in_flight -= 1;
            }
            self.exempt = 1;
            self.rtt.end_back_off();
            self.timer = None;
        }
    }
}
