//! What exchanges of a station take beyond their frames, and how much a frame can carry: eq. 14 of Barreto 2015, with access
//! categories, TXOPs and aggregation.

use super::config::{Aggregates, WinfConfig};
use crate::kernel::Span;
use crate::mac::Timing;
use crate::mac::aggregation::AggregationRules;
use crate::packet::aggregate::{padded, with_mpdu};
use crate::packet::{Category, Modulation};

/// Channel access of a station, by category.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// AIFS, and the mean of the first backoff, as eq. 14 has it.
    before: [(Span, Span); Category::COUNT],
    /// TXOP limits; zero: one exchange.
    txop: [Span; Category::COUNT],
    /// Limits of aggregation, unless frames count as they are sent.
    rules: Option<AggregationRules>,
}

/// The longest frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Longest {
    mpdus: u32,
    /// Length of each.
    mpdu: u32,
    /// Packets in each.
    packets: u32,
}

impl Access {
    /// Of a station with these constants of the observer.
    pub(super) fn new(timing: &Timing, config: &WinfConfig) -> Access {
        let access = Access::of(timing);
        Access { rules: access.rules.filter(|_| config.aggregates != Some(Aggregates::Sent)), ..access }
    }

    fn of(timing: &Timing) -> Access {
        let config = &timing.config;
        let keys = Category::ALL.map(|category| config.edca.as_ref().map(|edca| edca.of(category)));
        let before = keys.map(|keys| {
            let aifs = |slots: u32| timing.sifs + timing.slot * u64::from(slots);
            let aifs = keys.and_then(|keys| keys.aifsn).map_or(timing.aifs(), aifs);
            let cw_min = keys.and_then(|keys| keys.cw_min).unwrap_or(config.cw_min);
            (aifs, Span(timing.slot.0 * u64::from(cw_min) / 2))
        });
        let txop = keys.map(|keys| keys.map_or(config.txop_limit, |keys| keys.txop_limit).unwrap_or(Span::ZERO));
        Access { before, txop, rules: AggregationRules::of(config, timing.aggregation_limits()) }
    }

    /// AIFS and the mean of the first backoff.
    pub(super) fn before(&self, category: Category) -> Span {
        let (aifs, backoff) = self.before[category as usize];
        aifs + backoff
    }

    /// The mean of the first backoff.
    pub(super) fn backoff(&self, category: Category) -> Span {
        self.before[category as usize].1
    }

    /// Whether any category keeps the medium for several exchanges.
    pub(super) fn has_bursts(&self) -> bool {
        self.txop.iter().any(|limit| *limit > Span::ZERO)
    }

    /// How many times the packets of a frame, `carried` of this mean length, the longest frame of this modulation carries; 1 without
    /// aggregation.
    pub(super) fn room(&self, timing: &Timing, mode: Modulation, category: Category, packet: u32, carried: f64) -> f64 {
        let longest = self.longest(timing, mode, category, packet);
        (f64::from(longest.mpdus * longest.packets) / carried).max(1.0)
    }

    fn longest(&self, timing: &Timing, mode: Modulation, category: Category, packet: u32) -> Longest {
        let Some(rules) = self.rules else { return Longest { mpdus: 1, mpdu: timing.data_bytes(packet), packets: 1 } };
        let (mut body, mut packets) = (AggregationRules::body_with(0, packet), 1);
        while AggregationRules::body_with(body, packet) <= rules.amsdu {
            (body, packets) = (AggregationRules::body_with(body, packet), packets + 1);
        }
        let mpdu = rules.mpdu(body, packets);
        if !rules.has_agreement() {
            return Longest { mpdus: 1, mpdu, packets };
        }
        let mut limit = timing.longest_psdu(mode).min(rules.ampdu);
        let txop = self.txop[category as usize];
        if txop > Span::ZERO {
            limit = limit.min(timing.longest_psdu_within(txop, mode, timing.uses_rts_for(limit)));
        }
        let further = limit.saturating_sub(with_mpdu(0, mpdu)) / with_mpdu(0, padded(mpdu));
        Longest { mpdus: (1 + further).min(u32::from(rules.window)), mpdu, packets }
    }
}

/// Eq. 14: the highest rate of a clean link in bytes per second, for packets of this length with RTS and CTS as configured. With
/// aggregation each frame is the longest; within a TXOP as many follow each other as fit, and a CF-End.
pub fn clean(timing: &Timing, packet: u32) -> f64 {
    let (access, category, mode) = (Access::of(timing), Category::BestEffort, timing.unicast);
    let Longest { mpdus, mpdu, packets } = access.longest(timing, mode, category, packet);
    let psdu = (1..mpdus).fold(with_mpdu(0, mpdu), |bytes, _| with_mpdu(bytes, mpdu));
    let is_block = mpdus > 1;
    let (data, answer, uses_rts) = if is_block {
        let block_ack = timing.airtime(timing.response_mode(mode), timing.block_ack_bytes);
        (timing.airtime(mode, psdu), block_ack, timing.uses_rts_for(psdu))
    } else if packets > 1 {
        (timing.airtime(mode, mpdu), timing.ack, timing.uses_rts_for(mpdu))
    } else {
        (timing.data(packet, false), timing.ack, timing.uses_rts(packet))
    };
    let protection = match (uses_rts, timing.uses_self_cts()) {
        (true, _) => timing.rts + timing.cts + timing.sifs * 2,
        (false, true) => timing.self_cts() + timing.sifs,
        (false, false) => Span::ZERO,
    };
    let exchange = data + timing.sifs + answer;
    let first = protection + exchange;
    let rest = access.txop[category as usize].saturating_sub(first);
    let further = rest.0 / (timing.sifs + exchange).0;
    let left = rest.saturating_sub((timing.sifs + exchange) * further);
    let end = timing.sifs + timing.cf_end().1;
    let end = if access.txop[category as usize] > Span::ZERO && left >= end { end } else { Span::ZERO };
    let all = access.before(category) + first + (timing.sifs + exchange) * further + end;
    f64::from(mpdus * packets * packet) * (1 + further) as f64 / all.secs()
}
