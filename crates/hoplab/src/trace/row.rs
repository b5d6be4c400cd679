//! A row of the log: the typed columns of a file of events, and the names of their codes.

use super::names::{NOTHING, Names};
use super::record::{DropReason, Loss, Step, What};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{Arp, Frame, FrameKind, Packet, Payload, SegNo};

/// One record. A column without a value is negative, [`NOTHING`] or NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The time.
    pub time: Time,
    /// The event: an index into [`EVENTS`].
    pub event: u8,
    /// Type of a frame: an index into [`FRAMES`].
    pub frame: u8,
    /// Type of a packet: an index into [`super::Log::packet_names`].
    pub packet: u8,
    /// Reason, cause, step or header: an index into [`reasons`].
    pub reason: u8,
    /// Access category of a frame or packet, in the order of [`Category`](crate::packet::Category); none without categories.
    pub category: u8,
    /// A frame with the Retry bit, or a retransmitted segment.
    pub again: bool,
    /// A frame that marks its sender as congested (RTSC, CTSC).
    pub congested: bool,
    /// Whether a message belongs to the row: the next one of [`super::Log::messages`].
    pub has_message: bool,
    /// The node.
    pub node: i32,
    /// The other node: sender, addressee, next hop or destination, by event.
    pub peer: i32,
    /// The flow.
    pub flow: i32,
    /// Length in bytes: of a frame with MAC header and FCS, of a packet with all headers above the MAC.
    pub bytes: i32,
    /// Airtime of a frame, in nanoseconds.
    pub airtime: i32,
    /// Time to live of a packet that is created or forwarded.
    pub ttl: i32,
    /// Time until the link layer receives a packet that is forwarded, in nanoseconds; none if it does so at once.
    pub delay: i32,
    /// The packet's order of creation.
    pub uid: i64,
    /// Number of the segment or datagram, or the highest segment that an acknowledgment covers.
    pub seq: i64,
    /// A value that depends on the event.
    pub value: f64,
}

/// Names of events, in the order of their codes.
pub const EVENTS: [&str; 30] = [
    "frame_sent",
    "frame_received",
    "frame_lost",
    "frame_accepted",
    "originated",
    "forwarded",
    "queued",
    "unqueued",
    "delivered",
    "dropped",
    "handshake",
    "route_changed",
    "route_lost",
    "segment_sent",
    "segment_received",
    "ack_received",
    "timeout",
    "switched",
    "proxy_took",
    "proxy_released",
    "proxy_switched",
    "lack_sent",
    "lack_received",
    "stamped",
    "flow_started",
    "flow_stopped",
    "retry_limit",
    "frame_collided",
    "wire_sent",
    "wire_received",
];

/// Names of frame types, in the order of [`FrameKind`].
pub const FRAMES: [&str; FrameKind::COUNT] =
    ["rts", "cts", "data", "ack", "ampdu", "block_ack", "block_ack_request", "cf_end"];

/// Names of packet types, except routing messages, which their protocols name ([`super::Log::packet_names`]).
pub(super) const PACKETS: [&str; 6] = ["segment", "ack", "datagram", "lack", "arp_request", "arp_reply"];

/// Names of feedback headers, at the end of [`reasons`].
const HEADERS: [&str; 5] = ["mrai", "xcp", "rcp", "atp", "wcp"];

/// Reasons of drops before the other columns' names; later ones follow at the end, so that codes stay.
const FIRST_REASONS: usize = 9;
const LOSSES_AT: u8 = FIRST_REASONS as u8;
const STEPS_AT: u8 = LOSSES_AT + Loss::ALL.len() as u8;
const HEADERS_AT: u8 = STEPS_AT + Step::ALL.len() as u8;
const LATER_REASONS_AT: u8 = HEADERS_AT + HEADERS.len() as u8;

/// Reasons of drops, causes of losses, steps of handshakes, feedback headers, and reasons of drops that were added later,
/// in this order.
pub fn reasons() -> Vec<&'static str> {
    let (first, later) = DropReason::ALL.split_at(FIRST_REASONS);
    let drops = |reasons: &[DropReason]| reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>();
    let losses = Loss::ALL.into_iter().map(Loss::name);
    let steps = Step::ALL.into_iter().map(Step::name);
    drops(first).into_iter().chain(losses).chain(steps).chain(HEADERS).chain(drops(later)).collect()
}

