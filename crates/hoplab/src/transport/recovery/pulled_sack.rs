//! Recovery of a pulled sender by SACK: what was sent before something that has arrived is lost, and is retransmitted in the
//! next slots.
//!
//! # Model
//! Each acknowledgment reports what has arrived: all below its cumulative number, and its blocks. A segment that has not arrived,
//! and whose last transmission precedes that of one that has, is lost. Slots serve lost segments first, the oldest of them
//! first, then new data. A timeout adds the lowest missing segment, as [`super::TimeoutOnly`] does; the timer restarts whenever
//! something arrives, in order or not.
//!
//! # Source
//! The acknowledgment schemes that Cai 2013 names in section 5; RFC 2018, and the rule of time of RFC 8985 section 6.2. Duplicate
//! acknowledgments are no signal for a sender without a window, and the receiver sends few acknowledgments.
//!
//! # Deviations
//! No reordering window: the paths of a packet and the next are the same queues, and a repair that is not needed costs one
//! slot. No tail loss probe: a timeout asks for the lowest missing segment.
//!
//! # Parameters
//! `semi_tcp.rto_backoff`, `semi_tcp.max_outstanding`.

use super::method::Recovery;
use crate::kernel::{Span, Time};
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;
use crate::transport::ranges::Ranges;
use crate::transport::tcb::Tcb;

/// Repairs in slots by SACK.
#[derive(Clone, Debug, Default)]
pub struct PulledSack {
    /// Segments to be retransmitted, in order.
    lost: Vec<SegNo>,
    /// Segments beyond `snd_una` that have arrived.
    sacked: Ranges,
    /// When the latest sent of those that have arrived was sent, and its number: those of one time are in order.
    latest: Option<(Time, SegNo)>,
    /// Least round-trip time of segments sent once.
    least_rtt: Option<Span>,
}

impl PulledSack {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> PulledSack {
        PulledSack::default()
    }

