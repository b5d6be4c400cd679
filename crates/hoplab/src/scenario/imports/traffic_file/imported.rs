//! The contents of a traffic file, and its errors with line, problem and remedy.

use crate::kernel::{NodeId, Rate, Span, Time};

/// What a traffic file has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedTraffic {
    /// Its flows, in the order in which their applications are created.
    pub flows: Vec<ImportedFlow>,
    /// What is odd but allowed, each with file and line.
    pub warnings: Vec<String>,
}

/// One flow of a traffic file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFlow {
    /// Line of its start, from 1.
    pub line: u32,
    /// Source.
    pub src: NodeId,
    /// Destination.
    pub dst: NodeId,
    /// Payload of a packet, in bytes.
    pub segment: u32,
    /// Start.
    pub start: Time,
    /// End, if the file has one.
    pub stop: Option<Time>,
    /// Limit of packets.
    pub max_packets: Option<u32>,
    /// Its traffic.
    pub source: ImportedSource,
    /// What carries it.
    pub carrier: ImportedCarrier,
}

/// The traffic of a flow of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImportedSource {
    /// Packets at an interval.
    Cbr {
        /// Interval of two packets.
        interval: Span,
        /// Whether the interval is spread.
        random: bool,
    },
    /// Bursts of packets and off times, both of exponential length.
    OnOff {
        /// Payload bits per second during a burst.
        rate: Rate,
        /// Mean length of a burst.
        on_mean: Span,
        /// Mean off time.
        off_mean: Span,
    },
    /// A file, without end unless packets are limited.
    Ftp,
}

/// What carries a flow of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportedCarrier {
    /// Datagrams.
    Udp {
        /// Longest payload of one, if packets are split.
        longest: Option<u32>,
    },
    /// A connection.
    Tcp {
        /// Its transport in scenarios.
        transport: &'static str,
        /// Limit of the window, in segments.
        window: u32,
        /// Whether the sender is the Linux agent, which `tcp.profile = "ns2_linux"` is.
        is_linux: bool,
        /// Whether the receiver delays acknowledgments.
        is_delayed: bool,
    },
}

/// Why a traffic file is refused: the first problem in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {message}")]
pub struct TrafficFileError {
    /// The file.
    pub path: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// The problem, as a sentence without a full stop.
    pub message: String,
    /// The remedy, where it is known.
    pub hint: Option<String>,
}

/// The nodes that a file may name.
#[derive(Clone, Debug)]
pub(crate) struct Nodes<'n> {
    /// How many there are.
    pub(crate) count: u32,
    /// By node, its number in the file, if that is another one.
    pub(crate) numbers: Option<&'n [u32]>,
    /// The number that the file gives node 0.
    pub(crate) first: u32,
}

impl Nodes<'_> {
    /// The node that the file calls `number`.
    pub(super) fn named(&self, number: u32) -> Result<NodeId, Problem> {
        let found = match self.numbers {
            Some(numbers) => numbers.iter().position(|&known| known == number).map(|node| node as u32),
            None => number.checked_sub(self.first).filter(|&node| node < self.count),
        };
        found.map(NodeId).ok_or_else(|| {
            let last = self.first + self.count.max(1) - 1;
            let message = match self.numbers {
                Some(_) => format!("node {number} does not exist in the movement file"),
                None => format!("node {number} does not exist: expected {} to {last}", self.first),
            };
            let counts_from_1 = self.numbers.is_none() && self.first == 0 && number == self.count;
            let hint = "if the file numbers nodes from 1, set traffic.first_node = 1";
            Problem { message, hint: counts_from_1.then(|| hint.to_owned()) }
        })
    }
}

/// What is wrong with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl From<String> for Problem {
    fn from(message: String) -> Problem {
        Problem { message, hint: None }
    }
}

impl Problem {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { message: message.into(), hint: Some(hint.into()) }
    }
}

/// Characters of a statement that a message shows.
const SHOWN: usize = 60;

/// The start of `text` in quotes, safe to print.
pub(super) fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}
