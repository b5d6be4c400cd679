//! Packets for other nodes that this node decodes (RFC 4728 sections 3.3.1 and 3.4.3).

use super::agent::Dsr;
use super::message::DsrMessage;
use crate::kernel::NodeId;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{PacketId, Payload};
use std::sync::Arc;

impl Dsr {
    /// A packet of neighbor `from` for another node was decoded.
    pub(super) fn overhear(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        let heard = cx.ctx.packet(packet);
        let (src, dst) = (heard.src, heard.dst);
        let route = heard.route.clone();
        let message = match &heard.payload {
            Payload::Control(message) => Some(message.clone()),
            _ => None,
        };
        if let Some(route) = route {
            let nodes = route.up_to(dst);
            if let Some(sender) = nodes.iter().position(|&node| node == from) {
                let own = nodes.iter().position(|&node| node == self.node);
                if message.is_none() {
                    if route.salvage() == 0 {
                        self.cancel_replies(cx, nodes[0], dst, nodes.len() - 1);
                    }
                    if let Some(own) = own.filter(|&own| own > sender + 1) {
                        self.shorten(cx, nodes, sender, own);
                    }
                }
                // Most packets repeat the last one.
                let is_known = self
                    .overheard
                    .as_ref()
                    .is_some_and(|(last, ends)| Arc::ptr_eq(last, &route) && *ends == [from, dst]);
                if !is_known || !self.buffer.is_empty() {
                    self.learn(cx, nodes, own.unwrap_or(sender));
                    self.overheard = Some((route, [from, dst]));
                }
            }
        } else if message.is_none() && src == from {
            self.cancel_replies(cx, src, dst, 1);
        }
        match message.as_ref().and_then(|message| message.get::<DsrMessage>()) {
            Some(DsrMessage::Rrep(path)) => self.learn_reply(cx, path, from),
            Some(DsrMessage::Rerr(rerr)) => self.on_rerr(cx, rerr),
            Some(DsrMessage::Rreq(_)) | None => {}
        }
    }
}
