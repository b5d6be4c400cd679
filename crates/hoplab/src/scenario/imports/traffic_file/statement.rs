//! Statements of a traffic file (OTcl of ns-2.35) that create, set, connect, start and stop objects.

use super::imported::{Nodes, Problem, excerpt};
use super::object::{Act, Class, Object, linux_transport};
use super::value;
use crate::kernel::Time;
use crate::mobility::import::tcl::{Command, Handle, Host, Interpreter, Script, shown};
use std::collections::BTreeMap;

/// Objects that a file may create.
const MAX_OBJECTS: usize = 1_000_000;

/// Reads statements.
pub(super) struct Reader<'n> {
    nodes: &'n Nodes<'n>,
    pub(super) objects: Vec<Object>,
    /// Values that classes give new objects, in the order in which they are set.
    defaults: BTreeMap<String, Vec<(String, String)>>,
    /// Scripts of `at`, which run when all is read.
    later: Vec<Later>,
    /// Of line and message.
    pub(super) warnings: Vec<(u32, String)>,
    /// The time of the script of an `at` that runs.
    now: Option<Time>,
    /// What is wrong with a command in brackets.
    nested: Option<Problem>,
}

/// The script of an `at`.
struct Later {
    t: Time,
    line: u32,
    script: String,
}

/// Methods of the simulator without an effect on traffic.
const HARMLESS: [&str; 6] =
    ["color", "trace-annotate", "initial_node_pos", "trace-all", "namtrace-all-wireless", "use-newtrace"];

/// Methods of agents without an effect on traffic.
const TRACING: [&str; 6] = ["attach", "trace", "tracevar", "attach-trace", "label", "monitor"];

impl Host for Reader<'_> {
    fn call(&mut self, _: &mut Interpreter, line: u32, words: &[String]) -> Result<String, String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run(line, &words).map_err(|problem| {
            let message = problem.message.clone();
            self.nested = Some(problem);
            message
        })
    }
}

impl<'n> Reader<'n> {
    pub(super) fn new(nodes: &'n Nodes<'n>) -> Reader<'n> {
        let (objects, later, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Reader { nodes, objects, defaults: BTreeMap::new(), later, warnings, now: None, nested: None }
    }

    /// Reads a statement.
    pub(super) fn command(&mut self, interpreter: &mut Interpreter, command: &Command<'_>) -> Result<(), Problem> {
        let words = match interpreter.words(command, self) {
            Ok(words) => words,
            // Statements on nodes and the hop oracle are those of a movement file.
            Err(_) if matches!(interpreter.head(command, self), Some(Handle::God)) => return Ok(()),
            Err(why) => return Err(self.nested.take().unwrap_or_else(|| why.into())),
        };
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        if let ["set", name, value] = words.as_slice() {
            if let Some(Handle::Object(object)) = Handle::of(value)
                && let Some(object) = self.objects.get_mut(object as usize)
            {
                object.name.get_or_insert_with(|| (*name).to_owned());
            }
            interpreter.set(name, Ok((*value).to_owned()));
            return Ok(());
        }
        match self.run(command.line, &words) {
            Ok(_) => Ok(()),
            // Quotation marks and braces are as in the file.
            Err(problem) if problem == unknown(&words) => Err(unread(command.text)),
            Err(problem) => Err(problem),
        }
    }

    /// Runs the scripts of `at` in order of time.
    pub(super) fn run_later(&mut self, interpreter: &mut Interpreter) -> Result<(), (u32, Problem)> {
        let mut later = std::mem::take(&mut self.later);
        later.sort_by_key(|later| later.t);
        for Later { t, line, script } in later {
            self.now = Some(t);
            for command in Script::new(&script, line) {
                let command = command.map_err(|fault| (fault.line, fault.message.into()))?;
                self.command(interpreter, &command).map_err(|problem| (command.line, problem))?;
            }
        }
        Ok(())
    }

