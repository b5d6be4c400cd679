//! Movement files of ns-2, as `setdest`, BonnMotion's `NSFile` and SUMO write them, or written by hand.
//!
//! # Model
//! Tcl statements, of which these count: `$node_(i) set X_ <m>` (also `Y_`, `Z_`), `$ns_ at <t> "..."` around it (a jump)
//! and around `$node_(i) setdest <x> <y> <speed>`: a leg from the position of the node at that time. Words are those of Tcl ([`super::tcl`]);
//! variables that the file sets with `set` are known. What begins with `$god_` is the hop count oracle of ns-2's tracing and is
//! ignored; a statement that moves no node is ignored with a warning. One that moves a node and cannot be read
//! is refused.
//!
//! # Source
//! ns-2.35, `MobileNode` and the files of its `setdest`; behavior at edges and jumps as seen in runs of it.
//!
//! # Deviations
//! Tcl is not run: loops and expressions in a movement are refused. ns-2.35 ends with an error where a destination is refused;
//! here the node continues its course, with a warning.
//!
//! # Parameters
//! See [`Request`].

mod order;
mod script;
mod statement;
fn time(line: Line<'_>, at: &str) -> Result<Time, ImportError> {
    // The time at which a file is read.
    if at == "now" { Ok(Time::ZERO) } else { line.time(at) }
}

fn refused(line: Line<'_>, command: &Command<'_>, why: &str) -> ImportError {
    let error = line.error(format!("{} moves a node: {why}", excerpt(&tcl::shown(command.text))));
    error.expected(FORM).hint("replace loops and expressions by the resulting statements: scripts are not executed")
}

#[cfg(test)]
mod tests;
mod walker;

use super::lines::{Line, excerpt};
use super::message::{ImportError, Warnings};
use super::request::{File, Movements, Request};
use super::tcl::{self, Command, Handle, Host, Interpreter};
use crate::kernel::Time;
use order::Act;
use script::Orders;
use std::collections::BTreeMap;

/// Reads a movement file of ns-2.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn setdest(file: File, request: &Request) -> Result<Movements, ImportError> {
    let text = tcl::source(file.text);
    let mut reader = Reader {
        path: file.path,
        request,
        warnings: Warnings::new(file.path),
        interpreter: Interpreter::default(),
        nodes: BTreeMap::new(),
        later: Vec::new(),
        sets: Vec::new(),
        known: 0,
        unknown: 0,
        has_height: false,
    };
    let last_line = reader.script(&text, 1, None)?;
    reader.run_later()?;
    let Reader { nodes, mut warnings, interpreter, sets, .. } = reader;
    for (line, _, text) in sets.iter().filter(|(_, name, _)| !interpreter.is_read(name)) {
        warnings.warn(Some(*line), || unknown(text));
    }
    let mut found = BTreeMap::new();
    let mut spans = BTreeMap::new();
    for (place, (node, orders)) in (0..).zip(nodes) {
        // Of nodes that are renumbered, everything else in the scenario has the new number.
        let number = if request.renumber { place } else { node };
        let (way, span) = orders.follow(file.path, node, number, request, &mut warnings)?;
        found.insert(node, way);
        spans.extend(span.map(|span| (number, span)));
    }
    request.muster(file.path, found, &spans, last_line.unwrap_or(1), FORM, warnings)
}

/// Form of a movement.
const FORM: &str = "statements such as $node_(0) set X_ 10.0 and $ns_ at 1.0 \"$node_(0) setdest 10.0 20.0 5.0\"";

/// Unknown statements up to this number are ignored; with more of them than movements, the file is refused.
const MAX_UNKNOWN: usize = 1000;

/// Scripts of `at` within one another.
const MAX_DEPTH: u32 = 8;

struct Reader<'a> {
    path: &'a str,
    request: &'a Request<'a>,
    warnings: Warnings<'a>,
    interpreter: Interpreter,
    /// By the number that the file gives them.
    nodes: BTreeMap<u32, Orders>,
    /// Scripts of `at` with variables that have their values when they run.
    later: Vec<Later>,
    /// Line, variable and text of each `set`.
    sets: Vec<(u32, String, String)>,
    known: usize,
    unknown: usize,
    has_height: bool,
}

