//! Records: the events that a trace contains, with reasons and causes. Drop reasons give the name in ns-2's wireless trace.

use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{FrameKind, SegNo};

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DropReason {
    /// MAC retry limit (ns-2: RET), and routing stored no copy.
    MacRetry,
    /// Purged by routing after a link failure (ns-2: CBK).
    LinkFailure,
    /// Queue overflow (ns-2: IFQ).
    QueueFull,
    /// ARP failed, or a later packet replaced it meanwhile (ns-2: ARP); routing stored no copy.
    Arp,
    /// No route (ns-2: NRTE).
    NoRoute,
    /// Route discovery timeout (ns-2: TOUT).
    RouteTimeout,
    /// Send buffer overflow (ns-2: QFULL).
    RouteBuffer,
    /// TTL expired (ns-2: TTL).
    Ttl,
    /// Returned to its source (ns-2: LOOP).
    Loop,
    /// Lost on a wire, after its transmission.
    Wire,
    /// Dropped by a queue discipline before the queue was full.
    Early,
    /// Reported unreachable by the network.
    Unreachable,
}

/// Why a frame was lost at its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Loss {
    /// Collision (ns-2: COL).
    Collision,
    /// Undecodable: too weak, or the node was transmitting.
    Errored,
    /// The station was in another exchange (ns-2: BSY, STA), or locked on another frame (`sinr`).
    Busy,
    /// Duplicate (ns-2: DUP).
    Duplicate,
    /// Corrupted by an error model or thermal noise, without interference.
    Noise,
}

/// Step of a handshake that carries congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Step {
    /// The node becomes congested.
    Congested,
    /// The node ceases to be congested.
    Uncongested,
    /// The node sends an RTS that marks it as congested.
    Rtsc,
    /// The node sends a CTS that marks it as congested.
    Ctsc,
    /// The node sends an RTS for a control packet.
    UrgentRts,
    /// The node refuses a neighbor's RTS by an RTS of its own.
    Reused,
    /// The node refuses a neighbor's RTS by no response.
    Silent,
    /// A neighbor has refused the node's RTS.
    Refused,
    /// The packet in service stops contending, because a neighbor is congested.
    Parked,
    /// The parked packet contends again.
    Unparked,
    /// A packet arrived for which a congested node had sent CTS to resolve a deadlock.
    Resolved,
}

/// Content of a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// A frame was transmitted.
    FrameSent {
        /// Its type.
        kind: FrameKind,
        /// Receiver address (RA).
        to: NodeId,
        /// Length in bytes.
        bytes: u32,
    },
    /// A frame was lost at its addressee.
    FrameLost {
        /// Its type.
        kind: FrameKind,
        /// Transmitter address (TA).
        from: NodeId,
        /// Why.
        loss: Loss,
    },
    /// A step of a handshake that carries congestion.
    Handshake {
        /// The step.
        step: Step,
        /// The neighbor concerned; the node itself for its own congestion.
        peer: NodeId,
    },
    /// The MAC accepted the packet of a data frame.
    FrameAccepted {
        /// Transmitter address (TA).
        from: NodeId,
        /// The packet's order of creation.
        uid: u64,
    },
    /// Transport or routing created a packet.
    Originated {
        /// The packet's order of creation.
        uid: u64,
        /// Length in bytes.
        bytes: u32,
    },
    /// Routing forwarded a packet.
    Forwarded {
        /// The packet's order of creation.
        uid: u64,
        /// The next hop.
        next_hop: NodeId,
        /// Time until the link layer receives it. Fingerprints do without: what follows shows it.
        delay: Span,
    },
    /// A packet was delivered to its destination.
    Delivered {
        /// The packet's order of creation.
        uid: u64,
    },
    /// A packet was dropped.
    Dropped {
        /// The packet's order of creation.
        uid: u64,
        /// Its flow.
        flow: FlowId,
        /// Why.
        reason: DropReason,
    },
    /// A node has a new route, or a new next hop.
    RouteChanged {
        /// Destination of the route.
        dst: NodeId,
        /// Neighbor that it leads through.
        next_hop: NodeId,
    },
    /// A node lost a route by a link failure, its own or one reported by a neighbor. Expired routes are not recorded.
    RouteLost {
        /// Destination of the route.
        dst: NodeId,
    },
    /// A sender sent a segment or datagram.
    SegmentSent {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
        /// Whether it is a retransmission.
        again: bool,
    },
    /// A sender received an acknowledgment.
    AckReceived {
        /// Its flow.
        flow: FlowId,
        /// Highest segment acknowledged in order.
        cumulative: SegNo,
    },
    /// A receiver received a segment or datagram.
    SegmentReceived {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
    },
    /// A node's radio was switched off or on.
    Switched {
        /// Whether it is on now.
        is_on: bool,
    },
    /// A proxy accepted a segment.
    ProxyTook {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
        /// Segments that the proxy holds afterwards.
        held: u32,
    },
    /// A proxy released a segment: the next proxy has it, or it was given up.
    ProxyReleased {
        /// Its flow.
        flow: FlowId,
        /// Its number.
        seq: SegNo,
        /// Segments that the proxy holds afterwards.
        held: u32,
    },
    /// A proxy or destination sent a local acknowledgment or a window update to the responsible node.
    LackSent {
        /// Its flow.
        flow: FlowId,
        /// Number of the segment; `None` for a window update.
        seq: Option<SegNo>,
        /// The responsible node.
        to: NodeId,
    },
    /// A source received a local acknowledgment.
    LackReceived {
        /// Its flow.
        flow: FlowId,
        /// Number of the segment that caused it; `None` for a window update.
        seq: Option<SegNo>,
    },
    /// A proxy failed or recovered.
    ProxySwitched {
        /// Whether it is up now.
        is_up: bool,
        /// Segments lost with it.
        lost: u32,
    },
    /// The RTO of a sender expired.
    Timeout {
        /// Its flow.
        flow: FlowId,
    },
    /// The transmission of a packet on a wire began.
    WireSent {
        /// The packet's order of creation.
        uid: u64,
        /// The node at the other end.
        to: NodeId,
        /// Length in bytes, overhead of the wire included.
        bytes: u32,
    },
    /// A packet arrived over a wire.
    WireReceived {
        /// The packet's order of creation.
        uid: u64,
        /// The node at the other end.
        from: NodeId,
    },
    /// A router forwarded a packet with this feedback header.
    Stamped {
        /// The packet's order of creation.
        uid: u64,
        /// Its flow.
        flow: FlowId,
        /// The header after the router.
        feedback: Feedback,
    },
}

