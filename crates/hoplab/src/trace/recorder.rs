//! The recorder of a run: counts and hashes each record, and passes it to the attached sinks.

use super::capture::CaptureSink;
use super::counters::Counters;
use super::fingerprint::Fingerprint;
use super::log::Log;
use super::record::{Loss, Record, What};
use super::row::Row;
use crate::kernel::{NodeId, RadioId, Radios, RunKind, Time};
use crate::packet::aggregate::Aggregate;
use crate::packet::{Frame, FrameKind, Packet, Packets};
use std::sync::Arc;

/// Layers with a fingerprint of their own, in the order of [`Trace::fingerprints`].
pub const FINGERPRINTED: [&str; 4] = ["phy", "mac", "net", "transport"];

/// Layers with a fingerprint: those of every run, and wires.
const LAYERS: usize = FINGERPRINTED.len() + 1;

/// Index of the fingerprint of wires.
const WIRES: usize = FINGERPRINTED.len();

/// Counts, fingerprints and records of one run.
#[derive(Debug)]
pub struct Trace {
    /// Counters by node, cause and flow.
    pub counters: Counters,
    fingerprints: [Fingerprint; LAYERS],
    /// The radios of nodes: records name nodes.
    radios: Arc<Radios>,
    /// Whether there are wires, whose fingerprint then belongs to that of the run.
    has_wires: bool,
    records: Option<Vec<Record>>,
    /// The log, if one is attached.
    pub(crate) log: Option<Log>,
    /// The capture, if one is attached.
    pub(crate) capture: Option<Box<dyn CaptureSink>>,
}

impl Trace {
    /// Counters for these numbers of flows and nodes; records, log and capture are off.
    pub fn new(flows: usize, nodes: usize) -> Trace {
        Trace {
            counters: Counters::new(flows, nodes),
            fingerprints: Default::default(),
            radios: Arc::default(),
            has_wires: false,
            records: None,
            log: None,
            capture: None,
        }
    }

    /// Sets the radios of nodes.
    pub(crate) fn set_radios(&mut self, radios: Arc<Radios>) {
        self.radios = radios;
    }

    /// Stores every record from now on, for [`Trace::take_records`].
    pub fn keep_records(&mut self) {
        self.records.get_or_insert_with(Vec::new);
    }

    /// Records stored since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.records.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes every record into a log from now on.
    pub fn keep_log(&mut self) {
        let has_categories = self.counters.has_categories();
        self.log.get_or_insert_with(|| Log::new(Arc::clone(&self.radios), has_categories));
    }

    /// Passes frames and packets to `capture` from now on.
    pub fn set_capture(&mut self, capture: Box<dyn CaptureSink>) {
        self.capture = Some(capture);
    }

    /// The log, if there is one.
    pub fn log_mut(&mut self) -> Option<&mut Log> {
        self.log.as_mut()
    }

    /// One fingerprint per layer, in the order of [`FINGERPRINTED`].
    pub fn fingerprints(&self) -> [Fingerprint; 4] {
        let [phy, mac, net, transport, _] = self.fingerprints;
        [phy, mac, net, transport]
    }

    /// Includes wires in the fingerprint of the run.
    pub fn include_wires(&mut self) {
        self.has_wires = true;
    }

    /// Fingerprint of the wires, if there are any.
    pub fn wire_fingerprint(&self) -> Option<Fingerprint> {
        self.has_wires.then_some(self.fingerprints[WIRES])
    }

