//! Traffic files of ns-2, as its `cbrgen` writes them.
//!
//! # Model
//! The file is Tcl, which is not executed. Each line is one of the statements that `cbrgen.tcl` of ns-2.35 writes, for CBR over
//! datagrams or files over connections; every other one is refused. Empty lines, comments and line ends of Windows are
//! accepted.
//! # Source
//! `cbrgen.tcl` of ns-2.35.
//! # Deviations
//! None known: statements that `cbrgen.tcl` does not write are refused.

use crate::kernel::{NodeId, Span, Time};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;
use std::collections::BTreeMap;

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
    /// Its traffic.
    pub source: ImportedSource,
}

/// The traffic of a flow of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImportedSource {
    /// Datagrams.
    Cbr {
        /// Interval of two packets.
        interval: Span,
        /// Whether the interval is spread.
        random: bool,
        /// Limit of packets.
        max_packets: Option<u32>,
    },
    /// A file without end over a connection with a window of this many segments.
    Ftp {
        /// Limit of the window.
        window: u32,
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
}

/// A connection as far as the file has described it.
#[derive(Clone, Debug, Default)]
struct Draft {
    line: u32,
    src: Option<u32>,
    dst: Option<u32>,
    segment: Option<u32>,
    interval: Option<Span>,
    random: bool,
    max_packets: Option<u32>,
    window: Option<u32>,
    start: Option<Time>,
    is_tcp: bool,
}

/// Packet size and window of ns-2.35 where a file sets none.
const CBR_BYTES: u32 = 210;
const TCP_BYTES: u32 = 1000;
const WINDOW: u32 = 20;

/// Interval of ns-2's CBR where a file sets none: 210 bytes at 448 kb/s.
const INTERVAL: Span = Span::from_micros(3750);

/// Longest time and most connections, packets and windows that are read.
const MAX_TIME_S: f64 = 1e9;
const MAX_COUNT: f64 = 4e9;
const MAX_BYTES: u32 = 65_495;

/// Characters of a statement that a message shows.
const SHOWN: usize = 60;

/// The flows of the file that `traffic.file` names; none if it is wrong, which is reported.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node, name: &str, nodes: u32) -> Vec<ImportedFlow> {
    let section = Section { key: "traffic", table: tree.get("traffic") };
    let (path, text) = match reader.file(name) {
        Ok(file) => file,
        Err(what) => {
            section.rule(reader, "file", false, &what, "a file that cbrgen of ns-2 has written");
            return Vec::new();
        }
    };
    cbrgen(text, path, nodes).unwrap_or_else(|TrafficFileError { path, line, message }| {
        let text = text.lines().nth(line as usize - 1).map(Into::into);
        let origin = Origin::Beside { path: path.into(), line: Some(line), text };
        let (key, expected) = ("traffic.file".to_owned(), "what cbrgen of ns-2 writes".to_owned());
        reader.refuse(&origin, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
        Vec::new()
    })
}

/// Reads a traffic file for a network of this many nodes; `path` is its name in messages. Flows are in the order of
/// their numbers in the file.
///
/// # Errors
/// The first problem in it.
pub fn cbrgen(text: &str, path: &str, nodes: u32) -> Result<Vec<ImportedFlow>, TrafficFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut drafts: BTreeMap<(bool, u32), Draft> = BTreeMap::new();
    let error = |line: u32, message: String| TrafficFileError { path: path.to_owned(), line, message };
    let mut last = 1;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        last = number;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        statement(line, number, nodes, &mut drafts).map_err(|message| error(number, message))?;
    }
    if drafts.is_empty() {
        return Err(error(last, "the file has no traffic".to_owned()));
    }
    let flow = |((_, id), draft): ((bool, u32), Draft)| {
        let line = draft.line;
        draft.finish(id).map_err(|message| error(line, message))
    };
    drafts.into_iter().map(flow).collect()
}

