//! Both ends of a protocol as a trait, between application and network: one implementation per kind of protocol.

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use crate::app::{Act, Supply};
use crate::kernel::{End, Span, Time};
use crate::metrics::FlowMeter;
use crate::packet::{LinkEstimate, Payload};
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;

/// A packet that an end sends to the other.
#[derive(Clone, Debug)]
pub struct Emit {
    /// The sending end.
    pub end: End,
    /// The content.
    pub payload: Payload,
    /// Length above the MAC, in bytes, without what routing adds.
    pub bytes: u32,
}

/// Outputs of a pair of ends: packets to send, and counts.
pub(super) struct Outlet<'a> {
    pub(super) meter: &'a mut FlowMeter,
    pub(super) out: &'a mut Vec<Emit>,
}

/// Both ends of a protocol.
#[enum_dispatch]
#[auto_impl(Box)]
pub(super) trait Ends {
    /// The flow starts; its application supplies `demand` bytes per second, if it is limited.
    fn on_start(&mut self, _demand: Option<f64>) {}

    /// The application supplied something; the last of it, if `is_last`.
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>);

    /// The application supplies no more.
    fn close(&mut self, _now: Time, _to: &mut Outlet<'_>) {}

    /// A session acts at `end`.
    fn on_act(&mut self, _end: End, _act: Act, _now: Time, _to: &mut Outlet<'_>) {}

    /// Bytes that `end` has received in order for a session; of datagrams, the number of the last one, from 1 on.
    fn received(&self, _end: End) -> u64 {
        0
    }

    /// The packet that arrives next was marked by a queue.
    fn on_mark(&mut self) {}

    /// A packet arrived at `end`. Returns how many segments it delivers to the application in order.
    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32;

    /// The network has no route for packets of `end`.
    fn on_unreachable(&mut self, _end: End, _now: Time, _to: &mut Outlet<'_>) {}

    /// When `end` acts by itself.
    fn deadline(&self, _end: End) -> Option<Time> {
        None
    }

    /// The deadline of [`Ends::deadline`] has expired.
    fn on_deadline(&mut self, _end: End, _now: Time, _to: &mut Outlet<'_>) {}

    /// Hops of the next acknowledgment's path.
    fn on_path(&mut self, _hops: u16) {}

    /// Routing found a route from the source to the sink.
    fn on_route(&mut self, _now: Time, _to: &mut Outlet<'_>) {}

    /// Whether the source needs estimates of its node's links before each of its events.
    fn wants_link(&self) -> bool {
        false
    }

    /// Current estimates of the observers at the source's node.
    fn on_link(&mut self, _link: Option<LinkEstimate>) {}

    /// Whether packets are sent only when the node below requests one.
    fn is_pulled(&self) -> bool {
        false
    }

    /// Lets the first segment of a pulled source travel alone, until it is acknowledged.
    fn start_alone(&mut self) {}

    /// The link layer offers a slot for one packet of `end`. Returns whether one is sent.
    fn on_slot(&mut self, _end: End, _now: Time, _to: &mut Outlet<'_>) -> bool {
        false
    }

    /// Congestion window and slow-start threshold in segments, if there is a window.
    fn window(&self) -> Option<(f64, f64)> {
        None
    }

    /// Smoothed round-trip time, if the source has a sample.
    fn srtt(&self) -> Option<Span> {
        None
    }

    /// Rate that the source follows, in bytes per second with headers, if it follows one.
    fn rate(&self) -> Option<f64> {
        None
    }
}

/// Refuses a packet of another protocol, which would be a bug of the network.
pub(super) fn refuse(end: End, payload: &Payload) -> u32 {
    debug_assert!(false, "{payload:?} does not belong to the {end:?} of this flow");
    0
}
