//! AODV's messages: content, lengths in both profiles, and encoding in captures (RFC 3561 section 5).

use crate::kernel::{NodeId, Span, Time};
use crate::packet::ControlMessage;
use crate::packet::wire::internet;

/// A message of AODV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AodvMessage {
    /// Route request.
    Rreq(Rreq),
    /// Route reply.
    Rrep(Rrep),
    /// Route error: destinations that the sender can no longer reach.
    Rerr(Vec<Unreachable>),
    /// Hello: the sender is a neighbor.
    Hello {
        /// The sender's sequence number.
        seq: u32,
    },
}

/// Route request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rreq {
    /// Hops that it has travelled.
    pub hops: u8,
    /// Its number at the originator.
    pub id: u32,
    /// Destination of the wanted route.
    pub dst: NodeId,
    /// Last known sequence number of the destination.
    pub dst_seq: u32,
    /// Originator.
    pub origin: NodeId,
    /// Sequence number of the originator.
    pub origin_seq: u32,
    /// When the originator sent it. ns-2 measures the latency of route discovery by it; no bytes in captures.
    pub sent_at: Time,
}

/// Route reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rrep {
    /// Hops from the sender of this copy to the destination.
    pub hops: u8,
    /// Destination of the route.
    pub dst: NodeId,
    /// Sequence number of the destination.
    pub dst_seq: u32,
    /// Originator of the request.
    pub origin: NodeId,
    /// Lifetime of the route.
    pub lifetime: Span,
    /// When the request was sent; no bytes in captures.
    pub requested_at: Time,
}

/// One destination of a route error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// Destination.
    pub dst: NodeId,
    /// Its sequence number; the error is valid for routes up to it.
    pub seq: u32,
}

/// UDP port (RFC 3561 section 10).
const PORT: u16 = 654;

/// Message types.
const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;

/// Flag of a RREQ: unknown sequence number.
const UNKNOWN: u8 = 0x08;

/// Lifetime that a hello states, in milliseconds: two intervals (RFC 3561 section 6.9).
const HELLO_LIFE: u32 = 2000;

/// Maximum number of destinations of one RERR: the count has one byte (RFC 3561 section 5.3).
pub(super) const MAX_UNREACHABLE: usize = 255;

impl AodvMessage {
    /// Length without the headers below, in bytes; `padding` is what a RREQ or RREP has beyond the RFC.
    pub(super) fn len(&self, padding: u32) -> u32 {
        match self {
            AodvMessage::Rreq(_) => 24 + padding,
            AodvMessage::Rrep(_) | AodvMessage::Hello { .. } => 20 + padding,
            AodvMessage::Rerr(unreachable) => 4 + 8 * unreachable.len() as u32,
        }
    }
}

