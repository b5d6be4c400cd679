//! The trait of channel observers: an observer receives what the MAC of one node senses, and returns estimates of the medium.
//!
//! Papers measure at the MAC what transports and routers use: Lee 2007, Barreto 2015, and Lien and Hsiao (TCP Muzha).

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Category, Frame, LinkCost, LinkEstimate};
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;

/// How a node came to see a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sent the frame; `now` is the start of transmission.
    Sent,
    /// It decoded the frame; `now` is the end of reception.
    Received,
}

/// An observer at one node's MAC. Only the first method is required.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait ChannelObserver: Debug {
    /// This node has begun to send a frame, or has decoded one, own or overheard.
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame);

    /// The medium has become busy by carrier sense: the radio locks on to a frame.
    fn on_carrier(&mut self, _now: Time) {}

    /// The medium is idle by carrier sense: the frame has ended, decoded or not. The NAV that it may have set remains.
    fn on_idle(&mut self, _now: Time) {}

    /// The NAV expires at `until`, which may be earlier than reported before.
    fn on_nav(&mut self, _now: Time, _until: Time) {}

    /// The node begins (`is_waiting`) or ceases to contend with a frame to send.
    fn on_contending(&mut self, _now: Time, _is_waiting: bool) {}

    /// With aggregation: of the MPDUs that a neighbor was sent, so many have been acknowledged, and so many not.
    fn on_window(&mut self, _now: Time, _neighbor: RadioId, _acked: u32, _lost: u32) {}

    /// With aggregation: MPDUs to a neighbor have been given up.
    fn on_given_up(&mut self, _now: Time, _neighbor: RadioId) {}

    /// See [`ChannelView::busy`](crate::packet::ChannelView::busy).
    fn busy(&self, _now: Time, _window: Span) -> Option<f64> {
        None
    }

    /// See [`ChannelView::link`](crate::packet::ChannelView::link).
    fn link(&self, _now: Time, _window: Span) -> Option<LinkEstimate> {
        None
    }

    /// See [`ChannelView::router_link`](crate::packet::ChannelView::router_link).
    fn router_link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        self.link(now, window)
    }

    /// See [`ChannelView::neighbors`](crate::packet::ChannelView::neighbors).
    fn neighbors(&self, _now: Time, _window: Span) -> Option<u32> {
        None
    }

    /// See [`ChannelView::airtime`](crate::packet::ChannelView::airtime).
    fn airtime(&self, _neighbor: RadioId, _category: Category) -> Option<Span> {
        None
    }

    /// See [`ChannelView::last_service`](crate::packet::ChannelView::last_service).
    fn last_service(&self) -> Option<Span> {
        None
    }

    /// See [`ChannelView::records`](crate::packet::ChannelView::records).
    fn records(&self, _now: Time, _window: Span, _put: &mut dyn FnMut(RadioId, u32)) {}

    /// See [`ChannelView::retries`](crate::packet::ChannelView::retries).
    fn retries(&self) -> Option<f64> {
        None
    }

    /// See [`ChannelView::link_cost`](crate::packet::ChannelView::link_cost).
    fn link_cost(&self, _neighbor: RadioId) -> Option<LinkCost> {
        None
    }

    /// Time by which the next backoff is longer, once: the only effect that an observer has on its MAC.
    fn take_pause(&mut self) -> Span {
        Span::ZERO
    }

    /// What the next MAC ACK of this node carries, in bytes per second; 0 for nothing.
    fn note(&self, _now: Time) -> u32 {
        0
    }
}
