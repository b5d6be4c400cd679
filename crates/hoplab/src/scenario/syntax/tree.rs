//! A scenario as a tree of values that know where they were written.

use crate::scenario::syntax::source::{Source, Trouble};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a key or a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In no particular place: something is missing.
    Nowhere,
    /// These bytes of the file.
    File(Range<usize>),
    /// The key of this override.
    SetKey(usize),
    /// The value of this override.
    SetValue(usize),
    /// A line of a file that the scenario names; with the text of the line.
    Beside { path: Box<str>, line: Option<u32>, text: Option<Box<str>> },
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    /// A whole number beyond 64 bits.
    Huge,
    Real(f64),
    Bool(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) origin: Origin,
    pub(crate) node: Node,
}

impl Node {
    /// The entries of a table; none of anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The same to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Value::Table(entries) = &mut self.value else { return None };
        entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// The value at a path through tables.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entry of a key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }
}

impl Value {
    /// What this is, for messages.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Integer(_) | Value::Huge => "a whole number",
            Value::Real(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Date => "a date or time of day",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Reads TOML.
pub(crate) fn parse(source: &Source<'_>) -> Result<Node, Box<(Origin, Trouble)>> {
    let document = DeTable::parse(source.text).map_err(|error| Box::new(syntax_trouble(source, &error)))?;
    let origin = Origin::Nowhere;
    Ok(Node { value: table(document.into_inner(), &|span| Origin::File(span)), origin })
}

/// Sets what the overrides say, each at the paths that `present` gives for its own. An override that cannot be set is
/// passed to `refuse` and skipped.
pub(crate) fn apply<'k>(
    root: &mut Node,
    source: &Source<'k>,
    mut present: impl FnMut(Vec<&'k str>) -> Vec<Vec<&'k str>>,
    mut refuse: impl FnMut(Origin, Trouble),
) {
    for (index, (key, value)) in source.overrides.iter().enumerate() {
        let path: Vec<&str> = key.split('.').map(str::trim).collect();
        let trouble =
            |message: String, hint: Option<String>| Trouble { key: key.clone(), message, hint, ..Trouble::default() };
        if path.iter().any(|segment| segment.is_empty()) {
            let hint = Some("write --set mac.ssrl=9".to_owned());
            refuse(Origin::SetKey(index), trouble(format!("{key:?} is not a key"), hint));
            continue;
        }
        if path.len() > MAX_DEPTH {
            refuse(Origin::SetKey(index), trouble(format!("{key} is not a key"), None));
            continue;
        }
        let setting = Setting { index, node: set_value(value, index) };
        for path in present(path) {
            if let Err(refusal) = setting.assign(root, &path, "") {
                refuse(Origin::SetKey(index), trouble(refusal.message, refusal.hint));
            }
        }
    }
}

/// No key of a scenario has more parts.
const MAX_DEPTH: usize = 8;

/// The value of an override: TOML if it reads as such, a text otherwise.
fn set_value(text: &str, index: usize) -> Node {
    match DeValue::parse(text.trim()) {
        Ok(value) => node(value, &|_| Origin::SetValue(index)),
        Err(_) => Node { value: Value::Text(text.trim().to_owned()), origin: Origin::SetValue(index) },
    }
}

struct Setting {
    index: usize,
    node: Node,
}

struct Refusal {
    message: String,
    hint: Option<String>,
}

impl Setting {
    fn assign(&self, target: &mut Node, path: &[&str], walked: &str) -> Result<(), Refusal> {
        let Some((&segment, rest)) = path.split_first() else {
            *target = self.node.clone();
            return Ok(());
        };
        let here = if walked.is_empty() { segment.to_owned() } else { format!("{walked}.{segment}") };
        match &mut target.value {
            Value::Table(entries) => {
                let at = entries.iter().position(|entry| entry.key == segment).unwrap_or(entries.len());
                if at == entries.len() {
                    if here == "flow" && !rest.is_empty() {
                        let hint = Some("flows are added in the file, each under its own [[flow]]".to_owned());
                        return Err(Refusal { message: "there is no [[flow]] to change".to_owned(), hint });
                    }
                    entries.push(self.empty(segment, here == "node"));
                } else if rest.is_empty() {
                    entries[at].origin = Origin::SetKey(self.index);
                }
                self.assign(&mut entries[at].node, rest, &here)
            }
            Value::List(nodes) if walked == "node" => {
                let Ok(id) = segment.parse::<u32>() else {
                    let hint = Some(format!("name the node by its number: node.3.{}", path.join(".")));
                    return Err(Refusal { message: format!("{here} does not say which node"), hint });
                };
                let has_id = |node: &Node| {
                    let own = node.get("id").map(|own| &own.value);
                    matches!(own, Some(Value::Integer(number)) if *number == i64::from(id))
                };
                let at = nodes.iter().position(has_id).unwrap_or(nodes.len());
                if at == nodes.len() {
                    let mut entry = self.empty("id", false);
                    entry.node.value = Value::Integer(i64::from(id));
                    nodes.push(Node { value: Value::Table(vec![entry]), origin: Origin::SetKey(self.index) });
                }
                self.assign(&mut nodes[at], rest, &here)
            }
            Value::List(items) => {
                if let Ok(at) = segment.parse::<usize>() {
                    let count = items.len();
                    let Some(item) = items.get_mut(at) else {
                        let hint = match count {
                            0 => format!("{walked} is empty"),
                            1 => format!("there is only {walked}.0"),
                            _ => format!("there are {walked}.0 to {walked}.{}", count - 1),
                        };
                        return Err(Refusal { message: format!("there is no {here}"), hint: Some(hint) });
                    };
                    return self.assign(item, rest, &here);
                }
                if walked != "flow" {
                    let hint = Some(format!("set the whole of {walked}"));
                    return Err(Refusal { message: format!("{here} is not a key: {walked} is a list"), hint });
                }
                items.iter_mut().try_for_each(|item| self.assign(item, path, walked))
            }
            _ => {
                let message = format!("{here} is not a key: {walked} is {}, not a table", target.value.what());
                Err(Refusal { message, hint: Some(format!("set {walked} itself")) })
            }
        }
    }

    fn empty(&self, key: &str, is_list: bool) -> Entry {
        let value = if is_list { Value::List(Vec::new()) } else { Value::Table(Vec::new()) };
        let origin = Origin::SetKey(self.index);
        Entry { key: key.to_owned(), origin: origin.clone(), node: Node { value, origin } }
    }
}

fn table(table: DeTable<'_>, place: &dyn Fn(Range<usize>) -> Origin) -> Value {
    let entries = table.into_iter().map(|(key, value)| Entry {
        origin: place(key.span()),
        key: key.into_inner().into_owned(),
        node: node(value, place),
    });
    Value::Table(entries.collect())
}

fn node(spanned: Spanned<DeValue<'_>>, place: &dyn Fn(Range<usize>) -> Origin) -> Node {
    let origin = place(spanned.span());
    let value = match spanned.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Huge, Value::Integer)
        }
        DeValue::Float(number) => Value::Real(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.into_iter().map(|item| node(item, place)).collect()),
        DeValue::Table(entries) => table(entries, place),
    };
    Node { value, origin }
}

