//! Radios of neighbors, for protocols whose routes name nodes: which of several links to one neighbor is used.

use super::protocol::RouteCtx;
use crate::kernel::{NodeId, RadioId, Span};
use crate::packet::PacketId;
use std::collections::BTreeMap;

/// The radio that each neighbor is reached by, where nodes have several: the one that a message of it came from. Empty where each
/// node has one radio.
#[derive(Clone, Debug, Default)]
pub(super) struct Facing {
    radios: BTreeMap<NodeId, RadioId>,
}

impl Facing {
    /// A message has come from a radio of a neighbor, which `replaces` the one that is known.
    pub(super) fn note(&mut self, cx: &RouteCtx<'_>, radio: RadioId, replaces: bool) {
        if cx.ctx.radios.has_several() {
            let known = self.radios.entry(cx.owner(radio)).or_insert(radio);
            if replaces {
                *known = radio;
            }
        }
    }

    /// A packet did not reach a radio of a neighbor: its next message shows the one to use.
    pub(super) fn forget(&mut self, cx: &RouteCtx<'_>, radio: RadioId) {
        if self.radios.get(&cx.owner(radio)) == Some(&radio) {
            self.radios.remove(&cx.owner(radio));
        }
    }

    /// Sends a packet to a neighbor, or to all.
    pub(super) fn send(&self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, delay: Span) {
        match self.radios.get(&next_hop) {
            Some(&radio) => cx.send_to(packet, radio, delay),
            None => cx.send_after(packet, next_hop, delay),
        }
    }
}
