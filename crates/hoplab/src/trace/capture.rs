//! Who is shown frames and packets themselves, rather than records of them: a writer of captures.

use super::record::{DropReason, Loss};
use crate::kernel::{NodeId, Time};
use crate::packet::{Frame, FrameKind, Packet};
use std::fmt::Debug;

/// Given by the program that drives the engine. It sees, and changes nothing.
pub trait CaptureSink: Debug + Send {
    /// A frame goes on the air; `packet` is what it carries.
    fn on_frame(&mut self, now: Time, frame: &Frame, packet: Option<&Packet>);

    /// The frame of this type that `from` has just ended was for `node`, which has not got it.
    fn on_loss(&mut self, now: Time, node: NodeId, kind: FrameKind, from: NodeId, loss: Loss);

    /// A packet ends its life at a node without having arrived.
    fn on_drop(&mut self, now: Time, node: NodeId, packet: &Packet, reason: DropReason);
}
