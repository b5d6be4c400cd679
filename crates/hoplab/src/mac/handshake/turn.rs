//! A turn: what a station sends by one grant of its next hop. Policies count packets in turns.
//!
//! # Model
//! Without aggregation and TXOPs a turn is one packet. With aggregation it is the longest A-MPDU, or A-MSDU, of the longest
//! packets; without it, as many of them as a TXOP takes. It is no longer than the share of the interface queue that the caller
//! gives, so that a granted turn finds room.
//! # Source
//! IEEE 802.11-2016 sections 10.13 (A-MPDU) and 10.22.2.8 (TXOP limits). That a grant counts for all of them is our choice: RTS
//! and CTS protect them together.
//! # Deviations
//! With access categories the TXOP limit is that of best effort.
//! # Parameters
//! `mac.ampdu`, `mac.amsdu`, `mac.txop_limit`, `queue.limit`.

use crate::kernel::{RadioId, Span, Time};
use crate::mac::aggregation::{AggregationRules, Originator};
use crate::mac::timing::Timing;
use crate::packet::{Modulation, PacketId};

/// What a station sends by one grant.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    limits: TurnLimits,
    mode: Modulation,
    packets: u32,
    bytes: u32,
}

/// What a turn follows from, besides times and modulation.
#[derive(Clone, Copy, Debug)]
pub struct TurnLimits {
    /// Longest packet, in bytes.
    pub packet: u32,
    /// Most packets.
    pub most: u32,
    /// How the station aggregates.
    pub aggregation: Option<AggregationRules>,
}

impl Default for Turn {
    /// One packet.
    fn default() -> Turn {
        let limits = TurnLimits { packet: 0, most: 1, aggregation: None };
        Turn { limits, mode: Modulation::DBPSK1, packets: 1, bytes: 0 }
    }
}

impl Turn {
    /// A turn at the modulation of unicast data.
    pub fn new(limits: TurnLimits, timing: &Timing) -> Turn {
        let mut turn = Turn { limits, ..Turn::default() };
        turn.measure(timing, timing.unicast);
        turn
    }

    /// Packets of a turn, at least one.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// Longest packet, in bytes.
    pub fn longest_packet(&self) -> u32 {
        self.limits.packet
    }

    /// Length of its longest PSDU, in bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Data have been sent with this modulation.
    pub fn follow(&mut self, timing: &Timing, mode: Modulation) {
        if mode != self.mode {
            self.measure(timing, mode);
        }
    }

    /// Time of a turn from its RTS to its last acknowledgment, interframe spaces included.
    pub fn exchange(&self, timing: &Timing) -> Span {
        if self.limits.aggregation.is_some() {
            let mode = self.mode;
            let answer = timing.airtime(timing.response_mode(mode), timing.block_ack_bytes).max(timing.ack);
            return timing.rts + timing.cts + timing.airtime(mode, self.bytes) + answer + timing.sifs * 3;
        }
        timing.exchange(self.limits.packet) + next_exchange(timing, self.limits.packet) * u64::from(self.packets - 1)
    }

    fn measure(&mut self, timing: &Timing, mode: Modulation) {
        let TurnLimits { packet, most, aggregation } = self.limits;
        self.mode = mode;
        (self.packets, self.bytes) = match aggregation {
            Some(rules) => longest_aggregate(&rules, longest_psdu(timing, mode), packet, most),
            None => (in_txop(timing, packet).clamp(1, most.max(1)), timing.data_bytes(packet)),
        };
    }
}

/// TXOP limit of best effort; zero: one exchange.
fn txop_limit(timing: &Timing) -> Span {
    let config = &timing.config;
    let of_category = config.edca.as_ref().and_then(|edca| edca.best_effort.txop_limit);
    of_category.or(config.txop_limit).unwrap_or(Span::ZERO)
}

fn longest_psdu(timing: &Timing, mode: Modulation) -> u32 {
    let (longest, txop) = (timing.longest_psdu(mode), txop_limit(timing));
    if txop == Span::ZERO {
        return longest;
    }
    longest.min(timing.longest_psdu_within(txop, mode, timing.uses_rts_for(longest)))
}

/// Packets of so many bytes in the longest A-MPDU, and its length.
fn longest_aggregate(rules: &AggregationRules, limit: u32, packet: u32, most: u32) -> (u32, u32) {
    let (start, id) = (Time::ZERO, PacketId(0));
    let mut originator = Originator::new(*rules);
    originator.open(start, RadioId(0), id, packet);
    originator.lay_out(limit, false);
    let mut packets = 1;
    while packets < most && originator.room().is_some_and(|room| room.bytes >= packet) {
        originator.join(start, id, packet);
        packets += 1;
    }
    (packets, originator.laid_out())
}

/// Exchanges of such a packet in a TXOP, RTS and CTS before the first.
fn in_txop(timing: &Timing, packet: u32) -> u32 {
    let rest = txop_limit(timing).saturating_sub(timing.exchange(packet));
    1 + (rest.0 / next_exchange(timing, packet).0) as u32
}

/// An exchange of a TXOP that is not the first.
fn next_exchange(timing: &Timing, packet: u32) -> Span {
    timing.sifs * 2 + timing.data(packet, false) + timing.ack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;

    #[test]
    fn turn_without_aggregation_is_a_packet_or_a_txop() {
        let exchange = Timing::new(&MacConfig::default()).exchange(1000);
        for (limit_ms, most, packets) in [(None, 99, 1), (Some(1), 99, 1), (Some(30), 99, 6), (Some(30), 4, 4)] {
            let txop_limit = limit_ms.map(Span::from_millis);
            let timing = Timing::new(&MacConfig { txop_limit, ..MacConfig::default() });
            let turn = Turn::new(TurnLimits { packet: 1000, most, aggregation: None }, &timing);
            assert_eq!(turn.packets(), packets, "{limit_ms:?}");
            assert!(packets > 1 || turn.exchange(&timing) == exchange);
            assert!(packets == 1 || turn.exchange(&timing) <= Span::from_millis(30));
        }
    }

    #[test]
    fn turn_with_aggregation_is_the_longest_ampdu_within_the_share() {
        let rules =
            AggregationRules { ampdu: 65_535, amsdu: 0, window: 64, life: Span::from_millis(500), overhead: 38 };
        // MPDUs of 1538 bytes, each behind four bytes and padding: 42 of them have 64 846 bytes.
        assert_eq!(longest_aggregate(&rules, u32::MAX, 1500, 99), (42, 41 * 1544 + 1542));
        assert_eq!(longest_aggregate(&rules, u32::MAX, 1500, 24), (24, 23 * 1544 + 1542));
        assert_eq!(longest_aggregate(&rules, 20_000, 1500, 99).0, 12);
        assert_eq!(longest_aggregate(&rules, u32::MAX, 40, 99).0, 64);
        let singly = AggregationRules { ampdu: 0, amsdu: 7935, ..rules };
        assert_eq!(longest_aggregate(&singly, u32::MAX, 1500, 99), (5, 7648));
    }
}
