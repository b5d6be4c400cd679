//! How AODV creates and sends its messages (RFC 3561 section 6).

use super::message::{AodvMessage, MAX_UNREACHABLE, Rrep, Rreq, Unreachable};
use super::{Aodv, RouteCtx, RouteOut};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Control, NewPacket, Payload};

/// Bytes below a message in profile `ns2`: IP.
const NS2_HEADERS: u32 = 20;
/// Bytes below a message in profile `rfc`: IP and UDP.
const RFC_HEADERS: u32 = 28;

impl Aodv {
    /// Asks the network for a route; the own sequence number has been raised.
    pub(super) fn send_rreq(&mut self, cx: &mut RouteCtx<'_>, place: usize, ttl: u8) {
        let entry = &self.table[place];
        let rreq = Rreq {
            hops: 0,
            id: self.next_id,
            dst: entry.dst,
            dst_seq: entry.seq,
            origin: self.node,
            origin_seq: self.seq,
            sent_at: cx.ctx.now,
        };
        self.next_id += 1;
        let rreq = AodvMessage::Rreq(rreq);
        self.send_message(cx, rreq, NodeId::BROADCAST, NodeId::BROADCAST, ttl, Span::ZERO);
    }

    /// Answers a request, one hop along the way back.
    pub(super) fn send_rrep(&mut self, cx: &mut RouteCtx<'_>, rrep: Rrep, next_hop: NodeId) {
        self.send_message(
            cx,
            AodvMessage::Rrep(rrep),
            rrep.origin,
            next_hop,
            self.constants.network_diameter,
            Span::ZERO,
        );
    }

    /// Tells neighbors (or one) what cannot be reached through this node any more.
    pub(super) fn send_rerr(&mut self, cx: &mut RouteCtx<'_>, lines: &[Unreachable], to: NodeId, delay: Span) {
        if self.is_rfc() && !self.limits.allow_rerr(cx.ctx.now) {
            return;
        }
        for part in lines.chunks(MAX_UNREACHABLE) {
            self.send_message(cx, AodvMessage::Rerr(part.to_vec()), to, to, 1, delay);
        }
    }

    /// Says that this node is here.
    pub(super) fn send_hello(&mut self, cx: &mut RouteCtx<'_>) {
        let hello = AodvMessage::Hello { seq: self.seq };
        self.send_message(cx, hello, NodeId::BROADCAST, NodeId::BROADCAST, 1, Span::ZERO);
    }

    fn send_message(
        &mut self,
        cx: &mut RouteCtx<'_>,
        message: AodvMessage,
        dst: NodeId,
        next_hop: NodeId,
        ttl: u8,
        delay: Span,
    ) {
        if next_hop.is_broadcast() {
            self.note_broadcast(cx.ctx.now + delay);
        }
        let packet = cx.ctx.originate(
            NewPacket {
                flow: FlowId::NONE,
                src: self.node,
                dst,
                bytes: self.message_bytes(&message),
                payload: Payload::Control(Control::new(message)),
            },
            ttl,
        );
        cx.out.push(RouteOut::Send { packet, next_hop, delay });
    }

    /// Length of a message with the headers below it. ns-2's RREQ and RREP hold 4 bytes more than the RFC's.
    fn message_bytes(&self, message: &AodvMessage) -> u32 {
        let (headers, padding) = if self.is_rfc() { (RFC_HEADERS, 0) } else { (NS2_HEADERS, 4) };
        headers + message.len(padding)
    }
}

/// The lifetime that an intermediate reply states in ns-2: whole seconds, cut off. A route past its expiry has less
/// than none left; its negative number of seconds is read as one of 32 bits without a sign.
pub(super) fn whole_seconds_left(now: Time, expire: Time) -> Span {
    let second = Span::from_millis(1_000).0;
    let seconds = if expire >= now {
        expire.since(now).0 / second
    } else {
        u64::from(((now.since(expire).0 / second) as u32).wrapping_neg())
    };
    Span::from_millis(1_000) * seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_cut_to_whole_seconds() {
        let left = |now, expire| whole_seconds_left(Time::from_secs(now), Time::from_secs(expire)).0 / 1_000_000_000;
        assert_eq!(left(1.0, 10.9), 9);
        assert_eq!(left(1.0, 1.0), 0);
        assert_eq!(left(1.9, 1.0), 0);
        assert_eq!(left(31.5, 0.0), (1 << 32) - 31);
    }
}
