//! Movement files of ns-2, as `setdest` and BonnMotion's `NSFile` write them.
//!
//! # Model
//! Tcl statements, of which these count: `$node_(i) set X_ <m>` (also `Y_`, `Z_`), `$ns_ at <t> "..."` around it (a jump)
//! and around `$node_(i) setdest <x> <y> <speed>`: go there from where the node then is. What begins with `$god_` is the
//! hop count oracle of ns-2's tracing and is passed over; any other statement is passed over with a warning.
//!
//! # Source
//! ns-2.35, `MobileNode` and the files of its `setdest`; behavior at edges and jumps as seen in runs of it.
//!
//! # Deviations
//! Tcl is not run: loops, variables and expressions in a movement are refused. Statements for one node must follow each
//! other in time (ns-2 would sort them). ns-2.35 ends with an error where a destination is refused; here the node keeps
//! its course, with a warning.
//!
//! # Parameters
//! See [`Request`].

use super::lines::{Line, excerpt, lines, whole};
use super::message::{ImportError, Warnings};
use super::request::{File, Movements, Request, Rules};
use crate::kernel::{Span, Time};
use crate::mobility::trajectory::{Path, Point, Trajectory};
use std::collections::BTreeMap;

/// Reads a movement file of ns-2.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn setdest(file: File, request: &Request) -> Result<Movements, ImportError> {
    let mut reader = Reader {
        request,
        warnings: Warnings::new(file.path),
        nodes: BTreeMap::new(),
        known: 0,
        unknown: 0,
        has_height: false,
    };
    let mut last_line = 1;
    for line in lines(file) {
        if line.text.is_empty() {
            continue;
        }
        last_line = line.number;
        for command in split(line, line.text)? {
            reader.command(line, command)?;
        }
    }
    let Reader { nodes, mut warnings, .. } = reader;
    let mut found = BTreeMap::new();
    for (node, script) in nodes {
        found.insert(node, script.follow(file.path, node, request, &mut warnings)?);
    }
    request.muster(file.path, found, last_line, FORM, warnings.finish())
}

/// What a movement looks like.
const FORM: &str = "statements such as $node_(0) set X_ 10.0 and $ns_ at 1.0 \"$node_(0) setdest 10.0 20.0 5.0\"";

/// Unknown statements up to this number are a script's; more of them than movements make the file something else.
const MAX_UNKNOWN: usize = 1000;

struct Reader<'a> {
    request: &'a Request<'a>,
    warnings: Warnings<'a>,
    nodes: BTreeMap<u32, Script>,
    known: usize,
    unknown: usize,
    has_height: bool,
}

/// What a file tells one node to do.
#[derive(Default)]
struct Script {
    x: Option<Initial>,
    y: Option<Initial>,
    orders: Vec<Order>,
}

#[derive(Clone, Copy)]
struct Initial {
    metres: f64,
    line: u32,
}

struct Order {
    t: Time,
    line: u32,
    act: Act,
}

enum Act {
    Go(Point, f64),
    JumpX(f64),
    JumpY(f64),
}

impl<'a> Reader<'a> {
    fn command(&mut self, line: Line<'a>, command: &str) -> Result<(), ImportError> {
        let (head, rest) = word(command);
        match head {
            "" | "$god_" => Ok(()),
            "$ns_" | "$ns" => {
                let (verb, rest) = word(rest);
                if verb != "at" {
                    return self.unknown(line, command);
                }
                let (t, script) = word(rest);
                for inner in split(line, unwrapped(line, script)?)? {
                    let (head, rest) = word(inner);
                    match node_of(head) {
                        Some(node) if is_movement(rest) => {
                            let t = line.time(t)?;
                            self.movement(line, Some(t), node, rest)?;
                        }
                        _ if head == "$god_" || head.is_empty() => {}
                        _ => self.unknown(line, inner)?,
                    }
                }
                Ok(())
            }
            _ => match node_of(head) {
                Some(node) if is_movement(rest) => self.movement(line, None, node, rest),
                _ => self.unknown(line, command),
            },
        }
    }

