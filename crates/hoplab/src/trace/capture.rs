//! The sink of a packet capture (pcapng): it receives frames and packets themselves, rather than records of them.

use super::record::{DropReason, Loss};
use crate::kernel::{NodeId, RadioId, Time};
use crate::packet::{Frame, FrameKind, Packet};
use std::fmt::Debug;

/// Supplied by the program that drives the engine. It changes nothing.
pub trait CaptureSink: Debug + Send {
    /// A frame is transmitted; `packet` is its content. An A-MPDU comes as its MPDUs one by one (type `Aggregate`), each with
    /// its first packet; `order` marks the last, and `note` numbers the A-MPDU.
    fn on_frame(&mut self, now: Time, frame: &Frame, packet: Option<&Packet>);

    /// A Block Ack with this bitmap is transmitted; its sequence number is the first of the window.
    fn on_block_ack(&mut self, now: Time, frame: &Frame, bitmap: u64);

    /// A frame of this type from radio `from` has ended, and its addressee `radio` has lost it.
    fn on_loss(&mut self, now: Time, radio: RadioId, kind: FrameKind, from: RadioId, loss: Loss);

    /// A packet enters the wire of a port, or (if not `is_sent`) arrives at its other end.
    fn on_wire(&mut self, now: Time, port: u32, is_sent: bool, packet: &Packet);

    /// A packet is dropped at a node.
    fn on_drop(&mut self, now: Time, node: NodeId, packet: &Packet, reason: DropReason);
}