/// A record, with its time and node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The time.
    pub time: Time,
    /// The node.
    pub node: NodeId,
    /// The content.
    pub what: What,
}

impl Loss {
    /// All causes, in the order of their numbers.
    pub const ALL: [Loss; 5] = [Loss::Collision, Loss::Errored, Loss::Busy, Loss::Duplicate, Loss::Noise];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Collision => "collision",
            Loss::Errored => "undecodable",
            Loss::Busy => "busy",
            Loss::Duplicate => "duplicate",
            Loss::Noise => "noise",
        }
    }
}

impl Step {
    /// All steps, in the order of their numbers.
    pub const ALL: [Step; 11] = [
        Step::Congested,
        Step::Uncongested,
        Step::Rtsc,
        Step::Ctsc,
        Step::UrgentRts,
        Step::Reused,
        Step::Silent,
        Step::Refused,
        Step::Parked,
        Step::Unparked,
        Step::Resolved,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Step::Congested => "congested",
            Step::Uncongested => "uncongested",
            Step::Rtsc => "rtsc",
            Step::Ctsc => "ctsc",
            Step::UrgentRts => "urgent_rts",
            Step::Reused => "reused",
            Step::Silent => "silent",
            Step::Refused => "refused",
            Step::Parked => "parked",
            Step::Unparked => "unparked",
            Step::Resolved => "resolved",
        }
    }
}

impl DropReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [DropReason; 12] = [
        DropReason::MacRetry,
        DropReason::LinkFailure,
        DropReason::QueueFull,
        DropReason::Arp,
        DropReason::NoRoute,
        DropReason::RouteTimeout,
        DropReason::RouteBuffer,
        DropReason::Ttl,
        DropReason::Loop,
        DropReason::Wire,
        DropReason::Early,
        DropReason::Unreachable,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::MacRetry => "mac_retry",
            DropReason::LinkFailure => "link_failure",
            DropReason::QueueFull => "queue_full",
            DropReason::Arp => "arp",
            DropReason::NoRoute => "no_route",
            DropReason::RouteTimeout => "route_timeout",
            DropReason::RouteBuffer => "route_buffer",
            DropReason::Ttl => "ttl",
            DropReason::Loop => "loop",
            DropReason::Wire => "wire",
            DropReason::Early => "early",
            DropReason::Unreachable => "unreachable",
        }
    }
}