    fn movement(&mut self, line: Line<'a>, t: Option<Time>, node: &str, rest: &str) -> Result<(), ImportError> {
        if node.starts_with('$') {
            let error = line.blame(node, "is no node").expected("a node: a whole number from 0");
            return Err(error.hint("scripts are not run: write the movements out, without loops and variables"));
        }
        let node = line.node(node)?;
        self.request.admit(line, node)?;
        self.known += 1;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let script = self.nodes.entry(node).or_default();
        match (words.as_slice(), t) {
            (["setdest", x, y, speed], t) => {
                let act = Act::Go((line.coordinate(x)?, line.coordinate(y)?), line.speed(speed)?);
                script.order(line, node, t.unwrap_or(Time::ZERO), act)
            }
            (["setdest", ..], _) => {
                let count = words.len() - 1;
                let error = line.error(format!("setdest has {count} numbers")).expected("setdest <x> <y> <speed>");
                Err(if count == 4 {
                    error.hint("three-dimensional files of BonnMotion are read as kind = \"bonnmotion\"")
                } else {
                    error
                })
            }
            (["set", "Z_", z], _) => {
                if line.coordinate(z)? != 0.0 && !self.has_height {
                    self.has_height = true;
                    self.warnings.warn(Some(line.number), || "heights (Z_) are ignored: the ground is flat".to_owned());
                }
                Ok(())
            }
            (["set", axis, metres], Some(t)) => {
                let metres = line.coordinate(metres)?;
                script.order(line, node, t, if *axis == "X_" { Act::JumpX(metres) } else { Act::JumpY(metres) })
            }
            (["set", axis, metres], None) => {
                let initial = Initial { metres: line.coordinate(metres)?, line: line.number };
                let slot = if *axis == "X_" { &mut script.x } else { &mut script.y };
                if let Some(earlier) = slot.replace(initial) {
                    let message = || {
                        format!("{axis} of node {node} is set again, after line {}: the last one counts", earlier.line)
                    };
                    self.warnings.warn(Some(line.number), message);
                }
                Ok(())
            }
            _ => {
                let error = line.error(format!("{} is not one coordinate", excerpt(rest)));
                Err(error.expected("set X_ <metres>, set Y_ <metres> or set Z_ <metres>"))
            }
        }
    }

    fn unknown(&mut self, line: Line<'a>, command: &str) -> Result<(), ImportError> {
        self.unknown += 1;
        if self.unknown > MAX_UNKNOWN && self.unknown > self.known {
            let message = format!(
                "this is no movement file of ns-2: {} statements, and {} of them move a node",
                self.unknown + self.known,
                self.known
            );
            return Err(line.error(message).expected(FORM));
        }
        self.warnings.warn(Some(line.number), || format!("unknown statement {} is passed over", excerpt(command)));
        Ok(())
    }
}

impl Script {
    fn order(&mut self, line: Line, node: u32, t: Time, act: Act) -> Result<(), ImportError> {
        if let Some(last) = self.orders.last().filter(|last| t < last.t) {
            let message = format!(
                "time of node {node} goes back from {} s in line {} to {} s",
                last.t.secs(),
                last.line,
                t.secs()
            );
            return Err(line.error(message).expected("statements for a node in order of time"));
        }
        self.orders.push(Order { t, line: line.number, act });
        Ok(())
    }

    /// The way that a node goes by these orders.
    fn follow(
        self,
        path: &str,
        node: u32,
        request: &Request,
        warnings: &mut Warnings,
    ) -> Result<Trajectory, ImportError> {
        let (Some(x), Some(y)) = (self.x, self.y) else {
            let line = self.x.or(self.y).map(|other| other.line).or(self.orders.first().map(|order| order.line));
            let axis = if self.x.is_some() { "Y_" } else { "X_" };
            let message = format!("node {node} begins nowhere: {axis} is missing");
            let expected = format!("$node_({node}) set {axis} <metres>");
            return Err(ImportError { line, ..whole(path, message).expected(expected) });
        };
        if let Some((a, b)) =
            request.area.filter(|&(a, b)| !(0.0..=a).contains(&x.metres) || !(0.0..=b).contains(&y.metres))
        {
            let message =
                || format!("node {node} begins at ({}, {}), outside of the area {a} m x {b} m", x.metres, y.metres);
            warnings.warn(Some(y.line), message);
        }
        let mut walker = Walker { path: Path::at(x.metres, y.metres), heading: None };
        if request.is_fixed(node) {
            return Ok(walker.path.finish());
        }
        for order in self.orders {
            walker.obey(node, &order, request, warnings);
        }
        Ok(walker.path.finish())
    }
}

/// A node under way.
struct Walker {
    path: Path,
    heading: Option<Heading>,
}

