//! Reads the stream data of a QUIC datagram whose keys change nothing.
//!
//! # Source
//! RFC 9000: integers of variable length (section 16), packets (section 17), frames (section 19). DATAGRAM, ACK_FREQUENCY and
//! IMMEDIATE_ACK, which quinn sends with loss probes, as `quinn-proto` writes them (its `frame.rs`).

use super::crypto::TAG;

/// Bytes that are still to be read; `None` if there are too few.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// An integer of variable length.
    fn varint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let rest = self.take((1 << (first >> 6)) - 1)?;
        Some(rest.iter().fold(u64::from(first & 0x3f), |value, &byte| value << 8 | u64::from(byte)))
    }

    fn skip_varints(&mut self, count: u64) -> Option<()> {
        (0..count).try_for_each(|_| self.varint().map(drop))
    }

    /// Bytes with their length before them.
    fn skip_counted(&mut self) -> Option<()> {
        let len = self.varint()?;
        self.take(usize::try_from(len).ok()?).map(drop)
    }
}

/// Appends the stream data of the packets in a datagram to `out`: `[first, last)` of each STREAM frame. `cid` is the length
/// of connection IDs. A datagram that is cut short has what precedes the cut.
pub(super) fn stream_data(datagram: &[u8], cid: usize, out: &mut Vec<(u64, u64)>) {
    let mut input = Input(datagram);
    while let Some(is_last) = packet(&mut input, cid, out) {
        if is_last {
            return;
        }
    }
}

/// Reads one packet. Returns whether it was the last of its datagram.
fn packet(input: &mut Input<'_>, cid: usize, out: &mut Vec<(u64, u64)>) -> Option<bool> {
    let first = input.byte()?;
    if first & 0x80 != 0 {
        // A long header: version, both connection IDs, the token of an Initial, and the length of the rest.
        input.take(4)?;
        for _ in 0..2 {
            let len = input.byte()?;
            input.take(len.into())?;
        }
        if (first >> 4) % 4 == 0 {
            input.skip_counted()?;
        }
        input.skip_counted()?;
        return Some(input.0.is_empty());
    }
    input.take(cid + 1 + usize::from(first & 3))?;
    let frames = input.0.len().checked_sub(TAG)?;
    let mut frames = Input(input.take(frames)?);
    while !frames.0.is_empty() {
        frame(&mut frames, out)?;
    }
    Some(true)
}

fn frame(input: &mut Input<'_>, out: &mut Vec<(u64, u64)>) -> Option<()> {
    match input.varint()? {
        // PADDING, PING, HANDSHAKE_DONE, IMMEDIATE_ACK.
        0x00 | 0x01 | 0x1e | 0x1f => Some(()),
        // ACK, with and without ECN.
        kind @ (0x02 | 0x03) => {
            input.skip_varints(2)?;
            let ranges = input.varint()?;
            input.skip_varints(1 + 2 * ranges + if kind == 0x03 { 3 } else { 0 })
        }
        // RESET_STREAM.
        0x04 => input.skip_varints(3),
        // STOP_SENDING, MAX_STREAM_DATA, STREAM_DATA_BLOCKED.
        0x05 | 0x11 | 0x15 => input.skip_varints(2),
        // CRYPTO.
        0x06 => {
            input.varint()?;
            input.skip_counted()
        }
        // NEW_TOKEN, DATAGRAM with a length.
        0x07 | 0x31 => input.skip_counted(),
        kind @ 0x08..=0x0f => {
            input.varint()?;
            let first = if kind & 4 != 0 { input.varint()? } else { 0 };
            let len = if kind & 2 != 0 { input.varint()? } else { input.0.len() as u64 };
            input.take(usize::try_from(len).ok()?)?;
            if len > 0 {
                out.push((first, first + len));
            }
            Some(())
        }
        // MAX_DATA, MAX_STREAMS, DATA_BLOCKED, STREAMS_BLOCKED, RETIRE_CONNECTION_ID.
        0x10 | 0x12..=0x14 | 0x16 | 0x17 | 0x19 => input.varint().map(drop),
        // NEW_CONNECTION_ID, with a reset token.
        0x18 => {
            input.skip_varints(2)?;
            let len = input.byte()?;
            input.take(usize::from(len) + 16).map(drop)
        }
        // PATH_CHALLENGE, PATH_RESPONSE.
        0x1a | 0x1b => input.take(8).map(drop),
        // CONNECTION_CLOSE, of the transport and of the application.
        kind @ (0x1c | 0x1d) => {
            input.skip_varints(if kind == 0x1c { 2 } else { 1 })?;
            input.skip_counted()
        }
        // DATAGRAM to the end.
        0x30 => input.take(input.0.len()).map(drop),
        // ACK_FREQUENCY.
        0xaf => input.skip_varints(4),
        kind => {
            unreachable!("a QUIC frame of type {kind:#x}, which this reader does not know: its payload would not count")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_of(datagram: &[u8]) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        stream_data(datagram, 8, &mut out);
        out
    }

    /// A short header with a connection ID of 8 bytes and a packet number of one, `frames`, and a tag.
    fn short(frames: &[u8]) -> Vec<u8> {
        [&[0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], frames, &[0; TAG]].concat()
    }

    #[test]
    fn varints_are_those_of_the_standard() {
        // RFC 9000 appendix A.1.
        let examples: [(&[u8], u64); 4] = [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ];
        for (bytes, value) in examples {
            assert_eq!(Input(bytes).varint(), Some(value));
            assert_eq!(Input(&bytes[..bytes.len() - 1]).varint(), None);
        }
    }

    #[test]
    fn stream_frames_follow_others() {
        // ACK of packets 5 and 1, then bytes 300 to 303 with a length, then bytes 9 and 10 to the end.
        let ack = [0x02, 5, 0, 1, 0, 2, 0];
        let explicit = [0x0e, 2, 0x41, 0x2c, 3, 7, 7, 7];
        let open = [0x0c, 2, 9, 7, 7];
        assert_eq!(data_of(&short(&[&ack[..], &explicit, &open].concat())), [(300, 303), (9, 11)]);
        assert_eq!(data_of(&short(&ack)), []);
    }

    #[test]
    fn data_follows_a_coalesced_handshake_packet() {
        let long = [0xe0, 0, 0, 0, 1, 1, 9, 1, 9, 3, 0, 0, 0];
        assert_eq!(data_of(&[&long[..], &short(&[0x08, 2, 7])].concat()), [(0, 1)]);
    }

    #[test]
    fn data_follows_every_kind_of_frame_that_quinn_sends() {
        let data = [0x08, 2, 7, 7, 7];
        let others: [&[u8]; 8] = [
            &[0x00],
            &[0x01],
            &[0x1e],
            &[0x1f],
            &[0x31, 2, 9, 9],
            &[0x40, 0xaf, 1, 2, 3, 4],
            &[0x10, 5],
            &[0x07, 1, 9],
        ];
        for other in others {
            assert_eq!(data_of(&short(&[other, &data].concat())), [(0, 3)], "{other:x?}");
        }
    }

    #[test]
    #[should_panic(expected = "0x3f")]
    fn unknown_frames_are_not_skipped_in_silence() {
        data_of(&short(&[0x3f]));
    }

    #[test]
    fn damaged_datagrams_have_no_data() {
        let whole = short(&[0x0e, 2, 0, 200, 7]);
        assert!((0..whole.len()).all(|len| data_of(&whole[..len]).is_empty()));
        assert_eq!(data_of(&whole), []);
    }
}
