//! A scenario as a tree of TOML values with their source positions.
//!
//! `toml::Value` has no positions, and every diagnostic cites line and column.

use super::diagnostic::RawDiagnostic;
use super::source::{Origin, Source};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    /// A whole number above the maximum of a signed 64-bit integer.
    Unsigned(u64),
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

    /// The value of a key, to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Value::Table(entries) = &mut self.value else { return None };
        entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// The value at a path, through tables only.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entry of a key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }
}

impl Value {
    /// The type of value, for messages.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Value::Text(_) => "string",
            Value::Integer(_) | Value::Unsigned(_) | Value::Huge => "integer",
            Value::Real(_) => "number",
            Value::Bool(_) => "boolean",
            Value::Date => "date or time",
            Value::List(_) => "array",
            Value::Table(_) => "table",
        }
    }
}

/// Parses the text of a scenario.
pub(crate) fn parse(source: &Source<'_>) -> Result<Node, Box<(Origin, RawDiagnostic)>> {
    let document = DeTable::parse(source.text).map_err(|error| Box::new(syntax_error(source, &error)))?;
    let origin = Origin::Nowhere;
    Ok(Node { value: table(document.into_inner(), &|span| Origin::File(span)), origin })
}

/// One value as TOML, or else as text; `place` gives its position.
pub(crate) fn value(text: &str, place: &dyn Fn() -> Origin) -> Node {
    match DeValue::parse(text) {
        Ok(value) => node(value, &|_| place()),
        Err(_) => Node { value: Value::Text(text.to_owned()), origin: place() },
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
            let (digits, radix) = (number.as_str(), number.radix());
            let unsigned = || u64::from_str_radix(digits, radix).map_or(Value::Huge, Value::Unsigned);
            i64::from_str_radix(digits, radix).map_or_else(|_| unsigned(), Value::Integer)
        }
        DeValue::Float(number) => Value::Real(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.into_iter().map(|item| node(item, place)).collect()),
        DeValue::Table(entries) => table(entries, place),
    };
    Node { value, origin }
}

fn syntax_error(source: &Source<'_>, error: &toml::de::Error) -> (Origin, RawDiagnostic) {
    let origin = error.span().map_or(Origin::Nowhere, Origin::File);
    let line = error.span().map_or("", |span| source.line_at(span.start));
    let (what, hint) = match error.message() {
        "duplicate key" => ("duplicate key or table", Some("define each key and each [table] once".to_owned())),
        _ if line.trim_end().ends_with('=') => ("missing value", Some("add a value after the equals sign".to_owned())),
        other => (other, unquoted(line)),
    };
    let message = format!("invalid TOML: {what}");
    (origin, RawDiagnostic { message, hint, ..RawDiagnostic::default() })
}

/// The hint for a quantity or a word without quotes, the most common syntax error.
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
    Some(format!("quote strings and quantities: {} = \"{value}\"", key.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_carry_their_byte_ranges() {
        let source = Source::new("a = 1\n[b]\nc = \"x\"\n", "t.toml", &[]);
        let tree = parse(&source).unwrap_or_else(|error| panic!("{:?}", error.1));
        let c = tree.get("b").and_then(|b| b.entry("c")).expect("b.c");
        assert_eq!((&c.origin, &c.node.origin), (&Origin::File(10..11), &Origin::File(14..17)));
    }

    #[test]
    fn missing_quotes_get_a_hint() {
        assert_eq!(
            unquoted("rate = 2 Mb/s # fast").as_deref(),
            Some("quote strings and quantities: rate = \"2 Mb/s\"")
        );
        assert_eq!(unquoted("rate = 2"), None);
        assert_eq!(unquoted("rate = [1,"), None);
    }
}
