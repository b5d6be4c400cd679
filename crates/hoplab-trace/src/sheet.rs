//! A table that becomes a Parquet file, page by page.
//!
//! A row group stays in memory, encoded and compressed, until it is full: its dictionaries come first in the file, and
//! are known last.

use crate::column::Column;
use crate::io_error;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;
use std::io::{self, Write};
use std::sync::Arc;
use zstd::bulk::Compressor;

/// Rows of a page, or a few more.
pub(crate) const PAGE: usize = 1 << 15;
/// Pages of a row group.
const GROUP: usize = 16;
/// Level of compression: pages are small before it, and every trace pays for its time.
const LEVEL: i32 = 1;
/// A column is compressed if that leaves no more than this part of its first page.
const WORTH: f64 = 0.8;

/// A Parquet file that is being written.
pub(crate) struct Sheet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    chunks: Vec<Chunk>,
    compressor: Compressor<'static>,
    /// Rows of the page at hand, of the row group's pages, and those pages.
    rows: usize,
    group_rows: usize,
    pages: usize,
    body: Vec<u8>,
}

/// The part of a column that belongs to the row group at hand.
struct Chunk {
    column: Column,
    description: ColumnDescPtr,
    pages: TrackedWrite<Vec<u8>>,
    /// Length before compression, headers included.
    length: usize,
    encodings: Vec<Encoding>,
    /// Compression of its first page; none before that.
    is_compressed: Option<bool>,
}

impl<W: Write + Send> Sheet<W> {
    /// Begins a file with columns as `schema` describes them, in the words of Parquet.
    pub(crate) fn new(out: W, schema: &str, columns: Vec<Column>) -> io::Result<Sheet<W>> {
        let begin = || -> Result<Sheet<W>> {
            let schema = Arc::new(parse_message_type(schema)?);
            let maker = concat!("hoplab ", env!("CARGO_PKG_VERSION"));
            let properties = Arc::new(WriterProperties::builder().set_created_by(maker.to_owned()).build());
            let writer = SerializedFileWriter::new(out, schema, properties)?;
            let described = writer.schema_descr().columns().to_vec();
            debug_assert_eq!(described.len(), columns.len(), "a column for each of the schema");
            let chunks = columns.into_iter().zip(described).map(|(column, of)| Chunk::new(column, of)).collect();
            let compressor = Compressor::new(LEVEL)?;
            Ok(Sheet { writer, chunks, compressor, rows: 0, group_rows: 0, pages: 0, body: Vec::new() })
        };
        begin().map_err(io_error)
    }

    /// The column at this place, to put values into.
    #[inline]
    pub(crate) fn column(&mut self, at: usize) -> &mut Column {
        &mut self.chunks[at].column
    }

    /// Every column has got this many more values.
    pub(crate) fn grew(&mut self, rows: usize) -> io::Result<()> {
        self.rows += rows;
        if self.rows >= PAGE {
            self.end_page().map_err(io_error)?;
            if self.pages == GROUP {
                self.end_group().map_err(io_error)?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and ends the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let mut end = || -> Result<()> {
            if self.rows > 0 {
                self.end_page()?;
            }
            if self.pages > 0 {
                self.end_group()?;
            }
            Ok(())
        };
        end().map_err(io_error)?;
        self.writer.into_inner().map_err(io_error)
    }

    fn end_page(&mut self) -> Result<()> {
        for chunk in &mut self.chunks {
            self.body.clear();
            let encoding = chunk.column.end_page(self.rows, &mut self.body);
            if !chunk.encodings.contains(&encoding) {
                chunk.encodings.push(encoding);
            }
            let page = Page::DataPage {
                buf: chunk.stored(&mut self.compressor, &self.body)?,
                num_values: self.rows as u32,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            };
            let page = CompressedPage::new(page, self.body.len());
            chunk.length += SerializedPageWriter::new(&mut chunk.pages).write_page(page)?.uncompressed_size;
        }
        self.pages += 1;
        self.group_rows += self.rows;
        self.rows = 0;
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for chunk in &mut self.chunks {
            let (bytes, closed) = chunk.end(self.group_rows, &mut self.compressor)?;
            group.append_column(&bytes, closed)?;
        }
        group.close()?;
        (self.group_rows, self.pages) = (0, 0);
        Ok(())
    }
}

impl Chunk {
    fn new(column: Column, description: ColumnDescPtr) -> Chunk {
        let pages = TrackedWrite::new(Vec::new());
        Chunk { column, description, pages, length: 0, encodings: vec![Encoding::RLE], is_compressed: None }
    }

    /// A page as it is stored: packed numbers of segments, for one, are hardly shorter after compression.
    fn stored(&mut self, compressor: &mut Compressor<'_>, body: &[u8]) -> Result<Bytes> {
        if self.is_compressed != Some(false) {
            let short = compressor.compress(body).map_err(ParquetError::from)?;
            let is_worth_it = short.len() as f64 <= WORTH * body.len() as f64;
            if *self.is_compressed.get_or_insert(is_worth_it) {
                return Ok(Bytes::from(short));
            }
        }
        Ok(Bytes::copy_from_slice(body))
    }

    /// Ends the row group for this column: its bytes, and what the file says of them.
    fn end(&mut self, rows: usize, compressor: &mut Compressor<'_>) -> Result<(Bytes, ColumnCloseResult)> {
        let mut out = TrackedWrite::new(Vec::new());
        let dictionary = self.column.end_group();
        let has_dictionary = dictionary.is_some();
        if let Some((values, count)) = dictionary {
            let page = Page::DictionaryPage {
                buf: self.stored(compressor, &values)?,
                num_values: count,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let page = CompressedPage::new(page, values.len());
            self.length += SerializedPageWriter::new(&mut out).write_page(page)?.uncompressed_size;
            if !self.encodings.contains(&Encoding::PLAIN) {
                self.encodings.push(Encoding::PLAIN);
            }
        }
        let mut bytes = out.into_inner()?;
        let data_at = bytes.len() as i64;
        let pages = std::mem::replace(&mut self.pages, TrackedWrite::new(Vec::new()));
        bytes.append(&mut pages.into_inner()?);
        let codec = match self.is_compressed.take() {
            Some(false) => Compression::UNCOMPRESSED,
            _ => Compression::ZSTD(ZstdLevel::try_new(LEVEL)?),
        };
        let mut metadata = ColumnChunkMetaData::builder(self.description.clone())
            .set_compression(codec)
            .set_encodings(std::mem::replace(&mut self.encodings, vec![Encoding::RLE]))
            .set_num_values(rows as i64)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(std::mem::take(&mut self.length) as i64)
            .set_dictionary_page_offset(has_dictionary.then_some(0))
            .set_data_page_offset(data_at);
        if let Some((least, greatest)) = self.column.range() {
            metadata = metadata.set_statistics(Statistics::int64(Some(least), Some(greatest), None, Some(0), false));
        }
        let closed = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((Bytes::from(bytes), closed))
    }
}
