//! The trait of channel observers: an observer receives what the MAC of one radio senses, and returns estimates of the medium.
//!
//! Papers measure at the MAC what transports and routers use: Lee 2007, Barreto 2015, and Lien and Hsiao (TCP Muzha).

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use crate::kernel::{RadioId, Span, Time};
use crate::mac::aggregation::AggregationRules;
use crate::packet::aggregate::{Aggregate, Mpdu};
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

/// What a frame says of packets, where stations aggregate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// MPDUs of the data frame or A-MPDU; of a Block Ack, of what the station that it answers has sent last.
    pub sent: u32,
    /// Those of them that count: all of an own A-MPDU, of one that arrives those that were decoded, of a Block Ack those that it
    /// acknowledges.
    pub mpdus: u32,
    /// Packets of these, several in an A-MSDU.
    pub packets: u32,
    /// Bytes of these packets.
    pub bytes: u32,
    /// Record of the last packet that has one ([`Frame::note`]), or 0.
    pub record: u32,
}

impl Content {
    /// Of what a station has sent last, the MPDUs for which `counts`, by place.
    pub fn of(aggregate: &Aggregate, rules: &AggregationRules, counts: impl Fn(usize, &Mpdu) -> bool) -> Content {
        let mut content = Content { sent: aggregate.mpdus().len() as u32, ..Content::default() };
        for (_, mpdu) in aggregate.mpdus().iter().enumerate().filter(|(place, mpdu)| counts(*place, mpdu)) {
            let packets = aggregate.packets(mpdu).len() as u32;
            content.mpdus += 1;
            content.packets += packets;
            content.bytes += rules.payload(mpdu.bytes, packets);
        }
        content
    }
}

/// An observer at the MAC of one radio. Only the first method is required.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait ChannelObserver: Debug {
    /// This node has begun to send a frame, or has decoded one, own or overheard.
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame);

    /// The same where stations aggregate, for data frames and A-MPDUs to one station, and for Block Acks.
    fn on_content(&mut self, now: Time, role: Role, frame: &Frame, _content: &Content) {
        self.on_frame(now, role, frame);
    }

    /// The medium has become busy by carrier sense: the radio locks on to a frame.
    fn on_carrier(&mut self, _now: Time) {}

    /// The medium is idle by carrier sense: the frame has ended, decoded or not. The NAV that it may have set remains.
    fn on_idle(&mut self, _now: Time) {}

    /// The NAV expires at `until`, which may be earlier than reported before.
    fn on_nav(&mut self, _now: Time, _until: Time) {}

    /// The node begins (`is_waiting`) or ceases to contend with a frame to send.
    fn on_contending(&mut self, _now: Time, _is_waiting: bool) {}

    /// The same by access category: a packet of it comes into service, or what was in service is gone. With aggregation a service
    /// is that of all packets that join, until none is left.
    fn on_service(&mut self, now: Time, _category: Category, is_begun: bool) {
        self.on_contending(now, is_begun);
    }

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
    fn last_service(&self, _category: Category) -> Option<Span> {
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

    /// What the next ACK or Block Ack of this node carries, in bytes per second; 0 for nothing.
    fn note(&self, _now: Time) -> u32 {
        0
    }
}