/// What ns-2 remembers of the last `setdest`, after arrival too.
#[derive(Clone, Copy)]
struct Heading {
    /// Metres per second along each axis.
    velocity: Point,
    to: Point,
}

impl Walker {
    fn obey(&mut self, node: u32, order: &Order, request: &Request, warnings: &mut Warnings) {
        match order.act {
            Act::Go(to, speed) => {
                let Some(to) = admitted(to, request) else {
                    let (a, b) = request.area.unwrap_or((f64::INFINITY, f64::INFINITY));
                    let message = || {
                        format!(
                            "destination ({}, {}) is not inside of {a} m x {b} m: refused as in ns-2, node {node} keeps its course",
                            to.0, to.1
                        )
                    };
                    warnings.warn(Some(order.line), message);
                    return;
                };
                if let Act::Go(asked, _) = order.act
                    && asked != to
                {
                    let message = || {
                        format!(
                            "destination ({}, {}) lies outside of the area: node {node} goes to ({}, {})",
                            asked.0, asked.1, to.0, to.1
                        )
                    };
                    warnings.warn(Some(order.line), message);
                }
                let from = self.path.stop(order.t);
                let length = libm::hypot(to.0 - from.0, to.1 - from.1);
                let along = |distance: f64| if length > 0.0 { distance / length * speed } else { 0.0 };
                self.heading = Some(Heading { velocity: (along(to.0 - from.0), along(to.1 - from.1)), to });
                self.path.go(order.t, to, speed);
            }
            Act::JumpX(x) => {
                let (_, y) = self.path.stop(order.t);
                self.jump(node, order, (x, y), request, warnings);
            }
            Act::JumpY(y) => {
                let (x, _) = self.path.stop(order.t);
                self.jump(node, order, (x, y), request, warnings);
            }
        }
    }

    fn jump(&mut self, node: u32, order: &Order, to: Point, request: &Request, warnings: &mut Warnings) {
        let heading = self.heading.filter(|_| request.rules == Rules::Ns2);
        let Some(heading) = heading.filter(|heading| heading.leads_on(to)) else {
            self.heading = None;
            return self.path.jump(order.t, to);
        };
        // Each coordinate goes on as it was heading, and stops at the last destination; one beyond it goes back at once.
        let remaining = |from: f64, to: f64, v: f64| if v == 0.0 { 0.0 } else { ((to - from) / v).max(0.0) };
        let secs =
            (remaining(to.0, heading.to.0, heading.velocity.0), remaining(to.1, heading.to.1, heading.velocity.1));
        let at = |from: f64, to: f64, v: f64, left: f64, t: f64| match v {
            0.0 => from,
            _ if t >= left => to,
            _ => from + v * t,
        };
        let after = |t: f64| {
            let x = at(to.0, heading.to.0, heading.velocity.0, secs.0, t);
            (x, at(to.1, heading.to.1, heading.velocity.1, secs.1, t))
        };
        self.path.jump(order.t, after(0.0));
        let (first, last) = (secs.0.min(secs.1), secs.0.max(secs.1));
        let mut t = order.t;
        for end in [first, last] {
            let arrival = order.t + Span::from_secs(end.min(1e9));
            if arrival > t {
                self.path.reach(t, arrival, after(end));
                t = arrival;
            }
        }
        let message = || {
            format!(
                "node {node} jumps after a setdest: as in ns-2 it goes on towards ({}, {}); a setdest with speed 0 before the jump stops it",
                heading.to.0, heading.to.1
            )
        };
        warnings.warn(Some(order.line), message);
    }
}

impl Heading {
    /// Whether a node put at `place` would not stay there.
    fn leads_on(&self, place: Point) -> bool {
        (self.velocity.0 != 0.0 && place.0 != self.to.0) || (self.velocity.1 != 0.0 && place.1 != self.to.1)
    }
}

/// The destination that a node is given for `to`; `None` if ns-2 refuses it.
fn admitted(to: Point, request: &Request) -> Option<Point> {
    let (a, b) = request.area.unwrap_or((f64::INFINITY, f64::INFINITY));
    match request.rules {
        Rules::Ns2 => (to.0 > 0.0 && to.0 < a && to.1 > 0.0 && to.1 < b).then_some(to),
        Rules::Std if request.area.is_some() => Some((to.0.clamp(0.0, a), to.1.clamp(0.0, b))),
        Rules::Std => Some(to),
    }
}

