//! Paced slots: a source that is pulled and sends at most one segment per interval of TCP-AP.
//!
//! # Model
//! A slot that the link layer offers within an interval of the last used one is refused; when the interval is over, the
//! source requests a slot itself. The interval is TCP-AP's, from the same acknowledgments; its window is not used.
//! # Source
//! Series S+AP of the results released with Cai 2013's program (claims ledger, table A); its rules are not described.
//! # Deviations
//! The clock does not run while nothing is sent, and no loss stops it: our choice, since no source specifies it.
//! # Parameters
//! `semi_tcp.paced`; the interval's are those of `[tcp.congestion.tcp_ap]`.

use crate::kernel::Time;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::cross_layer::{AckArrival, CrossLayer};
use crate::transport::congestion::wireless::TcpAp;

/// When the next slot may be used.
#[derive(Clone, Debug)]
pub struct SlotPacer {
    clock: TcpAp,
    /// Slots are refused until then.
    closed_until: Option<Time>,
}

impl SlotPacer {
    /// Before anything is sent, for segments with this payload.
    pub fn new(config: &TcpConfig, segment: u32) -> SlotPacer {
        let clock = TcpAp::new(&config.setup(segment), &config.congestion.tcp_ap);
        SlotPacer { clock, closed_until: None }
    }

    /// An acknowledgment arrived.
    pub fn on_arrival(&mut self, arrival: &AckArrival<'_>) {
        self.clock.on_arrival(arrival);
    }

    /// Whether a slot may be used now.
    pub fn is_open(&self, now: Time) -> bool {
        self.closed_until.is_none_or(|until| until <= now)
    }

    /// A slot was used.
    pub fn on_use(&mut self, now: Time) {
        self.closed_until = Some(now + self.clock.pace_interval());
    }

    /// When the source is to request a slot.
    pub fn deadline(&self) -> Option<Time> {
        self.closed_until
    }

    /// Opens the next slot if the deadline has expired.
    pub fn on_deadline(&mut self, now: Time) {
        self.closed_until.take_if(|until| *until <= now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Supply;
    use crate::kernel::Span;
    use crate::packet::Ack;
    use crate::transport::{CongestionKind, Parts, RecoveryKind, Sender};

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn one_slot_per_interval_is_used() {
        let config = TcpConfig::default();
        let parts = Parts { congestion: CongestionKind::SemiTcp, recovery: RecoveryKind::TimeoutOnly };
        let mut sender = Sender::new(&config, parts, 512, 1024, 0.0);
        sender.set_pulled(false);
        sender.set_slot_pacer(SlotPacer::new(&config, 512));
        sender.on_supply(Time::ZERO, Supply::Endless);
        // Before the first acknowledgment the interval is 50 ms.
        assert!(sender.on_slot(ms(10)) && !sender.on_slot(ms(30)));
        assert_eq!(sender.deadline(), Some(ms(60)));
        sender.on_timeout(ms(60));
        assert!(sender.deadline() > Some(ms(60)), "the retransmission timer remains");
        assert!(sender.on_slot(ms(61)));
        sender.on_ack_over(ms(90), &Ack::plain(0, ms(10)), 7);
        // 80 ms over 7 hops are 26.95 ms for four: from the next slot that is used.
        assert!(!sender.on_slot(ms(110)) && sender.on_slot(ms(111)));
        assert_eq!(sender.deadline(), Some(ms(111) + Span::from_secs(4.0 * (0.08 / 14.0 + 512.0 / 500_000.0))));
        assert_eq!(sender.take_sent(40).count(), 3);
    }
}
