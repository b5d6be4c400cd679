//! What a run tells about itself: counts, fingerprints and, on request, every record.

mod fingerprint;
mod log;
mod record;
mod tally;
mod tap;

pub use fingerprint::Fingerprint;
pub use log::{EVENTS, FRAMES, Log, NOTHING, PACKETS, Row, reasons};
pub use record::{DropReason, Loss, Record, Step, What};
pub use tally::{Life, NodeTally, Tally, class_of};
pub use tap::Tap;

use crate::kernel::{EventQueue, FlowId, NodeId, Streams, Time};
use crate::packet::{Frame, FrameKind, Packet, PacketId, Packets};

/// Floors that have a fingerprint of their own, in the order of [`Trace::fingerprints`].
pub const FINGERPRINTED: [&str; 4] = ["phy", "mac", "net", "transport"];

/// Counts, fingerprints and records of one run.
#[derive(Debug)]
pub struct Trace {
    /// Counts by kind, cause and flow.
    pub tally: Tally,
    fingerprints: [Fingerprint; 4],
    records: Option<Vec<Record>>,
    log: Option<Log>,
    tap: Option<Box<dyn Tap>>,
}

/// What every part of a run may use: the clock, pending events, chance, packets and the trace.
#[derive(Debug)]
pub struct Ctx {
    /// The present.
    pub now: Time,
    /// What will happen.
    pub events: EventQueue,
    /// Where chance comes from.
    pub streams: Streams,
    /// Packets somewhere in the network.
    pub packets: Packets,
    /// What has happened.
    pub trace: Trace,
    /// Ways found since somebody asked, by node and destination, if anybody wants to know.
    pub news: Option<Vec<(NodeId, NodeId)>>,
    next_uid: u64,
}

impl Ctx {
    /// The start of a run with this root seed and these numbers of flows and nodes.
    pub fn new(seed: u64, flows: usize, nodes: usize) -> Ctx {
        Ctx {
            now: Time::ZERO,
            events: EventQueue::default(),
            streams: Streams::new(seed),
            packets: Packets::default(),
            trace: Trace {
                tally: Tally::new(flows, nodes),
                fingerprints: Default::default(),
                records: None,
                log: None,
                tap: None,
            },
            news: None,
            next_uid: 0,
        }
    }

    /// Brings a packet into being at its source and counts it as originated.
    pub fn originate(&mut self, packet: Packet) -> PacketId {
        self.originate_at(packet.src, packet)
    }

    /// Brings a packet into being at `node`, which need not be its source, and counts it as originated.
    pub fn originate_at(&mut self, node: NodeId, mut packet: Packet) -> PacketId {
        packet.uid = self.next_uid;
        packet.made_at = self.now;
        self.next_uid += 1;
        self.trace.tally.life(&packet).originated += 1;
        let what = What::Originated { uid: packet.uid, bytes: packet.bytes };
        self.trace.note_about(self.now, node, what, &packet);
        PacketId(self.packets.insert(packet))
    }

    /// Ends a packet's life without its having arrived.
    pub fn drop(&mut self, node: NodeId, packet: PacketId, reason: DropReason) {
        let packet = self.packets.remove(packet.0);
        self.trace.tally.life(&packet).dropped[reason as usize] += 1;
        let here = self.trace.tally.node(node);
        here.dropped += 1;
        here.queue_full += u64::from(reason == DropReason::QueueFull);
        let what = What::Dropped { uid: packet.uid, flow: packet.flow, reason };
        self.trace.note_about(self.now, node, what, &packet);
        if let Some(tap) = &mut self.trace.tap {
            tap.on_drop(self.now, node, &packet, reason);
        }
    }

    /// Ends a packet's life because it has done what it was for (see [`Life::consumed`]).
    pub fn consume(&mut self, packet: PacketId) {
        let packet = self.packets.remove(packet.0);
        self.trace.tally.life(&packet).consumed += 1;
    }

    /// The same of a packet that a neighbor has sent, where no copy of it need be kept.
    pub fn consume_unkept(&mut self, packet: PacketId) {
        self.trace.tally.life(self.packets.get(packet.0)).consumed += 1;
    }

    /// A copy of a packet that a neighbor has sent, to be kept here.
    pub fn copy(&mut self, packet: PacketId, from: NodeId) -> PacketId {
        let mut copy = self.packet(packet).clone();
        copy.forwards += 1;
        copy.prev_hop = from;
        PacketId(self.packets.insert(copy))
    }