/// The first word of `text`, and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// What stands in the parentheses of `$node_(3)`.
fn node_of(word: &str) -> Option<&str> {
    let name = word.strip_prefix('$')?.strip_suffix(')')?;
    let (array, index) = name.split_once('(')?;
    matches!(array, "node_" | "node").then_some(index)
}

/// Whether a command to a node moves it.
fn is_movement(rest: &str) -> bool {
    let (verb, rest) = word(rest);
    verb == "setdest" || (verb == "set" && matches!(word(rest).0, "X_" | "Y_" | "Z_"))
}

/// The commands of a script: it is split at semicolons outside of quotes and braces; a command that begins with `#` is a comment to the end.
fn split<'a>(line: Line, text: &'a str) -> Result<Vec<&'a str>, ImportError> {
    let mut found = Vec::new();
    let (mut begin, mut depth, mut is_quoted) = (0, 0u32, false);
    let is_comment = |begin: usize| text[begin..].trim_start().starts_with('#');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'{' if !is_quoted => depth += 1,
            b'}' if !is_quoted => depth = depth.saturating_sub(1),
            b';' if !is_quoted && depth == 0 && !is_comment(begin) => {
                found.extend(Some(text[begin..at].trim()).filter(|command| !command.is_empty()));
                begin = at + 1;
            }
            _ => {}
        }
    }
    if is_comment(begin) {
        return Ok(found);
    }
    if is_quoted && text[begin..].contains("$node") {
        return Err(line.error("a quotation mark is not closed").expected("$ns_ at <t> \"<statement>\" in one line"));
    }
    found.push(text[begin..].trim());
    Ok(found)
}

