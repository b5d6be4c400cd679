//! What a run can tell: one record per thing that happened.

use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{Feedback, FrameKind, SegNo};

/// Why a packet ended its life without reaching its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DropReason {
    /// No answer to RTS or data after all retries (ns-2: RET), and routing kept no copy.
    MacRetry,
    /// Removed from queue or hand by routing after a link failure (ns-2: CBK).
    LinkFailure,
    /// The interface queue was full (ns-2: IFQ).
    QueueFull,
    /// Its next hop's address was not found, or a later packet displaced it meanwhile (ns-2: ARP); routing kept no copy.
    Arp,
    /// Routing knows no way (ns-2: NRTE).
    NoRoute,
    /// Waited too long for a route (ns-2: TOUT).
    RouteTimeout,
    /// Too many packets waited for a route (ns-2: QFULL).
    RouteBuffer,
    /// Hops used up (ns-2: TTL).
    Ttl,
    /// Came back to its source (ns-2: LOOP).
    Loop,
}

/// Why a node did not get a frame that was addressed to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Loss {
    /// Another frame overlapped (ns-2: COL).
    Collision,
    /// Too weak, or the node was sending itself.
    Errored,
    /// The node was engaged otherwise (ns-2: BSY, STA), or followed another frame (`sinr`).
    Busy,
    /// Seen before (ns-2: DUP).
    Duplicate,
    /// Strong enough, undisturbed, and yet spoiled: by an error model, or by thermal noise.
    Noise,
}

/// What a handshake that carries congestion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Step {
    /// The node has become congested.
    Congested,
    /// The node is congested no longer.
    Uncongested,
    /// A request that says that its sender is congested went on the air.
    Rtsc,
    /// A grant that says that its sender is congested went on the air.
    Ctsc,
    /// A request for a control packet went on the air.
    UrgentRts,
    /// A neighbor's request was refused by a request of the node's own.
    Reused,
    /// A neighbor's request was refused by silence.
    Silent,
    /// A neighbor has refused the node's request.
    Refused,
    /// The packet in service stopped contending, for a neighbor's congestion.
    Parked,
    /// It contends again.
    Unparked,
    /// A packet came that a congested node had granted, to end a deadlock.
    Resolved,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// A frame went on the air.
    FrameSent {
        /// Its type.
        kind: FrameKind,
        /// Whom it is for.
        to: NodeId,
        /// Length in bytes.
        bytes: u32,
    },
    /// A frame for this node was lost here.
    FrameLost {
        /// Its type.
        kind: FrameKind,
        /// Who sent it.
        from: NodeId,
        /// Why.
        loss: Loss,
    },
    /// A handshake that carries congestion took a step.
    Handshake {
        /// Which.
        step: Step,
        /// The neighbor that it concerns; the node itself for its own congestion.
        peer: NodeId,
    },
    /// The MAC took a data frame's packet over for this node.
    FrameAccepted {
        /// Who sent it.
        from: NodeId,
        /// The packet's order of creation.
        uid: u64,
    },
    /// Transport or routing put a new packet into the network.
    Originated {
        /// The packet's order of creation.
        uid: u64,
        /// Length in bytes.
        bytes: u32,
    },
    /// A packet left for its next hop.
    Forwarded {
        /// The packet's order of creation.
        uid: u64,
        /// Where to.
        next_hop: NodeId,
    },
    /// A packet reached its destination.
    Delivered {
        /// The packet's order of creation.
        uid: u64,
    },
    /// A packet was dropped.
    Dropped {
        /// The packet's order of creation.
        uid: u64,
        /// Flow it belonged to.
        flow: FlowId,
        /// Why.
        reason: DropReason,
    },
    /// A node has found a way to another, or a new one through another neighbor.
    RouteChanged {
        /// Where to.
        dst: NodeId,
        /// Neighbor that the way leads through.
        next_hop: NodeId,
    },
    /// A node has lost its way to another: a link broke, or a neighbor said so. Routes that end unused are not recorded.
    RouteLost {
        /// Where to.
        dst: NodeId,
    },
    /// A sender sent a segment or datagram.
    SegmentSent {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
        /// Whether it had been sent before.
        again: bool,
    },
    /// A sender saw an acknowledgment.
    AckReceived {
        /// Its flow.
        flow: FlowId,
        /// Highest segment acknowledged in order.
        cumulative: SegNo,
    },
    /// A receiver got a segment or datagram.
    SegmentReceived {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
    },
    /// A node's radio was switched off or on.
    Switched {
        /// Whether it is on now.
        is_on: bool,
    },
    /// A proxy took a segment over.
    ProxyTook {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
        /// Segments that the proxy holds now.
        held: u32,
    },
    /// A proxy answers for a segment no longer: the next one has it, or it was given up.
    ProxyReleased {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
        /// Segments that the proxy holds now.
        held: u32,
    },
    /// A proxy or destination has acknowledged a segment, or told of room, to who answered for it before.
    LackSent {
        /// Its flow.
        flow: FlowId,
        /// Which; none if it only tells of room.
        seq: Option<SegNo>,
        /// Whom it is for.
        to: NodeId,
    },
    /// A source saw a local acknowledgment.
    LackReceived {
        /// Its flow.
        flow: FlowId,
        /// The segment that caused it; none if it only tells of room.
        seq: Option<SegNo>,
    },
    /// A proxy works no longer and has lost what it held, or works again.
    ProxySwitched {
        /// Whether it works now.
        is_up: bool,
        /// Segments that were lost.
        lost: u32,
    },
    /// A retransmission timer ended.
    Timeout {
        /// Its flow.
        flow: FlowId,
    },
    /// A router passed a packet on with this header.
    Stamped {
        /// The packet's order of creation.
        uid: u64,
        /// Its flow.
        flow: FlowId,
        /// The header as it left.
        feedback: Feedback,
    },
}

/// One thing that happened, where and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// When.
    pub time: Time,
    /// Where.
    pub node: NodeId,
    /// What.
    pub what: What,
}

impl Loss {
    /// All causes, in the order of their numbers.
    pub const ALL: [Loss; 5] = [Loss::Collision, Loss::Errored, Loss::Busy, Loss::Duplicate, Loss::Noise];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Collision => "collision",
            Loss::Errored => "errored",
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
    pub const ALL: [DropReason; 9] = [
        DropReason::MacRetry,
        DropReason::LinkFailure,
        DropReason::QueueFull,
        DropReason::Arp,
        DropReason::NoRoute,
        DropReason::RouteTimeout,
        DropReason::RouteBuffer,
        DropReason::Ttl,
        DropReason::Loop,
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
        }
    }
}
