//! Packets of neighbors: their messages are processed once, and forwarded for MPR selectors (RFC 3626 sections 3.4 and 3.4.1).

use super::agent::Olsr;
use super::message::{Body, Message, OlsrPacket};
use super::neighborhood::neighbors::{Changes, Heard};
use crate::kernel::RadioId;
use crate::net::routing::protocol::RouteCtx;

impl Olsr {
    /// A packet of radio `from` of a neighbor has arrived.
    pub(super) fn on_olsr_packet(&mut self, cx: &mut RouteCtx<'_>, packet: &OlsrPacket, from: RadioId) {
        let mut changes = Changes::default();
        let mut links = false;
        for message in &packet.messages {
            if let Body::Hello(hello) = &message.body {
                let heard = Heard { hello, validity: message.validity.span(), origin: message.origin, from };
                let (here, neighbors) = self.here(cx);
                changes.add(neighbors.on_hello(&here, heard));
            } else {
                links |= self.on_flooded(cx, message, from, &mut changes);
            }
        }
        self.update(cx, changes, links);
    }

    /// A message that MPRs forward. Returns whether links of other nodes, or hosts, have changed. Messages of a node that is
    /// no symmetric neighbor are ignored, and may arrive through another one.
    fn on_flooded(&mut self, cx: &mut RouteCtx<'_>, message: &Message, from: RadioId, changes: &mut Changes) -> bool {
        let now = cx.now();
        let Message { origin, seq, .. } = *message;
        let Some(sender) = self.neighbors.symmetric_at(cx.owner(from), from) else { return false };
        if origin == self.node {
            return false;
        }
        let is_for_selector = sender.is_selector();
        let is_duplicate = self.topology.is_duplicate(origin, seq, now);
        let mut may_forward = !is_duplicate;
        if let Some(over) = self.radio_towards(cx, from) {
            may_forward = self.topology.note_over((origin, seq), over, now);
        }
        if may_forward && is_for_selector && message.ttl > 1 {
            self.topology.note_forwarded((origin, seq), now);
            self.forward_message(cx, message);
        }
        if is_duplicate {
            return false;
        }
        self.topology.note(origin, seq, now);
        let until = now + message.validity.span();
        match &message.body {
            Body::Tc(tc) => {
                let (node, table) = (self.node, &self.table);
                self.topology.on_tc(origin, tc, until, |to| to != node && table.may_use(origin, to))
            }
            Body::Hna(hosts) => self.topology.on_hna(origin, hosts, until),
            Body::Mid(radios) => {
                let neighbors = &mut self.neighbors;
                let [main, own] = [origin, self.node].map(|node| cx.ctx.radios.first(node));
                self.interfaces.on_mid(main, radios, until, |radio| {
                    changes.neighborhood |= neighbors.rename(radio, main, own);
                });
                false
            }
            Body::Hello(_) => false,
        }
    }

    /// The position of the own radio on the channel of another node's radio, and the number of own radios; `None` with one.
    fn radio_towards(&self, cx: &RouteCtx<'_>, from: RadioId) -> Option<(usize, usize)> {
        let radios = &cx.ctx.radios;
        let own = radios.has_several().then(|| radios.facing(self.node, from))?;
        Some((radios.of(self.node).position(|radio| radio == own)?, radios.of(self.node).count()))
    }

    /// The MAC could not reach a radio of a neighbor (`use_link_layer_feedback`).
    pub(super) fn on_lost_link(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId) {
        let hold = self.config().neighbor_hold();
        let changes = self.neighbors.on_loss((cx.owner(radio), radio), cx.now(), hold);
        self.update(cx, changes, false);
        if changes.selectors {
            self.hasten_tc(cx);
        }
    }
}
