//! Every record as a row of one table, with typed columns: what a file of events holds.
//!
//! The program that drives the engine takes the rows away from time to time, so that a long run needs no more memory
//! than a short one. Rows tell more than records do, such as what a frame carries; fingerprints know records only.

use super::record::{DropReason, Loss, Step, What};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Control, Feedback, Frame, FrameKind, Packet, Payload, SegNo};

/// Rows that have not been taken away yet.
#[derive(Debug, Default)]
pub struct Log {
    rows: Vec<Row>,
}

/// One thing that happened. What it does not have is negative, [`NOTHING`] or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// When.
    pub time: Time,
    /// What: a place in [`EVENTS`].
    pub event: u8,
    /// Type of a frame: a place in [`FRAMES`].
    pub frame: u8,
    /// What a packet is: a place in [`PACKETS`].
    pub packet: u8,
    /// Why, or which step or header: a place in [`REASONS`].
    pub reason: u8,
    /// A frame with the Retry bit, or a segment that had been sent before.
    pub again: bool,
    /// A frame that says that its sender is congested (RTSC, CTSC).
    pub congested: bool,
    /// Where.
    pub node: i32,
    /// The other node: sender, addressee, next hop or destination, as the event says.
    pub peer: i32,
    /// The flow.
    pub flow: i32,
    /// Length in bytes: of a frame with MAC header and FCS, of a packet with all headers above the MAC.
    pub bytes: i32,
    /// Time that a frame is on the air, in nanoseconds.
    pub airtime: i32,
    /// The packet's order of creation.
    pub uid: i64,
    /// Number of the segment or datagram, or what an acknowledgment acknowledges.
    pub seq: i64,
    /// A number that belongs to the event.
    pub value: f64,
}

/// In place of a name that a row does not have.
pub const NOTHING: u8 = u8::MAX;

/// Names of events, in the order of their numbers.
pub const EVENTS: [&str; 26] = [
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
];

/// Names of frame types, in the order of [`FrameKind`].
pub const FRAMES: [&str; 4] = ["rts", "cts", "data", "ack"];

/// Names of what packets are.
pub const PACKETS: [&str; 11] =
    ["segment", "ack", "datagram", "lack", "rreq", "rrep", "rerr", "hello", "dsdv", "arp_request", "arp_reply"];

/// Names of feedback headers, at the end of [`REASONS`].
const HEADERS: [&str; 3] = ["mrai", "xcp", "rcp"];

const LOSSES_AT: u8 = DropReason::ALL.len() as u8;
const STEPS_AT: u8 = LOSSES_AT + Loss::ALL.len() as u8;
const HEADERS_AT: u8 = STEPS_AT + Step::ALL.len() as u8;

/// Reasons of drops, causes of losses, steps of handshakes and feedback headers, in this order.
pub fn reasons() -> Vec<&'static str> {
    let drops = DropReason::ALL.into_iter().map(DropReason::name);
    let losses = Loss::ALL.into_iter().map(Loss::name);
    let steps = Step::ALL.into_iter().map(Step::name);
    drops.chain(losses).chain(steps).chain(HEADERS).collect()
}

/// Numbers of events: places in [`EVENTS`].
mod event {
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
}

impl Log {
    /// How many rows wait to be taken away.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows that wait.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Forgets the rows that wait. Their room is used again.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// A frame goes on the air. `packet` is what it carries.
    pub(super) fn frame_sent(&mut self, time: Time, frame: &Frame, packet: Option<&Packet>) {
        let mut row = Row::of_frame(time, frame.ta, frame, event::FRAME_SENT);
        row.peer = number(frame.ra);
        if let Some(packet) = packet {
            row.is_about(packet);
            row.bytes = frame.bytes as i32;
        }
        self.push(row);
    }

    /// A frame has reached its addressee, who can read it.
    pub(crate) fn frame_received(&mut self, time: Time, frame: &Frame) {
        let mut row = Row::of_frame(time, frame.ra, frame, event::FRAME_RECEIVED);
        row.peer = number(frame.ta);
        self.push(row);
    }

    /// A packet has entered (or, if not `is_in`, left) the interface queue, which holds `len` now.
    pub(crate) fn queue(&mut self, time: Time, node: NodeId, packet: &Packet, is_in: bool, len: usize) {
        let mut row = Row::blank(time, node, if is_in { event::QUEUED } else { event::UNQUEUED });
        row.is_about(packet);
        row.peer = number(packet.hop.next);
        row.value = len as f64;
        self.push(row);
    }

    /// A flow's application has begun, or ended.
    pub(crate) fn flow(&mut self, time: Time, node: NodeId, peer: NodeId, flow: FlowId, has_begun: bool) {
        let mut row = Row::blank(time, node, if has_begun { event::FLOW_STARTED } else { event::FLOW_STOPPED });
        (row.peer, row.flow) = (number(peer), flow_number(flow));
        self.push(row);
    }
}

impl Row {
    fn blank(time: Time, node: NodeId, event: u8) -> Row {
        Row {
            time,
            event,
            frame: NOTHING,
            packet: NOTHING,
            reason: NOTHING,
            again: false,
            congested: false,
            node: number(node),
            peer: -1,
            flow: -1,
            bytes: -1,
            airtime: -1,
            uid: -1,
            seq: -1,
            value: f64::NAN,
        }
    }

