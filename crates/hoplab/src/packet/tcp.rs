//! Segments of real TCP connections: byte sequence numbers, flags, options.

use crate::kernel::{End, Time};
use crate::packet::segment::MAX_BLOCKS;

/// A segment of a real TCP connection (RFC 9293). Sequence numbers have 64 bits and start at 0 with the SYN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSegment {
    /// End that sends it.
    pub from: End,
    /// Its flags.
    pub flags: TcpFlags,
    /// Whether it may be marked instead of dropped: ECT(0) in the IP header (RFC 3168).
    pub is_ect: bool,
    /// Whether its data, SYN or FIN had been sent before.
    pub is_retransmission: bool,
    /// Number of SACK blocks in use.
    pub block_count: u8,
    /// Shift of the window in the header (RFC 7323); a SYN's window is not shifted.
    pub window_shift: u8,
    /// Payload in bytes.
    pub len: u32,
    /// Receive window in bytes.
    pub window: u32,
    /// Sequence number of its first byte.
    pub seq: u64,
    /// Next byte expected, if [`TcpFlags::ACK`] is set.
    pub ack: u64,
    /// SACK blocks `[first, beyond)` relative to `ack`, the most recent first; one below zero is a DSACK (RFC 2883).
    pub blocks: [(i32, i32); MAX_BLOCKS],
    /// When this copy was sent (TSval).
    pub sent_at: Time,
    /// TSval that it echoes (TSecr).
    pub echo: Time,
    /// When its data was sent for the first time.
    pub first_sent: Time,
}

/// Flags of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags(pub u8);

impl TcpFlags {
    /// Last segment.
    pub const FIN: TcpFlags = TcpFlags(0x01);
    /// First segment.
    pub const SYN: TcpFlags = TcpFlags(0x02);
    /// Reset.
    pub const RST: TcpFlags = TcpFlags(0x04);
    /// Push: the receiver passes the data on.
    pub const PSH: TcpFlags = TcpFlags(0x08);
    /// The acknowledgment number is valid.
    pub const ACK: TcpFlags = TcpFlags(0x10);
    /// Echo of a congestion mark (RFC 3168).
    pub const ECE: TcpFlags = TcpFlags(0x40);
    /// The sender has reduced its window (RFC 3168).
    pub const CWR: TcpFlags = TcpFlags(0x80);

    /// Whether all flags of `other` are set.
    #[inline]
    pub fn has(self, other: TcpFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// With the flags of `other`.
    #[must_use]
    pub fn with(self, other: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 | other.0)
    }

    /// With the flags of `other` if `holds`.
    #[must_use]
    pub fn with_if(self, holds: bool, other: TcpFlags) -> TcpFlags {
        if holds { self.with(other) } else { self }
    }
}

/// Bytes of IP and TCP headers without options.
const HEADERS: u32 = 40;
/// Bytes of a timestamp with its padding (RFC 7323).
const TIMESTAMP: u32 = 12;
/// Bytes of the options of a SYN: MSS 4, SACK permitted 2, timestamp 10, NOP 1, window scale 3.
const SYN_OPTIONS: u32 = 20;

impl TcpSegment {
    /// The SACK blocks, the most recent first, as absolute numbers.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let at = |offset: i32| self.ack.saturating_add_signed(i64::from(offset));
        self.blocks[..self.block_count as usize].iter().map(move |&(first, beyond)| (at(first), at(beyond)))
    }

    /// Sequence number after its data, SYN and FIN.
    #[inline]
    pub fn end(&self) -> u64 {
        let flags = u64::from(self.flags.has(TcpFlags::SYN)) + u64::from(self.flags.has(TcpFlags::FIN));
        self.seq + u64::from(self.len) + flags
    }

    /// Whether it occupies sequence numbers: it is no pure acknowledgment.
    #[inline]
    pub fn occupies(&self) -> bool {
        self.end() > self.seq
    }

    /// Length above the MAC: a SYN has 60 bytes, an acknowledgment 52 (64 and more with SACK blocks), a reset 40.
    pub fn bytes(&self) -> u32 {
        let options = if self.flags.has(TcpFlags::RST) {
            0
        } else if self.flags.has(TcpFlags::SYN) {
            SYN_OPTIONS
        } else if self.block_count > 0 {
            TIMESTAMP + 4 + 8 * u32::from(self.block_count)
        } else {
            TIMESTAMP
        };
        HEADERS + options + self.len
    }

    /// Whether it belongs to the data direction of its flow, and not to the acknowledgments.
    #[inline]
    pub fn is_forward(&self) -> bool {
        self.from == End::Source
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, Payload};

    fn segment(flags: TcpFlags, len: u32, block_count: u8) -> TcpSegment {
        TcpSegment {
            from: End::Source,
            flags,
            is_ect: false,
            is_retransmission: false,
            block_count,
            window_shift: 0,
            len,
            window: 0,
            seq: 100,
            ack: 50,
            blocks: [(10, 20), (-5, 0), (0, 0)],
            sent_at: Time::ZERO,
            echo: Time::ZERO,
            first_sent: Time::ZERO,
        }
    }

    #[test]
    fn sizes_are_those_of_linux() {
        let bytes = |flags, len, blocks| segment(flags, len, blocks).bytes();
        let ack = TcpFlags::ACK;
        assert_eq!(bytes(TcpFlags::SYN, 0, 0), 60);
        assert_eq!(bytes(TcpFlags::SYN.with(ack), 0, 0), 60);
        assert_eq!([0, 1, 2, 3].map(|blocks| bytes(ack, 0, blocks)), [52, 64, 72, 80]);
        assert_eq!((bytes(ack, 1448, 0), bytes(TcpFlags::FIN.with(ack), 0, 0)), (1500, 52));
        assert_eq!(bytes(TcpFlags::RST.with(ack), 0, 0), 40);
    }

    #[test]
    fn blocks_are_relative_to_the_acknowledgment() {
        let blocks: Vec<_> = segment(TcpFlags::ACK, 0, 2).blocks().collect();
        assert_eq!(blocks, [(60, 70), (45, 50)]);
        assert_eq!(segment(TcpFlags::FIN, 3, 0).end(), 104);
        assert!(!segment(TcpFlags::ACK, 0, 0).occupies());
    }

    #[test]
    fn packet_does_not_grow() {
        assert!(size_of::<TcpSegment>() <= 80, "{}", size_of::<TcpSegment>());
        assert_eq!((size_of::<Payload>(), size_of::<Packet>()), (PAYLOAD, PACKET));
    }

    /// Sizes before there was a payload of TCP, or an ECN field.
    const PAYLOAD: usize = 96;
    const PACKET: usize = 168;
}
