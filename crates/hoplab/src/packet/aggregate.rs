//! What an A-MPDU carries, and what a Block Ack says of it (IEEE 802.11-2016 sections 9.3.1.9 and 9.7).

use super::ip_packet::PacketId;

/// A sequence number of 12 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sequence(pub u16);

/// Sequence numbers.
const SEQUENCES: u16 = 1 << 12;

/// MPDUs of an A-MPDU, and of the window of a block acknowledgment, at most.
pub const WINDOW: u16 = 64;

/// Bytes in front of each MPDU of an A-MPDU, which is padded to a multiple of as many.
const DELIMITER: u32 = 4;

/// The acknowledgment of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockAck {
    /// First number of the window: all before have been received, or will not be.
    pub start: Sequence,
    /// Bit i: the MPDU `start` + i has been received.
    pub bitmap: u64,
}

/// One MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu {
    /// Its sequence number.
    pub seq: Sequence,
    /// Length with MAC header and FCS, in bytes.
    pub bytes: u32,
    /// Retry bit.
    pub is_retry: bool,
    /// Its packets, several in an A-MSDU: from the first to the last in those of the A-MPDU.
    packets: (u32, u32),
}

/// The MPDUs that a station has sent last, and its last Block Ack.
#[derive(Clone, Debug, Default)]
pub struct Aggregate {
    mpdus: Vec<Mpdu>,
    packets: Vec<PacketId>,
    /// What the station's last Block Ack says.
    pub block_ack: BlockAck,
}

impl Sequence {
    /// The number that is `count` later.
    #[must_use]
    pub fn after(self, count: u16) -> Sequence {
        Sequence((self.0 + count) % SEQUENCES)
    }

    /// How much later it is than `start`; half of the numbers and more: it is earlier.
    pub fn distance(self, start: Sequence) -> u16 {
        (self.0 + SEQUENCES - start.0) % SEQUENCES
    }

    /// Whether it is earlier than `start`.
    pub fn is_before(self, start: Sequence) -> bool {
        self.distance(start) >= SEQUENCES / 2
    }
}

impl BlockAck {
    /// Whether it acknowledges an MPDU.
    pub fn has(&self, seq: Sequence) -> bool {
        let distance = seq.distance(self.start);
        if distance < WINDOW { self.bitmap >> distance & 1 == 1 } else { seq.is_before(self.start) }
    }
}

/// A length padded to a multiple of four.
pub fn padded(bytes: u32) -> u32 {
    bytes.next_multiple_of(DELIMITER)
}

/// Length of an A-MPDU of `before` bytes with one more MPDU.
pub fn with_mpdu(before: u32, mpdu: u32) -> u32 {
    padded(before) + DELIMITER + mpdu
}

/// Longest MPDU that can join an A-MPDU of `before` bytes, so that it has `limit` bytes at most.
pub fn room_behind(before: u32, limit: u32) -> u32 {
    limit.saturating_sub(padded(before) + DELIMITER)
}

impl Aggregate {
    /// Empties it.
    pub fn clear(&mut self) {
        self.mpdus.clear();
        self.packets.clear();
    }

    /// Appends an MPDU with its packets.
    pub fn push(&mut self, seq: Sequence, bytes: u32, is_retry: bool, packets: impl Iterator<Item = PacketId>) {
        let first = self.packets.len() as u32;
        self.packets.extend(packets);
        self.mpdus.push(Mpdu { seq, bytes, is_retry, packets: (first, self.packets.len() as u32) });
    }

    /// Its MPDUs, in the order of transmission.
    pub fn mpdus(&self) -> &[Mpdu] {
        &self.mpdus
    }

    /// The packets of an MPDU.
    pub fn packets(&self, mpdu: &Mpdu) -> &[PacketId] {
        &self.packets[mpdu.packets.0 as usize..mpdu.packets.1 as usize]
    }

    /// Length of all MPDUs, delimiters and padding included.
    pub fn bytes(&self) -> u32 {
        self.mpdus.iter().fold(0, |bytes, mpdu| with_mpdu(bytes, mpdu.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap() {
        let last = Sequence(SEQUENCES - 1);
        assert_eq!((last.after(1), last.after(3)), (Sequence(0), Sequence(2)));
        assert_eq!((Sequence(2).distance(last), last.is_before(Sequence(2))), (3, true));
        assert!(!Sequence(2).is_before(last) && !last.is_before(last));
    }

    #[test]
    fn block_ack_covers_its_window_and_all_before() {
        let ack = BlockAck { start: Sequence(4090), bitmap: 0b1010_0000_0001 };
        for (seq, has) in [(4090, true), (4091, false), (4095, false), (3, true), (5, true), (2, false), (4000, true)] {
            assert_eq!(ack.has(Sequence(seq)), has, "{seq}");
        }
        assert!(!ack.has(Sequence(200)), "behind the window");
    }

    #[test]
    fn mpdus_have_delimiters_and_padding_between_them() {
        let mut aggregate = Aggregate::default();
        for seq in 0..28 {
            aggregate.push(Sequence(seq), 1538, false, [PacketId(u32::from(seq))].into_iter());
        }
        // IEEE 802.11-2016 section 9.7.1: 27 steps of 1544 bytes, and 1542.
        assert_eq!(aggregate.bytes(), 27 * 1544 + 1542);
        assert_eq!(room_behind(aggregate.bytes(), 28 * 1544 + 1541), 1537);
        assert_eq!(aggregate.packets(&aggregate.mpdus()[5]), [PacketId(5)]);
        aggregate.clear();
        assert_eq!((aggregate.bytes(), aggregate.mpdus().len()), (0, 0));
    }
}
