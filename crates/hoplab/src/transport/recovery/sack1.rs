//! SACK as ns-2's Sack1: a count of what is in the network decides how much is sent during recovery.
//!
//! # Model
//! Only duplicates that report something new count. The third one starts recovery: `pipe` is what was in flight less
//! three. Every acknowledgment decrements it, a partial one twice; while `pipe` is below the window, the lowest gap
//! not yet retransmitted is sent, or else a new segment. Each gap is retransmitted once: if that is lost as well, only the
//! timer helps. After a timeout duplicates are ignored until the next new acknowledgment.
//!
//! # Source
//! `Agent/TCP/Sack1` of ns-2.35 (`tcp/tcp-sack1.cc`, `tcp/scoreboard-rq.cc`), `partial_ack_` off; Floyd 1996.
//!
//! # Deviations
//! None known. From RFC 6675, as ns-2: the first retransmission is not counted in `pipe`; the acknowledgment that
//! ends recovery does not let the window grow.
//!
//! # Parameters
//! `tcp.dup_ack_threshold`, `tcp.limited_transmit`, `tcp.sack_blocks`.

use super::method::Recovery;
use super::scoreboard::Scoreboard;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::tcb::{AckKind, Tcb};

/// Recovery of ns-2's Sack1.
#[derive(Clone, Debug, Default)]
pub struct Sack1 {
    board: Scoreboard,
    /// Segments taken to be in the network, if recovery is in progress.
    pipe: Option<i64>,
    /// Whether duplicates are ignored after a timeout.
    has_timed_out: bool,
}

impl Sack1 {
    fn on_open_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.kind_of(ack) {
            AckKind::New => {
                let new = tcb.acknowledge(ack);
                tcb.control.on_ack(&new);
                self.has_timed_out = false;
                self.board.clear();
            }
            AckKind::Duplicate if !self.has_timed_out => self.on_duplicate(tcb, ack),
            AckKind::Duplicate | AckKind::Old => {}
        }
        if tcb.dup_acks == 0 {
            self.send(tcb);
        }
    }

    fn on_duplicate(&mut self, tcb: &mut Tcb, ack: &Ack) {
        tcb.control.on_dup_ack(tcb.now(), ack);
        if !self.board.update(tcb.snd_una, ack) {
            return;
        }
        tcb.dup_acks += 1;
        if tcb.dup_acks < tcb.rules.dup_ack_threshold {
            tcb.limited_transmit();
        } else if tcb.dup_acks == tcb.rules.dup_ack_threshold && tcb.can_enter_recovery() {
            tcb.enter_recovery();
            self.pipe = Some(i64::from(tcb.in_flight()) - i64::from(tcb.rules.dup_ack_threshold));
            self.board.mark_retransmitted(tcb.snd_una);
            tcb.transmit(tcb.snd_una);
        }
    }

    fn on_recovery_ack(&mut self, mut pipe: i64, tcb: &mut Tcb, ack: &Ack) {
        pipe -= 1;
        self.pipe = Some(pipe);
        match tcb.kind_of(ack) {
            _ if ack.cumulative >= tcb.recover => {
                self.pipe = None;
                self.board.clear();
                let new = tcb.acknowledge(ack);
                tcb.recover = 0;
                tcb.control.on_recovery_ack(&new);
            }
            AckKind::New => {
                let new = tcb.advance(ack);
                tcb.control.on_recovery_ack(&new);
                self.board.update(tcb.snd_una, ack);
                self.pipe = Some(pipe - 1);
                tcb.restart_timer();
                tcb.rtt.end_back_off();
            }
            AckKind::Duplicate | AckKind::Old => {
                tcb.control.on_dup_ack(tcb.now(), ack);
                self.board.update(tcb.snd_una, ack);
            }
        }
        self.send(tcb);
    }

    fn send(&mut self, tcb: &mut Tcb) {
        let limit = SegNo::from(tcb.rules.window);
        loop {
            let window = if self.pipe.is_some() { limit } else { tcb.window(0) };
            let is_full = match self.pipe {
                Some(pipe) => pipe >= tcb.control.cwnd().floor() as i64,
                None => tcb.snd_nxt >= tcb.snd_una + window,
            };
            if is_full {
                return;
            }
            if let Some(gap) = self.board.next_gap() {
                // Outside of recovery this is reached only if the application supplies while duplicates are counted.
                if tcb.recover <= 0 {
                    return;
                }
                self.board.mark_retransmitted(gap);
                tcb.transmit(gap);
                tcb.snd_nxt = tcb.snd_nxt.max(gap + 1);
            } else if tcb.snd_nxt < tcb.snd_una + window && tcb.has_next() {
                tcb.send_next();
            } else {
                return;
            }
            self.pipe = self.pipe.map(|pipe| pipe + 1);
        }
    }
}

