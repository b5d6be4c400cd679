//! Scripts of ns-2: their variables, and the simulator and nodes that a movement or traffic file uses without creating them.
//!
//! A file is read into a script that has created `$ns_`, `$god_` and the nodes. Names of their variables are a convention: any
//! `NAME(3)` or `NAME3` that the file does not set is node 3; `ns`, `ns_` and `sim...`, or any variable with a command of the
//! simulator, is the simulator.

use super::expand::{Scope, quoted};
use super::script::{Command, Script, Word};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The object that a word of a script denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The simulator.
    Simulator,
    /// The hop count oracle of ns-2's tracing.
    God,
    /// A node.
    Node(u32),
    /// A node as SUMO's list of activities calls it, by the same number.
    Vehicle(u32),
    /// An object that the file creates, by its number.
    Object(u32),
}

/// Runs the commands in brackets that [`Interpreter`] does not know.
pub trait Host {
    /// The result of a command in `line`, whose words are expanded.
    ///
    /// # Errors
    /// Why it has none.
    fn call(&mut self, variables: &mut Interpreter, line: u32, words: &[String]) -> Result<String, String>;
}

/// The variables of a script.
#[derive(Clone, Debug, Default)]
pub struct Interpreter {
    /// `Err`: why a variable that is set has no known value.
    variables: BTreeMap<String, Result<String, String>>,
    /// Variables whose values have been read.
    read: BTreeSet<String>,
    /// How the file calls each node that it does not create.
    names: BTreeMap<u32, String>,
    /// Nodes that the file creates.
    created: u32,
}

/// Methods that only a simulator has.
const SIMULATOR: [&str; 6] = ["at", "attach-agent", "connect", "create-connection", "create-connection-list", "at-now"];

/// What SUMO's list of activities calls a node.
const VEHICLE: &str = "g";

/// Beginnings of names that are those of agents and applications, not of nodes.
const NOT_NODES: [&str; 16] = [
    "udp", "tcp", "null", "sink", "cbr", "ftp", "exp", "par", "src", "app", "agent", "traffic", "lm", "loss", "opt",
    "val",
];

impl Handle {
    /// The object that a word denotes.
    pub fn of(word: &str) -> Option<Handle> {
        match word {
            "_sim" => Some(Handle::Simulator),
            "_god" => Some(Handle::God),
            _ => {
                let number = |prefix| word.strip_prefix(prefix)?.parse().ok();
                let object = || number("_o").map(Handle::Object);
                number("_node").map(Handle::Node).or_else(|| number("_g").map(Handle::Vehicle)).or_else(object)
            }
        }
    }

    /// The word that denotes it.
    pub fn word(self) -> String {
        match self {
            Handle::Simulator => "_sim".to_owned(),
            Handle::God => "_god".to_owned(),
            Handle::Node(node) => format!("_node{node}"),
            Handle::Vehicle(node) => format!("_g{node}"),
            Handle::Object(object) => format!("_o{object}"),
        }
    }
}

impl Interpreter {
    /// Sets a variable to a value, or to none for a reason.
    pub fn set(&mut self, name: &str, value: Result<String, String>) {
        self.variables.insert(name.to_owned(), value);
    }

    /// Whether anything has read a variable.
    pub fn is_read(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    /// The words of a command as it receives them. The first one is the simulator if the second is a command of simulators.
    ///
    /// # Errors
    /// What cannot be substituted, and why.
    pub fn words<'a>(&mut self, command: &Command<'a>, host: &mut dyn Host) -> Result<Vec<Cow<'a, str>>, String> {
        let mut words = Vec::with_capacity(command.words.len());
        for word in &command.words {
            let is_simulator = self.simulator(words.is_empty(), command);
            words.push(if is_simulator { Handle::Simulator.word().into() } else { self.word(word, host)? });
        }
        Ok(words)
    }

    /// A word as its command receives it.
    ///
    /// # Errors
    /// What cannot be substituted, and why.
    pub fn word<'a>(&mut self, word: &Word<'a>, host: &mut dyn Host) -> Result<Cow<'a, str>, String> {
        word.expand(&mut Run { interpreter: self, host, line: word.line })
    }

    /// What a command is about.
    pub fn head(&mut self, command: &Command<'_>, host: &mut dyn Host) -> Option<Handle> {
        if self.simulator(true, command) {
            return Some(Handle::Simulator);
        }
        Handle::of(&self.word(command.words.first()?, host).ok()?)
    }

    fn simulator(&self, is_first: bool, command: &Command<'_>) -> bool {
        let [first, second, ..] = command.words.as_slice() else { return false };
        let is_unset = first.as_variable().is_some_and(|name| !self.variables.contains_key(name));
        is_first && is_unset && SIMULATOR.contains(&second.text)
    }

    /// The value of a variable, or its value in the script that reads the file.
    fn value(&mut self, name: &str) -> Result<String, String> {
        if let Some(value) = self.variables.get(name) {
            if !self.read.contains(name) {
                self.read.insert(name.to_owned());
            }
            return value.clone();
        }
        if name.contains("god") {
            return Ok(Handle::God.word());
        }
        if name == "ns" || name == "ns_" || name.starts_with("sim") {
            return Ok(Handle::Simulator.word());
        }
        let (array, index) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((array, index)) => (array, index),
            None => name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len()),
        };
        let shown: String = name.chars().take(SHOWN).collect();
        if index.is_empty() || array.is_empty() || NOT_NODES.iter().any(|family| array.starts_with(family)) {
            return Err(format!("undefined variable {shown:?}"));
        }
        let is_whole = index.bytes().all(|byte| byte.is_ascii_digit());
        let node = index.parse::<u32>().ok().filter(|_| is_whole);
        let node = node.ok_or_else(|| format!("{shown:?} is not a node: expected integer, at least 0"))?;
        if array == VEHICLE {
            return Ok(Handle::Vehicle(node).word());
        }
        let known = self.names.entry(node).or_insert_with(|| array.to_owned());
        if known != array {
            return Err(format!("node {node} has two names: {known} and {array}"));
        }
        Ok(Handle::Node(node).word())
    }

    /// Runs a command of Tcl, or leaves it to the host.
    fn call(&mut self, line: u32, words: &[String], host: &mut dyn Host) -> Result<String, String> {
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        match texts.as_slice() {
            ["list", items @ ..] => Ok(items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(" ")),
            ["set", name] => self.value(name),
            ["set", name, value] => {
                self.set(name, Ok((*value).to_owned()));
                Ok((*value).to_owned())
            }
            ["new", "Simulator"] | ["Simulator", "instance"] => Ok(Handle::Simulator.word()),
            [simulator, "node"] if Handle::of(simulator) == Some(Handle::Simulator) => {
                self.created += 1;
                Ok(Handle::Node(self.created - 1).word())
            }
            _ => host.call(self, line, words),
        }
    }
}