/// Code of the reason of a drop, an index into [`reasons`].
fn drop_code(reason: DropReason) -> u8 {
    let at = reason as u8;
    if at < LOSSES_AT { at } else { LATER_REASONS_AT + at - LOSSES_AT }
}

/// Codes of events: indexes into [`EVENTS`].
pub(super) mod event {
    pub const FRAME_SENT: u8 = 0;
    pub const FRAME_RECEIVED: u8 = 1;
    pub const FRAME_LOST: u8 = 2;
    pub const FRAME_ACCEPTED: u8 = 3;
    pub const ORIGINATED: u8 = 4;
    pub const FORWARDED: u8 = 5;
    pub const QUEUED: u8 = 6;
    pub const UNQUEUED: u8 = 7;
    pub const DELIVERED: u8 = 8;
    pub const DROPPED: u8 = 9;
    pub const HANDSHAKE: u8 = 10;
    pub const ROUTE_CHANGED: u8 = 11;
    pub const ROUTE_LOST: u8 = 12;
    pub const SEGMENT_SENT: u8 = 13;
    pub const SEGMENT_RECEIVED: u8 = 14;
    pub const ACK_RECEIVED: u8 = 15;
    pub const TIMEOUT: u8 = 16;
    pub const SWITCHED: u8 = 17;
    pub const PROXY_TOOK: u8 = 18;
    pub const PROXY_RELEASED: u8 = 19;
    pub const PROXY_SWITCHED: u8 = 20;
    pub const LACK_SENT: u8 = 21;
    pub const LACK_RECEIVED: u8 = 22;
    pub const STAMPED: u8 = 23;
    pub const FLOW_STARTED: u8 = 24;
    pub const FLOW_STOPPED: u8 = 25;
    pub const RETRY_LIMIT: u8 = 26;
    pub const FRAME_COLLIDED: u8 = 27;
    pub const WIRE_SENT: u8 = 28;
    pub const WIRE_RECEIVED: u8 = 29;
}

impl Row {
    pub(super) fn blank(time: Time, node: NodeId, event: u8) -> Row {
        Row {
            time,
            event,
            frame: NOTHING,
            packet: NOTHING,
            reason: NOTHING,
            category: NOTHING,
            again: false,
            congested: false,
            has_message: false,
            node: node_number(node),
            peer: -1,
            flow: -1,
            bytes: -1,
            airtime: -1,
            ttl: -1,
            delay: -1,
            uid: -1,
            seq: -1,
            value: f64::NAN,
        }
    }

    pub(super) fn of_frame(time: Time, node: NodeId, frame: &Frame, event: u8) -> Row {
        Row {
            frame: frame.kind as u8,
            again: frame.retry,
            congested: frame.order,
            bytes: frame.bytes as i32,
            airtime: nanos(frame.airtime),
            value: f64::from(frame.duration),
            ..Row::blank(time, node, event)
        }
    }

    /// Adds the columns of a packet.
    pub(super) fn is_about(&mut self, packet: &Packet, names: &mut Names) {
        self.uid = packet.uid as i64;
        self.flow = flow_number(packet.flow);
        self.bytes = packet.bytes as i32;
        let (kind, seq) = kind_of(packet, names);
        self.packet = kind;
        if self.event == event::ORIGINATED {
            self.peer = node_number(packet.dst);
        }
        if matches!(self.event, event::ORIGINATED | event::FORWARDED) {
            self.ttl = i32::from(packet.ttl);
        }
        if let Some(seq) = seq {
            self.seq = seq;
        }
    }

