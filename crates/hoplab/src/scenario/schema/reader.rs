//! Reads tables of the tree over their defaults, key by key, and collects problems.
//!
//! Reading never stops at the first problem: a refused value is reported and remains at its default, so that one attempt
//! reports all problems. Callers test [`Reader::is_clean`] before they check values against each other.

use super::fields::{Fields, Shape, plain, value};
use super::{key_hints, unsupported};
use crate::scenario::syntax::diagnostic::{RawDiagnostic, ScenarioError};
use crate::scenario::syntax::named_file::NamedFile;
use crate::scenario::syntax::problem::{UNKNOWN_KEY, filled, mismatch, unknown_table};
use crate::scenario::syntax::quantity::Unreadable;
use crate::scenario::syntax::source::{Origin, Source, printable};
use crate::scenario::syntax::suggest::suggest;
use crate::scenario::syntax::tree::{Entry, Node, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// The input of a scenario, and the diagnostics and warnings so far.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source<'a>,
    /// The keys of the whole file.
    pub(crate) root: &'static Fields,
    /// Files that the scenario may name.
    pub(crate) files: &'a [NamedFile],
    pub(crate) diagnostics: Vec<(Origin, RawDiagnostic)>,
    pub(crate) warnings: Vec<String>,
}

/// Diagnostics that are collected; a file with more is not a scenario.
const MAX_DIAGNOSTICS: usize = 1000;

impl<'a> Reader<'a> {
    /// Path and text of a file that the scenario names; or the problem with it, in a form of `syntax::problem`.
    pub(crate) fn file(&self, name: &str) -> Result<(&'a str, &'a str), String> {
        match self.files.iter().find(|file| file.name == name) {
            Some(NamedFile { path, text: Ok(text), .. }) => Ok((path, text)),
            Some(NamedFile { text: Err(what), .. }) => Err(what.clone()),
            None => Err("{}: file not loaded".to_owned()),
        }
    }