    fn of_frame(time: Time, node: NodeId, frame: &Frame, event: u8) -> Row {
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

    /// Takes over what a packet says of itself.
    pub(super) fn is_about(&mut self, packet: &Packet) {
        self.uid = packet.uid as i64;
        self.flow = flow_number(packet.flow);
        self.bytes = packet.bytes as i32;
        let (kind, seq) = kind_of(packet);
        self.packet = kind;
        if self.event == event::ORIGINATED {
            self.peer = number(packet.dst);
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
                Row { frame: kind as u8, peer: number(to), bytes: bytes as i32, ..blank(event::FRAME_SENT) }
            }
            What::FrameLost { kind, from, loss } => Row {
                frame: kind as u8,
                peer: number(from),
                reason: LOSSES_AT + loss as u8,
                ..blank(event::FRAME_LOST)
            },
            What::FrameAccepted { from, uid } => Row {
                frame: FrameKind::Data as u8,
                peer: number(from),
                uid: uid as i64,
                ..blank(event::FRAME_ACCEPTED)
            },
            What::Originated { uid, bytes } => Row { uid: uid as i64, bytes: bytes as i32, ..blank(event::ORIGINATED) },
            What::Forwarded { uid, next_hop } => {
                Row { uid: uid as i64, peer: number(next_hop), ..blank(event::FORWARDED) }
            }
            What::Delivered { uid } => Row { uid: uid as i64, ..blank(event::DELIVERED) },
            What::Dropped { uid, flow, reason } => {
                Row { uid: uid as i64, flow: flow_number(flow), reason: reason as u8, ..blank(event::DROPPED) }
            }
            What::Handshake { step, peer } => {
                Row { reason: STEPS_AT + step as u8, peer: number(peer), ..blank(event::HANDSHAKE) }
            }
            // The peer is where the way leads; the value is the neighbor that it leads through.
            What::RouteChanged { dst, next_hop } => {
                Row { peer: number(dst), value: f64::from(number(next_hop)), ..blank(event::ROUTE_CHANGED) }
            }
            What::RouteLost { dst } => Row { peer: number(dst), ..blank(event::ROUTE_LOST) },
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
            What::LackSent { flow, seq, to } => {
                Row { flow: flow_number(flow), seq: seq.unwrap_or(-1), peer: number(to), ..blank(event::LACK_SENT) }
            }
            What::LackReceived { flow, seq } => {
                Row { flow: flow_number(flow), seq: seq.unwrap_or(-1), ..blank(event::LACK_RECEIVED) }
            }
            What::Stamped { uid, flow, feedback } => {
                let (header, value) = match feedback {
                    Feedback::None => (NOTHING, f64::NAN),
                    Feedback::Mrai(level) => (HEADERS_AT, f64::from(level)),
                    Feedback::Xcp(header) => (HEADERS_AT + 1, header.delta * 8.0),
                    Feedback::Rcp(header) => (HEADERS_AT + 2, header.rate * 8.0),
                };
                Row { uid: uid as i64, flow: flow_number(flow), reason: header, value, ..blank(event::STAMPED) }
            }
        }
    }
}

/// A node as a number; everybody and nobody is -1.
fn number(node: NodeId) -> i32 {
    if node.is_broadcast() { -1 } else { node.0 as i32 }
}

fn flow_number(flow: FlowId) -> i32 {
    if flow == FlowId::NONE { -1 } else { flow.0 as i32 }
}

fn nanos(span: Span) -> i32 {
    i32::try_from(span.0).unwrap_or(i32::MAX)
}

/// What a packet is, a place in [`PACKETS`], and the number that it has within its flow.
fn kind_of(packet: &Packet) -> (u8, Option<SegNo>) {
    match &packet.payload {
        Payload::Segment(segment) => (0, Some(segment.seq)),
        Payload::SplitSegment(split) => (0, Some(split.segment.seq)),
        Payload::Ack(ack) => (1, Some(ack.cumulative)),
        Payload::Datagram(datagram) => (2, Some(datagram.seq.cast_signed())),
        Payload::Lack(lack) => (3, lack.seq),
        Payload::Control(control) => {
            let kind = match control {
                Control::Rreq { .. } => 4,
                Control::Rrep { .. } => 5,
                Control::Rerr(_) => 6,
                Control::Hello { .. } => 7,
                Control::Dsdv(_) => 8,
            };
            (kind, None)
        }
        Payload::Arp(crate::packet::Arp::Request { .. }) => (9, None),
        Payload::Arp(crate::packet::Arp::Reply) => (10, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
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
        assert_eq!(names.len(), usize::from(HEADERS_AT) + HEADERS.len());
    }

    #[test]
    fn clearing_leaves_nothing() {
        let mut log = Log::default();
        log.push(Row::of(Time(1), NodeId(0), &What::Switched { is_on: true }));
        assert_eq!((log.len(), log.rows().len()), (1, 1));
        log.clear();
        assert!(log.is_empty());
    }
}
