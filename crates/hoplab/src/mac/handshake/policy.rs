//! The trait of handshake policies: they decide at the steps of an exchange, send nothing and set no timer.
//!
//! The MAC calls it for four decisions: whether a packet contends, which bits its RTS carries, how to respond to a neighbor's
//! RTS, and from which window the next backoff is drawn. IEEE 802.11 leaves none of them open: the standard's policy is
//! [`super::Plain`]. The decisions are those of Cai 2013, Algorithms 1 and 2.

#![expect(clippy::used_underscore_binding, reason = "macros forward the arguments that default methods ignore")]

use crate::kernel::{RadioId, Span, Time};
use crate::mac::timing::Timing;
use crate::packet::{Backlog, Category, Frame, Urgency};
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;

/// What the station has to send itself; with access categories, in the one that is asked about, or of the highest priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalState {
    /// Next hop of the data packet in service, or parked.
    pub data: Option<RadioId>,
    /// That packet is parked.
    pub is_parked: bool,
    /// Next hop, or broadcast, of the control packet in service.
    pub control: Option<RadioId>,
    /// The packet in service could be sent at once: no CTS for it has arrived yet.
    pub is_contending: bool,
    /// Data packets that the MAC holds, in service, parked, or in the windows of A-MPDUs; of all access categories.
    pub packets: u32,
    /// Packets that one grant lets through: one, or an A-MPDU.
    pub turn: u32,
    /// Access category of the packet in service.
    pub category: Category,
}

/// A data packet that the MAC has taken; of an A-MPDU the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its next hop.
    pub next: RadioId,
    /// The first radio of its destination.
    pub dst: RadioId,
    /// Its length in bytes.
    pub bytes: u32,
    /// This node has created it.
    pub is_own: bool,
    /// Hops to its destination, as routing counts them; `None` if it does not know.
    pub hops_left: Option<u16>,
    /// Its access category.
    pub category: Category,
}

/// Whether a data packet contends for the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It does.
    Contend,
    /// It is parked: the MAC serves control packets only. The policy decides again at this time, or before.
    Park {
        /// When.
        until: Time,
    },
}

/// Bits of an RTS in addition to addresses and Duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtsBits {
    /// Order bit.
    pub order: bool,
    /// Mark of an RTS for a control packet.
    pub urgency: Urgency,
}

/// Response to an RTS for this node, once medium and MAC allow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtsResponse {
    /// A CTS, with this Order bit.
    Cts {
        /// Order bit.
        order: bool,
    },
    /// None: the next frame of the station itself is sent in its place.
    OwnFrame,
    /// None.
    Silence,
}