    /// Ends a packet's life at its destination and hands its content over.
    pub fn deliver(&mut self, node: NodeId, packet: PacketId) -> Packet {
        let packet = self.packets.remove(packet.0);
        let transit = self.now.since(packet.made_at).0;
        let life = self.trace.tally.life(&packet);
        life.delivered += 1;
        life.transit += transit;
        life.since_queue += self.now.since(packet.entered_at.min(self.now)).0;
        life.hops += u64::from(packet.forwards) + u64::from(packet.travelled());
        self.trace.note_about(self.now, node, What::Delivered { uid: packet.uid }, &packet);
        packet
    }

    /// Counts and records that a node has found a way, or one through another neighbor than before.
    pub fn route_changed(&mut self, node: NodeId, dst: NodeId, next_hop: NodeId) {
        self.trace.tally.routes_changed += 1;
        if let Some(news) = &mut self.news {
            news.push((node, dst));
        }
        self.note(node, What::RouteChanged { dst, next_hop });
    }

    /// Counts and records that a node has lost a way.
    pub fn route_lost(&mut self, node: NodeId, dst: NodeId) {
        self.trace.tally.routes_lost += 1;
        self.note(node, What::RouteLost { dst });
    }

    /// Counts and records a step of a handshake that carries congestion.
    pub fn step(&mut self, node: NodeId, step: Step, peer: NodeId) {
        self.trace.tally.node(node).steps[step as usize] += 1;
        self.note(node, What::Handshake { step, peer });
    }

    /// The packet of this name.
    pub fn packet(&self, packet: PacketId) -> &Packet {
        self.packets.get(packet.0)
    }

    /// The packet of this name, to be changed.
    pub fn packet_mut(&mut self, packet: PacketId) -> &mut Packet {
        self.packets.get_mut(packet.0)
    }

    /// Records that something happened now.
    #[inline]
    pub fn note(&mut self, node: NodeId, what: What) {
        self.trace.note(self.now, node, what);
    }

    /// The same of something that happened to this packet.
    #[inline]
    pub fn note_about(&mut self, node: NodeId, what: What, packet: PacketId) {
        self.trace.note_about(self.now, node, what, self.packets.get(packet.0));
    }

    /// Records and counts a frame put on the air.
    #[inline]
    pub fn frame_sent(&mut self, frame: &Frame) {
        self.trace.frame_sent(self.now, frame, &self.packets);
    }

    /// A frame has reached its addressee, who can read it. Only the log hears of it.
    #[inline]
    pub fn frame_received(&mut self, frame: &Frame) {
        if let Some(log) = &mut self.trace.log {
            log.frame_received(self.now, frame);
        }
    }

    /// A packet has entered the interface queue of a node (or, if not `is_in`, left it), which holds `len` packets now.
    /// Only the log hears of it.
    #[inline]
    pub fn queue_changed(&mut self, node: NodeId, packet: PacketId, is_in: bool, len: usize) {
        if let Some(log) = &mut self.trace.log {
            log.queue(self.now, node, self.packets.get(packet.0), is_in, len);
        }
    }

    /// A flow's application has begun, or ended. Only the log hears of it.
    pub fn flow_switched(&mut self, flow: FlowId, (src, dst): (NodeId, NodeId), has_begun: bool) {
        if let Some(log) = &mut self.trace.log {
            log.flow(self.now, src, dst, flow, has_begun);
        }
    }
}

impl Trace {
    /// Keeps every record from now on.
    pub fn keep_records(&mut self) {
        self.records.get_or_insert_with(Vec::new);
    }

    /// The records kept since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.records.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes every record into a log from now on.
    pub fn keep_log(&mut self) {
        self.log.get_or_insert_with(Log::default);
    }

    /// Shows frames and packets to `tap` from now on.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// The log, if there is one.
    pub fn log_mut(&mut self) -> Option<&mut Log> {
        self.log.as_mut()
    }

    /// One fingerprint per floor, in the order of [`FINGERPRINTED`].
    pub fn fingerprints(&self) -> [Fingerprint; 4] {
        self.fingerprints
    }

