//! Reading a table of the file over its defaults, key by key, led by its JSON Schema.
//!
//! The schema that is published is the one that decides: which keys there are, what each may hold. A layer that adds a
//! key to its config has it checked, documented and read here without a further line.

use crate::kernel::Bytes;
use crate::scenario::imports::movement::NamedFile;
use crate::scenario::schema::file::root;
use crate::scenario::schema::key_hints;
use crate::scenario::syntax::quantity::{BYTES, Kind, Quantity, Unreadable};
use crate::scenario::syntax::source::{Source, Trouble, printable};
use crate::scenario::syntax::suggest::nearest;
use crate::scenario::syntax::tree::{Entry, Node, Origin, Value};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// What a key may hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A text with a unit.
    Quantity(&'static Kind),
    Bool,
    /// A whole number in this range.
    Integer(i128, i128),
    /// A finite number in this range.
    Real(f64, f64),
    Text,
    /// One of these words.
    Choice(Vec<String>),
    /// A node by its number, from either end, or one of these words.
    NodeRef(Vec<String>),
    /// A list, of a fixed length if that is given.
    List(Box<Shape>, Option<usize>),
    /// A table.
    Table(Fields),
}

/// The keys of a table, in the order of its struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(Vec<(String, Shape)>);

impl Fields {
    /// The keys of the table that `T` is read from.
    pub(crate) fn of<T: JsonSchema>() -> Fields {
        let schema = schemars::schema_for!(T).to_value();
        match shape(&schema, &schema) {
            Shape::Table(fields) => fields,
            other => unreachable!("a config is a table, not {other:?}"),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Shape> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, shape)| shape)
    }

    /// The keys of the table under `key`.
    pub(crate) fn table(&self, key: &str) -> &Fields {
        match self.get(key) {
            Some(Shape::Table(fields)) => fields,
            Some(Shape::List(item, _)) => match &**item {
                Shape::Table(fields) => fields,
                other => unreachable!("{key} lists tables, not {other:?}"),
            },
            other => unreachable!("{key} is a table, not {other:?}"),
        }
    }

    /// Whether there is a key or a table at a dotted path; tables in lists have no number.
    #[cfg(test)]
    pub(crate) fn has_path(&self, path: &str) -> bool {
        match path.split_once('.') {
            None => self.get(path).is_some(),
            Some((first, rest)) => match self.get(first) {
                Some(Shape::Table(fields)) => fields.has_path(rest),
                Some(Shape::List(item, _)) => matches!(&**item, Shape::Table(fields) if fields.has_path(rest)),
                _ => false,
            },
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

fn shape(schema: &Json, root: &Json) -> Shape {
    if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
        let name = target.rsplit('/').next().unwrap_or(target);
        return shape(&root["$defs"][name], root);
    }
    if let Some(kind) = schema.get("x-quantity").and_then(Json::as_str).and_then(Kind::named) {
        return Shape::Quantity(kind);
    }
    let words = |list: &Json| -> Vec<String> {
        let of = |word: &Json| match word {
            Json::Object(variant) => match (&variant.get("const"), variant.get("enum")) {
                (Some(word), _) => word.as_str().map(str::to_owned).into_iter().collect(),
                (None, Some(words)) => strings(words),
                _ => Vec::new(),
            },
            word => word.as_str().map(str::to_owned).into_iter().collect(),
        };
        list.as_array().into_iter().flatten().flat_map(of).collect()
    };
    if schema.get("x-node").is_some() {
        return Shape::NodeRef(words(&schema["oneOf"]));
    }
    if let Some(choices) = schema.get("anyOf").and_then(Json::as_array) {
        // An optional value: what it is if it is there.
        if let Some(there) = choices.iter().find(|choice| choice.get("type") != Some(&Json::from("null"))) {
            return shape(there, root);
        }
    }
    for list in ["enum", "oneOf"] {
        if let Some(list) = schema.get(list) {
            return Shape::Choice(words(list));
        }
    }
    let type_ = match &schema["type"] {
        Json::Array(types) => types.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or(""),
        type_ => type_.as_str().unwrap_or(""),
    };
    match type_ {
        "boolean" => Shape::Bool,
        "integer" => integer(schema),
        "number" => {
            let bound = |name: &str, otherwise| schema.get(name).and_then(Json::as_f64).unwrap_or(otherwise);
            Shape::Real(bound("minimum", f64::NEG_INFINITY), bound("maximum", f64::INFINITY))
        }
        "array" => {
            let exact = schema.get("minItems").filter(|least| schema.get("maxItems") == Some(least));
            Shape::List(Box::new(shape(&schema["items"], root)), exact.and_then(Json::as_u64).map(|n| n as usize))
        }
        "object" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            Shape::Table(Fields(properties.map(|(name, inner)| (name.clone(), shape(inner, root))).collect()))
        }
        _ => Shape::Text,
    }
}

