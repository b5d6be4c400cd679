//! Encodings of Parquet pages: the hybrid of runs and bit-packing (`RLE`), and `DELTA_BINARY_PACKED`, as in
//! Encodings.md of apache/parquet-format, version 2.

/// Values of a block of `DELTA_BINARY_PACKED`.
const BLOCK: usize = 128;
/// Parts of a block, each with a width of its own.
const PARTS: usize = 4;

/// Bits that numbers up to `greatest` need; at least one, since not every reader knows numbers without bits.
pub(crate) fn width_of(greatest: u32) -> u8 {
    (32 - greatest.leading_zeros()).max(1) as u8
}

/// A number with seven bits per byte, the least first.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number whose sign is its lowest bit.
fn zigzag(number: i64, out: &mut Vec<u8>) {
    varint(((number << 1) ^ (number >> 63)) as u64, out);
}

/// Numbers of `width` bits as one run if they are all the same, and bit-packed otherwise.
pub(crate) fn hybrid(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    let Some(&first) = numbers.first() else { return };
    if numbers.iter().all(|&number| number == first) {
        run(first, numbers.len(), width, out);
        return;
    }
    let groups = numbers.len().div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * usize::from(width);
    pack(numbers, width, out);
    out.resize(end, 0);
}

/// The same number many times.
fn run(number: u32, times: usize, width: u8, out: &mut Vec<u8>) {
    varint((times as u64) << 1, out);
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width).div_ceil(8)]);
}