    /// `seq` has arrived, as an acknowledgment reports.
    fn on_arrived(&mut self, tcb: &Tcb, seq: SegNo) {
        if self.sacked.contains(seq) {
            return;
        }
        let history = tcb.log.history(seq);
        let Some(sent) = history.last else { return };
        let rtt = tcb.now().since(sent);
        if history.times > 1 {
            // Sooner than any round trip: an earlier transmission of it has arrived (RFC 8985 section 6.2, step 2).
            if self.least_rtt.is_none_or(|least| rtt < least) {
                return;
            }
        } else {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        self.latest = self.latest.max(Some((sent, seq)));
    }

    /// Notes what an acknowledgment reports. Returns whether it reports a segment beyond the cumulative number for the first time.
    fn take_report(&mut self, tcb: &Tcb, ack: &Ack) -> bool {
        (tcb.snd_una..(ack.cumulative + 1).min(tcb.snd_max)).for_each(|seq| self.on_arrived(tcb, seq));
        let mut new = 0;
        for &(first, last) in ack.blocks() {
            let first = first.max(tcb.snd_una);
            if first < last && last <= tcb.snd_max {
                (first..last).for_each(|seq| self.on_arrived(tcb, seq));
                new += self.sacked.insert(first, last);
            }
        }
        new > 0
    }

    /// Lists what was sent before the latest that has arrived, and has not arrived.
    fn find_lost(&mut self, tcb: &Tcb) {
        self.drop_arrived(tcb.snd_una);
        let Some(latest) = self.latest else { return };
        for seq in tcb.snd_una..tcb.snd_max {
            let is_earlier = tcb.log.history(seq).last.is_some_and(|sent| (sent, seq) < latest);
            if is_earlier && !self.sacked.contains(seq) {
                self.add_lost(seq);
            }
        }
    }

    fn add_lost(&mut self, seq: SegNo) {
        if let Err(index) = self.lost.binary_search(&seq) {
            self.lost.insert(index, seq);
        }
    }

    fn drop_arrived(&mut self, una: SegNo) {
        self.sacked.remove_below(una);
        let sacked = &self.sacked;
        self.lost.retain(|&seq| seq >= una && !sacked.contains(seq));
    }
}

impl Recovery for PulledSack {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let has_new = self.take_report(tcb, ack);
        tcb.take_ack(ack);
        if has_new && tcb.in_flight() > 0 {
            tcb.restart_timer();
        }
        self.find_lost(tcb);
        if !tcb.rules.is_pulled {
            tcb.fill_window();
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        if !tcb.time_out_in_place() {
            return;
        }
        let missing = self.sacked.first_gap(tcb.snd_una);
        if missing < tcb.snd_max {
            self.add_lost(missing);
        }
        if !tcb.rules.is_pulled {
            self.on_slot(tcb);
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if !tcb.rules.is_pulled {
            tcb.fill_window();
        }
    }

    fn on_slot(&mut self, tcb: &mut Tcb) -> bool {
        if self.lost.is_empty() {
            let has_sent = tcb.send_next();
            if has_sent {
                tcb.note_limit();
            }
            return has_sent;
        }
        let seq = self.lost.remove(0);
        tcb.transmit(seq);
        // The timed segment may be this one, or wait behind it (Karn 1987).
        tcb.cancel_timed();
        true
    }

    fn in_recovery(&self) -> bool {
        !self.lost.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Supply;
    use crate::kernel::Time;
    use crate::packet::{Ack, SegNo};
    use crate::transport::congestion::CongestionKind;
    use crate::transport::{Parts, RecoveryKind, Sender, TcpConfig};

    fn pulled() -> Sender {
        let parts = Parts { congestion: CongestionKind::SemiTcp, recovery: RecoveryKind::PulledSack };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 512, 1024, 0.0);
        sender.set_pulled(false);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender
    }

    fn at(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    /// What the sender sends in slots from `from` ms on, one every 10 ms.
    fn slots(sender: &mut Sender, from: u64, count: u64) -> Vec<SegNo> {
        (0..count).for_each(|nth| {
            sender.on_slot(at(from + 10 * nth));
        });
        sender.take_sent(40).map(|(segment, _)| segment.seq).collect()
    }

    fn ack(cumulative: SegNo, blocks: &[(SegNo, SegNo)]) -> Ack {
        let mut ack = Ack::plain(cumulative, Time::ZERO);
        ack.blocks[..blocks.len()].copy_from_slice(blocks);
        ack.block_count = blocks.len() as u8;
        ack
    }

    #[test]
    fn segments_sent_before_an_arrival_are_repaired_oldest_first() {
        let mut sender = pulled();
        assert_eq!(slots(&mut sender, 0, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        sender.on_ack(at(100), &ack(0, &[(5, 6), (2, 3)]));
        // 6 and 7 were sent after 5.
        assert_eq!(slots(&mut sender, 110, 5), [1, 3, 4, 8, 9]);
    }

    #[test]
    fn a_repair_is_lost_when_something_sent_later_arrives() {
        let mut sender = pulled();
        slots(&mut sender, 0, 4);
        sender.on_ack(at(100), &ack(0, &[(2, 4)]));
        assert_eq!(slots(&mut sender, 110, 3), [1, 4, 5]);
        sender.on_ack(at(190), &ack(0, &[(2, 4)]));
        assert_eq!(slots(&mut sender, 190, 1), [6], "nothing new has arrived");
        sender.on_ack(at(220), &ack(0, &[(2, 5)]));
        assert_eq!(slots(&mut sender, 230, 2), [1, 7]);
    }

    #[test]
    fn segments_of_one_time_are_ordered_by_number() {
        let mut sender = pulled();
        (0..4).for_each(|_| {
            sender.on_slot(at(10));
        });
        sender.take_sent(40).for_each(drop);
        sender.on_ack(at(100), &ack(0, &[(2, 3)]));
        assert_eq!(slots(&mut sender, 110, 2), [1, 4]);
    }

    #[test]
    fn an_arrival_before_its_slot_cancels_a_repair() {
        let mut sender = pulled();
        slots(&mut sender, 0, 5);
        sender.on_ack(at(100), &ack(0, &[(4, 5)]));
        sender.on_ack(at(105), &ack(1, &[(3, 5)]));
        assert_eq!(slots(&mut sender, 110, 2), [2, 5]);
    }

    /// The acknowledgment of the original arrives right after the repair was sent.
    #[test]
    fn an_ack_sooner_than_a_round_trip_dates_no_repair() {
        let mut sender = pulled();
        slots(&mut sender, 0, 6);
        sender.on_ack(at(100), &ack(0, &[(2, 3)]));
        assert_eq!(slots(&mut sender, 110, 1), [1]);
        sender.on_ack(at(115), &ack(2, &[]));
        assert_eq!(slots(&mut sender, 120, 2), [6, 7], "3 to 5 are on their way");
    }

    #[test]
    fn an_arrival_out_of_order_restarts_the_timer() {
        let mut sender = pulled();
        slots(&mut sender, 0, 3);
        assert_eq!(sender.deadline(), Some(at(3_000)));
        sender.on_ack(at(100), &ack(-1, &[(1, 2)]));
        assert_eq!(sender.deadline(), Some(at(3_100)));
        sender.on_ack(at(200), &ack(-1, &[(1, 2)]));
        assert_eq!(sender.deadline(), Some(at(3_100)), "nothing new");
    }

    #[test]
    fn a_timeout_asks_for_the_lowest_missing_segment() {
        let mut sender = pulled();
        slots(&mut sender, 0, 3);
        sender.on_timeout(at(3_000));
        assert_eq!((slots(&mut sender, 3_000, 2), sender.counts().timeouts), (vec![0, 3], 1));
        sender.on_ack(at(3_200), &ack(3, &[]));
        assert_eq!(sender.deadline(), None, "nothing is outstanding");
    }
}