fn statement(line: &str, number: u32, nodes: u32, drafts: &mut BTreeMap<(bool, u32), Draft>) -> Result<(), String> {
    let plain = line.replace(['[', ']', '"', ';'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let unknown = || format!("{} is none of cbrgen's statements", excerpt(line));
    match words.as_slice() {
        ["set", name, "new", "Agent/UDP" | "Agent/Null" | "Application/Traffic/CBR"] => {
            let (family, id) = name_of(name).ok_or_else(unknown)?;
            if !["udp", "null", "cbr"].contains(&family) {
                return Err(unknown());
            }
            draft(drafts, number, (false, id));
        }
        ["set", name, "$ns_", "create-connection", "TCP", src, "TCPSink", dst, _] => {
            let ("tcp", id) = name_of(name).ok_or_else(unknown)? else { return Err(unknown()) };
            let (src, dst) = (node_of(src, nodes)?, node_of(dst, nodes)?);
            let draft = draft(drafts, number, (true, id));
            (draft.src, draft.dst) = (Some(src), Some(dst));
        }
        ["set", ftp, tcp, "attach-source", "FTP"] => match (name_of(ftp), name_of(tcp)) {
            (Some(("ftp", id)), Some(("tcp", same))) if id == same => {
                draft(drafts, number, (true, id));
            }
            _ => return Err(unknown()),
        },
        ["$ns_", "attach-agent", node, agent] => {
            let node = node_of(node, nodes)?;
            match name_of(agent) {
                Some(("udp", id)) => draft(drafts, number, (false, id)).src = Some(node),
                Some(("null", id)) => draft(drafts, number, (false, id)).dst = Some(node),
                _ => return Err(unknown()),
            }
        }
        [cbr, "attach-agent", udp] | ["$ns_", "connect", cbr, udp] => match (name_of(cbr), name_of(udp)) {
            (Some(("cbr" | "udp", id)), Some(("udp" | "null", same))) if id == same => {}
            _ => return Err(unknown()),
        },
        [name, "set", key, value] => match (name_of(name).ok_or_else(unknown)?, *key) {
            (("cbr", id), "packetSize_") => draft(drafts, number, (false, id)).segment = Some(bytes(value)?),
            (("cbr", id), "interval_") => draft(drafts, number, (false, id)).interval = Some(Span(time(value)?.0)),
            (("cbr", id), "random_") => {
                draft(drafts, number, (false, id)).random = match *value {
                    "0" | "false" => false,
                    "1" | "true" => true,
                    _ => return Err(format!("{} is neither 0 nor 1", excerpt(value))),
                }
            }
            (("cbr", id), "maxpkts_") => draft(drafts, number, (false, id)).max_packets = Some(count(value)?),
            (("tcp", id), "window_") => draft(drafts, number, (true, id)).window = Some(count(value)?),
            (("tcp", id), "packetSize_") => draft(drafts, number, (true, id)).segment = Some(bytes(value)?),
            _ => return Err(unknown()),
        },
        ["$ns_", "at", at, name, "start"] => {
            let at = time(at)?;
            match name_of(name) {
                Some(("cbr", id)) => draft(drafts, number, (false, id)).start = Some(at),
                Some(("ftp", id)) => draft(drafts, number, (true, id)).start = Some(at),
                _ => return Err(unknown()),
            }
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

/// The connection that this line adds to.
fn draft(drafts: &mut BTreeMap<(bool, u32), Draft>, line: u32, key: (bool, u32)) -> &mut Draft {
    let draft = drafts.entry(key).or_default();
    (draft.line, draft.is_tcp) = (line, key.0);
    draft
}

impl Draft {
    fn finish(self, id: u32) -> Result<ImportedFlow, String> {
        let kind = if self.is_tcp { "tcp" } else { "cbr" };
        let missing = |what: &str| format!("connection {kind}_({id}) ends here without {what}");
        let src = self.src.ok_or_else(|| missing("a source"))?;
        let dst = self.dst.ok_or_else(|| missing("a destination"))?;
        let start = self.start.ok_or_else(|| missing("a start"))?;
        if src == dst {
            return Err(format!("connection {kind}_({id}) goes from node {src} to itself"));
        }
        let interval = self.interval.unwrap_or(INTERVAL);
        if interval == Span::ZERO {
            let why = "cbrgen writes that for a rate without a decimal point";
            return Err(format!("connection {kind}_({id}) has an interval of zero: {why}"));
        }
        let source = if self.is_tcp {
            ImportedSource::Ftp { window: self.window.unwrap_or(WINDOW) }
        } else {
            ImportedSource::Cbr { interval, random: self.random, max_packets: self.max_packets }
        };
        let usual = if self.is_tcp { TCP_BYTES } else { CBR_BYTES };
        let segment = self.segment.unwrap_or(usual);
        Ok(ImportedFlow { line: self.line, src: NodeId(src), dst: NodeId(dst), segment, start, source })
    }
}

/// `udp_(3)` or `$udp_(3)` as its family and number.
fn name_of(word: &str) -> Option<(&str, u32)> {
    let word = word.strip_prefix('$').unwrap_or(word);
    let (family, number) = word.strip_suffix(')')?.split_once("_(")?;
    let is_whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((family, number.parse().ok().filter(|_| is_whole)?))
}

fn node_of(word: &str, nodes: u32) -> Result<u32, String> {
    match name_of(word) {
        Some(("node", node)) if node < nodes => Ok(node),
        Some(("node", node)) => {
            Err(format!("there is no node {node}: the network has nodes 0 to {}", nodes.max(1) - 1))
        }
        _ => Err(format!("{} is no node such as $node_(0)", excerpt(word))),
    }
}

fn time(word: &str) -> Result<Time, String> {
    match word.parse::<f64>() {
        Ok(secs) if (0.0..=MAX_TIME_S).contains(&secs) => Ok(Time::from_secs(secs)),
        _ => Err(format!("{} is no time in seconds from 0 to 1e9", excerpt(word))),
    }
}

fn count(word: &str) -> Result<u32, String> {
    match word.parse::<f64>() {
        Ok(count) if (1.0..=MAX_COUNT).contains(&count) && libm::trunc(count) == count => Ok(count as u32),
        _ => Err(format!("{} is no whole number from 1 to 4e9", excerpt(word))),
    }
}

fn bytes(word: &str) -> Result<u32, String> {
    let bytes = word.parse().ok().filter(|bytes| (1..=MAX_BYTES).contains(bytes));
    bytes.ok_or_else(|| format!("{} is no payload of 1 to {MAX_BYTES} bytes", excerpt(word)))
}

/// The start of `text` in quotes, safe to print.
fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CBR: &str = "#\n# nodes: 5\n\n# 1 connecting to 2 at time 2.5568388786897245\n#\nset udp_(0) [new Agent/UDP]\n\
        $ns_ attach-agent $node_(1) $udp_(0)\nset null_(0) [new Agent/Null]\n$ns_ attach-agent $node_(2) $null_(0)\n\
        set cbr_(0) [new Application/Traffic/CBR]\n$cbr_(0) set packetSize_ 512\n$cbr_(0) set interval_ 0.25\n\
        $cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 10000\n$cbr_(0) attach-agent $udp_(0)\n\
        $ns_ connect $udp_(0) $null_(0)\n$ns_ at 2.5568388786897245 \"$cbr_(0) start\"\n#\n#Total sources/connections: 1/1\n";
    const TCP: &str = "set tcp_(0) [$ns_ create-connection  TCP $node_(4) TCPSink $node_(0) 0]\n\
        $tcp_(0) set window_ 32\n$tcp_(0) set packetSize_ 512\nset ftp_(0) [$tcp_(0) attach-source FTP]\n\
        $ns_ at 56.333 \"$ftp_(0) start\"\n";

    fn flow() -> ImportedFlow {
        ImportedFlow {
            line: 17,
            src: NodeId(1),
            dst: NodeId(2),
            segment: 512,
            start: Time(2_556_838_879),
            source: ImportedSource::Cbr { interval: Span::from_millis(250), random: true, max_packets: Some(10_000) },
        }
    }

    #[test]
    fn files_of_cbrgen_are_read() {
        assert_eq!(cbrgen(CBR, "t", 5), Ok(vec![flow()]));
        assert_eq!(cbrgen(&CBR.replace('\n', "\r\n"), "t", 5), Ok(vec![flow()]), "line ends of Windows");
        let both = cbrgen(&format!("\u{feff}{CBR}{TCP}"), "t", 5).expect("two flows");
        let tcp = ImportedFlow {
            line: 24,
            src: NodeId(4),
            dst: NodeId(0),
            segment: 512,
            start: Time(56_333_000_000),
            source: ImportedSource::Ftp { window: 32 },
        };
        assert_eq!(both, [flow(), tcp]);
    }

    #[test]
    fn refusals_cite_the_line() {
        let says = |text: &str| cbrgen(text, "cbr.tcl", 5).expect_err("a wrong file").to_string();
        assert_eq!(says(""), "cbr.tcl:1: the file has no traffic");
        let missing = CBR.replace("$node_(2)", "$node_(5)");
        assert_eq!(says(&missing), "cbr.tcl:9: there is no node 5: the network has nodes 0 to 4");
        let nan = CBR.replace("0.25", "nan");
        assert_eq!(says(&nan), "cbr.tcl:12: \"nan\" is no time in seconds from 0 to 1e9");
        let cut = CBR.split("$ns_ at 2").next().expect("its beginning");
        assert_eq!(says(cut), "cbr.tcl:14: connection cbr_(0) ends here without a start");
        let other = format!("{CBR}$ns_ at 1.0 \"exit\"\n");
        assert_eq!(says(&other), "cbr.tcl:20: \"$ns_ at 1.0 \\\"exit\\\"\" is none of cbrgen's statements");
        let zero = CBR.replace("interval_ 0.25", "interval_ 0");
        assert!(says(&zero).contains("interval of zero"), "{}", says(&zero));
        assert!(says(&"x".repeat(10_000_000)).len() < 200);
        assert!(says("$node_(99999999999999999999) set cbr_(-1) ((((").contains("none of cbrgen"));
    }
}