    /// Runs a command whose words are expanded. Returns its result.
    fn run(&mut self, line: u32, words: &[&str]) -> Result<String, Problem> {
        let [head, rest @ ..] = words else { return Ok(String::new()) };
        match (Handle::of(head), rest) {
            (Some(Handle::Node(_)), ["attach", agent]) => self.attach_agent(line, words, head, agent),
            // Statements of a movement file.
            (Some(Handle::God | Handle::Node(_) | Handle::Vehicle(_)), _) => Ok(String::new()),
            (Some(Handle::Simulator), _) => self.simulator(line, words, rest),
            (Some(Handle::Object(object)), _) if (object as usize) < self.objects.len() => {
                self.object(line, words, object as usize, rest)
            }
            (None, ["set", variable, value]) if head.contains('/') => {
                self.set_default(line, head, variable, value).map(|()| String::new())
            }
            (None, [class]) if *head == "new" => self.create(line, class),
            (None, _) if *head == "puts" => Ok(String::new()),
            _ => Err(unknown(words)),
        }
    }

    fn create(&mut self, line: u32, name: &str) -> Result<String, Problem> {
        if self.objects.len() >= MAX_OBJECTS {
            return Err(format!("number of agents and applications exceeds limit ({MAX_OBJECTS})").into());
        }
        let mut object = Object::new(Class::named(name)?, name, line);
        let ends = name.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at).chain([name.len()]);
        for values in ends.filter_map(|end| self.defaults.get(&name[..end])) {
            for (variable, value) in values {
                object.set(variable, value, line)?;
            }
        }
        object.set.clear();
        self.objects.push(object);
        Ok(Handle::Object(self.objects.len() as u32 - 1).word())
    }

    /// A value for objects of a class that are created from here on.
    fn set_default(&mut self, line: u32, class: &str, variable: &str, value: &str) -> Result<(), Problem> {
        if !class.starts_with("Agent/") && !class.starts_with("Application/") {
            let message = format!("{} is not a traffic class", excerpt(class));
            return Err(Problem::new(
                message,
                "set [radio], [mac], [queue] and [link] in the scenario, and remove the line",
            ));
        }
        // Whether the value is one is seen by an object of the class.
        Object::new(Class::named(class)?, class, line).set(variable, value, line)?;
        self.defaults.entry(class.to_owned()).or_default().push((variable.to_owned(), value.to_owned()));
        Ok(())
    }

    fn simulator(&mut self, line: u32, words: &[&str], rest: &[&str]) -> Result<String, Problem> {
        match rest {
            ["at", t, script] => {
                if self.now.is_some() {
                    return Err(Problem::new("nested at is not supported", "move both to the top of the file"));
                }
                self.later.push(Later { t: value::time(t)?, line, script: (*script).to_owned() });
            }
            ["attach-agent", node, agent] => return self.attach_agent(line, words, node, agent),
            ["connect", a, b] => {
                let (a, b) = (self.agent(words, a)?, self.agent(words, b)?);
                self.connect(line, a, b)?;
                return Ok(Handle::Object(a as u32).word());
            }
            ["create-connection", source, src, sink, dst, _] => {
                let [source, sink] = [source, sink].map(|name| format!("Agent/{name}"));
                let source = self.create(line, &source)?;
                let sink = self.create(line, &sink)?;
                self.attach_agent(line, words, src, &source)?;
                self.attach_agent(line, words, dst, &sink)?;
                let (a, b) = (self.agent(words, &source)?, self.agent(words, &sink)?);
                self.connect(line, a, b)?;
                return Ok(source);
            }
            [method, ..] if HARMLESS.contains(method) => {}
            _ => return Err(unknown(words)),
        }
        Ok(String::new())
    }

    fn attach_agent(&mut self, line: u32, words: &[&str], node: &str, agent: &str) -> Result<String, Problem> {
        let Some(Handle::Node(number)) = Handle::of(node) else {
            return Err(format!("{} is not a node: expected $node_(0)", excerpt(&shown(node))).into());
        };
        let node = self.nodes.named(number)?;
        let agent = self.agent(words, agent)?;
        let agent = &mut self.objects[agent];
        if agent.node.replace(node).is_some() {
            return Err(format!("{} has a second node in line {line}: use one attach-agent", agent.called()).into());
        }
        Ok(String::new())
    }

    fn connect(&mut self, line: u32, a: usize, b: usize) -> Result<(), Problem> {
        for agent in [a, b] {
            if self.objects[agent].node.is_none() {
                let message = format!("{} has no node before connect", self.objects[agent].called());
                return Err(Problem::new(message, "move attach-agent before connect"));
            }
        }
        for (agent, peer) in [(a, b), (b, a)] {
            if let Some((_, earlier)) = self.objects[agent].peer.replace((peer, line))
                && self.objects[agent].class.is_sender()
            {
                let name = self.objects[agent].called();
                self.warnings.push((line, format!("connect of {name} overrides line {earlier}")));
            }
        }
        Ok(())
    }

    fn object(&mut self, line: u32, words: &[&str], id: usize, rest: &[&str]) -> Result<String, Problem> {
        let class = self.objects[id].class;
        match rest {
            ["set", variable, value] => {
                let object = &mut self.objects[id];
                if self.now.is_some() && !object.acts.is_empty() {
                    let message = format!("{variable} of {} must not change after start", object.called());
                    return Err(Problem::new(message, "use a second application"));
                }
                if let Some(earlier) = object.set(variable, value, line)? {
                    let name = object.called();
                    let message = format!("{variable} of {name} overrides line {earlier}");
                    self.warnings.push((line, message));
                }
            }
            ["attach-agent", agent] if class.is_application() => {
                let agent = self.agent(words, agent)?;
                self.attach(id, agent)?;
            }
            ["attach-app" | "attach-source" | "attach-traffic", kind] if class.is_sender() => {
                let family = if rest[0] == "attach-source" { "Source" } else { "Application" };
                let app = self.create(line, &format!("{family}/{kind}"))?;
                self.attach(self.objects.len() - 1, id)?;
                return Ok(app);
            }
            ["start"] if class.is_application() => self.act(id, line, Act::Start),
            ["stop"] if class.is_application() => self.act(id, line, Act::Stop),
            ["produce", packets] if class == Class::Ftp => self.act(id, line, Act::Produce(value::count(packets)?)),
            ["send", "-1"] if class == Class::Ftp => self.act(id, line, Act::Start),
            ["select_ca", module] if matches!(class, Class::Tcp(_, true)) => {
                let transport = linux_transport(module).ok_or_else(|| {
                    let message = format!("module {} of Agent/TCP/Linux is not supported", excerpt(module));
                    Problem::new(message, "use reno, vegas, veno, westwood, bic, cubic or compound")
                })?;
                self.objects[id].class = Class::Tcp(transport, true);
            }
            [method, ..] if !class.is_application() && TRACING.contains(method) => {}
            _ => return Err(unknown(words)),
        }
        Ok(String::new())
    }

    fn attach(&mut self, app: usize, agent: usize) -> Result<(), Problem> {
        let Object { class, class_name, .. } = &self.objects[agent];
        if !class.is_sender() {
            let message = format!("{class_name} does not send");
            return Err(Problem::new(message, "attach the application to Agent/UDP or Agent/TCP"));
        }
        let app = &mut self.objects[app];
        if app.agent.replace(agent).is_some() {
            return Err(format!("{} has a second agent: use one attach-agent", app.called()).into());
        }
        Ok(())
    }

    fn act(&mut self, id: usize, line: u32, act: Act) {
        self.objects[id].acts.push((self.now.unwrap_or(Time::ZERO), line, act));
    }

    /// The agent that a word denotes.
    fn agent(&self, words: &[&str], word: &str) -> Result<usize, Problem> {
        match Handle::of(word) {
            Some(Handle::Object(object))
                if self.objects.get(object as usize).is_some_and(|object| !object.class.is_application()) =>
            {
                Ok(object as usize)
            }
            _ => Err(unknown(words)),
        }
    }
}

fn unknown(words: &[&str]) -> Problem {
    unread(&words.join(" "))
}

fn unread(text: &str) -> Problem {
    let message = format!("unsupported statement {}", excerpt(&shown(text)));
    Problem::new(message, "use agents, applications, start and stop only: scripts are not executed")
}