    /// A record as a row.
    pub(super) fn of(time: Time, node: NodeId, what: &What) -> Row {
        let blank = |event| Row::blank(time, node, event);
        let switch = |event, is_on: bool| Row { value: f64::from(u8::from(is_on)), ..blank(event) };
        match *what {
            What::FrameSent { kind, to, bytes } => {
                Row { frame: kind as u8, peer: node_number(to), bytes: bytes as i32, ..blank(event::FRAME_SENT) }
            }
            What::FrameLost { kind, from, loss } => Row {
                frame: kind as u8,
                peer: node_number(from),
                reason: LOSSES_AT + loss as u8,
                ..blank(event::FRAME_LOST)
            },
            What::FrameAccepted { from, uid } => Row {
                frame: FrameKind::Data as u8,
                peer: node_number(from),
                uid: uid as i64,
                ..blank(event::FRAME_ACCEPTED)
            },
            What::Originated { uid, bytes } => Row { uid: uid as i64, bytes: bytes as i32, ..blank(event::ORIGINATED) },
            What::Forwarded { uid, next_hop, delay } => Row {
                uid: uid as i64,
                peer: node_number(next_hop),
                delay: if delay.0 == 0 { -1 } else { nanos(delay) },
                ..blank(event::FORWARDED)
            },
            What::Delivered { uid } => Row { uid: uid as i64, ..blank(event::DELIVERED) },
            What::Dropped { uid, flow, reason } => {
                Row { uid: uid as i64, flow: flow_number(flow), reason: drop_code(reason), ..blank(event::DROPPED) }
            }
            What::Handshake { step, peer } => {
                Row { reason: STEPS_AT + step as u8, peer: node_number(peer), ..blank(event::HANDSHAKE) }
            }
            // The peer is the destination; the value is the next hop.
            What::RouteChanged { dst, next_hop } => {
                Row { peer: node_number(dst), value: f64::from(node_number(next_hop)), ..blank(event::ROUTE_CHANGED) }
            }
            What::RouteLost { dst } => Row { peer: node_number(dst), ..blank(event::ROUTE_LOST) },
            What::SegmentSent { flow, seq, again } => {
                Row { flow: flow_number(flow), seq, again, ..blank(event::SEGMENT_SENT) }
            }
            What::SegmentReceived { flow, seq } => {
                Row { flow: flow_number(flow), seq, ..blank(event::SEGMENT_RECEIVED) }
            }
            What::AckReceived { flow, cumulative } => {
                Row { flow: flow_number(flow), seq: cumulative, ..blank(event::ACK_RECEIVED) }
            }
            What::Timeout { flow } => Row { flow: flow_number(flow), ..blank(event::TIMEOUT) },
            What::Switched { is_on } => switch(event::SWITCHED, is_on),
            What::ProxyTook { flow, seq, held } => {
                Row { flow: flow_number(flow), seq, value: f64::from(held), ..blank(event::PROXY_TOOK) }
            }
            What::ProxyReleased { flow, seq, held } => {
                Row { flow: flow_number(flow), seq, value: f64::from(held), ..blank(event::PROXY_RELEASED) }
            }
            What::ProxySwitched { is_up, .. } => switch(event::PROXY_SWITCHED, is_up),
            What::LackSent { flow, seq, to } => Row {
                flow: flow_number(flow),
                seq: seq.unwrap_or(-1),
                peer: node_number(to),
                ..blank(event::LACK_SENT)
            },
            What::LackReceived { flow, seq } => {
                Row { flow: flow_number(flow), seq: seq.unwrap_or(-1), ..blank(event::LACK_RECEIVED) }
            }
            What::WireSent { uid, to, bytes } => {
                Row { uid: uid as i64, peer: node_number(to), bytes: bytes as i32, ..blank(event::WIRE_SENT) }
            }
            What::WireReceived { uid, from } => {
                Row { uid: uid as i64, peer: node_number(from), ..blank(event::WIRE_RECEIVED) }
            }
            What::Stamped { uid, flow, feedback } => {
                let (header, value) = match feedback {
                    Feedback::None => (NOTHING, f64::NAN),
                    Feedback::Mrai(level) => (HEADERS_AT, f64::from(level)),
                    Feedback::Xcp(header) => (HEADERS_AT + 1, header.delta * 8.0),
                    Feedback::Rcp(header) => (HEADERS_AT + 2, header.rate * 8.0),
                    Feedback::Atp(delay) => (HEADERS_AT + 3, delay),
                    Feedback::Wcp(header) => (HEADERS_AT + 4, f64::from(u8::from(header.is_congested))),
                };
                Row { uid: uid as i64, flow: flow_number(flow), reason: header, value, ..blank(event::STAMPED) }
            }
        }
    }
}

