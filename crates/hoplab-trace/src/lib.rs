//! What the engine recorded, as Parquet files: the rows of its log, and the values sampled while it ran.
//!
//! A trace may cost no more time than the run itself. A run makes a row in some 200 ns, and general writers need more
//! than that for sixteen columns: they look every value up in a hash table, and copy it two or three times. The engine
//! knows its values better. Most are numbers of names or nodes, which are places in a dictionary as they are; times and
//! packet numbers differ little from one row to the next. So pages are encoded here (`encode`), in encodings that every
//! reader knows, while headers, metadata and the frame of the file are the `parquet` crate's (`sheet`).

mod column;
mod encode;
mod events;
mod join;
mod samples;
mod sheet;

pub use events::EventFile;
pub use join::join;
pub use samples::SampleFile;

use parquet::errors::ParquetError;
use std::error::Error as _;
use std::io;

/// What a writer of files failed with. Errors of the file system come out as they went in: some with their source, others
/// (of `SerializedFileWriter::into_inner`) as text alone.
fn io_error(error: ParquetError) -> io::Error {
    let number = error.source().and_then(|source| source.downcast_ref::<io::Error>()?.raw_os_error());
    let number = number.or_else(|| told_number(&error.to_string()));
    number.map_or_else(|| io::Error::other(error), io::Error::from_raw_os_error)
}

/// The number of an error of the file system, as its text has it.
fn told_number(text: &str) -> Option<i32> {
    text.split_once("(os error ")?.1.split_once(')')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_file_system_keep_their_number() {
        let full = || io::Error::from_raw_os_error(28);
        for error in [ParquetError::from(full()), ParquetError::General(format!("no writer: {:?}", full().to_string()))]
        {
            assert_eq!(io_error(error).raw_os_error(), Some(28));
        }
        assert_eq!(io_error(ParquetError::General("no page".to_owned())).raw_os_error(), None);
    }
}
