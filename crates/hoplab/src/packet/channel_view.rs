//! Estimates of a node's channel observers, for the layers above the MAC (`mac/observer`).

use super::category::Category;
use crate::kernel::{RadioId, Span, Time};
use std::fmt::Debug;

/// Results of the observers at one node. Each is as of `now`, over the `window` before it, and `None` without an observer
/// for it.
pub trait ChannelView: Debug {
    /// Share of the time in which the medium was busy: carrier sensed, NAV set, or the node itself transmitting.
    fn busy(&self, now: Time, window: Span) -> Option<f64>;

    /// Capacity and available bandwidth of the node's links.
    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate>;

    /// What a router at the node reads in place of [`ChannelView::link`].
    fn router_link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        self.link(now, window)
    }

    /// Number of distinct neighbors that have transmitted, the node itself excluded.
    fn neighbors(&self, now: Time, window: Span) -> Option<u32>;

    /// Airtime of all frames of an access category so far that the node has sent to this radio of a neighbor, or received from it;
    /// without categories all frames are best effort.
    fn airtime(&self, _neighbor: RadioId, _category: Category) -> Option<Span> {
        None
    }

    /// Duration of the MAC's last service of a packet of an access category: from the head of the queue until it was delivered or
    /// dropped; of packets that were sent together, the share of one.
    fn last_service(&self, _category: Category) -> Option<Span> {
        None
    }

    /// The records in data frames of neighbors, the last one of each radio.
    fn records(&self, _now: Time, _window: Span, _put: &mut dyn FnMut(RadioId, u32)) {}

    /// Mean retries of the node's unicast data frames so far.
    fn retries(&self) -> Option<f64> {
        None
    }

    /// What the link to this radio of a neighbor costs, by the outcomes of frames so far.
    fn link_cost(&self, _neighbor: RadioId) -> Option<LinkCost> {
        None
    }
}

/// Cost of a link, by the frames that a node has sent over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkCost {
    /// Airtime of a test frame with its overhead and expected repetitions.
    pub airtime: Span,
    /// Packets in a row that have exceeded the retry limit.
    pub failures: u32,
}

/// Estimate of a node's links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEstimate {
    /// Highest sustainable rate, in bytes per second.
    pub capacity: f64,
    /// Unused part of the capacity, in bytes per second.
    pub available: f64,
}

/// A node without observers.
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
