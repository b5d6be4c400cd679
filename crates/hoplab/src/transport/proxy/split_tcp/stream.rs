//! A stream's bytes, in place of which each segment carries one word: proof that what was delivered is what was sent.

use crate::kernel::FlowId;
use crate::packet::SegNo;

/// Checksum over segments in order. Nothing else than the same segments in the same order gives the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Digest {
    /// The next segment's content follows.
    pub fn add(&mut self, content: u64) {
        self.0 = mix(self.0 ^ content);
    }
}

/// What stands for the bytes of a segment.
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
