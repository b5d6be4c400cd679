//! Messages of routing protocols (RFC 3561 section 5; DSDV in a layout of ours).

use super::internet;
use crate::kernel::{NodeId, Span};
use crate::packet::Control;

const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;

/// Flag of a request: the destination's sequence number is unknown.
const UNKNOWN: u8 = 0x08;

/// Lifetime that a hello gives to its route: two intervals (RFC 3561 section 6.9).
const HELLO_LIFE: u32 = 2000;

/// Whether this is DSDV's.
pub(super) fn is_dsdv(message: &Control) -> bool {
    matches!(message, Control::Dsdv(_))
}

/// What a datagram with this message holds. `src` is who sends it.
pub(super) fn body(message: &Control, src: NodeId) -> Vec<u8> {
    match message {
        Control::Rreq { hops, id, dst, dst_seq, origin, origin_seq, .. } => {
            let mut bytes = vec![RREQ, if *dst_seq == 0 { UNKNOWN } else { 0 }, 0, *hops];
            bytes.extend(id.to_be_bytes());
            bytes.extend(internet(*dst));
            bytes.extend(dst_seq.to_be_bytes());
            bytes.extend(internet(*origin));
            bytes.extend(origin_seq.to_be_bytes());
            bytes
        }
        Control::Rrep { hops, dst, dst_seq, origin, lifetime, .. } => {
            rrep(*hops, *dst, *dst_seq, *origin, millis(*lifetime))
        }
        Control::Hello { seq } => rrep(0, src, *seq, src, HELLO_LIFE),
        Control::Rerr(lost) => {
            let mut bytes = vec![RERR, 0, 0, lost.len().min(255) as u8];
            for one in lost.iter().take(255) {
                bytes.extend(internet(one.dst));
                bytes.extend(one.seq.to_be_bytes());
            }
            bytes
        }
        Control::Dsdv(adverts) => {
            let mut bytes = (adverts.len() as u32).to_be_bytes().to_vec();
            for advert in adverts.iter() {
                bytes.extend(internet(advert.dst));
                bytes.extend(u32::from(advert.hops).to_be_bytes());
                bytes.extend(advert.seq.to_be_bytes());
            }
            bytes
        }
    }
}

fn rrep(hops: u8, dst: NodeId, dst_seq: u32, origin: NodeId, lifetime: u32) -> Vec<u8> {
    let mut bytes = vec![RREP, 0, 0, hops];
    bytes.extend(internet(dst));
    bytes.extend(dst_seq.to_be_bytes());
    bytes.extend(internet(origin));
    bytes.extend(lifetime.to_be_bytes());
    bytes
}

fn millis(span: Span) -> u32 {
    u32::try_from(span.0 / 1_000_000).unwrap_or(u32::MAX)
}