/// The script of an `at`.
struct Later {
    line: u32,
    at: String,
    script: String,
}

/// When a statement runs.
#[derive(Clone, Copy)]
struct When<'w> {
    /// As it is written.
    at: &'w str,
    depth: u32,
}

/// Executes no command.
struct Unrun;

impl Host for Unrun {
    fn call(&mut self, _: &mut Interpreter, _: u32, words: &[String]) -> Result<String, String> {
        Err(format!("[{}] is not executed", tcl::shown(&words.join(" "))))
    }
}

impl Reader<'_> {
    /// Reads the statements of a script that begins in `line`. Returns the line of the last one.
    fn script(&mut self, text: &str, line: u32, when: Option<When<'_>>) -> Result<Option<u32>, ImportError> {
        let mut last = None;
        for command in tcl::Script::new(text, line) {
            let command = command.map_err(|fault| {
                let line = Line { path: self.path, number: fault.line, text };
                line.error(fault.message).expected(FORM)
            })?;
            last = Some(command.line);
            self.command(&command, when)?;
        }
        Ok(last)
    }

    fn command(&mut self, command: &Command<'_>, when: Option<When<'_>>) -> Result<(), ImportError> {
        let line = Line { path: self.path, number: command.line, text: command.text };
        let words = match self.interpreter.words(command, &mut Unrun) {
            Ok(words) => words,
            Err(why) => return self.unreadable(line, command, &why),
        };
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let (head, rest) = (words[0], &words[1..]);
        match (Handle::of(head), rest) {
            (Some(Handle::Simulator), ["at", at, script]) => self.at(line, at, script, when),
            (Some(Handle::Simulator), ["at-now", script]) => self.at(line, "0", script, when),
            (Some(Handle::Vehicle(node)), ["start" | "stop"]) if when.is_some() => {
                let t = time(line, when.map_or("0", |when| when.at))?;
                self.activity(line, t, node, rest[0] == "start")
            }
            (Some(Handle::Node(node) | Handle::Vehicle(node)), ["setdest", ..] | ["set", "X_" | "Y_" | "Z_", ..]) => {
                let t = when.map(|when| time(line, when.at)).transpose()?;
                self.movement(line, t, node, rest)
            }
            (Some(Handle::God), _) | (Some(Handle::Node(_)), ["random-motion", "0"]) => Ok(()),
            (Some(Handle::Node(_)), ["set", "speed_", _]) if when.is_none() => Ok(()),
            (None, [name, value]) if head == "set" => {
                self.interpreter.set(name, Ok((*value).to_owned()));
                self.sets.push((line.number, (*name).to_owned(), excerpt(command.text)));
                self.count_unknown(line)
            }
            _ => self.unknown(line, command, when),
        }
    }

    /// The script of an `at` is read at once if it has no substitutions, or else after all earlier statements.
    fn at(&mut self, line: Line<'_>, at: &str, script: &str, when: Option<When<'_>>) -> Result<(), ImportError> {
        let depth = when.map_or(0, |when| when.depth + 1);
        if depth > MAX_DEPTH {
            return Err(line.error("nesting of at exceeds the limit").expected(FORM));
        }
        let is_plain = script.starts_with("_node") && !script.contains(['$', '[']);
        if is_plain || when.is_some() {
            return self.script(script, line.number, Some(When { at, depth })).map(drop);
        }
        self.later.push(Later { line: line.number, at: at.to_owned(), script: script.to_owned() });
        Ok(())
    }

    /// Reads the deferred scripts, in order of time.
    fn run_later(&mut self) -> Result<(), ImportError> {
        let mut later = std::mem::take(&mut self.later);
        let secs = |later: &Later| later.at.parse::<f64>().unwrap_or(0.0);
        later.sort_by(|a, b| secs(a).total_cmp(&secs(b)));
        later.iter().try_for_each(|Later { line, at, script }| {
            self.script(script, *line, Some(When { at, depth: 0 })).map(drop)
        })
    }

    /// A vehicle of SUMO departs or arrives.
    fn activity(&mut self, line: Line<'_>, t: Time, node: u32, departs: bool) -> Result<(), ImportError> {
        line.node(&node.to_string())?;
        self.request.admit(line, node)?;
        self.known += 1;
        self.nodes.entry(node).or_default().be_active(t, line.number, departs);
        Ok(())
    }

    fn movement(&mut self, line: Line<'_>, t: Option<Time>, node: u32, words: &[&str]) -> Result<(), ImportError> {
        line.node(&node.to_string())?;
        self.request.admit(line, node)?;
        self.known += 1;
        let orders = self.nodes.entry(node).or_default();
        match (words, t) {
            (["setdest", x, y, speed], t) => {
                let act = Act::Go((line.coordinate(x)?, line.coordinate(y)?), line.speed(speed)?);
                orders.add(line, t.unwrap_or(Time::ZERO), act);
                Ok(())
            }
            (["setdest", ..], _) => {
                let count = words.len() - 1;
                let error =
                    line.error(format!("expected 3 numbers, found {count}")).expected("setdest <x> <y> <speed>");
                Err(if count == 4 {
                    error.hint("for a three-dimensional file of BonnMotion, set kind = \"bonnmotion\"")
                } else {
                    error
                })
            }
            (["set", "Z_", z], _) => {
                if line.coordinate(z)? != 0.0 && !self.has_height {
                    self.has_height = true;
                    self.warnings.warn(Some(line.number), || "Z_ ignored: movement is two-dimensional".to_owned());
                }
                Ok(())
            }
            (["set", axis, metres], Some(t)) => {
                let metres = line.coordinate(metres)?;
                orders.add(line, t, if *axis == "X_" { Act::JumpX(metres) } else { Act::JumpY(metres) });
                Ok(())
            }
            (["set", axis, metres], None) => {
                let metres = line.coordinate(metres)?;
                if let Some(earlier) = orders.begin(axis, metres, line.number) {
                    let message = || format!("{axis} of node {node} overrides line {earlier}");
                    self.warnings.warn(Some(line.number), message);
                }
                Ok(())
            }
            _ => {
                let error = line.error(format!("{} is not a coordinate", excerpt(&words.join(" "))));
                Err(error.expected("set X_ <meters>, set Y_ <meters> or set Z_ <meters>"))
            }
        }
    }

    /// A statement with words whose values are unknown.
    fn unreadable(&mut self, line: Line<'_>, command: &Command<'_>, why: &str) -> Result<(), ImportError> {
        if statement::moves(command.text) {
            return Err(refused(line, command, why));
        }
        if let ["set", name, _] = command.words.iter().map(|word| word.text).collect::<Vec<_>>().as_slice() {
            self.interpreter.set(name, Err(format!("{} has no value: {why}", excerpt(name))));
        }
        self.unknown(line, command, None)
    }

    fn unknown(&mut self, line: Line<'_>, command: &Command<'_>, when: Option<When<'_>>) -> Result<(), ImportError> {
        if let Some(why) = statement::obstacle(command.text, when.is_some()) {
            return Err(refused(line, command, why));
        }
        self.count_unknown(line)?;
        let text = || unknown(&excerpt(&tcl::shown(command.text)));
        self.warnings.warn(Some(line.number), text);
        Ok(())
    }

    fn count_unknown(&mut self, line: Line<'_>) -> Result<(), ImportError> {
        self.unknown += 1;
        if self.unknown > MAX_UNKNOWN && self.unknown > self.known {
            let message = format!(
                "not a movement file of ns-2: {} statements, of which {} move a node",
                self.unknown + self.known,
                self.known
            );
            return Err(line.error(message).expected(FORM));
        }
        Ok(())
    }
}

fn unknown(text: &str) -> String {
    format!("unknown statement {text} ignored")
}
