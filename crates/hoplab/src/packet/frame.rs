//! Frames of IEEE 802.11, as values; `wire` writes their bytes.

use super::category::Category;
use super::ip_packet::PacketId;
use super::modulation::Modulation;
use crate::kernel::{RadioId, Span};

/// Frame types of the DCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameKind {
    /// RTS.
    Rts,
    /// CTS.
    Cts,
    /// Data, unicast or broadcast.
    Data,
    /// MAC acknowledgment.
    Ack,
    /// A-MPDU: several data frames as one.
    Aggregate,
    /// Block Ack.
    BlockAck,
    /// Block Ack Request.
    BlockAckRequest,
    /// CF-End: the sender gives the rest of its TXOP back.
    CfEnd,
}

impl FrameKind {
    /// Number of types.
    pub const COUNT: usize = 8;

    /// Whether its sender sends it in the access category of its data; a Block Ack is in that of the data that it answers.
    pub fn has_category(self) -> bool {
        self.is_data() || matches!(self, FrameKind::Rts | FrameKind::BlockAckRequest | FrameKind::BlockAck)
    }

    /// Whether it carries packets.
    pub fn is_data(self) -> bool {
        matches!(self, FrameKind::Data | FrameKind::Aggregate)
    }
}

/// How an RTS is marked as sent for a control packet, if a handshake policy does so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Urgency {
    /// Unmarked.
    #[default]
    None,
    /// By the More Data bit, which has no meaning in an RTS.
    MoreData,
    /// By control subtype 14, CF-End in the standard.
    Subtype14,
}

/// A frame as transmitted by one station.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Type.
    pub kind: FrameKind,
    /// Transmitter address (TA). CTS and ACK do not carry it: there, only the medium and statistics read it.
    pub ta: RadioId,
    /// Receiver address (RA).
    pub ra: RadioId,
    /// Length with MAC header and FCS, in bytes.
    pub bytes: u32,
    /// Airtime, preamble included.
    pub airtime: Span,
    /// Modulation of the bits after the PHY header.
    pub modulation: Modulation,
    /// Duration field, in microseconds: NAV of other stations from its end.
    pub duration: u16,
    /// Sequence number (data frames), or the first one of a window (Block Ack Requests).
    pub seq: u16,
    /// Retry bit.
    pub retry: bool,
    /// Order bit, free for a handshake policy.
    pub order: bool,
    /// Mark of an RTS for a control packet, free for a handshake policy.
    pub urgency: Urgency,
    /// Access category ([`FrameKind::has_category`]).
    pub category: Category,
    /// Value of an observer at the sender (ACKs): a rate in bytes per second, or 0. In data frames, the record of its packet.
    pub note: u32,
    /// Packet of a data frame, the first of an A-MPDU: the sender's copy. A probe has none.
    pub packet: Option<PacketId>,
}

impl Frame {
    /// A frame at the lowest rate, with length, times and marks to be set by the caller.
    pub const fn blank(kind: FrameKind, ta: RadioId, ra: RadioId) -> Frame {
        Frame {
            kind,
            ta,
            ra,
            bytes: 0,
            airtime: Span::ZERO,
            modulation: Modulation::DBPSK1,
            duration: 0,
            seq: 0,
            retry: false,
            order: false,
            urgency: Urgency::None,
            category: Category::BestEffort,
            note: 0,
            packet: None,
        }
    }

    /// Whether it is a broadcast.
    pub fn is_broadcast(&self) -> bool {
        self.ra.is_broadcast()
    }

    /// Whether it is a probe of rt-Winf: data without a packet.
    pub fn is_probe(&self) -> bool {
        self.kind == FrameKind::Data && self.packet.is_none()
    }

    /// The two bytes of the Frame Control field (IEEE 802.11-1999 section 7.1.3.1): type and subtype, then flags.
    pub fn control(&self) -> [u8; 2] {
        let first = match (self.kind, self.urgency) {
            // Subtype 1110: CF-End, and by Semi-TCP an urgent RTS.
            (FrameKind::Rts, Urgency::Subtype14) | (FrameKind::CfEnd, _) => 0xE4,
            (FrameKind::Rts, _) => 0xB4,
            (FrameKind::Cts, _) => 0xC4,
            (FrameKind::Ack, _) => 0xD4,
            // Subtype 1001 (Barreto 2015, section 3.2), reserved in the standard of 1999.
            (FrameKind::Data, _) if self.is_probe() => 0x98,
            (FrameKind::Data | FrameKind::Aggregate, _) => 0x08,
            (FrameKind::BlockAck, _) => 0x94,
            (FrameKind::BlockAckRequest, _) => 0x84,
        };
        let flag = |is_set: bool, bit: u8| u8::from(is_set) << bit;
        let is_marked = self.urgency == Urgency::MoreData;
        [first, flag(self.retry, 3) | flag(is_marked, 5) | flag(self.order, 7)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_control_matches_standard() {
        let rts = Frame {
            bytes: 20,
            airtime: Span::from_micros(352),
            ..Frame::blank(FrameKind::Rts, RadioId(1), RadioId(2))
        };
        let cts = Frame { kind: FrameKind::Cts, bytes: 14, ..rts };
        assert_eq!(rts.control(), [0xB4, 0x00]);
        assert_eq!(Frame { order: true, ..rts }.control(), [0xB4, 0x80]);
        assert_eq!(Frame { order: true, retry: true, ..rts }.control(), [0xB4, 0x88]);
        assert_eq!(Frame { urgency: Urgency::MoreData, ..rts }.control(), [0xB4, 0x20]);
        assert_eq!(Frame { urgency: Urgency::Subtype14, ..rts }.control(), [0xE4, 0x00]);
        assert_eq!(cts.control(), [0xC4, 0x00]);
        assert_eq!(Frame { order: true, ..cts }.control(), [0xC4, 0x80]);
    }
}