fn strings(list: &Json) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn integer(schema: &Json) -> Shape {
    let (low, high) = match schema.get("format").and_then(Json::as_str) {
        Some("uint8") => (0, i128::from(u8::MAX)),
        Some("uint16") => (0, i128::from(u16::MAX)),
        Some("uint32") => (0, i128::from(u32::MAX)),
        Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
        // A TOML integer has 64 bits with its sign.
        Some("uint64" | "uint") => (0, i128::from(i64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let bound = |name: &str| schema.get(name).and_then(Json::as_i64).map(i128::from);
    Shape::Integer(
        bound("minimum").map_or(low, |least| least.max(low)),
        bound("maximum").map_or(high, |most| most.min(high)),
    )
}

impl Shape {
    /// What it holds, for messages.
    pub(crate) fn expected(&self) -> String {
        match self {
            Shape::Quantity(kind) if *kind == &BYTES => {
                "a whole number of bytes, such as 1460 or \"1460 B\"".to_owned()
            }
            Shape::Quantity(kind) => kind.expected(),
            Shape::Bool => "true or false".to_owned(),
            Shape::Integer(low, high) => match (*low, *high) {
                (low, high) if high >= i128::from(u32::MAX) && low <= i128::from(i32::MIN) => {
                    "a whole number".to_owned()
                }
                (low, high) if high >= i128::from(u32::MAX) => format!("a whole number from {low}"),
                (low, high) => format!("a whole number from {low} to {high}"),
            },
            Shape::Real(low, high) => match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("a number from {low} to {high}"),
                (true, false) => format!("a finite number from {low}"),
                (false, true) => format!("a finite number up to {high}"),
                (false, false) => "a finite number".to_owned(),
            },
            Shape::Text => "a text in quotes".to_owned(),
            Shape::Choice(words) => one_of(words),
            Shape::NodeRef(words) => format!("a node's number (negative: from the last), or {}", one_of(words)),
            Shape::List(item, Some(2)) if matches!(**item, Shape::Real(..)) => "two finite numbers: [x, y]".to_owned(),
            Shape::List(item, Some(2)) if matches!(&**item, Shape::Quantity(_)) => match &**item {
                Shape::Quantity(kind) => format!("a pair such as [\"{0}\", \"{0}\"]", kind.example),
                _ => String::new(),
            },
            Shape::List(item, Some(length)) => format!("a list of {length}, each {}", item.expected()),
            Shape::List(item, None) => format!("a list, of {} each", item.expected()),
            Shape::Table(_) => "a table".to_owned(),
        }
    }
}

fn one_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "nothing".to_owned(),
    }
}

/// What has been found wrong, in which file.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source<'a>,
    /// Files that the scenario may name.
    pub(crate) files: &'a [NamedFile],
    pub(crate) troubles: Vec<(Origin, Trouble)>,
    pub(crate) warnings: Vec<String>,
}

/// A file with more problems than this is no scenario; what else is wrong with it is not looked for.
const MAX_TROUBLES: usize = 1000;

impl<'a> Reader<'a> {
    /// Path and text of a file that the scenario names; why it has none, as the end of a sentence that begins with its
    /// name.
    pub(crate) fn file(&self, name: &str) -> Result<(&'a str, &'a str), String> {
        match self.files.iter().find(|file| file.name == name) {
            Some(NamedFile { path, text: Ok(text), .. }) => Ok((path, text)),
            Some(NamedFile { text: Err(what), .. }) => Err(what.clone()),
            None => Err("was not handed in with the scenario".to_owned()),
        }
    }

