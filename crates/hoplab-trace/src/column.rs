//! Columns of a table while it is being written: values of the page at hand, and the dictionary of the row group.

use crate::encode::{Bits, deltas, hybrid, levels, width_of};
use parquet::basic::Encoding;
use std::mem::take;

/// Distinct numbers from which on a column does without a dictionary, until the next row group.
const MOST_DISTINCT: usize = 1 << 12;

/// A column, by what its values are.
#[derive(Debug)]
pub(crate) enum Column {
    /// The same number in every row.
    Constant(u64),
    /// Numbers that grow, or differ little; always there.
    Steady(Steady),
    /// The same, with gaps.
    SteadyOrNull(Bits, Steady),
    /// Places in a list of names; always there.
    Name(Vec<u32>, &'static [&'static str]),
    /// Places in a list of names, with gaps.
    NameOrNull(Bits, Vec<u32>, Vec<&'static str>),
    /// Numbers of nodes or flows, with gaps.
    IdOrNull(Bits, Ids),
    /// Any numbers of 4 bytes, few of them distinct, with gaps.
    CountOrNull(Bits, Numbers<4>),
    /// Any numbers of 8 bytes, with gaps.
    RealOrNull(Bits, Numbers<8>),
    /// Yes or no.
    Flag(Bits),
    /// Texts, each behind its length as in the file, with gaps.
    TextOrNull(Bits, Vec<u8>),
}

/// Numbers of the page at hand.
#[derive(Debug, Default)]
pub(crate) struct Steady {
    pub(crate) page: Vec<i64>,
    /// Least and greatest of the row group, for columns that are never null.
    range: Option<(i64, i64)>,
}

/// Numbers of the page at hand, which are their own places in the dictionary.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    pub(crate) page: Vec<u32>,
    /// The greatest of the row group so far.
    greatest: u32,
}

/// Numbers of the page at hand as bits, and the distinct ones of the row group.
#[derive(Debug)]
pub(crate) struct Numbers<const SIZE: usize> {
    pub(crate) page: Vec<u64>,
    distinct: Vec<u64>,
    /// A hash table of places in `distinct`, one more than each; 0 is an empty slot. Its length is a power of two.
    table: Vec<u32>,
    has_many: bool,
    places: Vec<u32>,
}

impl Column {
    /// Ends the page: its body as in the file, before compression, and the encoding of its values.
    pub(crate) fn end_page(&mut self, rows: usize, out: &mut Vec<u8>) -> Encoding {
        match self {
            Column::Constant(_) => {
                out.push(1);
                hybrid(&vec![0; rows], 1, out);
                Encoding::RLE_DICTIONARY
            }
            Column::Steady(steady) => {
                steady.widen_range();
                steady.end_page(out)
            }
            Column::SteadyOrNull(present, steady) => {
                end_levels(present, out);
                steady.end_page(out)
            }
            Column::Name(places, _) => end_places(places, out),
            Column::NameOrNull(present, places, _) => {
                end_levels(present, out);
                end_places(places, out)
            }
            Column::IdOrNull(present, ids) => {
                end_levels(present, out);
                ids.greatest = ids.page.iter().copied().fold(ids.greatest, u32::max);
                end_places(&mut ids.page, out)
            }
            Column::CountOrNull(present, numbers) => {
                end_levels(present, out);
                numbers.end_page(out)
            }
            Column::RealOrNull(present, numbers) => {
                end_levels(present, out);
                numbers.end_page(out)
            }
            Column::Flag(bits) => {
                bits.to_bytes(out);
                bits.clear();
                Encoding::PLAIN
            }
            Column::TextOrNull(present, texts) => {
                end_levels(present, out);
                out.append(texts);
                Encoding::PLAIN
            }
        }
    }

