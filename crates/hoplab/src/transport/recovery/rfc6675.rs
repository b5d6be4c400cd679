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
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::CongestionControl;
use crate::transport::machine::{Machine, Meaning};
use crate::transport::scoreboard::Scoreboard;

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
    fn on_normal_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        let is_news = self.board.update(machine.snd_una.max(ack.cumulative + 1), ack);
        match machine.meaning(ack) {
            Meaning::New => {
                let new = machine.acknowledge(ack);
                machine.control.on_ack(&new);
                machine.fill_window();
            }
            Meaning::Duplicate if is_news && machine.acked() >= machine.recover => self.on_duplicate(machine, ack),
            Meaning::Duplicate | Meaning::Old => {}
        }
    }

    fn on_duplicate(&mut self, machine: &mut Machine, ack: &Ack) {
        machine.control.on_dup_ack(machine.now(), ack);
        machine.dup_acks += 1;
        let threshold = machine.rules.dup_ack_threshold;
        if machine.dup_acks >= threshold || self.board.lost_below(threshold) > machine.snd_una {
            self.begin(machine);
        } else if machine.rules.limited_transmit {
            // Section 5, step 3: new segments only, and only as far as the window allows.
            while self.has_room(machine) && machine.has_next() {
                machine.limited_transmit_one();
            }
        }
    }

    /// Section 5, step 4.
    fn begin(&mut self, machine: &mut Machine) {
        machine.begin_episode();
        self.board.begin_repair();
        self.board.mark_resent(machine.snd_una);
        self.repair = Some(Repair { rescued: machine.snd_una });
        machine.transmit(machine.snd_una);
        self.send(machine);
    }

    fn on_repair_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        self.board.update(machine.snd_una.max(ack.cumulative + 1), ack);
        if machine.meaning(ack) == Meaning::New {
            let new = machine.acknowledge(ack);
            machine.control.on_repair_ack(&new);
            if ack.cumulative >= machine.recover {
                self.repair = None;
                self.board.begin_repair();
                machine.fill_window();
                return;
            }
        } else {
            machine.control.on_dup_ack(machine.now(), ack);
        }
        self.send(machine);
    }

    /// Section 5, step C.
    fn send(&mut self, machine: &mut Machine) {
        while self.has_room(machine) && self.send_next(machine) {}
    }

    fn has_room(&self, machine: &Machine) -> bool {
        let pipe = self.board.pipe(machine.snd_max, machine.rules.dup_ack_threshold);
        machine.control.cwnd() - pipe as f64 >= 1.0
    }

    /// `NextSeg` of section 4. Whether there was a segment to send.
    fn send_next(&mut self, machine: &mut Machine) -> bool {
        let gap = self.board.next_gap();
        let lost_below = self.board.lost_below(machine.rules.dup_ack_threshold);
        if let Some(lost) = gap.filter(|&gap| gap < lost_below) {
            self.resend(machine, lost);
        } else if machine.has_next() {
            machine.send_next();
        } else if let Some(missing) = gap {
            self.resend(machine, missing);
        } else {
            return self.rescue(machine);
        }
        true
    }

    fn resend(&mut self, machine: &mut Machine, seq: SegNo) {
        self.board.mark_resent(seq);
        machine.transmit(seq);
    }

    fn rescue(&mut self, machine: &mut Machine) -> bool {
        let Some(repair) = self.repair.as_mut().filter(|repair| machine.acked() > repair.rescued) else { return false };
        let Some(last) = self.board.last_gap(machine.snd_max) else { return false };
        repair.rescued = machine.recover;
        machine.transmit(last);
        true
    }
}

impl Recovery for Rfc6675 {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        if self.repair.is_some() {
            self.on_repair_ack(machine, ack);
        } else {
            self.on_normal_ack(machine, ack);
        }
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        machine.dup_acks = 0;
        self.repair = None;
        self.board.clear();
        machine.time_out();
        machine.fill_window();
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        if self.repair.is_some() {
            self.send(machine);
        } else {
            machine.fill_window();
        }
    }

    fn is_repairing(&self) -> bool {
        self.repair.is_some()
    }
}
