//! Limits of aggregation, and lengths of what is aggregated (IEEE 802.11-2016 sections 9.3.2.2 and 10.13).

use crate::kernel::Span;
use crate::mac::config::MacConfig;
use crate::packet::aggregate::{WINDOW, padded};
use crate::phy::AggregationLimits;

/// Limits and lengths of one station.
#[derive(Clone, Copy, Debug)]
pub struct AggregationRules {
    /// Longest A-MPDU in bytes; none: MPDUs are sent singly, without agreement.
    pub ampdu: u32,
    /// Longest A-MSDU in bytes, or none.
    pub amsdu: u32,
    /// MPDUs of the window.
    pub window: u16,
    /// Time for which an MPDU is repeated.
    pub life: Span,
    /// Bytes that the frame of a single packet has beyond it.
    pub overhead: u32,
}

/// Header of a subframe of an A-MSDU.
const SUBFRAME: u32 = 14;
/// LLC and SNAP, part of each subframe.
const LLC: u32 = 8;

impl AggregationRules {
    /// Those of a station under the limits of its standard; none if it sends all packets singly.
    pub fn of(config: &MacConfig, limits: Option<&AggregationLimits>) -> Option<AggregationRules> {
        let bytes = |limit: Option<crate::kernel::Bytes>| limit.map_or(0, |limit| limit.0);
        let (ampdu, amsdu) = (bytes(config.ampdu), bytes(config.amsdu));
        let life = config.mpdu_life.unwrap_or(MacConfig::MPDU_LIFE);
        let (window, overhead) = (limits.map_or(WINDOW, |limits| limits.window), config.data_overhead.0);
        (ampdu > 0 || amsdu > 0).then_some(AggregationRules { ampdu, amsdu, window, life, overhead })
    }

    /// Whether MPDUs are acknowledged in blocks, and handed up in order.
    pub fn has_agreement(&self) -> bool {
        self.ampdu > 0
    }

    /// Length of an A-MSDU of `before` bytes (0: none yet) with one more packet.
    pub fn body_with(before: u32, packet: u32) -> u32 {
        padded(before) + SUBFRAME + LLC + packet
    }

    /// Longest packet that can join an A-MSDU of `before` bytes.
    pub fn body_room(&self, before: u32) -> u32 {
        self.amsdu.saturating_sub(padded(before) + SUBFRAME + LLC)
    }

    /// Bytes of the packets of an MPDU; the padding of subframes counts for them.
    pub fn payload(&self, mpdu: u32, packets: u32) -> u32 {
        let subframes = if packets == 1 { 0 } else { packets * (SUBFRAME + LLC) - LLC };
        mpdu.saturating_sub(self.overhead + subframes)
    }

    /// Length of an MPDU with `packets` packets: one alone is no A-MSDU, whose LLC is in its subframes.
    pub fn mpdu(&self, body: u32, packets: u32) -> u32 {
        if packets == 1 { body - SUBFRAME - LLC + self.overhead } else { body + self.overhead - LLC }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_the_subframes() {
        // Packets of 1500 bytes: 2 in 3076 bytes, 5 in 7648.
        let rules = AggregationRules { ampdu: 0, amsdu: 7935, window: WINDOW, life: Span::ZERO, overhead: 38 };
        let body = |packets: u32| (0..packets).fold(0, |before, _| AggregationRules::body_with(before, 1500));
        assert_eq!([1, 2, 5].map(|packets| rules.mpdu(body(packets), packets)), [1538, 3076, 7648]);
        assert_eq!(
            [1, 2, 5].map(|packets| rules.payload(rules.mpdu(body(packets), packets), packets)),
            [1500, 3002, 7508]
        );
        assert_eq!(rules.body_room(body(5)), 7935 - 5 * 1524 - 22);
    }
}