    /// Ends the row group: the dictionary as in the file, and how many values it has; none if the column has none.
    pub(crate) fn end_group(&mut self) -> Option<(Vec<u8>, u32)> {
        match self {
            Column::Constant(number) => Some((number.to_le_bytes().to_vec(), 1)),
            Column::Steady(_) | Column::SteadyOrNull(..) | Column::Flag(_) | Column::TextOrNull(..) => None,
            Column::Name(_, names) => Some(text(names)),
            Column::NameOrNull(_, _, names) => Some(text(names)),
            Column::IdOrNull(_, ids) => {
                let ids = 0..=take(&mut ids.greatest);
                Some((ids.clone().flat_map(u32::to_le_bytes).collect(), ids.count() as u32))
            }
            Column::CountOrNull(_, numbers) => Some(numbers.end_group()),
            Column::RealOrNull(_, numbers) => Some(numbers.end_group()),
        }
    }

    /// The least and the greatest value of the row group, where they are worth knowing. Told once.
    pub(crate) fn range(&mut self) -> Option<(i64, i64)> {
        match self {
            Column::Constant(number) => Some((number.cast_signed(), number.cast_signed())),
            Column::Steady(steady) => steady.range.take(),
            _ => None,
        }
    }
}

fn end_levels(present: &mut Bits, out: &mut Vec<u8>) {
    levels(present, out);
    present.clear();
}

/// Appends a text as it is in pages.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Names as a dictionary.
fn text(names: &[&str]) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    for name in names {
        push_text(&mut out, name);
    }
    (out, names.len() as u32)
}

impl Steady {
    fn widen_range(&mut self) {
        let Some(&first) = self.page.first() else { return };
        let range = self.range.unwrap_or((first, first));
        self.range = Some(self.page.iter().fold(range, |(least, most), &number| (least.min(number), most.max(number))));
    }

    fn end_page(&mut self, out: &mut Vec<u8>) -> Encoding {
        deltas(&self.page, out);
        self.page.clear();
        Encoding::DELTA_BINARY_PACKED
    }
}

/// Places in a dictionary, of the page at hand.
fn end_places(places: &mut Vec<u32>, out: &mut Vec<u8>) -> Encoding {
    let width = width_of(places.iter().fold(0, |bits, &place| bits | place));
    out.push(width);
    hybrid(places, width, out);
    places.clear();
    Encoding::RLE_DICTIONARY
}

impl<const SIZE: usize> Default for Numbers<SIZE> {
    fn default() -> Self {
        let table = vec![0; 4 * MOST_DISTINCT];
        Numbers { page: Vec::new(), distinct: Vec::new(), table, has_many: false, places: Vec::new() }
    }
}

impl<const SIZE: usize> Numbers<SIZE> {
    fn end_page(&mut self, out: &mut Vec<u8>) -> Encoding {
        if !self.has_many && self.look_up() {
            self.page.clear();
            return end_places(&mut self.places, out);
        }
        self.has_many = true;
        self.places.clear();
        for number in self.page.drain(..) {
            out.extend_from_slice(&number.to_le_bytes()[..SIZE]);
        }
        Encoding::PLAIN
    }

    /// Finds every number's place in the dictionary. Fails if there are too many distinct ones.
    fn look_up(&mut self) -> bool {
        let last = self.table.len() - 1;
        let shift = 64 - self.table.len().trailing_zeros();
        self.places.resize(self.page.len(), 0);
        for (&number, to) in self.page.iter().zip(&mut self.places) {
            // Fibonacci hashing (Knuth, volume 3, section 6.4).
            let mut slot = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            *to = loop {
                match self.table[slot] {
                    0 if self.distinct.len() == MOST_DISTINCT => return false,
                    0 => {
                        self.distinct.push(number);
                        self.table[slot] = self.distinct.len() as u32;
                        break self.distinct.len() as u32 - 1;
                    }
                    found if self.distinct[found as usize - 1] == number => break found - 1,
                    _ => slot = (slot + 1) & last,
                }
            };
        }
        true
    }

    fn end_group(&mut self) -> (Vec<u8>, u32) {
        self.table.fill(0);
        self.has_many = false;
        let distinct = take(&mut self.distinct);
        (distinct.iter().flat_map(|number| number.to_le_bytes()[..SIZE].to_vec()).collect(), distinct.len() as u32)
    }
}
