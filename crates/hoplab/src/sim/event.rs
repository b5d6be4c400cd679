//! Every event of a run, as one enum: the event queue stores these values, and `world` dispatches them.
//!
//! Layers below `world` schedule events through [`super::Ctx`], so the list is below all of them; `world` passes each event
//! to its layer. A part that users can replace (a routing protocol, a feedback router) numbers its own timers: the list
//! carries them as opaque values that only that part reads.

use crate::kernel::{End, FlowId, NodeId, RadioId};
use crate::packet::{Category, PacketId};

/// An event, and the node or flow that handles it.
///
/// At most 12 bytes, so that an entry of the event queue fills 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A transmission reaches its next receivers.
    Phy {
        /// Which part of the transmission.
        timer: PhyTimer,
        /// The transmitter.
        ta: RadioId,
        /// Index of the transmission in the medium.
        transmission: u32,
    },
    /// The radios of a node are switched.
    RadioSwitch {
        /// The node.
        node: NodeId,
        /// On, or off.
        is_on: bool,
    },
    /// The end of a broadcast has reached all receivers: the sender's copy of its packet is released.
    BroadcastEnd {
        /// The sender.
        radio: RadioId,
        /// The sender's copy.
        packet: PacketId,
    },
    /// A timer of a station.
    Mac {
        /// The station's radio.
        radio: RadioId,
        /// Which timer.
        timer: MacTimer,
    },
    /// The delay of a packet in the link layer is over.
    Link {
        /// The radio of the link.
        radio: RadioId,
        /// The destination of the packet.
        timer: LinkTimer,
        /// The packet.
        packet: PacketId,
    },
    /// A packet on a wire.
    Wire {
        /// Index of the port that sends it.
        port: u32,
        /// What has happened to it.
        timer: WireTimer,
        /// The packet.
        packet: PacketId,
    },
    /// Segments were dropped without a route: reports to their senders are due.
    Unreachable {
        /// The node that dropped the last of them.
        node: NodeId,
    },
    /// An ARP resolution is overdue: admission and backlog of the node are evaluated again.
    ArpOverdue {
        /// The node that sent the ARP request.
        node: NodeId,
    },
    /// A timer of the routing protocol.
    Routing {
        /// The node.
        node: NodeId,
        /// Read by the protocol.
        timer: RoutingTimer,
    },
    /// A timer of a feedback router.
    Feedback {
        /// The node.
        node: NodeId,
        /// Read by the feedback router.
        timer: FeedbackTimer,
    },
    /// A timer of a feedback router of a port of a wire.
    PortFeedback {
        /// Index of the port.
        port: u32,
        /// Read by the feedback router.
        timer: FeedbackTimer,
    },
    /// A timer of a proxy.
    Proxy {
        /// The proxy's node.
        node: NodeId,
        /// Which timer.
        timer: ProxyTimer,
    },
    /// The deadline of one end of a connection.
    Transport {
        /// The flow.
        flow: FlowId,
        /// The end.
        end: End,
    },
    /// A scheduled action of a flow.
    App {
        /// The flow.
        flow: FlowId,
        /// Which action.
        timer: AppTimer,
    },
    /// A periodic measurement of the whole network.
    Measure(MeasureTimer),
}

/// What of a transmission reaches its next receivers, one or more at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PhyTimer {
    /// The start of its signal.
    SignalStart,
    /// The end of its signal.
    SignalEnd,
    /// The end of the NAV that its Duration field has set.
    NavExpiryDecoded,
    /// The end of the EIFS that it has set at receivers that could not decode it.
    NavExpiryUndecodable,
    /// The end of the EIFS that it has set at receivers locked on a stronger frame.
    NavExpirySuppressed,
    /// The end of the window in which receivers detect its preamble (OFDM).
    Detection,
}

/// Timers of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MacTimer {
    /// The backoff of this category has counted down; with one category only, that of best effort.
    Backoff(Category),
    /// No CTS or ACK has arrived in time.
    Response,
    /// The SIFS before the station's next frame of an exchange is over.
    Sifs,
    /// The NAV expires.
    Nav,
    /// An RTS has set the NAV, and no frame has followed it (IEEE 802.11-1999 section 9.2.5.4).
    NavReset,
    /// The parked packet is reconsidered.
    Park(Category),
}

/// The destination of a delayed packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkTimer {
    /// Into the interface queue.
    ToQueue,
    /// Up to the network layer.
    ToNetwork,
    /// Down to the link layer: routing has delayed it.
    ToLink,
}

/// What happens to a packet on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WireTimer {
    /// Its transmission ends.
    Sent,
    /// It arrives at the other end.
    Arrived,
}

/// A timer of a routing protocol: its kind, and the node or radio that it is about; the own node if it is about no other.
///
/// Packed: with alignment 4 an [`Event`] would need 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed)]
pub struct RoutingTimer {
    kind: u8,
    subject: u32,
}

/// Bit of the kind of a timer that is about a radio.
const OF_RADIO: u8 = 1 << 7;

/// A timer of one of the feedback routers of a node or a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackTimer {
    /// Place of the radio at whose queue the router is, among those of the node; 0 of a port.
    pub place: u8,
    /// Index of the router among those of the radio or port.
    pub router: u8,
    /// Number of the timer within the router.
    pub kind: u8,
}

/// Timers of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ProxyTimer {
    /// Its earliest deadline.
    Deadline,
    /// It fails, or recovers.
    Switch,
}

/// Scheduled actions of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AppTimer {
    /// Its traffic starts.
    Start,
    /// Its traffic stops.
    Stop,
    /// Its measurement starts: the warm-up is over.
    Measure,
    /// Its session acts.
    Session,
}

/// Periodic measurements of the whole network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MeasureTimer {
    /// A connectivity sample.
    Connectivity,
    /// The end of a goodput interval.
    Goodput,
}

impl PhyTimer {
    /// Number of timers.
    pub const COUNT: usize = 6;
}

impl From<PhyTimer> for usize {
    /// Index into tables by timer.
    #[inline]
    fn from(timer: PhyTimer) -> usize {
        timer as usize
    }
}

impl RoutingTimer {
    /// A timer of this kind, below 128, about node `subject`.
    #[inline]
    pub fn new(kind: u8, subject: NodeId) -> RoutingTimer {
        assert!(kind < OF_RADIO, "a kind of timer is below {OF_RADIO}");
        RoutingTimer { kind, subject: subject.0 }
    }

    /// A timer of this kind, below 128, about a radio.
    #[inline]
    pub fn of_radio(kind: u8, radio: RadioId) -> RoutingTimer {
        assert!(kind < OF_RADIO, "a kind of timer is below {OF_RADIO}");
        RoutingTimer { kind: kind | OF_RADIO, subject: radio.0 }
    }

    /// Number of the timer within the protocol.
    #[inline]
    pub fn kind(self) -> u8 {
        self.kind & !OF_RADIO
    }

    /// The node that a timer of [`RoutingTimer::new`] is about.
    #[inline]
    pub fn subject(self) -> NodeId {
        debug_assert!(self.kind & OF_RADIO == 0, "timer {} is about a radio", self.kind());
        NodeId(self.subject)
    }

    /// The radio that a timer of [`RoutingTimer::of_radio`] is about.
    #[inline]
    pub fn radio(self) -> RadioId {
        debug_assert!(self.kind & OF_RADIO != 0, "timer {} is about a node", self.kind());
        RadioId(self.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_fits_in_12_bytes() {
        assert_eq!(size_of::<Event>(), 12);
        assert_eq!(size_of::<Option<(u64, Event)>>(), 24);
    }
}
