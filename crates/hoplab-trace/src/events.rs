//! The table of events: every row of the engine's log.

use crate::column::{Column, Ids, Numbers, Steady, push_text};
use crate::encode::Bits;
use crate::sheet::Sheet;
use hoplab::packet::Category;
use hoplab::trace::{EVENTS, FRAMES, NOTHING, Names, Row, reasons};
use std::io::{self, Write};

/// Types and names of columns, in the words of Parquet.
const SCHEMA: &str = "message events {
    REQUIRED INT64 seed (INTEGER(64, false));
    REQUIRED INT64 t_ns;
    OPTIONAL INT32 node;
    REQUIRED BYTE_ARRAY event (STRING);
    OPTIONAL BYTE_ARRAY frame (STRING);
    OPTIONAL BYTE_ARRAY packet (STRING);
    OPTIONAL INT32 peer;
    OPTIONAL INT32 flow;
    OPTIONAL INT64 uid;
    OPTIONAL INT64 seq;
    OPTIONAL INT32 bytes;
    OPTIONAL INT32 airtime_ns;
    REQUIRED BOOLEAN is_retransmission;
    REQUIRED BOOLEAN congested;
    OPTIONAL BYTE_ARRAY reason (STRING);
    OPTIONAL DOUBLE value;
    OPTIONAL INT32 ttl;
    OPTIONAL INT32 delay_ns;
    OPTIONAL BYTE_ARRAY message (STRING);
";

/// The column of runs with access categories, behind the others.
const CATEGORY_SCHEMA: &str = "    OPTIONAL BYTE_ARRAY category (STRING);\n";

/// Rows that are spread over the columns at a time: few enough to stay in the nearest cache, and bits of a word.
const BLOCK: usize = 64;

/// The column of packet types.
const PACKET: usize = 5;

/// The column of messages, and behind it that of access categories.
const MESSAGE: usize = 18;
const CATEGORY: usize = 19;

/// A file of events that is being written.
pub struct EventFile<W: Write + Send> {
    sheet: Sheet<W>,
    has_categories: bool,
}