    pub(crate) fn new(source: &'a Source<'a>, root: &'static Fields, files: &'a [NamedFile]) -> Reader<'a> {
        Reader { source, root, files, diagnostics: Vec::new(), warnings: Vec::new() }
    }

    /// The warnings, if there is no problem.
    ///
    /// # Errors
    /// All diagnostics in the order of the file, one for each position: an override for all flows fails in each of them.
    pub(crate) fn finish(self) -> Result<Vec<String>, ScenarioError> {
        let Reader { source, mut diagnostics, warnings, .. } = self;
        diagnostics.sort_by_key(|(origin, _)| match origin {
            Origin::File(span) => (0, span.start),
            Origin::SetKey(index) | Origin::SetValue(index) => (1, *index),
            Origin::Beside { line, .. } => (2, line.unwrap_or(0) as usize),
            Origin::Nowhere => (3, 0),
        });
        diagnostics.dedup_by(|(a, _), (b, _)| a == b && !matches!(a, Origin::Nowhere));
        let located = diagnostics.into_iter().map(|(origin, raw)| source.diagnostic(&origin, raw));
        ScenarioError::of(located.collect()).map_or(Ok(warnings), Err)
    }

    pub(crate) fn refuse(&mut self, origin: &Origin, diagnostic: RawDiagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push((origin.clone(), diagnostic));
        }
    }

    /// Whether no diagnostic concerns a table.
    pub(crate) fn is_clean(&self, table: &str) -> bool {
        let is_of = |key: &str| key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        !self.diagnostics.iter().any(|(_, diagnostic)| is_of(&diagnostic.key))
    }

    /// `base` with the values of `table` over it. A wrong value is reported and left at its default.
    pub(crate) fn overlay<T>(&mut self, table: Option<&Node>, key: &str, fields: &Fields, base: T) -> T
    where
        T: Serialize + DeserializeOwned,
    {
        match table {
            Some(table) if self.is_table(table, key) => self.overlay_entries(table.entries(), key, fields, base),
            _ => base,
        }
    }

    /// Like [`Reader::overlay`], with a selection of a table's entries.
    pub(crate) fn overlay_entries<'n, T>(
        &mut self,
        entries: impl IntoIterator<Item = &'n Entry>,
        key: &str,
        fields: &Fields,
        base: T,
    ) -> T
    where
        T: Serialize + DeserializeOwned,
    {
        let Ok(Json::Object(mut values)) = serde_json::to_value(&base) else {
            unreachable!("the defaults of {key} are a table")
        };
        keep_absent(&mut values, fields);
        self.read_entries(entries, key, fields, &mut values);
        match serde_json::from_value(Json::Object(values)) {
            Ok(read) => read,
            Err(error) => {
                let diagnostic = RawDiagnostic {
                    key: key.to_owned(),
                    message: format!("{key}: {error}"),
                    ..RawDiagnostic::default()
                };
                self.refuse(&Origin::Nowhere, diagnostic);
                base
            }
        }
    }

    fn read_entries<'n>(
        &mut self,
        entries: impl IntoIterator<Item = &'n Entry>,
        key: &str,
        fields: &Fields,
        values: &mut Map<String, Json>,
    ) {
        for entry in entries {
            let inner = join(key, &entry.key);
            match fields.get(&entry.key) {
                Some(Shape::Table(fields)) => {
                    if !self.is_table(&entry.node, &inner) {
                        continue;
                    }
                    // A table that is absent by default is empty at first.
                    let base = values.entry(entry.key.as_str()).or_insert(Json::Null);
                    if !base.is_object() {
                        *base = Json::Object(Map::new());
                    }
                    if let Json::Object(values) = base {
                        self.read_entries(entry.node.entries(), &inner, fields, values);
                    }
                }
                Some(shape) => {
                    if let Some(value) = self.read(&entry.node, &inner, shape) {
                        values.insert(entry.key.clone(), value);
                    }
                }
                None => self.refuse_key(entry, key, fields),
            }
        }
    }

    /// Whether a value is a table; anything else is reported.
    pub(crate) fn is_table(&mut self, node: &Node, key: &str) -> bool {
        if matches!(node.value, Value::Table(_)) {
            return true;
        }
        let is_list = matches!(node.value, Value::List(_));
        let header = self.root.header_of(key);
        let hint = is_list.then(|| match key_hints::list(key) {
            Some(hint) => hint.to_owned(),
            None => format!("use single brackets: {header}"),
        });
        let diagnostic = self.wrong(node, key, &mismatch("table", node.value.what()));
        self.refuse(&node.origin, RawDiagnostic { expected: format!("table {header}"), hint, ..diagnostic });
        false
    }

    /// Reports a key that `[table]` does not have.
    pub(crate) fn refuse_key(&mut self, entry: &Entry, table: &str, fields: &Fields) {
        if self.diagnostics.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let key = join(table, &entry.key);
        let shown = printable(&key, 60);
        if let Some((message, hint)) = key_hints::key(&key) {
            let hint = Some(hint);
            self.refuse(&entry.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
            return;
        }
        let is_table = matches!(entry.node.value, Value::Table(_));
        let message = match (table, is_table) {
            ("", true) => unknown_table(&shown),
            _ => format!("{shown}: {UNKNOWN_KEY}"),
        };
        let synonym = key_hints::synonym(table, &entry.key);
        let unsupported = unsupported::key(&entry.key).filter(|_| synonym.is_none());
        let message = unsupported.map_or(message, |(what, _)| format!("{shown}: not supported: {what}"));
        let has_part = |name: &&str| name.split('_').any(|part| part == entry.key);
        let parts: Vec<&str> = fields.names().filter(has_part).collect();
        let hint = suggest(&entry.key, fields.names())
            .map(|right| join(table, right))
            // Several keys of this table are meant rather than one of another, which is meant rather than a part of one.
            .or_else(|| self.elsewhere(&entry.key).filter(|_| parts.len() < 2))
            .or_else(|| parts.first().filter(|_| parts.len() == 1).map(|right| join(table, right)))
            .map(|right| format!("did you mean {right}?"));
        let hint = match synonym {
            Some(right) if right.contains(' ') => Some(format!("use {right}")),
            Some(right) => Some(format!("did you mean {}?", join(table, right))),
            None => unsupported.map(|(_, hint)| hint.to_owned()).or(hint),
        };
        let names = || format!("one of {}", fields.names().collect::<Vec<_>>().join(", "));
        let expected = if hint.is_some() { String::new() } else { names() };
        self.refuse(&entry.origin, RawDiagnostic { key, message, expected, hint, value: None });
    }

    /// The value of a key as JSON that its type accepts.
    pub(crate) fn read(&mut self, node: &Node, key: &str, shape: &Shape) -> Option<Json> {
        match (shape, &node.value) {
            (Shape::List(item, length), Value::List(items)) => {
                if length.is_some_and(|length| length != items.len()) {
                    let diagnostic = self.wrong(node, key, &mismatch(entries(length.unwrap_or(0)), items.len()));
                    self.refuse(&node.origin, RawDiagnostic { expected: shape.expected(), ..diagnostic });
                    return None;
                }
                // The path of an entry is built for messages only: a list may have a million.
                let mut entry = |(i, node)| match plain(node, item) {
                    Some(value) => Some(value),
                    None => self.read(node, &format!("{key}.{i}"), item),
                };
                items.iter().enumerate().map(&mut entry).collect()
            }
            _ => match value(node, shape) {
                Ok(value) => Some(value),
                Err(Unreadable { what, hint }) => {
                    let mut diagnostic = self.wrong(node, key, &what);
                    diagnostic.hint = hint;
                    self.refuse(&node.origin, RawDiagnostic { expected: shape.expected(), ..diagnostic });
                    None
                }
            },
        }
    }

    /// The diagnostic `key: what`, in which `{}` is replaced by the value as written.
    pub(crate) fn wrong(&self, node: &Node, key: &str, what: &str) -> RawDiagnostic {
        let written = match &node.value {
            Value::Table(_) => None,
            Value::List(items) if items.iter().any(|item| matches!(item.value, Value::Table(_))) => None,
            _ => self.source.written(&node.origin),
        };
        let message = message(key, what, written.as_deref());
        RawDiagnostic { key: key.to_owned(), value: written, message, ..RawDiagnostic::default() }
    }

    /// The table of a key of this name, if only one other table has it.
    fn elsewhere(&self, name: &str) -> Option<String> {
        if self.root.get(name).is_some() {
            return Some(format!("{name} at the top of the file"));
        }
        if self.root.table("flow").get(name).is_some() {
            return Some(format!("{name} of a [[flow]]"));
        }
        let mut tables = TABLES_SEARCHED.iter().filter(|table| self.root.table(table).get(name).is_some());
        // A name of several tables, such as kind, is that of none of them in particular.
        tables.next().filter(|_| tables.next().is_none()).map(|table| join(table, name))
    }
}

/// A number of entries of a list, for messages.
fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// Tables that are searched for an unknown key, to suggest the right one.
const TABLES_SEARCHED: [&str; 10] =
    ["topology", "mobility", "traffic", "radio", "mac", "link", "queue", "routing", "tcp", "semi_tcp"];

/// Marks optional values that the defaults leave absent, also in nested tables: they remain absent, whatever the default of
/// the type is.
fn keep_absent(values: &mut Map<String, Json>, fields: &Fields) {
    for name in fields.names() {
        let value = values.entry(name).or_insert(Json::Null);
        if let (Some(Shape::Table(fields)), Json::Object(values)) = (fields.get(name), value) {
            keep_absent(values, fields);
        }
    }
}

/// The message `key: what`, in which `{}` is replaced by the value as written.
pub(crate) fn message(key: &str, what: &str, value: Option<&str>) -> String {
    let problem = filled(what, value);
    if key.is_empty() { problem } else { format!("{key}: {problem}") }
}

/// The path of a key.
pub(crate) fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}