/// A script without its quotes or braces.
fn unwrapped<'a>(line: Line, script: &'a str) -> Result<&'a str, ImportError> {
    let inner = |open: char, close: char| script.strip_prefix(open).map(|rest| rest.strip_suffix(close));
    match inner('"', '"').or_else(|| inner('{', '}')) {
        Some(Some(inner)) => Ok(inner),
        Some(None) => Err(line
            .error("a quotation mark or brace is not closed")
            .expected("$ns_ at <t> \"<statement>\" in one line")),
        None => Ok(script),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, rules: Rules) -> Result<Movements, ImportError> {
        setdest(File { path: "scen", text }, &Request { area: Some((500.0, 400.0)), rules, ..Request::default() })
    }

    /// Node 0 at (100, 100), told so; where it is at these times, and the warnings.
    fn told(script: &str, rules: Rules, times: &[f64]) -> (Vec<Point>, Vec<String>) {
        let text = format!("$node_(0) set X_ 100\n$node_(0) set Y_ 100\n{script}");
        let Movements { nodes, warnings } = read(&text, rules).expect("a good file");
        let way = nodes[0].as_ref().expect("node 0");
        let places = times.iter().map(|&t| way.position(Time::from_secs(t)));
        (places.collect(), warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn goes_where_it_is_told() {
        let script = "$ns_ at 1.0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 5 {$node_(0) setdest 140 200 5} ;# turn\n";
        let (places, warnings) = told(script, Rules::Ns2, &[1.0, 5.0, 25.0, 99.0]);
        assert_eq!(places, [(100.0, 100.0), (140.0, 100.0), (140.0, 200.0), (140.0, 200.0)]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn speed_zero_is_a_stop() {
        let script = "$ns_ at 1 \"$node_(0) setdest 200 100 10\"\n$ns_ at 3 \"$node_(0) setdest 300 300 0\"";
        assert_eq!(told(script, Rules::Ns2, &[3.0, 50.0]).0, [(120.0, 100.0); 2]);
    }

    #[test]
    fn refused_or_clipped_at_the_edge() {
        let script = "$ns_ at 0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 2 \"$node_(0) setdest 500 100 50\"";
        let (places, warnings) = told(script, Rules::Ns2, &[3.0, 10.0, 50.0]);
        assert_eq!(places, [(130.0, 100.0), (200.0, 100.0), (200.0, 100.0)]);
        assert_eq!(
            warnings,
            [
                "scen:4: destination (500, 100) is not inside of 500 m x 400 m: refused as in ns-2, node 0 keeps its course"
            ]
        );
        let (places, warnings) = told(&script.replace("500", "700"), Rules::Std, &[3.0, 50.0]);
        assert_eq!(places, [(170.0, 100.0), (500.0, 100.0)]);
        assert_eq!(warnings, ["scen:4: destination (700, 100) lies outside of the area: node 0 goes to (500, 100)"]);
        let (places, warnings) = told(script, Rules::Std, &[50.0]);
        assert_eq!((places, warnings.len()), (vec![(500.0, 100.0)], 0), "the edge belongs to the area");
    }

    /// Seen in runs of ns-2.35 with the same statements.
    #[test]
    fn after_a_jump_ns_2_goes_on_as_it_was_heading() {
        let script = "$ns_ at 5 \"$node_(0) setdest 200 100 5\"\n$ns_ at 30 \"$node_(0) set X_ 50\"\n$ns_ at 31 \"$node_(0) set Y_ 200\"";
        let (places, warnings) = told(script, Rules::Ns2, &[29.0, 30.0, 30.5, 31.0, 59.0, 70.0]);
        assert_eq!(
            places,
            [(200.0, 100.0), (50.0, 100.0), (52.5, 100.0), (55.0, 200.0), (195.0, 200.0), (200.0, 200.0)]
        );
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        let (places, warnings) = told(script, Rules::Std, &[30.0, 31.0, 70.0]);
        assert_eq!((places, warnings.len()), (vec![(50.0, 100.0), (50.0, 200.0), (50.0, 200.0)], 0));
        // A coordinate beyond the destination goes back to it at once.
        let script = "$ns_ at 1 \"$node_(0) setdest 200 150 10\"\n$ns_ at 3 \"$node_(0) set X_ 300\"";
        let (places, _) = told(script, Rules::Ns2, &[3.25, 12.25]);
        assert_eq!(places[0].0, 200.0);
        assert!((places[0].1 - 110.062).abs() < 1e-3 && places[1] == (200.0, 150.0), "{places:?}");
    }

    #[test]
    fn a_stop_before_the_jump_makes_it_stay() {
        let script = "$ns_ at 1 \"$node_(0) setdest 200 100 10\"\n$ns_ at 30 \"$node_(0) setdest 200 100 0\"\n$ns_ at 30 \"$node_(0) set X_ 20\"";
        let (places, warnings) = told(script, Rules::Ns2, &[29.9, 30.0, 90.0]);
        assert_eq!((places, warnings.len()), (vec![(200.0, 100.0), (20.0, 100.0), (20.0, 100.0)], 0));
    }

    #[test]
    fn the_hop_oracle_and_comments_are_passed_over_in_silence() {
        let script = "$god_ set-dist 0 1 2\n# $ns_ at 1 \"$node_(0) setdest 1 1 1\"\n$ns_ at 3.5 \"$god_ set-dist 0 1 1\"\n$node_(0) set Z_ 0.0; # flat\n";
        assert_eq!(told(script, Rules::Ns2, &[9.0]), (vec![(100.0, 100.0)], vec![]));
    }

    #[test]
    fn other_statements_are_passed_over_with_a_warning() {
        let script = "set val(nn) 50\n$node_(0) color red\n$ns_ at 9 \"puts done\"\n$ns_ run\n$node_(0) set X_ 120\n$node_(0) set Z_ 2";
        let (places, warnings) = told(script, Rules::Ns2, &[0.0]);
        assert_eq!(places, [(120.0, 100.0)]);
        assert_eq!(
            warnings,
            [
                "scen:3: unknown statement \"set val(nn) 50\" is passed over",
                "scen:4: unknown statement \"$node_(0) color red\" is passed over",
                "scen:5: unknown statement \"puts done\" is passed over",
                "scen:6: unknown statement \"$ns_ run\" is passed over",
                "scen:7: X_ of node 0 is set again, after line 1: the last one counts",
                "scen:8: heights (Z_) are ignored: the ground is flat",
            ]
        );
    }

    #[test]
    fn fixed_nodes_stand_where_they_begin() {
        let text = "$node_(1) set X_ 9\n$node_(1) set Y_ 8\n$ns_ at 1 \"$node_(1) setdest 20 20 5\"";
        let fixed = [crate::kernel::NodeId(0), crate::kernel::NodeId(1)];
        let request = Request { fixed: &fixed, ..Request::default() };
        let read = setdest(File { path: "scen", text }, &request).expect("a good file");
        assert_eq!(read.nodes, [None, Some(Trajectory::still(9.0, 8.0))]);
    }
}
