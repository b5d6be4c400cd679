//! SACK as RFC 6675: what is lost and what is in the network follows from the receiver's reports.
//!
//! # Model
//! A segment is lost once three segments above it are reported. Recovery starts at the third duplicate acknowledgment,
//! or as soon as the lowest missing segment is lost. While fewer segments are in the network than the window allows, the
//! next one is chosen: the lowest lost one not retransmitted, a new one, the lowest missing one below a reported segment,
//! or, once per recovery, the highest missing one (rescue).
//!
//! # Source
//! RFC 6675; RFC 2018 for what a timeout discards.
//!
//! # Deviations
//! In segments of one size, the three discontiguous ranges of `IsLost` and its bytes are equivalent. Duplicates up to the
//! recovery point of a timeout are ignored. A timeout discards all reports, as RFC 2018 section 8 demands, and goes back.
//!
//! # Parameters
//! `tcp.dup_ack_threshold`, `tcp.limited_transmit`, `tcp.sack_blocks`.

use super::method::Recovery;
use super::scoreboard::Scoreboard;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};

/// Recovery of RFC 6675.
#[derive(Clone, Debug, Default)]
pub struct Rfc6675 {
    board: Scoreboard,
    /// If recovery is in progress: the highest segment that a rescue was for, or that it began with (`RescueRxt`).
    rescued: Option<SegNo>,
}

impl Rfc6675 {
    fn on_open_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let has_news = self.board.update(tcb.snd_una.max(ack.cumulative + 1), ack);
        match tcb.kind_of(ack) {
            AckKind::New => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
                tcb.fill_window();
            }
            AckKind::Duplicate if has_news && tcb.acked() >= tcb.recover => self.on_duplicate(tcb, ack),
            AckKind::Duplicate | AckKind::Old => {}
        }
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb, ack: &Ack) {
        tcb.control.on_dup_ack(tcb.now(), ack);
        tcb.dup_acks += 1;
        let threshold = tcb.rules.dup_ack_threshold;
        if tcb.dup_acks >= threshold || self.board.lost_below(threshold) > tcb.snd_una {
            self.begin(tcb);
        } else if tcb.rules.limited_transmit {
            // Section 5, step 3: new segments only, and only as far as the window allows.
            while self.has_room(tcb) && tcb.has_next() {
                tcb.limited_transmit_one();
            }
        }
    }

    /// Section 5, step 4.
    fn begin(&mut self, tcb: &mut Tcb) {
        tcb.enter_recovery();
        self.board.begin_recovery();
        self.board.mark_retransmitted(tcb.snd_una);
        self.rescued = Some(tcb.snd_una);
        tcb.transmit(tcb.snd_una);
        self.send(tcb);
    }

    fn on_recovery_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        self.board.update(tcb.snd_una.max(ack.cumulative + 1), ack);
        if tcb.kind_of(ack) == AckKind::New {
            let new = tcb.acknowledge(ack);
            tcb.control.on_recovery_ack(&new);
            if ack.cumulative >= tcb.recover {
                self.rescued = None;
                self.board.begin_recovery();
                tcb.fill_window();
                return;
            }
        } else {
            tcb.control.on_dup_ack(tcb.now(), ack);
        }
        self.send(tcb);
    }

    /// Section 5, step C.
    fn send(&mut self, tcb: &mut Tcb) {
        while self.has_room(tcb) && self.send_next(tcb) {}
    }

    fn has_room(&self, tcb: &Tcb) -> bool {
        let pipe = self.board.pipe(tcb.snd_max, tcb.rules.dup_ack_threshold);
        tcb.control.cwnd() - pipe as f64 >= 1.0
    }

    /// `NextSeg` of section 4. Returns whether there was a segment to send.
    fn send_next(&mut self, tcb: &mut Tcb) -> bool {
        let gap = self.board.next_gap();
        let lost_below = self.board.lost_below(tcb.rules.dup_ack_threshold);
        if let Some(lost) = gap.filter(|&gap| gap < lost_below) {
            self.retransmit(tcb, lost);
        } else if tcb.has_next() {
            tcb.send_next();
        } else if let Some(missing) = gap {
            self.retransmit(tcb, missing);
        } else {
            return self.rescue(tcb);
        }
        true
    }

    fn retransmit(&mut self, tcb: &mut Tcb, seq: SegNo) {
        self.board.mark_retransmitted(seq);
        tcb.transmit(seq);
    }

    fn rescue(&mut self, tcb: &mut Tcb) -> bool {
        let Some(rescued) = self.rescued.as_mut().filter(|rescued| tcb.acked() > **rescued) else { return false };
        let Some(last) = self.board.last_gap(tcb.snd_max) else { return false };
        *rescued = tcb.recover;
        tcb.transmit(last);
        true
    }
}

impl Recovery for Rfc6675 {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        if self.rescued.is_some() {
            self.on_recovery_ack(tcb, ack);
        } else {
            self.on_open_ack(tcb, ack);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks = 0;
        self.rescued = None;
        self.board.clear();
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if self.rescued.is_some() {
            self.send(tcb);
        } else {
            tcb.fill_window();
        }
    }

    fn in_recovery(&self) -> bool {
        self.rescued.is_some()
    }
}
