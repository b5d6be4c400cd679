//! Traffic files of ns-2, as its `cbrgen` writes them, or written by hand.
//!
//! # Model
//! The file is Tcl. Its statements that create, set, connect, start and stop agents and applications are read, word by word
//! ([`crate::mobility::import::tcl`]). A variable has the value that was set last, so that a number that is used twice
//! creates two flows. Statements without effect on traffic are ignored: on nodes, colors, traces and flow numbers. Every
//! other statement is refused. Each start of an application is a flow.
//!
//! # Source
//! `cbrgen.tcl` of ns-2.35; `Agent/UDP`, `Agent/TCP`, `Application/Traffic/CBR` and `Exponential`, `Application/FTP`; what ns-2.35
//! does with units, restarts and packets longer than a datagram, as seen in runs of it.
//!
//! # Deviations
//! Tcl is not run: loops, procedures and expressions are refused.

mod flows;
mod imported;
mod object;
mod statement;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use imported::Nodes;
pub use imported::{ImportedCarrier, ImportedFlow, ImportedSource, ImportedTraffic, TrafficFileError};

use crate::mobility::import::tcl::{Interpreter, Script, source};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;
use crate::scenario::traffic::TrafficConfig;
use crate::transport::{TcpConfig, TcpProfile};
use imported::Problem;

/// The flows of the file that `traffic.file` names; none if it is wrong, which is reported.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node, name: &str, nodes: &Nodes<'_>) -> Vec<ImportedFlow> {
    let section = Section { key: "traffic", table: tree.get("traffic") };
    let (path, text) = match reader.file(name) {
        Ok(file) => file,
        Err(what) => {
            section.rule(reader, "file", false, &what, "path of a traffic file of ns-2, relative to the scenario");
            return Vec::new();
        }
    };
    match parse(text, path, nodes) {
        Ok(ImportedTraffic { flows, warnings }) => {
            reader.warnings.extend(warnings);
            flows
        }
        Err(error) => {
            refuse(reader, text, error);
            Vec::new()
        }
    }
}

/// Checks the file's senders and receivers against `[tcp]`, which all connections share.
pub(crate) fn check_senders(
    reader: &mut Reader<'_>,
    tree: &Node,
    flows: &[ImportedFlow],
    config: &TrafficConfig,
    tcp: &TcpConfig,
) {
    let name = config.file.as_deref().unwrap_or_default();
    let Ok((path, text)) = reader.file(name) else { return };
    let is_linux_here = tcp.profile == TcpProfile::Ns2Linux;
    let connections = flows.iter().filter_map(|flow| match flow.carrier {
        ImportedCarrier::Tcp { is_linux, is_delayed, .. } => Some((flow.line, is_linux, is_delayed)),
        ImportedCarrier::Udp { .. } => None,
    });
    let (mut has_others, mut has_delay) = (false, false);
    for (line, is_linux, is_delayed) in connections {
        if is_linux && !is_linux_here && config.transport.is_none() {
            let message = "Agent/TCP/Linux requires tcp.profile = \"ns2_linux\"".to_owned();
            let hint = Some("set tcp.profile = \"ns2_linux\", or traffic.transport".to_owned());
            refuse(reader, text, TrafficFileError { path: path.to_owned(), line, message, hint });
            return;
        }
        has_others |= !is_linux && is_linux_here;
        has_delay |= is_delayed;
    }
    if has_others && config.transport.is_none() {
        let message = "all TCP agents run as Agent/TCP/Linux with tcp.profile = \"ns2_linux\"";
        reader.warnings.push(format!("{path}: {message}"));
    }
    let section = Section { key: "tcp", table: tree.get("tcp") };
    if has_delay && !tcp.delayed_ack && section.given("delayed_ack").is_none() {
        let message = "DelAck has no effect: set tcp.delayed_ack = true for delayed acknowledgments";
        reader.warnings.push(format!("{path}: {message}"));
    }
}

/// Reports what is wrong with a traffic file, with the line.
fn refuse(reader: &mut Reader<'_>, text: &str, error: TrafficFileError) {
    let TrafficFileError { path, line, message, hint } = error;
    let text = text.lines().nth(line as usize - 1).map(Into::into);
    let origin = Origin::Beside { path: path.into(), line: Some(line), text };
    let (key, expected) =
        ("traffic.file".to_owned(), "traffic statements of ns-2, as cbrgen generates them".to_owned());
    reader.refuse(&origin, RawDiagnostic { key, message, expected, hint, ..RawDiagnostic::default() });
}

/// Reads a traffic file for a network of this many nodes; `path` is its name in messages.
///
/// # Errors
/// The first problem in it.
pub fn cbrgen(text: &str, path: &str, nodes: u32) -> Result<ImportedTraffic, TrafficFileError> {
    parse(text, path, &Nodes { count: nodes, numbers: None, first: 0 })
}

fn parse(text: &str, path: &str, nodes: &Nodes<'_>) -> Result<ImportedTraffic, TrafficFileError> {
    let text = source(text);
    let at_line = |line: u32, problem: Problem| TrafficFileError {
        path: path.to_owned(),
        line,
        message: problem.message,
        hint: problem.hint,
    };
    let mut interpreter = Interpreter::default();
    let mut file = statement::Reader::new(nodes);
    let mut last = 1;
    for command in Script::new(&text, 1) {
        let command = command.map_err(|fault| at_line(fault.line, fault.message.into()))?;
        last = command.line;
        file.command(&mut interpreter, &command).map_err(|problem| at_line(command.line, problem))?;
    }
    file.run_later(&mut interpreter).map_err(|(line, problem)| at_line(line, problem))?;
    let mut warnings = file.warnings;
    let flows = flows::of(&file.objects, &mut warnings).map_err(|(line, problem)| at_line(line, problem))?;
    if flows.is_empty() {
        return Err(at_line(last, "no traffic in the file".to_owned().into()));
    }
    Ok(ImportedTraffic { flows, warnings: listed(path, warnings) })
}

/// Warnings that are listed; the rest is counted.
const MAX_WARNINGS: usize = 20;

fn listed(path: &str, mut warnings: Vec<(u32, String)>) -> Vec<String> {
    warnings.sort();
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    warnings.truncate(MAX_WARNINGS);
    let listed = warnings.into_iter().map(|(line, message)| format!("{path}:{line}: {message}"));
    listed.chain((more > 0).then(|| format!("{path}: {more} more warnings"))).collect()
}