/// Characters of a name that a message shows.
const SHOWN: usize = 40;

/// A statement with handles written as their usual variables.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive([' ', ';', '"', '{', '}', '[', ']']) {
        let word = part.trim_end_matches([' ', ';', '"', '{', '}', '[', ']']);
        match Handle::of(word) {
            Some(Handle::Simulator) => shown += "$ns_",
            Some(Handle::God) => shown += "$god_",
            Some(Handle::Node(node)) => shown += &format!("$node_({node})"),
            Some(Handle::Vehicle(node)) => shown += &format!("$g({node})"),
            Some(Handle::Object(_)) | None => shown += word,
        }
        shown += &part[word.len()..];
    }
    shown
}

/// Expansion at a line of a script.
struct Run<'r> {
    interpreter: &'r mut Interpreter,
    host: &'r mut dyn Host,
    line: u32,
}

impl Scope for Run<'_> {
    fn variable(&mut self, name: &str) -> Result<String, String> {
        self.interpreter.value(name)
    }

    fn script(&mut self, text: &str) -> Result<String, String> {
        let mut result = String::new();
        for command in Script::new(text, self.line) {
            let command = command.map_err(|fault| fault.message)?;
            let words = self.interpreter.words(&command, self.host)?;
            let words: Vec<String> = words.into_iter().map(Cow::into_owned).collect();
            result = self.interpreter.call(self.line, &words, self.host)?;
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Host for Nothing {
        fn call(&mut self, _: &mut Interpreter, _: u32, words: &[String]) -> Result<String, String> {
            Err(format!("[{}] is not executed", words.join(" ")))
        }
    }

    /// The words of the last command, after the commands before it that set variables.
    fn last(text: &str) -> Result<Vec<String>, String> {
        let mut interpreter = Interpreter::default();
        let mut last = Vec::new();
        for command in Script::new(text, 1) {
            let command = command.map_err(|fault| fault.message)?;
            last = interpreter.words(&command, &mut Nothing)?.into_iter().map(Cow::into_owned).collect();
            if last[0] == "set" {
                interpreter.call(1, &last, &mut Nothing)?;
            }
        }
        Ok(last)
    }

    #[test]
    fn variables_hold_what_they_were_set_to_last() {
        assert_eq!(
            last("set a 1; set b(x) $a; set a 2; p $a $b(x) [set a]"),
            Ok(vec!["p".into(), "2".into(), "1".into(), "2".into()])
        );
        assert_eq!(last("p $val(x)"), Err("undefined variable \"val(x)\"".into()));
        assert_eq!(last("p [expr 1 + 1]"), Err("[expr 1 + 1] is not executed".into()));
    }

    #[test]
    fn nodes_and_simulator_are_known_by_custom() {
        for (text, handle) in [
            ("$node_(3) x", Handle::Node(3)),
            ("$n12 x", Handle::Node(12)),
            ("$ns_ x", Handle::Simulator),
            ("$anything at 1 x", Handle::Simulator),
            ("$god_ x", Handle::God),
            ("$node_(7) x; $g(7) x", Handle::Vehicle(7)),
            ("set s [new Simulator]; $s x", Handle::Simulator),
            ("set a [$ns_ node]; set b [$ns_ node]; $b x", Handle::Node(1)),
        ] {
            assert_eq!(Handle::of(&last(text).expect(text)[0]), Some(handle), "{text}");
        }
        assert_eq!(last("p $node_(0) $n0"), Err("node 0 has two names: node_ and n".into()));
        assert!(last("$node_(-1) x").is_err_and(|error| error.starts_with("\"node_(-1)\" is not a node")));
        assert!(last("$udp0 x").is_err() && last("$cbr_(0) x").is_err());
    }

    #[test]
    fn lists_are_scripts() {
        let words = last("at [list $node_(0) setdest 1 2.5 {a b}]").expect("a list");
        assert_eq!(words[1], "_node0 setdest 1 2.5 {a b}");
    }
}