    /// Hash of the whole event sequence.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut all = Fingerprint::default();
        let layers = if self.has_wires { LAYERS } else { FINGERPRINTED.len() };
        for (layer, print) in self.fingerprints[..layers].iter().enumerate() {
            all.mix(0, layer as u64, print.0);
        }
        all
    }

    /// See [`crate::sim::Ctx::note`].
    #[expect(clippy::inline_always, reason = "as `mix`")]
    #[inline(always)]
    pub(crate) fn note(&mut self, time: Time, node: NodeId, what: What) {
        self.mix(time, node, what);
        if self.log.is_some() {
            self.write(time, node, what);
        }
    }

    #[cold]
    fn write(&mut self, time: Time, node: NodeId, what: What) {
        if let Some(log) = &mut self.log {
            log.push(Row::of(time, node, &what));
        }
    }

    /// See [`crate::sim::Ctx::note_about`].
    #[expect(clippy::inline_always, reason = "as `mix`")]
    #[inline(always)]
    pub(crate) fn note_about(&mut self, time: Time, node: NodeId, what: What, packet: &Packet) {
        self.mix(time, node, what);
        if self.log.is_some() {
            self.write_about(time, node, what, packet);
        }
    }

    #[cold]
    fn write_about(&mut self, time: Time, node: NodeId, what: What, packet: &Packet) {
        if let Some(log) = &mut self.log {
            log.push_about(Row::of(time, node, &what), packet);
        }
    }

    #[expect(clippy::inline_always, reason = "each caller knows the kind of its record: nothing is left of the choice")]
    #[inline(always)]
    fn mix(&mut self, time: Time, node: NodeId, what: What) {
        let (layer, word) = digest(&what);
        self.fingerprints[layer].mix(time.0, u64::from(node.0), word);
        if self.records.is_some() {
            self.keep(Record { time, node, what });
        }
    }

    #[cold]
    fn keep(&mut self, record: Record) {
        self.records.get_or_insert_default().push(record);
    }

    /// See [`crate::sim::Ctx::frame_sent`].
    #[expect(clippy::inline_always, reason = "called for each frame, by one caller")]
    #[inline(always)]
    pub(crate) fn frame_sent<R: RunKind>(&mut self, time: Time, frame: &Frame, packets: &Packets) {
        let (node, to) = (self.radios.owner_in::<R>(frame.ta), self.radios.owner_in::<R>(frame.ra));
        let here = self.counters.node(node);
        if frame.is_broadcast() && (R::IS_PLAIN || frame.kind != FrameKind::CfEnd) {
            here.broadcasts += 1;
        } else {
            here.frames[frame.kind as usize] += 1;
        }
        if !R::IS_PLAIN && frame.kind.has_category() && frame.kind != FrameKind::BlockAck {
            self.counters.category(node, frame.category, |counters| {
                counters.data += u64::from(frame.kind.is_data());
                counters.airtime += frame.airtime.0;
            });
        }
        self.mix(time, node, What::FrameSent { kind: frame.kind, to, bytes: frame.bytes });
        if self.log.is_some() || self.capture.is_some() {
            self.pass_frame(time, frame, frame.packet.map(|packet| packets.get(packet.0)));
        }
    }

    #[cold]
    fn pass_frame(&mut self, time: Time, frame: &Frame, packet: Option<&Packet>) {
        if let Some(log) = &mut self.log {
            log.frame_sent(time, frame, packet);
        }
        let has_parts = matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck);
        if let Some(capture) = self.capture.as_mut().filter(|_| !has_parts) {
            capture.on_frame(time, frame, packet);
        }
    }

    /// See [`crate::sim::Ctx::parts_sent`].
    #[cold]
    pub(crate) fn parts_sent(&mut self, time: Time, frame: &Frame, parts: &Aggregate, packets: &Packets) {
        let number = self.counters.frames(FrameKind::Aggregate) as u32;
        let Some(capture) = &mut self.capture else { return };
        if frame.kind == FrameKind::BlockAck {
            let seq = parts.block_ack.start.0;
            capture.on_block_ack(time, &Frame { seq, ..*frame }, parts.block_ack.bitmap);
            return;
        }
        for (index, mpdu) in parts.mpdus().iter().enumerate() {
            let order = index + 1 == parts.mpdus().len();
            let (bytes, seq, retry) = (mpdu.bytes, mpdu.seq.0, mpdu.is_retry);
            let of_ampdu = Frame { bytes, seq, retry, order, note: number, ..*frame };
            let packet = parts.packets(mpdu).first().map(|packet| packets.get(packet.0));
            capture.on_frame(time, &of_ampdu, packet);
        }
    }

    /// Records a packet that a radio has accepted from another one, and counts its user data.
    #[inline]
    pub fn frame_accepted<R: RunKind>(&mut self, time: Time, at: RadioId, ta: RadioId, packet: &Packet) {
        let (node, from) = (self.radios.owner_in::<R>(at), self.radios.owner_in::<R>(ta));
        self.counters.node(from).passed += u64::from(packet.user_bytes());
        self.note_about(time, node, What::FrameAccepted { from, uid: packet.uid }, packet);
    }

    /// Records and counts a frame lost at its addressee.
    #[inline]
    pub fn frame_lost<R: RunKind>(&mut self, time: Time, at: RadioId, kind: FrameKind, ta: RadioId, loss: Loss) {
        let (node, from) = (self.radios.owner_in::<R>(at), self.radios.owner_in::<R>(ta));
        self.counters.node(node).lost[loss as usize] += 1;
        self.note(time, node, What::FrameLost { kind, from, loss });
        if let Some(capture) = &mut self.capture {
            capture.on_loss(time, at, kind, ta, loss);
        }
    }
}

/// Layer of a record, and a word that distinguishes it from others at its time and node. Part of every fingerprint.
#[expect(clippy::inline_always, reason = "as `Trace::mix`")]
#[inline(always)]
fn digest(what: &What) -> (usize, u64) {
    let word = |tag: u64, a: u64, b: u64| (tag << 56) ^ (a << 40) ^ b;
    match *what {
        What::FrameSent { kind, to, bytes } => (0, word(1, kind as u64, (u64::from(bytes) << 20) ^ u64::from(to.0))),
        What::FrameLost { kind, from, loss } => (1, word(2, kind as u64 * 8 + loss as u64, u64::from(from.0))),
        What::FrameAccepted { from, uid } => (1, word(3, u64::from(from.0), uid)),
        What::Originated { uid, bytes } => (2, word(4, u64::from(bytes), uid)),
        What::Forwarded { uid, next_hop, .. } => (2, word(5, u64::from(next_hop.0), uid)),
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
        What::WireSent { uid, to, bytes } => (WIRES, word(50, u64::from(bytes), uid ^ u64::from(to.0).rotate_left(24))),
        What::WireReceived { uid, from } => (WIRES, word(51, u64::from(from.0), uid)),
    }
}
