//! The table of samples: values read at regular times.

use crate::column::{Column, Ids, Numbers, Steady};
use crate::encode::Bits;
use crate::sheet::Sheet;
use hoplab::measure::Sample;
use std::io::{self, Write};

/// Types and names of columns, in the words of Parquet.
const SCHEMA: &str = "message samples {
    REQUIRED INT64 seed (INTEGER(64, false));
    REQUIRED INT64 t_ns;
    OPTIONAL INT32 node;
    OPTIONAL INT32 flow;
    OPTIONAL BYTE_ARRAY metric (STRING);
    OPTIONAL DOUBLE value;
}";

/// A file of samples that is being written.
pub struct SampleFile<W: Write + Send> {
    sheet: Sheet<W>,
}

impl<W: Write + Send> SampleFile<W> {
    /// Begins a file for the run of this seed.
    pub fn new(out: W, seed: u64) -> io::Result<SampleFile<W>> {
        let columns = vec![
            Column::Constant(seed),
            Column::Steady(Steady::default()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::IdOrNull(Bits::default(), Ids::default()),
            Column::NameOrNull(Bits::default(), Vec::new(), Vec::new()),
            Column::RealOrNull(Bits::default(), Numbers::default()),
        ];
        Ok(SampleFile { sheet: Sheet::new(out, SCHEMA, columns)? })
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &[Sample]) -> io::Result<()> {
        for row in rows {
            for at in 1..6 {
                put(at, self.sheet.column(at), row);
            }
            self.sheet.grew(1)?;
        }
        Ok(())
    }

    /// Writes what is left, and ends the file.
    pub fn finish(self) -> io::Result<W> {
        self.sheet.finish()
    }
}

fn put(at: usize, column: &mut Column, row: &Sample) {
    match column {
        Column::Steady(times) => times.page.push(row.time.0 as i64),
        Column::IdOrNull(present, places) => {
            let id = if at == 2 { row.node } else { row.flow };
            present.push(id.is_some());
            places.page.extend(id);
        }
        Column::NameOrNull(present, places, names) => {
            // Names are few, and the same ones come again in the same order.
            let place = names.iter().position(|name| *name == row.metric).unwrap_or_else(|| {
                names.push(row.metric);
                names.len() - 1
            });
            present.push(true);
            places.push(place as u32);
        }
        Column::RealOrNull(present, numbers) => {
            present.push(!row.value.is_nan());
            if !row.value.is_nan() {
                numbers.page.push(row.value.to_bits());
            }
        }
        _ => {}
    }
}