/// A policy of the RTS/CTS exchange, at one node. Only the first two methods are required.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait HandshakePolicy: Debug {
    /// How to respond to `rts`. Called SIFS after it, when no other response is owed or awaited.
    fn respond(&mut self, now: Time, rts: &Frame, local: &LocalState) -> RtsResponse;

    /// Airtime of the longest response to an RTS.
    fn response_airtime(&self, timing: &Timing) -> Span;

    /// The queue lengths above the MAC have changed.
    fn on_backlog(&mut self, _backlog: Backlog) {}

    /// The MAC has taken a data packet, and asks [`HandshakePolicy::decide`] next.
    fn on_taken(&mut self, _packet: &Taken) {}

    /// Whether a packet of so many bytes is served as control packets are, also while a longer one is parked.
    fn passes(&self, _bytes: u32) -> bool {
        false
    }

    /// Whether the node counts as congested.
    fn is_congested(&self, _local: &LocalState) -> bool {
        false
    }

    /// A data packet is to contend: it has just come down (`is_first`), its RTS is about to be sent or repeated, or it was
    /// parked until now. With aggregation it stands for its window, and the policy is asked before an A-MPDU is laid out; within
    /// a TXOP it is asked before each exchange.
    fn decide(&mut self, _now: Time, _local: &LocalState, _is_first: bool) -> Decision {
        Decision::Contend
    }

    /// The bits of the RTS that is sent now. Called once per RTS, retries included.
    fn rts_bits(&mut self, _local: &LocalState) -> RtsBits {
        RtsBits::default()
    }

    /// Whether [`HandshakePolicy::decide`] is asked for data that are sent without RTS as well.
    fn decides_without_rts(&self) -> bool {
        false
    }

    /// Order bit of data that are sent now without RTS.
    fn data_order(&mut self, _local: &LocalState) -> bool {
        false
    }

    /// Order bit of the ACK or Block Ack of data that came without RTS, sent now.
    fn ack_order(&self, _local: &LocalState) -> bool {
        false
    }

    /// A frame was decoded, own or overheard. Called before the MAC acts on it. Returns whether a neighbor's congestion is
    /// over.
    fn on_frame(&mut self, _now: Time, _frame: &Frame) -> bool {
        false
    }

    /// Whether `rts`, sent by the neighbor whose CTS is awaited, means that there will be no CTS.
    fn is_refusal(&self, _rts: &Frame) -> bool {
        false
    }

    /// Whether an own RTS SIFS after a neighbor's, in place of a CTS, ends the NAV that the neighbor's has set.
    fn refusal_frees_nav(&self) -> bool {
        false
    }

    /// The neighbor `by` has refused the RTS for the data packet in service. Returns until when the packet is parked.
    fn on_refused(&mut self, now: Time, _by: RadioId, _local: &LocalState) -> Time {
        now
    }

    /// Whether a parked packet contends again before its time, now that a neighbor's congestion is over.
    fn may_unpark(&mut self, _now: Time, _local: &LocalState) -> bool {
        true
    }

    /// When a packet is reconsidered that stays parked although [`HandshakePolicy::on_frame`] has returned true; `None`: as before.
    fn parked_until(&mut self, _now: Time, _local: &LocalState) -> Option<Time> {
        None
    }

    /// Whether a parked packet returns to the queue for one to another next hop, which may contend.
    fn swaps(&self) -> bool {
        false
    }

    /// Calls `put` for each next hop whose packets would be parked now.
    fn withheld(&mut self, _now: Time, _put: &mut dyn FnMut(RadioId)) {}

    /// Whether the data packet in service of a category, at its retry limit, is tried once more in place of being dropped.
    fn repeats(&mut self, _category: Category) -> bool {
        false
    }

    /// A parked packet contends again.
    fn on_unparked(&mut self) {}

    /// Whether an own packet that was parked and is sent to refuse a neighbor's counts one short retry for that.
    fn counts_refusal(&self) -> bool {
        false
    }

    /// A CTS of `by` with this Order bit has arrived for the own RTS.
    fn on_granted(&mut self, _now: Time, _by: RadioId, _order: bool) {}

    /// A CTS for `to` with this Order bit is sent now.
    fn on_granting(&mut self, _now: Time, _to: RadioId, _order: bool) {}

    /// The exchange that was granted to `to` is over: its data have been acknowledged (`is_received`), or have not arrived.
    /// Returns whether a parked packet contends again.
    fn on_grant_over(&mut self, _now: Time, _to: RadioId, _is_received: bool, _local: &LocalState) -> bool {
        false
    }

    /// The data packet in service was acknowledged by `by`, with aggregation all of its window: by an ACK or Block Ack with this
    /// Order bit.
    fn on_acknowledged(&mut self, _now: Time, _by: RadioId, _order: bool) {}

    /// The MAC has dropped a packet, or MPDUs of a window, for `neighbor` at its retry limit.
    fn on_failed(&mut self, _neighbor: RadioId) {}

    /// Contention window of the next backoff, where the MAC's own is `cw` and the first one `cw_min`.
    fn window(&mut self, _now: Time, cw: u32, _cw_min: u32) -> u32 {
        cw
    }
}
