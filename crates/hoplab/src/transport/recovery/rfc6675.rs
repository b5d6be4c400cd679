//! SACK as RFC 6675: what is lost and what is in the network follows from what the receiver reports.
//!
//! # Model
//! A segment is lost once three segments above it are reported. A repair starts at the third duplicate acknowledgment,
//! or as soon as the lowest missing segment is lost. While fewer segments are in the network than the window allows, the
//! next one is chosen: the lowest lost one not sent again, a new one, the lowest missing one below a reported segment,
//! or, once per repair, the highest missing one (rescue).
//!
//! # Source
//! RFC 6675; RFC 2018 for what a timeout forgets.
//!
//! # Deviations
//! In segments of one size, the three discontiguous ranges of `IsLost` and its bytes say the same. Duplicates up to the
//! recovery point of a timeout are ignored. A timeout forgets all reports, as RFC 2018 section 8 demands, and goes back.

use super::Recovery;
use super::scoreboard::Scoreboard;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};

/// Recovery of RFC 6675.
#[derive(Clone, Debug, Default)]
pub struct Rfc6675 {
    board: Scoreboard,
    repair: Option<Repair>,
}

#[derive(Clone, Copy, Debug)]
struct Repair {
    /// Highest segment that a rescue was for, or that the repair began with (`RescueRxt`).
    rescued: SegNo,
}

impl Rfc6675 {
    fn on_normal_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let is_news = self.board.update(tcb.snd_una.max(ack.cumulative + 1), ack);
        match tcb.meaning(ack) {
            AckKind::New => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
                tcb.fill_window();
            }
            AckKind::Duplicate if is_news && tcb.acked() >= tcb.recover => self.on_duplicate(tcb, ack),
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
        self.board.begin_repair();
        self.board.mark_resent(tcb.snd_una);
        self.repair = Some(Repair { rescued: tcb.snd_una });
        tcb.transmit(tcb.snd_una);
        self.send(tcb);
    }

    fn on_repair_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        self.board.update(tcb.snd_una.max(ack.cumulative + 1), ack);
        if tcb.meaning(ack) == AckKind::New {
            let new = tcb.acknowledge(ack);
            tcb.control.on_repair_ack(&new);
            if ack.cumulative >= tcb.recover {
                self.repair = None;
                self.board.begin_repair();
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

    /// `NextSeg` of section 4. Whether there was a segment to send.
    fn send_next(&mut self, tcb: &mut Tcb) -> bool {
        let gap = self.board.next_gap();
        let lost_below = self.board.lost_below(tcb.rules.dup_ack_threshold);
        if let Some(lost) = gap.filter(|&gap| gap < lost_below) {
            self.resend(tcb, lost);
        } else if tcb.has_next() {
            tcb.send_next();
        } else if let Some(missing) = gap {
            self.resend(tcb, missing);
        } else {
            return self.rescue(tcb);
        }
        true
    }

    fn resend(&mut self, tcb: &mut Tcb, seq: SegNo) {
        self.board.mark_resent(seq);
        tcb.transmit(seq);
    }

    fn rescue(&mut self, tcb: &mut Tcb) -> bool {
        let Some(repair) = self.repair.as_mut().filter(|repair| tcb.acked() > repair.rescued) else { return false };
        let Some(last) = self.board.last_gap(tcb.snd_max) else { return false };
        repair.rescued = tcb.recover;
        tcb.transmit(last);
        true
    }
}

impl Recovery for Rfc6675 {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        if self.repair.is_some() {
            self.on_repair_ack(tcb, ack);
        } else {
            self.on_normal_ack(tcb, ack);
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks = 0;
        self.repair = None;
        self.board.clear();
        tcb.time_out();
        tcb.fill_window();
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if self.repair.is_some() {
            self.send(tcb);
        } else {
            tcb.fill_window();
        }
    }

    fn in_recovery(&self) -> bool {
        self.repair.is_some()
    }
}