fn syntax_trouble(source: &Source<'_>, error: &toml::de::Error) -> (Origin, Trouble) {
    let origin = error.span().map_or(Origin::Nowhere, Origin::File);
    let line = error.span().map_or("", |span| source.line_at(span.start));
    let (what, hint) = match error.message() {
        "duplicate key" => {
            ("this stands here for the second time", Some("a key or [table] is written once".to_owned()))
        }
        _ if line.trim_end().ends_with('=') => ("a value is missing", None),
        other => (other, unquoted(line)),
    };
    let message = format!("this is not TOML: {what}");
    (origin, Trouble { message, hint, ..Trouble::default() })
}

/// A quantity or a word without its quotes is the most common slip.
fn unquoted(line: &str) -> Option<String> {
    if line.len() > 200 {
        return None;
    }
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next()?.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_-+".contains(c);
    if value.is_empty()
        || !key.chars().chain(value.chars()).all(is_plain)
        || !value.contains(|c: char| c.is_ascii_alphabetic())
    {
        return None;
    }
    Some(format!("texts and quantities are quoted: {} = \"{value}\"", key.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, overrides: &[(&str, &str)]) -> (Node, Vec<String>) {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let source = Source::new(text, "t.toml", &overrides);
        let mut tree = parse(&source).unwrap_or_else(|error| panic!("{:?}", error.1));
        let mut refused = Vec::new();
        apply(&mut tree, &source, |path| vec![path], |_, trouble| refused.push(trouble.message));
        (tree, refused)
    }

    fn at<'a>(tree: &'a Node, path: &[&str]) -> Option<&'a Value> {
        let mut node = tree;
        for key in path {
            node = match (&node.value, key.parse::<usize>()) {
                (Value::List(items), Ok(at)) => items.get(at)?,
                _ => node.get(key)?,
            };
        }
        Some(&node.value)
    }

    #[test]
    fn values_know_their_bytes() {
        let (tree, _) = after("a = 1\n[b]\nc = \"x\"\n", &[]);
        let c = tree.get("b").and_then(|b| b.entry("c")).expect("b.c");
        assert_eq!((&c.origin, &c.node.origin), (&Origin::File(10..11), &Origin::File(14..17)));
    }

    #[test]
    fn overrides_are_toml_or_text() {
        let sets =
            [("a.n", "9"), ("a.t", "200 m"), ("a.q", "\"9\""), ("a.l", "[[0, 1]]"), ("a.b", "true"), ("a.e", "")];
        let (tree, refused) = after("", &sets);
        assert_eq!(refused, Vec::<String>::new());
        assert!(matches!(at(&tree, &["a", "n"]), Some(Value::Integer(9))));
        assert!(matches!(at(&tree, &["a", "t"]), Some(Value::Text(text)) if text == "200 m"));
        assert!(matches!(at(&tree, &["a", "q"]), Some(Value::Text(text)) if text == "9"));
        assert!(matches!(at(&tree, &["a", "l", "0", "1"]), Some(Value::Integer(1))));
        assert!(matches!(at(&tree, &["a", "b"]), Some(Value::Bool(true))));
        assert!(matches!(at(&tree, &["a", "e"]), Some(Value::Text(text)) if text.is_empty()));
    }

    #[test]
    fn overrides_find_flows_and_nodes() {
        let text = "[[flow]]\n[[flow]]\nwindow = 3\n[[node]]\nid = 7\n";
        let sets =
            [("flow.window", "5"), ("flow.1.segment", "9"), ("node.7.a", "1"), ("node.2.a", "2"), ("flow.2.x", "0")];
        let (tree, refused) = after(text, &sets);
        assert!(matches!(at(&tree, &["flow", "0", "window"]), Some(Value::Integer(5))));
        assert!(matches!(at(&tree, &["flow", "1", "window"]), Some(Value::Integer(5))));
        assert!(at(&tree, &["flow", "0", "segment"]).is_none());
        assert!(matches!(at(&tree, &["node", "0", "a"]), Some(Value::Integer(1))));
        assert!(matches!(at(&tree, &["node", "1", "id"]), Some(Value::Integer(2))));
        assert_eq!(refused, ["there is no flow.2"]);
    }

    #[test]
    fn quotes_are_missed() {
        assert_eq!(
            unquoted("rate = 2 Mb/s # fast").as_deref(),
            Some("texts and quantities are quoted: rate = \"2 Mb/s\"")
        );
        assert_eq!(unquoted("rate = 2"), None);
        assert_eq!(unquoted("rate = [1,"), None);
    }
}
