//! Rows of the trace as columns for NumPy, one piece after another.

use hoplab::trace::{EVENTS, FRAMES, PACKETS, Row, reasons};
use hoplab::world::Sample;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

/// Rows from which on a piece is handed over.
pub(crate) const PIECE: usize = 1 << 19;

/// A piece of the trace of one run.
pub(crate) enum Piece {
    Events(Vec<Row>),
    Samples(Vec<Sample>),
}

/// Names that the numbers in columns of events stand for, as JSON.
#[pyfunction]
pub(crate) fn trace_names() -> String {
    json!({ "event": EVENTS, "frame": FRAMES, "packet": PACKETS, "reason": reasons() }).to_string()
}

impl Piece {
    /// Name of its table, and its columns.
    pub(crate) fn columns(self, py: Python<'_>) -> PyResult<(&'static str, Bound<'_, PyDict>)> {
        match self {
            Piece::Events(rows) => Ok(("events", events(py, &rows)?)),
            Piece::Samples(rows) => Ok(("samples", samples(py, &rows)?)),
        }
    }
}

/// Makes an array of one thing that every row has.
macro_rules! column {
    ($columns:ident, $py:ident, $name:literal, $rows:ident, $row:ident => $value:expr) => {
        $columns.set_item($name, $rows.iter().map(|$row| $value).collect::<Vec<_>>().into_pyarray($py))?
    };
}

fn events<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    column!(columns, py, "t_ns", rows, row => row.time.0 as i64);
    column!(columns, py, "node", rows, row => row.node);
    column!(columns, py, "event", rows, row => row.event);
    column!(columns, py, "frame", rows, row => row.frame);
    column!(columns, py, "packet", rows, row => row.packet);
    column!(columns, py, "peer", rows, row => row.peer);
    column!(columns, py, "flow", rows, row => row.flow);
    column!(columns, py, "uid", rows, row => row.uid);
    column!(columns, py, "seq", rows, row => row.seq);
    column!(columns, py, "bytes", rows, row => row.bytes);
    column!(columns, py, "airtime_ns", rows, row => row.airtime);
    column!(columns, py, "again", rows, row => row.again);
    column!(columns, py, "congested", rows, row => row.congested);
    column!(columns, py, "reason", rows, row => row.reason);
    column!(columns, py, "value", rows, row => row.value);
    Ok(columns)
}

fn samples<'py>(py: Python<'py>, rows: &[Sample]) -> PyResult<Bound<'py, PyDict>> {
    let mut names: Vec<&'static str> = Vec::new();
    let metrics: Vec<u8> = rows
        .iter()
        .map(|row| {
            // Names are few, and the same ones come again in the same order.
            names.iter().position(|name| *name == row.metric).unwrap_or_else(|| {
                names.push(row.metric);
                names.len() - 1
            }) as u8
        })
        .collect();
    let number = |id: Option<u32>| id.map_or(-1, |id| id as i32);
    let columns = PyDict::new(py);
    column!(columns, py, "t_ns", rows, row => row.time.0 as i64);
    column!(columns, py, "node", rows, row => number(row.node));
    column!(columns, py, "flow", rows, row => number(row.flow));
    columns.set_item("metric", metrics.into_pyarray(py))?;
    columns.set_item("names", names)?;
    column!(columns, py, "value", rows, row => row.value);
    Ok(columns)
}
