//! The record of packets that enter the network, in the format of `live.file`.

use hoplab::kernel::{NodeId, Time};
use hoplab::packet::RECORDED_BYTES;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

/// Receives packets that enter the network, in order.
pub trait Record {
    /// A packet has entered.
    fn entered(&mut self, at: Time, node: NodeId, bytes: &[u8]);
}

/// No record.
#[derive(Clone, Copy, Debug)]
pub struct NoRecord;

impl Record for NoRecord {
    fn entered(&mut self, _: Time, _: NodeId, _: &[u8]) {}
}

/// The line of a packet: its first bytes only, which contain its headers. Payload changes nothing in the network, and may be
/// private.
pub fn line(at: Time, node: NodeId, bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(RECORDED_BYTES)];
    let mut line = format!("{} {} {} ", at.0, node.0, bytes.len());
    for byte in head {
        let _ = write!(line, "{byte:02x}");
    }
    line.push('\n');
    line
}

/// A record as text. A thread of its own writes it, so that a slow disk delays no packet.
#[derive(Debug)]
pub struct TextRecord {
    lines: Option<Sender<String>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl TextRecord {
    /// Starts the thread that writes to `out`.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub fn start(mut out: impl Write + Send + 'static) -> io::Result<TextRecord> {
        let (lines, received) = channel::<String>();
        let writer = thread::Builder::new().name("record".to_owned()).spawn(move || {
            out.write_all(b"# Packets of real programs: TIME_NS NODE BYTES FIRST_BYTES\n")?;
            for line in received {
                out.write_all(line.as_bytes())?;
            }
            out.flush()
        })?;
        Ok(TextRecord { lines: Some(lines), writer: Some(writer) })
    }

    /// Completes the record.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.lines = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(io::Error::other("the thread of the record has failed")),
            None => Ok(()),
        }
    }
}

impl Record for TextRecord {
    fn entered(&mut self, at: Time, node: NodeId, bytes: &[u8]) {
        if let Some(lines) = &self.lines {
            // A disk that is full is reported at the end.
            let _ = lines.send(line(at, node, bytes));
        }
    }
}