/// A node as a number; the broadcast address is -1.
pub(super) fn node_number(node: NodeId) -> i32 {
    if node.is_broadcast() { -1 } else { node.0 as i32 }
}

/// A flow as a number; none is -1.
pub(super) fn flow_number(flow: FlowId) -> i32 {
    if flow == FlowId::NONE { -1 } else { flow.0 as i32 }
}

fn nanos(span: Span) -> i32 {
    i32::try_from(span.0).unwrap_or(i32::MAX)
}

/// The content of a routing or ARP packet, as JSON. A routing message may change on its route: each node that forwards it
/// records it.
pub(super) fn message_of(event: u8, packet: &Packet) -> Option<String> {
    match &packet.payload {
        Payload::Control(message) if event == event::FORWARDED => Some(message.json()).filter(|json| !json.is_empty()),
        Payload::Arp(Arp::Request { node, .. }) if event == event::ORIGINATED => {
            Some(format!(r#"{{"target":{}}}"#, node.0))
        }
        _ => None,
    }
}

/// Type of a packet, an index into `names`, and its number within its flow.
fn kind_of(packet: &Packet, names: &mut Names) -> (u8, Option<SegNo>) {
    match &packet.payload {
        Payload::Segment(segment) => (0, Some(segment.seq)),
        Payload::SplitSegment(split) => (0, Some(split.segment.seq)),
        Payload::Ack(ack) => (1, Some(ack.cumulative)),
        Payload::Tcp(segment) if segment.occupies() => (0, Some(segment.seq.cast_signed())),
        Payload::Tcp(segment) => (1, Some(segment.ack.cast_signed())),
        Payload::Datagram(datagram) => (2, Some(datagram.seq.cast_signed())),
        Payload::Lack(lack) => (3, lack.seq),
        Payload::Report(report) => (1, Some(report.cumulative)),
        Payload::Unreachable(_) => (names.code("unreachable"), None),
        Payload::Arp(Arp::Request { .. }) => (4, None),
        Payload::Arp(Arp::Reply) => (5, None),
        Payload::Control(message) => (names.code(message.name()), None),
        Payload::Stack(packet) if packet.len > 0 => (0, Some(packet.seq.cast_signed())),
        Payload::Stack(_) => (1, None),
        Payload::Live(_) => (names.code("live"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_match_names() {
        let names = reasons();
        let row = |what| Row::of(Time(5), NodeId(3), &what);
        let lost = row(What::FrameLost { kind: FrameKind::Cts, from: NodeId(1), loss: Loss::Duplicate });
        assert_eq!(names[usize::from(lost.reason)], "duplicate");
        assert_eq!((EVENTS[usize::from(lost.event)], FRAMES[usize::from(lost.frame)]), ("frame_lost", "cts"));
        assert_eq!((lost.time, lost.node, lost.peer, lost.flow, lost.uid), (Time(5), 3, 1, -1, -1));
        let step = row(What::Handshake { step: Step::Resolved, peer: NodeId::BROADCAST });
        assert_eq!((names[usize::from(step.reason)], step.peer), ("resolved", -1));
        let dropped = row(What::Dropped { uid: 7, flow: FlowId::NONE, reason: DropReason::Loop });
        assert_eq!((names[usize::from(dropped.reason)], dropped.uid, dropped.flow), ("loop", 7, -1));
        let stamped = row(What::Stamped { uid: 1, flow: FlowId(0), feedback: Feedback::Mrai(4) });
        assert_eq!((names[usize::from(stamped.reason)], stamped.value), ("mrai", 4.0));
        assert_eq!(EVENTS[usize::from(event::FLOW_STOPPED)], "flow_stopped");
        assert_eq!(EVENTS[usize::from(event::FRAME_COLLIDED)], "frame_collided");
        let late = row(What::Dropped { uid: 7, flow: FlowId::NONE, reason: DropReason::Unreachable });
        assert_eq!(names[usize::from(late.reason)], "unreachable");
        assert_eq!(EVENTS[usize::from(event::WIRE_RECEIVED)], "wire_received");
        assert_eq!(names.len(), usize::from(LATER_REASONS_AT) + DropReason::ALL.len() - FIRST_REASONS);
    }
}
