//! Frames of IEEE 802.11.

use super::ip_packet::PacketId;
use crate::kernel::{NodeId, Rate, Span};

/// Types of frame that the distributed coordination function uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Data, unicast or broadcast.
    Data,
    /// Acknowledgment of data.
    Ack,
}

/// Modulations of IEEE 802.11b, by the bit rate of a frame after its PLCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Modulation {
    /// 1 Mb/s, DBPSK.
    Dbpsk1,
    /// 2 Mb/s, DQPSK.
    Dqpsk2,
    /// 5.5 Mb/s, CCK.
    Cck5,
    /// 11 Mb/s, CCK.
    Cck11,
}

/// How an RTS says that it is for a control packet, if a handshake policy says so at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Urgency {
    /// It does not.
    #[default]
    None,
    /// By the More Data bit, which means nothing in an RTS.
    MoreData,
    /// By control subtype 14, which the standard gives to CF-End.
    Subtype14,
}

/// A frame, as one station puts it on the air.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Type.
    pub kind: FrameKind,
    /// Station that sends it. CTS and ACK do not carry it: only the medium and statistics read it there.
    pub ta: NodeId,
    /// Station it is for.
    pub ra: NodeId,
    /// Length with MAC header and FCS, in bytes.
    pub bytes: u32,
    /// Time on the air, preamble included.
    pub airtime: Span,
    /// How its bits are sent.
    pub modulation: Modulation,
    /// Duration field, in microseconds: how long the medium stays reserved after it.
    pub duration: u16,
    /// Sequence number (data frames).
    pub seq: u16,
    /// Retry bit.
    pub retry: bool,
    /// Order bit, free for a handshake policy (RTS and CTS).
    pub order: bool,
    /// Mark of an RTS for a control packet, free for a handshake policy.
    pub urgency: Urgency,
    /// What an observer at the sender wants to tell (ACKs): a rate in bytes per second, or 0.
    pub note: u32,
    /// What a data frame carries, as held by its sender.
    pub packet: Option<PacketId>,
}

impl Modulation {
    /// All of them, the slowest first.
    pub const ALL: [Modulation; 4] = [Modulation::Dbpsk1, Modulation::Dqpsk2, Modulation::Cck5, Modulation::Cck11];

    /// The one that carries this rate; the slowest that is not slower.
    pub fn of(rate: Rate) -> Modulation {
        Modulation::ALL.into_iter().find(|modulation| modulation.rate().0 >= rate.0).unwrap_or(Modulation::Cck11)
    }

    /// Its bit rate.
    pub fn rate(self) -> Rate {
        Rate(match self {
            Modulation::Dbpsk1 => 1e6,
            Modulation::Dqpsk2 => 2e6,
            Modulation::Cck5 => 5.5e6,
            Modulation::Cck11 => 11e6,
        })
    }
}

impl Frame {
    /// A frame at the lowest rate whose length, times and marks are not set yet.
    pub const fn blank(kind: FrameKind, ta: NodeId, ra: NodeId) -> Frame {
        Frame {
            kind,
            ta,
            ra,
            bytes: 0,
            airtime: Span::ZERO,
            modulation: Modulation::Dbpsk1,
            duration: 0,
            seq: 0,
            retry: false,
            order: false,
            urgency: Urgency::None,
            note: 0,
            packet: None,
        }
    }

    /// Whether everybody in reach is meant.
    pub fn is_broadcast(&self) -> bool {
        self.ra.is_broadcast()
    }

    /// The two bytes of the Frame Control field (IEEE 802.11-1999 section 7.1.3.1): type and subtype, then flags.
    pub fn control(&self) -> [u8; 2] {
        let first = match (self.kind, self.urgency) {
            (FrameKind::Rts, Urgency::Subtype14) => 0xE4,
            (FrameKind::Rts, _) => 0xB4,
            (FrameKind::Cts, _) => 0xC4,
            (FrameKind::Ack, _) => 0xD4,
            (FrameKind::Data, _) => 0x08,
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
    fn frame_control_bytes() {
        let rts =
            Frame { bytes: 20, airtime: Span::from_micros(352), ..Frame::blank(FrameKind::Rts, NodeId(1), NodeId(2)) };
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
