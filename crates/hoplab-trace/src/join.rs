//! Several files with the same columns as one, without decoding them.

use crate::io_error;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes the row groups of all `parts` into `out`, in their order.
pub fn join<W: Write + Send>(parts: &[&Path], out: W) -> io::Result<W> {
    let mut joined: Option<SerializedFileWriter<W>> = None;
    let mut out = Some(out);
    let mut add = |part: &Path| -> Result<()> {
        let file = File::open(part)?;
        let reader = SerializedFileReader::new(file.try_clone()?)?;
        let metadata = reader.metadata();
        if joined.is_none() {
            let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
            let maker = concat!("hoplab ", env!("CARGO_PKG_VERSION"));
            let properties = Arc::new(WriterProperties::builder().set_created_by(maker.to_owned()).build());
            let out = out.take().ok_or_else(|| ParquetError::General("no file to write".to_owned()))?;
            joined = Some(SerializedFileWriter::new(out, schema, properties)?);
        }
        let Some(joined) = joined.as_mut() else { return Ok(()) };
        for group in metadata.row_groups() {
            let mut written = joined.next_row_group()?;
            for column in group.columns() {
                let closed = ColumnCloseResult {
                    bytes_written: column.compressed_size() as u64,
                    rows_written: group.num_rows() as u64,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                written.append_column(&file, closed)?;
            }
            written.close()?;
        }
        Ok(())
    };
    for part in parts {
        add(part).map_err(io_error)?;
    }
    match joined {
        Some(joined) => joined.into_inner().map_err(io_error),
        None => Err(io::Error::other("no parts to join")),
    }
}
