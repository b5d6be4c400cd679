//! What a node's MAC knows of the air around it, for those above who want to know.

use crate::kernel::{Span, Time};

/// What the observers at one node's MAC have found out. Each answer is as of `now`, over the `window` before it; it is
/// `None` at a node where nobody measures that.
pub trait ChannelView {
    /// Share of the time in which the medium was busy: carrier sensed, reserved by others, or used by the node itself.
    fn busy(&self, now: Time, window: Span) -> Option<f64>;

    /// Capacity of the node's links, and what of it is unused.
    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate>;

    /// Distinct neighbors heard sending, the node itself not counted.
    fn neighbors(&self, now: Time, window: Span) -> Option<u32>;
}

/// Estimate of a node's links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEstimate {
    /// Highest rate that they can sustain, in bytes per second.
    pub capacity: f64,
    /// The part of it that nobody uses, in bytes per second.
    pub available: f64,
}

/// A node that nobody observes.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl ChannelView for Unobserved {
    fn busy(&self, _: Time, _: Span) -> Option<f64> {
        None
    }

    fn link(&self, _: Time, _: Span) -> Option<LinkEstimate> {
        None
    }

    fn neighbors(&self, _: Time, _: Span) -> Option<u32> {
        None
    }
}
