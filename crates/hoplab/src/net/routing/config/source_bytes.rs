//! Header bytes that are added to a packet at its source.
//!
//! ns-2.35's routing agents add an IP header to some packets: AODV to datagrams, DSDV also to TCP's packets, which contain
//! one already. So the bytes are keys of `[routing]`.

use crate::packet::Payload;

/// Bytes by kind of packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceBytes {
    /// Added to segments and acknowledgments.
    pub tcp: u32,
    /// Added to datagrams.
    pub udp: u32,
    /// Added to other packets of flows.
    pub other: u32,
}

impl SourceBytes {
    /// Bytes added to a packet with this payload.
    pub fn of(&self, payload: &Payload) -> u32 {
        match payload {
            Payload::Segment(_)
            | Payload::Ack(_)
            | Payload::Tcp(_)
            | Payload::SplitSegment(_)
            | Payload::Lack(_)
            | Payload::Report(_) => self.tcp,
            Payload::Datagram(_) => self.udp,
            Payload::Unreachable(_) | Payload::Stack(_) => self.other,
            Payload::Control(_) | Payload::Arp(_) | Payload::Live(_) => 0,
        }
    }
}