impl<W: Write + Send> EventFile<W> {
    /// Begins a file for the run of this seed, with a column of access categories or without.
    pub fn new(out: W, seed: u64, has_categories: bool) -> io::Result<EventFile<W>> {
        let mut columns = vec![
            Column::Constant(seed),
            Column::Steady(Steady::default()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::Name(Vec::new(), &EVENTS),
            Column::NameOrNull(Bits::default(), Vec::new(), FRAMES.to_vec()),
            Column::NameOrNull(Bits::default(), Vec::new(), Vec::new()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::SteadyOrNull(Bits::default(), Steady::default()),
            Column::SteadyOrNull(Bits::default(), Steady::default()),
            Column::CountOrNull(Bits::default(), Numbers::default()),
            Column::CountOrNull(Bits::default(), Numbers::default()),
            Column::Flag(Bits::default()),
            Column::Flag(Bits::default()),
            Column::NameOrNull(Bits::default(), Vec::new(), reasons()),
            Column::RealOrNull(Bits::default(), Numbers::default()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::CountOrNull(Bits::default(), Numbers::default()),
            Column::TextOrNull(Bits::default(), Vec::new()),
        ];
        let mut schema = SCHEMA.to_owned();
        if has_categories {
            let names = Category::ALL.map(Category::name).to_vec();
            columns.push(Column::NameOrNull(Bits::default(), Vec::new(), names));
            schema += CATEGORY_SCHEMA;
        }
        Ok(EventFile { sheet: Sheet::new(out, &(schema + "}"), columns)?, has_categories })
    }

    /// Adds rows. `packet_names` and `messages` are those of the log that they come from.
    pub fn write(&mut self, rows: &[Row], packet_names: &Names, messages: &[String]) -> io::Result<()> {
        if let Column::NameOrNull(_, _, known) = self.sheet.column(PACKET)
            && known.len() < packet_names.as_slice().len()
        {
            *known = packet_names.as_slice().to_vec();
        }
        let mut messages = messages.iter();
        for block in rows.chunks(BLOCK) {
            for at in 1..MESSAGE {
                spread(at, self.sheet.column(at), block);
            }
            if let Column::TextOrNull(present, page) = self.sheet.column(MESSAGE) {
                flags(present, block, |row| row.has_message);
                messages.by_ref().take(block.iter().filter(|row| row.has_message).count()).for_each(|message| {
                    push_text(page, message);
                });
            }
            if self.has_categories {
                spread(CATEGORY, self.sheet.column(CATEGORY), block);
            }
            self.sheet.grew(block.len())?;
        }
        Ok(())
    }

    /// Writes what is left, and ends the file.
    pub fn finish(self) -> io::Result<W> {
        self.sheet.finish()
    }
}

/// Puts what rows have for the column at this place into it.
fn spread(at: usize, column: &mut Column, rows: &[Row]) {
    match column {
        Column::Constant(_) | Column::TextOrNull(..) => {}
        Column::Steady(times) => times.page.extend(rows.iter().map(|row| row.time.0 as i64)),
        Column::Name(events, _) => events.extend(rows.iter().map(|row| u32::from(row.event))),
        Column::NameOrNull(present, places, _) => match at {
            4 => names(present, places, rows, |row| row.frame),
            PACKET => names(present, places, rows, |row| row.packet),
            CATEGORY => names(present, places, rows, |row| row.category),
            _ => names(present, places, rows, |row| row.reason),
        },
        Column::IdOrNull(present, places) => match at {
            2 => ids(present, &mut places.page, rows, |row| row.node),
            6 => ids(present, &mut places.page, rows, |row| row.peer),
            16 => ids(present, &mut places.page, rows, |row| row.ttl),
            _ => ids(present, &mut places.page, rows, |row| row.flow),
        },
        Column::SteadyOrNull(present, steady) => match at {
            8 => gaps(present, &mut steady.page, rows, |row| (row.uid >= 0, row.uid)),
            // Acknowledgments of nothing, and RCP's requests, have numbers below -1.
            _ => gaps(present, &mut steady.page, rows, |row| (row.seq != -1, row.seq)),
        },
        Column::CountOrNull(present, numbers) => match at {
            10 => gaps(present, &mut numbers.page, rows, |row| (row.bytes >= 0, u64::from(row.bytes.cast_unsigned()))),
            17 => gaps(present, &mut numbers.page, rows, |row| (row.delay >= 0, u64::from(row.delay.cast_unsigned()))),
            _ => {
                gaps(present, &mut numbers.page, rows, |row| {
                    (row.airtime >= 0, u64::from(row.airtime.cast_unsigned()))
                });
            }
        },
        Column::RealOrNull(present, numbers) => {
            gaps(present, &mut numbers.page, rows, |row| (!row.value.is_nan(), row.value.to_bits()));
        }
        Column::Flag(bits) => match at {
            12 => flags(bits, rows, |row| row.is_retransmission),
            _ => flags(bits, rows, |row| row.congested),
        },
    }
}

#[inline]
fn names(present: &mut Bits, page: &mut Vec<u32>, rows: &[Row], of: impl Fn(&Row) -> u8) {
    gaps(present, page, rows, |row| (of(row) != NOTHING, u32::from(of(row))));
}

#[inline]
fn ids(present: &mut Bits, page: &mut Vec<u32>, rows: &[Row], of: impl Fn(&Row) -> i32) {
    gaps(present, page, rows, |row| (of(row) >= 0, of(row).cast_unsigned()));
}

/// Puts values that are there one after another, and notes which rows have one.
#[inline]
fn gaps<T: Copy + Default>(present: &mut Bits, page: &mut Vec<T>, rows: &[Row], of: impl Fn(&Row) -> (bool, T)) {
    let start = page.len();
    page.resize(start + BLOCK, T::default());
    let room: &mut [T; BLOCK] = page.last_chunk_mut().expect("room for a block");
    let (mut bits, mut end) = (0, 0);
    for (i, row) in rows.iter().enumerate() {
        let (is_there, value) = of(row);
        bits |= u64::from(is_there) << i;
        // Without a branch: the next value overwrites one that is not there.
        room[end % BLOCK] = value;
        end += usize::from(is_there);
    }
    page.truncate(start + end);
    present.push_many(bits, rows.len());
}

#[inline]
fn flags(bits: &mut Bits, rows: &[Row], of: impl Fn(&Row) -> bool) {
    let word = rows.iter().enumerate().fold(0, |word, (i, row)| word | u64::from(of(row)) << i);
    bits.push_many(word, rows.len());
}
