//! Packets of neighbors: their messages are processed once, and forwarded for MPR selectors (RFC 3626 sections 3.4 and 3.4.1).

use super::agent::Olsr;
use super::message::{Body, Message, OlsrPacket};
use super::neighbors::Changes;
use crate::kernel::NodeId;
use crate::net::routing::protocol::RouteCtx;

impl Olsr {
    /// A packet of a neighbor has arrived.
    pub(super) fn on_olsr_packet(&mut self, cx: &mut RouteCtx<'_>, packet: &OlsrPacket, from: NodeId) {
        let mut changes = Changes::default();
        let mut links = false;
        for message in &packet.messages {
            if let Body::Hello(hello) = &message.body {
                let about = (&**hello, message.validity.span());
                let config = &self.constants.config;
                changes.add(self.neighbors.on_hello(self.node, from, about, cx.now(), config));
            } else {
                links |= self.on_flooded(cx, message, from);
            }
        }
        self.update(cx, changes, links);
    }

    /// A message that MPRs forward. Returns whether links of other nodes, or hosts, have changed. Messages of a node that is
    /// no symmetric neighbor are ignored, and may arrive through another one.
    fn on_flooded(&mut self, cx: &mut RouteCtx<'_>, message: &Message, from: NodeId) -> bool {
        let now = cx.now();
        let Message { origin, seq, .. } = *message;
        let Some(sender) = self.neighbors.get(from).filter(|sender| sender.is_symmetric) else { return false };
        if origin == self.node || self.topology.is_duplicate(origin, seq, now) {
            return false;
        }
        let is_for_selector = sender.is_selector();
        self.topology.note(origin, seq, now);
        if is_for_selector && message.ttl > 1 {
            self.forward_message(cx, message);
        }
        let until = now + message.validity.span();
        match &message.body {
            Body::Tc(tc) => {
                let (node, table) = (self.node, &self.table);
                self.topology.on_tc(origin, tc, until, |to| to != node && table.may_use(origin, to))
            }
            Body::Hna(hosts) => self.topology.on_hna(origin, hosts, until),
            Body::Hello(_) => false,
        }
    }

    /// The MAC could not reach a neighbor (`use_link_layer_feedback`).
    pub(super) fn on_lost_link(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let hold = self.config().neighbor_hold();
        let changes = self.neighbors.on_loss(neighbor, cx.now(), hold);
        self.update(cx, changes, false);
        if changes.selectors {
            self.hasten_tc(cx);
        }
    }
}
