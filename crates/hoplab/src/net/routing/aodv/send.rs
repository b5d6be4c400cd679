//! How AODV creates and sends its messages (RFC 3561 section 6).

use super::agent::Aodv;
use super::failure::Recipients;
use super::message::{AodvMessage, MAX_UNREACHABLE, Rrep, Rreq, Unreachable};
use super::rules::Errors;
use crate::kernel::{NodeId, RadioId, Span, Time};
use crate::net::routing::protocol::RouteCtx;

impl Aodv {
    /// Broadcasts a RREQ with the next own number.
    pub(super) fn send_rreq(&mut self, cx: &mut RouteCtx<'_>, index: usize, ttl: u8) {
        self.seq = self.rules.numbering.next(self.seq);
        let entry = &self.table[index];
        let rreq = Rreq {
            hops: 0,
            id: self.next_id,
            dst: entry.dst,
            dst_seq: entry.seq,
            origin: self.node,
            origin_seq: self.seq,
            sent_at: cx.now(),
        };
        self.next_id += 1;
        self.send_message(cx, AodvMessage::Rreq(rreq), NodeId::BROADCAST, RadioId::BROADCAST, ttl, Span::ZERO);
    }

    /// Sends a RREP to the next hop of the reverse route.
    pub(super) fn send_rrep(&mut self, cx: &mut RouteCtx<'_>, rrep: Rrep, next_hop: RadioId) {
        let ttl = self.config.network_diameter;
        self.send_message(cx, AodvMessage::Rrep(rrep), rrep.origin, next_hop, ttl, Span::ZERO);
    }

    /// Sends a RERR to one neighbor, to the precursors of several routes, or to all.
    pub(super) fn send_rerr(&mut self, cx: &mut RouteCtx<'_>, lost: &[Unreachable], to: &Recipients, delay: Span) {
        if self.rules.errors == Errors::Precursors && !self.limits.allow_rerr(cx.now()) {
            return;
        }
        for part in lost.chunks(MAX_UNREACHABLE) {
            let rerr = AodvMessage::Rerr(part.to_vec());
            match to {
                Recipients::Radios(radios) if let [radio] = radios[..] => {
                    self.send_message(cx, rerr, cx.owner(radio), radio, 1, delay);
                }
                Recipients::Radios(radios) if cx.ctx.radios.has_several() => {
                    self.send_over_precursors(cx, &rerr, radios, delay);
                }
                Recipients::Radios(_) | Recipients::All => {
                    self.send_message(cx, rerr, NodeId::BROADCAST, RadioId::BROADCAST, 1, delay);
                }
            }
        }
    }

    /// Broadcasts a message over the own radios that reach precursors (RFC 3561 section 6.14).
    fn send_over_precursors(&self, cx: &mut RouteCtx<'_>, message: &AodvMessage, precursors: &[RadioId], delay: Span) {
        let bytes = self.bytes_of(message);
        let radios = cx.ctx.radios.clone();
        for own in radios.of(self.node) {
            if precursors.iter().any(|&precursor| radios.facing(self.node, precursor) == own) {
                let packet = cx.originate(message.clone(), NodeId::BROADCAST, bytes, 1);
                cx.broadcast_over(packet, own, delay);
            }
        }
    }

    /// Broadcasts a hello message.
    pub(super) fn send_hello(&mut self, cx: &mut RouteCtx<'_>) {
        let hello = AodvMessage::Hello { seq: self.seq };
        self.send_message(cx, hello, NodeId::BROADCAST, RadioId::BROADCAST, 1, Span::ZERO);
    }

    fn send_message(
        &mut self,
        cx: &mut RouteCtx<'_>,
        message: AodvMessage,
        dst: NodeId,
        next_hop: RadioId,
        ttl: u8,
        delay: Span,
    ) {
        if next_hop.is_broadcast() {
            self.note_broadcast(cx.now() + delay);
        }
        let bytes = self.bytes_of(&message);
        let packet = cx.originate(message, dst, bytes, ttl);
        if next_hop.is_broadcast() {
            cx.send_after(packet, NodeId::BROADCAST, delay);
        } else {
            cx.send_to(packet, next_hop, delay);
        }
    }

    fn bytes_of(&self, message: &AodvMessage) -> u32 {
        self.rules.headers + message.len(self.rules.padding)
    }
}

/// Lifetime that an intermediate RREP states in ns-2, in whole seconds. Of an expired route ns-2 takes the negative number
/// of seconds as an unsigned one of 32 bits.
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
    fn lifetime_is_truncated_to_whole_seconds() {
        let left = |now, expire| whole_seconds_left(Time::from_secs(now), Time::from_secs(expire)).0 / 1_000_000_000;
        assert_eq!(left(1.0, 10.9), 9);
        assert_eq!(left(1.0, 1.0), 0);
        assert_eq!(left(1.9, 1.0), 0);
        assert_eq!(left(31.5, 0.0), (1 << 32) - 31);
    }
}
