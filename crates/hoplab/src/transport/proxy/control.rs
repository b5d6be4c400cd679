//! A proxy as a trait: it stores packets in transit, or passes them on.
//!
//! # Source
//! RFC 3135 for the field's terms: local acknowledgments and local retransmissions.

use super::packet::{ProxyCounts, ProxyOut, ProxyView, Verdict};
use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{Lack, SegNo};
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;

/// A proxy at one node. All times are absolute, all counts in segments.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait Proxy: Debug {
    /// A packet between two other nodes is in transit. Only `Keep` ends it here.
    fn on_segment(&mut self, now: Time, passing: &ProxyView, out: &mut Vec<ProxyOut>) -> Verdict;

    /// A local acknowledgment for this node arrived.
    fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, out: &mut Vec<ProxyOut>);

    /// When it acts by itself. It may move with every call.
    fn deadline(&self) -> Option<Time>;

    /// The deadline of [`Proxy::deadline`] has expired.
    fn on_deadline(&mut self, now: Time, out: &mut Vec<ProxyOut>);

    /// Routing found a route to `dst`, or replaced it.
    fn on_route(&mut self, now: Time, dst: NodeId, out: &mut Vec<ProxyOut>);

    /// It fails: what it stores is lost, and until [`Proxy::recover`] packets pass it. Returns the number of segments lost.
    fn fail(&mut self) -> u32;

    /// It works again, with an empty store.
    fn recover(&mut self);

    /// Whether it needs the hops left to the destination of packets.
    fn wants_hops_left(&self) -> bool;

    /// Its counts.
    fn counts(&self) -> ProxyCounts;

    /// The segments it stores, in no particular order.
    fn held(&self) -> Vec<(FlowId, SegNo)>;
}