/// Which rows have a value, as definition levels with their length before them.
pub(crate) fn levels(present: &Bits, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    if present.ones == present.len || present.ones == 0 {
        run(u32::from(present.ones > 0), present.len, 1, out);
    } else {
        varint((present.len.div_ceil(8) as u64) << 1 | 1, out);
        present.to_bytes(out);
    }
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

/// Numbers of `width` bits one after another, the first in the lowest bits.
fn pack(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    let (mut rest, width) = (numbers, u32::from(width));
    if width <= 8 {
        // Eight numbers are `width` bytes. All eight bytes of a word are written; the next word is put over the rest.
        let (eights, less) = numbers.as_chunks::<8>();
        let start = out.len();
        out.resize(start + eights.len() * width as usize + 8, 0);
        let mut at = start;
        for eight in eights {
            let word = eight.iter().rev().fold(0, |word, &number| word << width | u64::from(number));
            out[at..at + 8].copy_from_slice(&word.to_le_bytes());
            at += width as usize;
        }
        out.truncate(at);
        rest = less;
    }
    let (mut word, mut filled) = (0_u64, 0_u32);
    for &number in rest {
        word |= u64::from(number) << filled;
        filled += width;
        if filled >= 32 {
            out.extend_from_slice(&(word as u32).to_le_bytes());
            word >>= 32;
            filled -= 32;
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// Numbers by their differences.
pub(crate) fn deltas(numbers: &[i64], out: &mut Vec<u8>) {
    varint(BLOCK as u64, out);
    varint(PARTS as u64, out);
    varint(numbers.len() as u64, out);
    zigzag(numbers.first().copied().unwrap_or(0), out);
    let mut last = numbers.first().copied().unwrap_or(0);
    let mut differences = [0_i64; BLOCK];
    for block in numbers.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (difference, &number) in differences.iter_mut().zip(block) {
            *difference = number.wrapping_sub(last);
            last = number;
        }
        let differences = &mut differences[..block.len()];
        let least = differences.iter().copied().min().unwrap_or(0);
        zigzag(least, out);
        let widths_at = out.len();
        out.extend_from_slice(&[0; PARTS]);
        for (part, differences) in differences.chunks(BLOCK / PARTS).enumerate() {
            let bits = differences.iter().fold(0, |bits, &difference| bits | difference.wrapping_sub(least) as u64);
            let width = 64 - bits.leading_zeros();
            out[widths_at + part] = width as u8;
            let end = out.len() + (BLOCK / PARTS) * width as usize / 8;
            pack_wide(differences, least, width, out);
            out.resize(end, 0);
        }
    }
}

/// What differences are above the least one, packed like [`pack`].
fn pack_wide(differences: &[i64], least: i64, width: u32, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0_u64, 0_u32);
    for difference in differences {
        let number = difference.wrapping_sub(least) as u64;
        word |= number << filled;
        filled += width;
        if filled >= 64 {
            out.extend_from_slice(&word.to_le_bytes());
            filled -= 64;
            // What did not fit; nothing is left of a number whose end was the word's.
            word = number.unbounded_shr(width - filled);
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// One bit per row.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
    ones: usize,
}

impl Bits {
    /// Adds one bit.
    #[inline]
    pub(crate) fn push(&mut self, bit: bool) {
        self.push_many(u64::from(bit), 1);
    }

    /// Adds the lowest `count` bits of a word, 1 to 64 of them; the others are 0.
    #[inline]
    pub(crate) fn push_many(&mut self, bits: u64, count: usize) {
        let filled = self.len % 64;
        match self.words.last_mut() {
            Some(last) if filled > 0 => {
                *last |= bits << filled;
                if filled + count > 64 {
                    self.words.push(bits >> (64 - filled));
                }
            }
            _ => self.words.push(bits),
        }
        self.len += count;
        self.ones += bits.count_ones() as usize;
    }

    pub(crate) fn to_bytes(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.len.div_ceil(8);
        out.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        out.truncate(end);
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        (self.len, self.ones) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format() {
        // Encodings.md: the numbers 0 to 7 in three bits are 0x88 0xC6 0xFA.
        let mut out = Vec::new();
        hybrid(&[0, 1, 2, 3, 4, 5, 6, 7], 3, &mut out);
        assert_eq!(out, [0b11, 0x88, 0xC6, 0xFA]);
        // And 1 to 5 by differences: one block, all differences 1, no bits.
        out.clear();
        deltas(&[1, 2, 3, 4, 5], &mut out);
        assert_eq!(out, [0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0]);
        out.clear();
        varint(300, &mut out);
        assert_eq!(out, [0xAC, 2]);
    }

    #[test]
    fn a_group_that_is_not_full_is_filled_up() {
        let mut out = Vec::new();
        hybrid(&[1, 2, 3], 9, &mut out);
        assert_eq!(out.len(), 1 + 9);
        out.clear();
        hybrid(&[7; 100], 9, &mut out);
        assert_eq!(out, [0xC8, 1, 7, 0]);
    }

    #[test]
    fn levels_tell_their_length() {
        let mut bits = Bits::default();
        (0..10).for_each(|i| bits.push(i % 2 == 0));
        let mut out = Vec::new();
        levels(&bits, &mut out);
        assert_eq!(out, [3, 0, 0, 0, 0b101, 0x55, 0x01]);
        bits.clear();
        (0..10).for_each(|_| bits.push(true));
        out.clear();
        levels(&bits, &mut out);
        assert_eq!(out, [2, 0, 0, 0, 20, 1]);
    }

    #[test]
    fn bits_can_be_added_one_by_one_or_many_at_a_time() {
        let (mut one, mut many) = (Bits::default(), Bits::default());
        for count in [3, 64, 1, 61, 64, 64, 7, 63] {
            let bits = 0x9E37_79B9_7F4A_7C15_u64 >> (64 - count);
            many.push_many(bits, count);
            (0..count).for_each(|i| one.push(bits >> i & 1 == 1));
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        one.to_bytes(&mut a);
        many.to_bytes(&mut b);
        assert_eq!((a, one.ones, one.len), (b, many.ones, many.len));
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, 255, 256, u32::MAX].map(width_of), [1, 1, 2, 2, 3, 8, 9, 32]);
    }
}