impl Recovery for Sack1 {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self.pipe {
            None => self.on_open_ack(tcb, ack),
            Some(pipe) => self.on_recovery_ack(pipe, tcb, ack),
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.dup_acks = 0;
        self.pipe = None;
        self.has_timed_out = true;
        self.board.clear();
        tcb.time_out();
        self.send(tcb);
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        self.send(tcb);
    }

    fn in_recovery(&self) -> bool {
        self.pipe.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::{CongestionKind, TcpConfig};

    /// A recovery and a TCB that has sent all of so many segments.
    fn started(segments: u32) -> (Sack1, Tcb) {
        let config = TcpConfig { limited_transmit: false, ..TcpConfig::default() };
        let mut tcb = Tcb::new(&config, CongestionKind::Reno, 1000, 64, 0.0);
        let mut sack = Sack1::default();
        tcb.supply(Some(segments - 1));
        tcb.control.set_cwnd(f64::from(segments));
        sack.on_supply(&mut tcb);
        assert_eq!(sent(&mut tcb).len(), segments as usize);
        (sack, tcb)
    }

    fn sent(tcb: &mut Tcb) -> Vec<SegNo> {
        tcb.take_sent(40).map(|(segment, _)| segment.seq).collect()
    }

    fn acked(sack: &mut Sack1, tcb: &mut Tcb, cumulative: SegNo, block: Option<(SegNo, SegNo)>) {
        let mut ack = Ack::plain(cumulative, Time::ZERO);
        (ack.blocks[0], ack.block_count) = (block.unwrap_or_default(), u8::from(block.is_some()));
        sack.on_ack(tcb, &ack);
    }

    fn supply(sack: &mut Sack1, tcb: &mut Tcb, segments: u32) {
        tcb.control.set_cwnd(20.0);
        tcb.supply(Some(segments));
        sack.on_supply(tcb);
    }

    #[test]
    fn supply_before_any_loss_fills_no_gap() {
        // `recover_ > 0` in `Sack1TcpAgent::send_much`.
        let (mut sack, mut tcb) = started(6);
        acked(&mut sack, &mut tcb, 0, Some((2, 3)));
        acked(&mut sack, &mut tcb, 0, Some((2, 3)));
        supply(&mut sack, &mut tcb, 5);
        assert_eq!(sent(&mut tcb), [] as [SegNo; 0]);
    }

    #[test]
    fn gap_beyond_snd_nxt_after_a_timeout_advances_it() {
        // `t_seqno_ <= xmit_seqno` in `Sack1TcpAgent::send_much`.
        let (mut sack, mut tcb) = started(11);
        acked(&mut sack, &mut tcb, 4, None);
        sack.on_timeout(&mut tcb);
        acked(&mut sack, &mut tcb, 5, None);
        assert_eq!(sent(&mut tcb), [5, 6, 7]);
        acked(&mut sack, &mut tcb, 5, Some((10, 11)));
        supply(&mut sack, &mut tcb, 2);
        assert_eq!(sent(&mut tcb), [6, 7, 8, 9, 10, 11, 12]);
    }
}
