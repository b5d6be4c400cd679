//! One receiver of a node's frames: distance turned into delay and power.

use crate::kernel::{Channel, RadioId, Span};
use crate::mobility::Point;
use crate::phy::propagation::delay_nanos;

/// A node that senses another node's frames: its received power reaches `cs_threshold`, on average if the power is random.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    /// The receiving node.
    pub radio: RadioId,
    /// Propagation delay in nanoseconds; with 32 bits a receiver fits in 16 bytes.
    pub(in crate::phy) delay: u32,
    /// Received power in watts; the mean if each frame draws its own.
    pub power: f64,
}

impl Receiver {
    /// A node at this distance that receives this power.
    pub fn new(radio: RadioId, metres: f64, power: f64) -> Receiver {
        Receiver { radio, delay: delay_nanos(metres), power }
    }

    /// Propagation delay.
    #[inline]
    pub fn delay(&self) -> Span {
        Span(u64::from(self.delay))
    }
}

/// Distance of two nodes whose places on the plane are `metres` apart, with heights if they have any.
#[inline]
pub(crate) fn with_heights(metres: f64, heights: Option<&[f64]>, a: usize, b: usize) -> f64 {
    heights.map_or(metres, |heights| libm::hypot(metres, heights[a] - heights[b]))
}

/// Distance of two points, in metres.
#[inline]
pub(in crate::phy) fn distance(a: Point, b: Point) -> f64 {
    ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt()
}

/// Whether two radios are on one channel; `channels` are those of all radios, if they differ.
pub(super) fn share_channel(channels: Option<&[Channel]>, one: u32, other: u32) -> bool {
    channels.is_none_or(|channels| channels[one as usize] == channels[other as usize])
}