impl ControlMessage for AodvMessage {
    fn name(&self) -> &'static str {
        match self {
            AodvMessage::Rreq(_) => "rreq",
            AodvMessage::Rrep(_) => "rrep",
            AodvMessage::Rerr(_) => "rerr",
            AodvMessage::Hello { .. } => "hello",
        }
    }

    fn port(&self) -> u16 {
        PORT
    }

    fn encode(&self, src: NodeId) -> Vec<u8> {
        match self {
            AodvMessage::Rreq(rreq) => {
                let mut bytes = vec![RREQ, if rreq.dst_seq == 0 { UNKNOWN } else { 0 }, 0, rreq.hops];
                bytes.extend(rreq.id.to_be_bytes());
                bytes.extend(internet(rreq.dst));
                bytes.extend(rreq.dst_seq.to_be_bytes());
                bytes.extend(internet(rreq.origin));
                bytes.extend(rreq.origin_seq.to_be_bytes());
                bytes
            }
            AodvMessage::Rrep(rrep) => encode_rrep(rrep, millis(rrep.lifetime)),
            AodvMessage::Hello { seq } => {
                let (dst_seq, requested_at) = (*seq, Time::ZERO);
                let rrep = Rrep { hops: 0, dst: src, dst_seq, origin: src, lifetime: Span::ZERO, requested_at };
                encode_rrep(&rrep, HELLO_LIFE)
            }
            AodvMessage::Rerr(unreachable) => {
                let count = unreachable.len().min(MAX_UNREACHABLE);
                let mut bytes = vec![RERR, 0, 0, count as u8];
                for Unreachable { dst, seq } in &unreachable[..count] {
                    bytes.extend(internet(*dst));
                    bytes.extend(seq.to_be_bytes());
                }
                bytes
            }
        }
    }

    fn json(&self) -> String {
        match self {
            AodvMessage::Rreq(rreq) => rreq.json(),
            AodvMessage::Rrep(rrep) => rrep.json(),
            AodvMessage::Rerr(unreachable) => {
                let lost: Vec<_> = unreachable.iter().map(|lost| format!("[{},{}]", lost.dst.0, lost.seq)).collect();
                format!(r#"{{"unreachable":[{}]}}"#, lost.join(","))
            }
            AodvMessage::Hello { seq } => format!(r#"{{"seq":{seq}}}"#),
        }
    }
}

impl Rreq {
    fn json(&self) -> String {
        let Rreq { hops, id, dst, dst_seq, origin, origin_seq, .. } = self;
        let (dst, origin) = (dst.0, origin.0);
        format!(
            r#"{{"hops":{hops},"id":{id},"dst":{dst},"dst_seq":{dst_seq},"origin":{origin},"origin_seq":{origin_seq}}}"#
        )
    }
}

impl Rrep {
    fn json(&self) -> String {
        let Rrep { hops, dst, dst_seq, origin, lifetime, .. } = self;
        let (dst, origin, lifetime) = (dst.0, origin.0, lifetime.secs());
        format!(r#"{{"hops":{hops},"dst":{dst},"dst_seq":{dst_seq},"origin":{origin},"lifetime_s":{lifetime}}}"#)
    }
}

fn encode_rrep(rrep: &Rrep, lifetime_ms: u32) -> Vec<u8> {
    let mut bytes = vec![RREP, 0, 0, rrep.hops];
    bytes.extend(internet(rrep.dst));
    bytes.extend(rrep.dst_seq.to_be_bytes());
    bytes.extend(internet(rrep.origin));
    bytes.extend(lifetime_ms.to_be_bytes());
    bytes
}

fn millis(span: Span) -> u32 {
    u32::try_from(span.0 / 1_000_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RREQ_SAMPLE: Rreq =
        Rreq { hops: 2, id: 9, dst: NodeId(4), dst_seq: 0, origin: NodeId(0), origin_seq: 6, sent_at: Time::ZERO };

    #[test]
    fn rreq_is_encoded_as_in_the_rfc() {
        let message = AodvMessage::Rreq(RREQ_SAMPLE);
        let bytes = message.encode(NodeId(7));
        assert_eq!(bytes[..8], [1, 0x08, 0, 2, 0, 0, 0, 9]);
        assert_eq!(bytes[8..16], [10, 0, 0, 5, 0, 0, 0, 0]);
        assert_eq!(bytes[16..], [10, 0, 0, 1, 0, 0, 0, 6]);
        assert_eq!((message.name(), message.port()), ("rreq", 654));
    }

    #[test]
    fn messages_are_json_objects_in_logs() {
        let rrep = Rrep {
            hops: 1,
            dst: NodeId(4),
            dst_seq: 6,
            origin: NodeId(0),
            lifetime: Span::from_millis(9_500),
            requested_at: Time::ZERO,
        };
        let lost = vec![Unreachable { dst: NodeId(4), seq: 7 }, Unreachable { dst: NodeId(5), seq: 8 }];
        for (message, json) in [
            (AodvMessage::Rreq(RREQ_SAMPLE), r#"{"hops":2,"id":9,"dst":4,"dst_seq":0,"origin":0,"origin_seq":6}"#),
            (AodvMessage::Rrep(rrep), r#"{"hops":1,"dst":4,"dst_seq":6,"origin":0,"lifetime_s":9.5}"#),
            (AodvMessage::Rerr(lost), r#"{"unreachable":[[4,7],[5,8]]}"#),
            (AodvMessage::Hello { seq: 5 }, r#"{"seq":5}"#),
        ] {
            assert_eq!(message.json(), json);
        }
    }

    #[test]
    fn hello_is_encoded_as_a_reply_of_its_sender() {
        let bytes = AodvMessage::Hello { seq: 5 }.encode(NodeId(7));
        assert_eq!(bytes[..12], [2, 0, 0, 0, 10, 0, 0, 8, 0, 0, 0, 5]);
        assert_eq!(bytes[12..], [10, 0, 0, 8, 0, 0, 0x07, 0xd0]);
    }

    proptest! {
        #[test]
        fn encoded_length_is_that_of_the_rfc(unreachable in 0usize..300, lifetime in 0u64..1 << 50) {
            let rrep = Rrep {
                hops: 1,
                dst: NodeId(1),
                dst_seq: 2,
                origin: NodeId(3),
                lifetime: Span(lifetime),
                requested_at: Time::ZERO,
            };
            let line = Unreachable { dst: NodeId(1), seq: 3 };
            for message in [
                AodvMessage::Rreq(RREQ_SAMPLE),
                AodvMessage::Rrep(rrep),
                AodvMessage::Hello { seq: 1 },
                AodvMessage::Rerr(vec![line; unreachable.min(MAX_UNREACHABLE)]),
            ] {
                prop_assert_eq!(message.encode(NodeId(0)).len() as u32, message.len(0));
            }
        }
    }
}
