//! The content of a stream, one word per segment: its checksum proves that what was delivered is what was sent.
//!
//! # Source
//! The finalizer of SplitMix64 (Steele, Lea, Flood 2014).

use crate::kernel::FlowId;
use crate::packet::SegNo;

/// Checksum over segments in order; it depends on the segments and on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Digest {
    /// Appends the next segment's content.
    pub fn add(&mut self, content: u64) {
        self.0 = mix(self.0 ^ content);
    }
}

/// The word that represents the bytes of a segment.
pub fn content_of(flow: FlowId, seq: SegNo) -> u64 {
    mix(u64::from(flow.0) << 40 ^ seq as u64)
}

/// The checksum of a flow's first segments.
pub fn stream_digest(flow: FlowId, segments: SegNo) -> Digest {
    let mut digest = Digest::default();
    (0..segments).for_each(|seq| digest.add(content_of(flow, seq)));
    digest
}

/// A word from another, by the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The first words of the generator with these seeds, as published: the second seed is the first one's next state.
    #[test]
    fn words_are_those_of_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn each_segment_has_its_own_content() {
        let contents: BTreeSet<u64> =
            (0..4).flat_map(|flow| (0..1000).map(move |seq| content_of(FlowId(flow), seq))).collect();
        assert_eq!(contents.len(), 4 * 1000);
    }

    #[test]
    fn checksum_depends_on_segments_and_order() {
        let after = |state: u64, contents: &[u64]| {
            let mut digest = Digest(state);
            for &content in contents {
                digest.add(content);
            }
            digest
        };
        let orders = [after(0, &[1, 2]), after(0, &[2, 1]), after(0, &[1]), after(0, &[2]), after(0, &[])];
        assert_eq!(orders.map(|digest| digest.0).into_iter().collect::<BTreeSet<_>>().len(), orders.len());
        assert_ne!(after(u64::MAX, &[1]), after(u64::MAX, &[2]));
        let [first, second] = [0, 1].map(|seq| content_of(FlowId(5), seq));
        assert_eq!(stream_digest(FlowId(5), 2), after(0, &[first, second]));
    }
}
