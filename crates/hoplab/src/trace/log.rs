//! The log: every record as a row of one table with typed columns.
//!
//! The program that drives the engine drains the rows regularly, so that a long run needs no more memory than a short one.
//! Rows contain more than records, such as the content of a frame; fingerprints hash records only.

use super::names::{NOTHING, Names};
use super::row::{PACKETS, Row, event, flow_number, message_of, node_number};
use crate::kernel::{FlowId, NodeId, RadioId, Radios, Time};
use crate::packet::{Frame, FrameKind, Packet};
use std::sync::Arc;

/// Rows that have not been drained.
#[derive(Debug)]
pub struct Log {
    rows: Vec<Row>,
    messages: Vec<String>,
    packet_names: Names,
    /// The radios of nodes: rows name nodes.
    radios: Arc<Radios>,
    /// Whether rows name access categories.
    has_categories: bool,
}

impl Log {
    /// An empty log of a run with these radios, with access categories or without.
    pub fn new(radios: Arc<Radios>, has_categories: bool) -> Log {
        Log { rows: Vec::new(), messages: Vec::new(), packet_names: Names::new(PACKETS), radios, has_categories }
    }

    /// Whether rows name access categories.
    pub fn has_categories(&self) -> bool {
        self.has_categories
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Messages of the rows that have one ([`Row::has_message`]), in their order.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Names of packet types, in the order of their codes. Routing messages receive codes as they occur.
    pub fn packet_names(&self) -> &Names {
        &self.packet_names
    }

    /// Removes all rows; their memory is reused.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.messages.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds a row with the columns of a packet.
    #[inline]
    pub(super) fn push_about(&mut self, mut row: Row, packet: &Packet) {
        self.add_packet(&mut row, packet);
        if packet.is_control()
            && let Some(message) = message_of(row.event, packet)
        {
            row.has_message = true;
            self.messages.push(message);
        }
        self.rows.push(row);
    }

    /// A frame is transmitted. `packet` is its content.
    pub(super) fn frame_sent(&mut self, time: Time, frame: &Frame, packet: Option<&Packet>) {
        let mut row = self.of_frame(time, frame.ta, frame, event::FRAME_SENT);
        row.peer = self.peer(frame.ra);
        if let Some(packet) = packet {
            self.add_packet(&mut row, packet);
            row.bytes = frame.bytes as i32;
        }
        self.push(row);
    }

    /// A frame was decoded by its addressee.
    pub(crate) fn frame_received(&mut self, time: Time, frame: &Frame) {
        let mut row = self.of_frame(time, frame.ra, frame, event::FRAME_RECEIVED);
        row.peer = self.peer(frame.ta);
        self.push(row);
    }

    /// The MAC gives a packet up: its retry limit is reached by frames of this type. `data` is the packet's data frame.
    pub(crate) fn retry_limit(&mut self, time: Time, kind: FrameKind, data: &Frame, packet: &Packet) {
        let mut row = Row::blank(time, self.radios.owner(data.ta), event::RETRY_LIMIT);
        self.add_packet(&mut row, packet);
        (row.frame, row.peer, row.value) = (kind as u8, self.peer(data.ra), f64::from(data.duration));
        self.push(row);
    }

    /// A frame has collided at a station that could have decoded it otherwise, and that it was for.
    pub(crate) fn frame_collided(&mut self, time: Time, at: RadioId, kind: FrameKind, ta: RadioId) {
        let mut row = Row::blank(time, self.radios.owner(at), event::FRAME_COLLIDED);
        (row.frame, row.peer) = (kind as u8, self.peer(ta));
        self.push(row);
    }

    /// A packet was enqueued in the interface queue (or, if not `is_in`, dequeued); `len` is the queue length afterwards.
    pub(crate) fn queue(&mut self, time: Time, node: NodeId, packet: &Packet, is_in: bool, len: usize) {
        let mut row = Row::blank(time, node, if is_in { event::QUEUED } else { event::UNQUEUED });
        self.add_packet(&mut row, packet);
        row.peer = self.peer(packet.hop.next);
        row.value = len as f64;
        self.push(row);
    }

    /// The row of a frame at a radio.
    fn of_frame(&self, time: Time, at: RadioId, frame: &Frame, event: u8) -> Row {
        let category = if self.has_categories && frame.kind.has_category() { frame.category as u8 } else { NOTHING };
        Row { category, ..Row::of_frame(time, self.radios.owner(at), frame, event) }
    }

    /// Adds the columns of a packet.
    #[inline]
    fn add_packet(&mut self, row: &mut Row, packet: &Packet) {
        row.is_about(packet, &mut self.packet_names);
        if self.has_categories {
            row.category = packet.category as u8;
        }
    }

    /// The node of another radio.
    fn peer(&self, radio: RadioId) -> i32 {
        node_number(self.radios.owner(radio))
    }

    /// A flow's application has started or stopped.
    pub(crate) fn flow(&mut self, time: Time, node: NodeId, peer: NodeId, flow: FlowId, has_begun: bool) {
        let mut row = Row::blank(time, node, if has_begun { event::FLOW_STARTED } else { event::FLOW_STOPPED });
        (row.peer, row.flow) = (node_number(peer), flow_number(flow));
        self.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::What;

    #[test]
    fn clear_removes_all_rows() {
        let mut log = Log::new(Arc::default(), false);
        log.push(Row::of(Time(1), NodeId(0), &What::Switched { is_on: true }));
        assert_eq!((log.len(), log.rows().len()), (1, 1));
        log.clear();
        assert!(log.is_empty());
    }
}