    /// The whole run in one number.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut all = Fingerprint::default();
        for (floor, print) in self.fingerprints.iter().enumerate() {
            all.mix(0, floor as u64, print.0);
        }
        all
    }

    #[inline]
    fn note(&mut self, time: Time, node: NodeId, what: What) {
        self.mix(time, node, what);
        if let Some(log) = &mut self.log {
            log.push(Row::of(time, node, &what));
        }
    }

    #[inline]
    fn note_about(&mut self, time: Time, node: NodeId, what: What, packet: &Packet) {
        self.mix(time, node, what);
        if let Some(log) = &mut self.log {
            let mut row = Row::of(time, node, &what);
            row.is_about(packet);
            log.push(row);
        }
    }

    #[inline]
    fn mix(&mut self, time: Time, node: NodeId, what: What) {
        let (floor, word) = digest(&what);
        self.fingerprints[floor].mix(time.0, u64::from(node.0), word);
        if let Some(records) = &mut self.records {
            records.push(Record { time, node, what });
        }
    }

    #[inline]
    fn frame_sent(&mut self, time: Time, frame: &Frame, packets: &Packets) {
        let here = self.tally.node(frame.ta);
        if frame.is_broadcast() {
            here.broadcasts += 1;
        } else {
            here.frames[frame.kind as usize] += 1;
        }
        self.mix(time, frame.ta, What::FrameSent { kind: frame.kind, to: frame.ra, bytes: frame.bytes });
        if self.log.is_some() || self.tap.is_some() {
            self.show_frame(time, frame, frame.packet.map(|packet| packets.get(packet.0)));
        }
    }

    #[cold]
    fn show_frame(&mut self, time: Time, frame: &Frame, packet: Option<&Packet>) {
        if let Some(log) = &mut self.log {
            log.frame_sent(time, frame, packet);
        }
        if let Some(tap) = &mut self.tap {
            tap.on_frame(time, frame, packet);
        }
    }

    /// Records and counts a frame lost at its addressee.
    #[inline]
    pub fn frame_lost(&mut self, time: Time, node: NodeId, kind: FrameKind, from: NodeId, loss: Loss) {
        self.tally.node(node).lost[loss as usize] += 1;
        self.note(time, node, What::FrameLost { kind, from, loss });
        if let Some(tap) = &mut self.tap {
            tap.on_loss(time, node, kind, from, loss);
        }
    }
}

/// Floor of a record, and a word that tells it from others at the same time and node.
#[inline]
fn digest(what: &What) -> (usize, u64) {
    let word = |tag: u64, a: u64, b: u64| (tag << 56) ^ (a << 40) ^ b;
    match *what {
        What::FrameSent { kind, to, bytes } => (0, word(1, kind as u64, (u64::from(bytes) << 20) ^ u64::from(to.0))),
        What::FrameLost { kind, from, loss } => (1, word(2, kind as u64 * 8 + loss as u64, u64::from(from.0))),
        What::FrameAccepted { from, uid } => (1, word(3, u64::from(from.0), uid)),
        What::Originated { uid, bytes } => (2, word(4, u64::from(bytes), uid)),
        What::Forwarded { uid, next_hop } => (2, word(5, u64::from(next_hop.0), uid)),
        What::Delivered { uid } => (2, word(6, 0, uid)),
        What::Dropped { uid, flow, reason } => (2, word(7, reason as u64 ^ u64::from(flow.0) << 8, uid)),
        What::SegmentSent { flow, seq, again } => (3, word(8, u64::from(flow.0), (seq as u64) << 1 | u64::from(again))),
        What::AckReceived { flow, cumulative } => (3, word(9, u64::from(flow.0), cumulative as u64 & 0xff_ffff_ffff)),
        What::SegmentReceived { flow, seq } => (3, word(10, u64::from(flow.0), seq as u64)),
        What::Timeout { flow } => (3, word(11, u64::from(flow.0), 0)),
        What::ProxyTook { flow, seq, held } => (3, word(20, u64::from(flow.0), (u64::from(held) << 28) ^ seq as u64)),
        What::ProxyReleased { flow, seq, held } => {
            (3, word(21, u64::from(flow.0), (u64::from(held) << 28) ^ seq as u64))
        }
        What::LackSent { flow, seq, to } => {
            (3, word(22, u64::from(flow.0), (u64::from(to.0) << 28) ^ seq.map_or(0, |seq| seq as u64 + 1)))
        }
        What::LackReceived { flow, seq } => (3, word(24, u64::from(flow.0), seq.map_or(0, |seq| seq as u64 + 1))),
        What::ProxySwitched { is_up, lost } => (3, word(23, u64::from(is_up), u64::from(lost))),
        What::RouteChanged { dst, next_hop } => (2, word(12, u64::from(next_hop.0), u64::from(dst.0))),
        What::RouteLost { dst } => (2, word(13, 0, u64::from(dst.0))),
        What::Stamped { uid, feedback, .. } => (2, word(14, 0, uid ^ feedback.word().rotate_left(16))),
        What::Switched { is_on } => (1, word(40, 0, u64::from(is_on))),
        What::Handshake { step, peer } => (1, word(30, step as u64, u64::from(peer.0))),
    }
}
