//! The trace of one run, written to files during the run.

use crate::failure::Failure;
use hoplab::measure::Sample;
use hoplab::trace::Log;
use hoplab_trace::{EventFile, SampleFile};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Rows that are written together: after more slices of work they would have left the cache.
pub(crate) const PIECE: usize = 1 << 10;

/// Size of a file's buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// Files of events and of samples.
pub(crate) struct Tables {
    events: EventFile<BufWriter<File>>,
    samples: SampleFile<BufWriter<File>>,
    /// Prefix of both names.
    path: String,
}

impl Tables {
    /// Begins the files of a run, with a column of access categories or without; their names are `path` with the name of the table
    /// behind it.
    pub(crate) fn create(path: &str, seed: u64, has_categories: bool) -> Result<Tables, Failure> {
        let begin = |table: &str| -> io::Result<BufWriter<File>> {
            Ok(BufWriter::with_capacity(BUFFER, File::create(format!("{path}{table}.parquet"))?))
        };
        let open = || -> io::Result<Tables> {
            let events = EventFile::new(begin("events")?, seed, has_categories)?;
            Ok(Tables { events, samples: SampleFile::new(begin("samples")?, seed)?, path: path.to_owned() })
        };
        open().map_err(|error| Failure::File(path.to_owned(), error))
    }

    /// Writes the rows of a log, if they are more than `least`.
    pub(crate) fn take_events(&mut self, log: &mut Log, least: usize) -> Result<(), Failure> {
        if log.len() > least {
            self.events
                .write(log.rows(), log.packet_names(), log.messages())
                .map_err(|error| Failure::File(self.path.clone(), error))?;
            log.clear();
        }
        Ok(())
    }

    /// Writes samples, if they are more than `least`, and clears them.
    pub(crate) fn take_samples(&mut self, samples: &mut Vec<Sample>, least: usize) -> Result<(), Failure> {
        if samples.len() > least {
            self.samples.write(samples).map_err(|error| Failure::File(self.path.clone(), error))?;
            samples.clear();
        }
        Ok(())
    }

    /// Ends both files.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Tables { events, samples, path } = self;
        let end = || -> io::Result<()> {
            events.finish()?.flush()?;
            samples.finish()?.flush()
        };
        end().map_err(|error| Failure::File(path, error))
    }
}

/// Writes Parquet files with equal columns into one.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python's list is converted for this call alone")]
pub(crate) fn join_tables(py: Python<'_>, parts: Vec<PathBuf>, path: PathBuf) -> PyResult<()> {
    if parts.is_empty() {
        return Err(PyValueError::new_err("no tables to join"));
    }
    let join = || -> io::Result<()> {
        let parts: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
        hoplab_trace::join(&parts, BufWriter::with_capacity(BUFFER, File::create(&path)?))?.flush()
    };
    py.detach(join).map_err(|error| crate::errors::file_error(path.display().to_string(), &error))
}
