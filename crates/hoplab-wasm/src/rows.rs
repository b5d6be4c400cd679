//! Rows of the log as numbers, which a page reads as they are.

use hoplab::trace::{EVENTS, FRAMES, Log, Row, reasons};
use serde_json::{Value, json};

/// Names of the numbers of a row, in their order. A code or number without a value is -1.
const COLUMNS: [&str; 13] = [
    "t",
    "event",
    "frame",
    "packet",
    "reason",
    "is_retransmission",
    "congested",
    "node",
    "peer",
    "flow",
    "airtime",
    "seq",
    "value",
];

/// All rows of a log, as little-endian numbers of double precision; the log is then empty.
pub(crate) fn take(log: &mut Log) -> Vec<u8> {
    let bytes = log.rows().iter().flat_map(numbers).flat_map(f64::to_le_bytes).collect();
    log.clear();
    bytes
}

/// Names of columns and of the codes in them.
pub(crate) fn names(log: &Log) -> Value {
    json!({
        "columns": COLUMNS,
        "events": EVENTS,
        "frames": FRAMES,
        "packets": log.packet_names().as_slice(),
        "reasons": reasons(),
    })
}

fn numbers(row: &Row) -> [f64; COLUMNS.len()] {
    let code = |code: u8| if code == u8::MAX { -1.0 } else { f64::from(code) };
    [
        row.time.0 as f64,
        code(row.event),
        code(row.frame),
        code(row.packet),
        code(row.reason),
        f64::from(u8::from(row.is_retransmission)),
        f64::from(u8::from(row.congested)),
        f64::from(row.node),
        f64::from(row.peer),
        f64::from(row.flow),
        f64::from(row.airtime),
        row.seq as f64,
        row.value,
    ]
}
