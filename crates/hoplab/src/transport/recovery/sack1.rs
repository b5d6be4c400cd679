//! SACK as ns-2's Sack1: a count of what is in the network decides how much is sent during a repair.
//!
//! # Model
//! Only duplicates that report something new count. The third one starts a repair: `pipe` is what was in flight less
//! three. Every acknowledgment takes one off, a partial one another; while `pipe` is below the window, the lowest gap
//! not yet sent again goes out, or else a new segment. Each gap is sent again once: if that is lost as well, the timer
//! must end. After a timeout duplicates are ignored until the next new acknowledgment.
//!
//! # Source
//! `Agent/TCP/Sack1` of ns-2.35 (`tcp/tcp-sack1.cc`, `tcp/scoreboard-rq.cc`), `partial_ack_` off; Floyd 1996.
//!
//! # Deviations
//! None known. From RFC 6675, as ns-2: the first segment sent again is not counted in `pipe`; the acknowledgment that
//! ends the repair does not make the window grow.

use super::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::CongestionControl;
use crate::transport::machine::{Machine, Meaning};
use crate::transport::scoreboard::Scoreboard;

/// Recovery of ns-2's Sack1.
#[derive(Clone, Debug, Default)]
pub struct Sack1 {
    board: Scoreboard,
    /// Segments thought to be in the network, if a loss is being repaired.
    pipe: Option<i64>,
    /// Whether duplicates are ignored.
    has_timed_out: bool,
}

impl Sack1 {
    fn on_normal_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        match machine.meaning(ack) {
            Meaning::New => {
                let new = machine.acknowledge(ack);
                machine.control.on_ack(&new);
                self.has_timed_out = false;
                self.board.clear();
            }
            Meaning::Duplicate if !self.has_timed_out => self.on_duplicate(machine, ack),
            Meaning::Duplicate | Meaning::Old => {}
        }
        if machine.dup_acks == 0 {
            self.send(machine);
        }
    }

    fn on_duplicate(&mut self, machine: &mut Machine, ack: &Ack) {
        machine.control.on_dup_ack(machine.now(), ack);
        if !self.board.update(machine.snd_una, ack) {
            return;
        }
        machine.dup_acks += 1;
        if machine.dup_acks < machine.rules.dup_ack_threshold {
            machine.limited_transmit();
        } else if machine.dup_acks == machine.rules.dup_ack_threshold && machine.may_recover() {
            machine.begin_episode();
            self.pipe = Some(i64::from(machine.in_flight()) - i64::from(machine.rules.dup_ack_threshold));
            self.board.mark_resent(machine.snd_una);
            machine.transmit(machine.snd_una);
        }
    }

    fn on_repair_ack(&mut self, mut pipe: i64, machine: &mut Machine, ack: &Ack) {
        pipe -= 1;
        self.pipe = Some(pipe);
        match machine.meaning(ack) {
            _ if ack.cumulative >= machine.recover => {
                self.pipe = None;
                self.board.clear();
                let new = machine.acknowledge(ack);
                machine.recover = 0;
                machine.control.on_repair_ack(&new);
            }
            Meaning::New => {
                let new = machine.advance(ack);
                machine.control.on_repair_ack(&new);
                self.board.update(machine.snd_una, ack);
                self.pipe = Some(pipe - 1);
                machine.restart_timer();
                machine.rtt.end_back_off();
            }
            Meaning::Duplicate | Meaning::Old => {
                machine.control.on_dup_ack(machine.now(), ack);
                self.board.update(machine.snd_una, ack);
            }
        }
        self.send(machine);
    }

    fn send(&mut self, machine: &mut Machine) {
        let limit = SegNo::from(machine.rules.window);
        loop {
            let window = if self.pipe.is_some() { limit } else { machine.window(0) };
            let is_full = match self.pipe {
                Some(pipe) => pipe >= machine.control.cwnd().floor() as i64,
                None => machine.snd_nxt >= machine.snd_una + window,
            };
            if is_full {
                return;
            }
            if let Some(gap) = self.board.next_gap() {
                // Outside of a repair this is reached only if the application supplies while duplicates are counted.
                if machine.recover <= 0 {
                    return;
                }
                self.board.mark_resent(gap);
                machine.transmit(gap);
                machine.snd_nxt = machine.snd_nxt.max(gap + 1);
            } else if machine.snd_nxt < machine.snd_una + window && machine.has_next() {
                machine.send_next();
            } else {
                return;
            }
            self.pipe = self.pipe.map(|pipe| pipe + 1);
        }
    }
}

impl Recovery for Sack1 {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        match self.pipe {
            None => self.on_normal_ack(machine, ack),
            Some(pipe) => self.on_repair_ack(pipe, machine, ack),
        }
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        machine.dup_acks = 0;
        self.pipe = None;
        self.has_timed_out = true;
        self.board.clear();
        machine.time_out();
        self.send(machine);
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        self.send(machine);
    }

    fn is_repairing(&self) -> bool {
        self.pipe.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::{CongestionKind, TcpConfig};

    /// One that has sent all of so many segments.
    fn started(segments: u32) -> (Sack1, Machine) {
        let config = TcpConfig { limited_transmit: false, ..TcpConfig::default() };
        let mut machine = Machine::new(&config, CongestionKind::Reno, 1000, 64, 0.0);
        let mut sack = Sack1::default();
        machine.supply(Some(segments - 1));
        machine.control.set_cwnd(f64::from(segments));
        sack.on_supply(&mut machine);
        assert_eq!(sent(&mut machine).len(), segments as usize);
        (sack, machine)
    }

    fn sent(machine: &mut Machine) -> Vec<SegNo> {
        machine.take_sent(40).map(|(segment, _)| segment.seq).collect()
    }

    fn acked(sack: &mut Sack1, machine: &mut Machine, cumulative: SegNo, block: Option<(SegNo, SegNo)>) {
        let mut ack = Ack::plain(cumulative, Time::ZERO);
        (ack.blocks[0], ack.block_count) = (block.unwrap_or_default(), u8::from(block.is_some()));
        sack.on_ack(machine, &ack);
    }

    fn supply(sack: &mut Sack1, machine: &mut Machine, segments: u32) {
        machine.control.set_cwnd(20.0);
        machine.supply(Some(segments));
        sack.on_supply(machine);
    }

    #[test]
    fn before_any_loss_a_supply_fills_no_gap() {
        // `recover_ > 0` in `Sack1TcpAgent::send_much`.
        let (mut sack, mut machine) = started(6);
        acked(&mut sack, &mut machine, 0, Some((2, 3)));
        acked(&mut sack, &mut machine, 0, Some((2, 3)));
        supply(&mut sack, &mut machine, 5);
        assert_eq!(sent(&mut machine), [] as [SegNo; 0]);
    }

    #[test]
    fn a_gap_beyond_what_a_timeout_has_sent_again_moves_the_next_segment_on() {
        // `t_seqno_ <= xmit_seqno` in `Sack1TcpAgent::send_much`.
        let (mut sack, mut machine) = started(11);
        acked(&mut sack, &mut machine, 4, None);
        sack.on_timeout(&mut machine);
        acked(&mut sack, &mut machine, 5, None);
        assert_eq!(sent(&mut machine), [5, 6, 7]);
        acked(&mut sack, &mut machine, 5, Some((10, 11)));
        supply(&mut sack, &mut machine, 2);
        assert_eq!(sent(&mut machine), [6, 7, 8, 9, 10, 11, 12]);
    }
}