    pub(crate) fn new(source: &'a Source<'a>, files: &'a [NamedFile]) -> Reader<'a> {
        Reader { source, files, troubles: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn refuse(&mut self, origin: &Origin, trouble: Trouble) {
        if self.troubles.len() < MAX_TROUBLES {
            self.troubles.push((origin.clone(), trouble));
        }
    }

    /// Whether nothing has been found wrong with any key of a table.
    pub(crate) fn is_clean(&self, table: &str) -> bool {
        let is_of = |key: &str| key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        !self.troubles.iter().any(|(_, trouble)| is_of(&trouble.key))
    }

    /// `base` with the values of `table` over it. What is wrong is left at its default, and recorded.
    pub(crate) fn overlay<T>(&mut self, table: Option<&Node>, key: &str, fields: &Fields, base: T) -> T
    where
        T: Serialize + DeserializeOwned,
    {
        match table {
            Some(table) if self.is_table(table, key) => self.overlay_entries(table.entries(), key, fields, base),
            _ => base,
        }
    }

    /// The same with a selection of a table's entries.
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
        for name in fields.names() {
            // An absent value that may be absent stays so, whatever the type's own default says.
            values.entry(name).or_insert(Json::Null);
        }
        self.read_entries(entries, key, fields, &mut values);
        match serde_json::from_value(Json::Object(values)) {
            Ok(read) => read,
            Err(error) => {
                let trouble = Trouble { key: key.to_owned(), message: format!("{key}: {error}"), ..Trouble::default() };
                self.refuse(&Origin::Nowhere, trouble);
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
                // Keys of a table within a table lie over the defaults of that one.
                Some(Shape::Table(fields)) => {
                    if !self.is_table(&entry.node, &inner) {
                        continue;
                    }
                    // A table that is absent by default begins empty.
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

    /// Whether this is the table that it should be; if not, that is recorded.
    pub(crate) fn is_table(&mut self, node: &Node, key: &str) -> bool {
        if matches!(node.value, Value::Table(_)) {
            return true;
        }
        let is_list = matches!(node.value, Value::List(_));
        let header = header_of(key);
        let hint = is_list.then(|| format!("there is only one: {header}, in single brackets"));
        let trouble = self.wrong(node, key, &format!("is {}", node.value.what()));
        self.refuse(&node.origin, Trouble { expected: format!("a table {header}"), hint, ..trouble });
        false
    }

    /// A key that `[table]` does not have.
    pub(crate) fn refuse_key(&mut self, entry: &Entry, table: &str, fields: &Fields) {
        if self.troubles.len() >= MAX_TROUBLES {
            return;
        }
        let key = join(table, &entry.key);
        let shown = printable(&key, 60);
        if let Some((message, instead)) = key_hints::key(&key) {
            let hint = Some(instead.to_owned());
            self.refuse(&entry.origin, Trouble { key, message, hint, ..Trouble::default() });
            return;
        }
        let is_table = matches!(entry.node.value, Value::Table(_));
        let message = match (table, is_table) {
            ("", true) => format!("[{shown}] is not a table of a scenario"),
            ("", false) => format!("{shown} is not a key at the top of a scenario"),
            _ => format!("{shown} is not a key of {}", header_of(table)),
        };
        let hint = nearest(&entry.key, fields.names())
            .map(|right| join(table, right))
            .or_else(|| elsewhere(&entry.key))
            .map(|right| format!("did you mean {right}?"));
        let names = || format!("one of {}", fields.names().collect::<Vec<_>>().join(", "));
        let expected = if hint.is_some() { String::new() } else { names() };
        self.refuse(&entry.origin, Trouble { key, message, expected, hint, value: None });
    }

    /// The value of a key as JSON that its type reads without fail.
    pub(crate) fn read(&mut self, node: &Node, key: &str, shape: &Shape) -> Option<Json> {
        match (shape, &node.value) {
            (Shape::List(item, length), Value::List(items)) => {
                if length.is_some_and(|length| length != items.len()) {
                    let trouble = self.wrong(node, key, &format!("has {} entries", items.len()));
                    self.refuse(&node.origin, Trouble { expected: shape.expected(), ..trouble });
                    return None;
                }
                // Names of entries are made only for messages: a list may have a million.
                let mut entry = |(i, node)| match plain(node, item) {
                    Some(value) => Some(value),
                    None => self.read(node, &format!("{key}.{i}"), item),
                };
                items.iter().enumerate().map(&mut entry).collect()
            }
            _ => match value(node, shape) {
                Ok(value) => Some(value),
                Err(Unreadable { what, hint }) => {
                    let mut trouble = self.wrong(node, key, &what);
                    trouble.hint = hint;
                    self.refuse(&node.origin, Trouble { expected: shape.expected(), ..trouble });
                    None
                }
            },
        }
    }

    /// `key = value what`.
    pub(crate) fn wrong(&self, node: &Node, key: &str, what: &str) -> Trouble {
        let written = match &node.value {
            Value::Table(_) => None,
            Value::List(items) if items.iter().any(|item| matches!(item.value, Value::Table(_))) => None,
            _ => self.source.written(&node.origin),
        };
        let message = match &written {
            Some(value) => format!("{key} = {value} {what}"),
            None => format!("{key} {what}"),
        };
        Trouble { key: key.to_owned(), value: written, message, ..Trouble::default() }
    }
}

pub(crate) fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// A key of this name in any table.
fn elsewhere(name: &str) -> Option<String> {
    let root = root();
    let tables = ["topology", "mobility", "traffic", "radio", "mac", "link", "queue", "routing", "tcp", "semi_tcp"];
    if root.get(name).is_some() {
        return Some(format!("{name} at the top of the file"));
    }
    if root.table("flow").get(name).is_some() {
        return Some(format!("{name} of a [[flow]]"));
    }
    tables.iter().find(|table| root.table(table).get(name).is_some()).map(|table| join(table, name))
}

/// The header under which a table's keys stand: `flow.3` is one of `[[flow]]`.
pub(crate) fn header_of(table: &str) -> String {
    match table.split_once('.') {
        Some((list @ ("flow" | "node"), rest)) => match rest.split_once('.') {
            Some((_, inner)) => format!("[{list}.{inner}]"),
            None => format!("[[{list}]]"),
        },
        None if ["flow", "node"].contains(&table) => format!("[[{table}]]"),
        _ => format!("[{table}]"),
    }
}

/// Reads a value, or lists of them, in which nothing is wrong.
fn plain(node: &Node, shape: &Shape) -> Option<Json> {
    match (shape, &node.value) {
        (Shape::List(item, length), Value::List(items)) if length.is_none_or(|length| length == items.len()) => {
            items.iter().map(|node| plain(node, item)).collect()
        }
        (Shape::List(..) | Shape::Table(_), _) => None,
        _ => value(node, shape).ok(),
    }
}

/// Reads a value that is neither list nor table.
fn value(node: &Node, shape: &Shape) -> Result<Json, Unreadable> {
    let no = |what: &str, hint: Option<String>| Err(Unreadable { what: what.to_owned(), hint });
    match (shape, &node.value) {
        (Shape::Quantity(kind), Value::Text(text)) => kind.canonical(text).map(Json::from),
        (Shape::Quantity(kind), Value::Integer(number)) if *kind == &BYTES => {
            match u64::try_from(*number).ok().map(Bytes::from_bare) {
                Some(Some(bytes)) => Ok(Json::from(bytes.write())),
                Some(None) => no("is too large", None),
                None => no("is negative", None),
            }
        }
        (Shape::Quantity(kind), Value::Integer(number)) => no("has no unit", Some(kind.likely(&number.to_string()))),
        (Shape::Quantity(_) | Shape::Real(..), Value::Real(number)) if !number.is_finite() => {
            no("is not a finite number", None)
        }
        (Shape::Bool, Value::Bool(truth)) => Ok(Json::from(*truth)),
        (Shape::Bool, Value::Text(text)) if ["true", "false"].contains(&text.as_str()) => {
            no("is a text", Some(format!("without quotes: {text}")))
        }
        (Shape::Integer(low, high), Value::Integer(number)) => {
            if (*low..=*high).contains(&i128::from(*number)) {
                Ok(Json::from(*number))
            } else if *number < 0 && *low == 0 {
                no("is negative", None)
            } else if i128::from(*number) > *high {
                no("is too large", Some(format!("at most {high}")))
            } else {
                no("is out of range", None)
            }
        }
        (_, Value::Huge) => no("is too large", None),
        (Shape::Integer(..), Value::Real(number)) if libm::trunc(*number) == *number => {
            no("is not a whole number", Some(format!("write {number:.0}")))
        }
        (Shape::Integer(..), Value::Real(_)) => no("is not a whole number", None),
        (Shape::Integer(..), Value::Text(text)) => {
            let number: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
            let is_number = !number.is_empty() && number.len() < 19;
            no("is a text", is_number.then(|| format!("counts are bare numbers: {number}")))
        }
        (Shape::Quantity(kind), Value::Real(number)) => no("has no unit", Some(kind.likely(&number.to_string()))),
        (Shape::Real(low, high), Value::Real(number)) => real(*number, *low, *high),
        (Shape::Real(low, high), Value::Integer(number)) => real(*number as f64, *low, *high),
        (Shape::Real(..), Value::Text(text)) => no("is a text", bare_number(text)),
        (Shape::Text, Value::Text(text)) => Ok(Json::from(text.as_str())),
        (Shape::Choice(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            let hint = nearest(text, words.iter().map(String::as_str));
            no("is none of the choices", hint.map(|word| format!("did you mean \"{word}\"?")))
        }
        (Shape::NodeRef(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            let hint = match text.trim().parse::<i64>() {
                Ok(number) => Some(format!("without quotes: {number}")),
                Err(_) => {
                    nearest(text, words.iter().map(String::as_str)).map(|word| format!("did you mean \"{word}\"?"))
                }
            };
            no("is no node", hint)
        }
        (Shape::NodeRef(_), Value::Integer(number)) => Ok(Json::from(*number)),
        (_, other) => no(&format!("is {}", other.what()), None),
    }
}

fn real(number: f64, low: f64, high: f64) -> Result<Json, Unreadable> {
    if (low..=high).contains(&number) {
        return Ok(Json::from(number));
    }
    Err(Unreadable { what: "is out of range".to_owned(), hint: None })
}

/// The number that somebody meant who wrote it with quotes or a unit.
fn bare_number(text: &str) -> Option<String> {
    let decibel = text.trim().strip_suffix("dB");
    let number = decibel.unwrap_or(text).trim().split(' ').next()?;
    let real = number.parse::<f64>().ok().filter(|real| real.abs() < 1e6)?;
    Some(match decibel {
        Some(_) => {
            let ratio = libm::round(libm::pow(10.0, real / 10.0) * 1e3) / 1e3;
            format!("ratios are bare numbers: {ratio}")
        }
        None => format!("a bare number is expected here: {number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::quantity::{LENGTH, RATE, TIME};

    #[test]
    fn shapes_follow_the_schema() {
        let root = root();
        let at = |table: &str, key: &str| root.table(table).get(key).cloned();
        assert_eq!(root.get("duration"), Some(&Shape::Quantity(&TIME)));
        assert_eq!(root.get("seed"), Some(&Shape::Integer(0, i128::from(i64::MAX))));
        assert_eq!(root.get("name"), Some(&Shape::Text));
        assert_eq!(at("mac", "data_rate"), Some(Shape::Quantity(&RATE)));
        assert_eq!(at("mac", "ssrl"), Some(Shape::Integer(0, i128::from(u32::MAX))));
        assert_eq!(at("mac", "profile"), Some(Shape::Choice(vec!["ns2".into(), "std".into()])));
        assert_eq!(at("link", "arp"), Some(Shape::Bool));
        assert_eq!(at("queue", "ssrl"), None);
        // Optional ones.
        assert_eq!(at("radio", "reach"), Some(Shape::Quantity(&LENGTH)));
        assert_eq!(at("routing", "hello"), Some(Shape::Bool));
        assert_eq!(at("topology", "hops"), Some(Shape::Integer(1, i128::from(i64::MAX))));
        let words = ["first", "last", "center"].map(str::to_owned).to_vec();
        assert_eq!(at("flow", "from"), Some(Shape::NodeRef(words)));
        let pair = Shape::List(Box::new(Shape::Real(f64::NEG_INFINITY, f64::INFINITY)), Some(2));
        assert_eq!(at("topology", "positions"), Some(Shape::List(Box::new(pair), None)));
        assert_eq!(root.table("node").table("mac"), root.table("mac"));
    }

    #[test]
    fn tables_are_named_as_they_are_written() {
        let keys = ["mac", "flow", "flow.3", "node.3.mac", "tcp.congestion"];
        assert_eq!(keys.map(header_of), ["[mac]", "[[flow]]", "[[flow]]", "[node.mac]", "[tcp.congestion]"]);
    }
}
