//! The keys of a table and the values that each accepts.

use crate::scenario::syntax::quantity::{BYTES, Kind};

/// The values that a key accepts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A number with a unit.
    Quantity(&'static Kind),
    Bool,
    /// A whole number in this range.
    Integer(i128, i128),
    /// A finite number in this range.
    Real(f64, f64),
    Text,
    /// One of these words.
    Choice(Vec<String>),
    /// One of these parts, or one that the calling program supplies.
    Part(Vec<String>),
    /// A node by number, from either end, or one of these words.
    NodeRef(Vec<String>),
    /// A list, of a fixed length if that is given.
    List(Box<Shape>, Option<usize>),
    /// A table.
    Table(Fields),
}

/// The keys of a table, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(pub(super) Vec<(String, Shape)>);

impl Fields {
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

    /// The header above the keys of a table: `[[flow]]` for a key of `flow.3`.
    pub(crate) fn header_of(&self, table: &str) -> String {
        let is_list = |name: &str| matches!(self.get(name), Some(Shape::List(..)));
        match table.split_once('.') {
            Some((list, rest)) if is_list(list) => match rest.split_once('.') {
                Some((_, inner)) => format!("[{list}.{inner}]"),
                None => format!("[[{list}]]"),
            },
            None if is_list(table) => format!("[[{table}]]"),
            _ => format!("[{table}]"),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl Shape {
    /// The type of the values, for messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Shape::Quantity(kind) => kind.name,
            Shape::Bool => "boolean",
            Shape::Integer(..) => "integer",
            Shape::Real(..) => "number",
            Shape::Text | Shape::Choice(_) | Shape::Part(_) => "string",
            Shape::NodeRef(_) => "node",
            Shape::List(..) => "array",
            Shape::Table(_) => "table",
        }
    }

    /// The accepted values, for messages.
    pub(crate) fn expected(&self) -> String {
        match self {
            Shape::Quantity(kind) if *kind == &BYTES => "number of bytes, such as 1460 or \"1460 B\"".to_owned(),
            Shape::Quantity(kind) => kind.expected(),
            Shape::Bool => "true or false".to_owned(),
            Shape::Integer(low, high) => match (*low, *high) {
                (low, high) if high >= i128::from(u32::MAX) && low <= i128::from(i32::MIN) => "integer".to_owned(),
                (low, high) if high >= i128::from(u32::MAX) => format!("integer, at least {low}"),
                (low, high) => format!("integer from {low} to {high}"),
            },
            Shape::Real(low, high) => match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("number from {low} to {high}"),
                (true, false) => format!("number, at least {low}"),
                (false, true) => format!("number, at most {high}"),
                (false, false) => "number".to_owned(),
            },
            Shape::Text => "string".to_owned(),
            Shape::Choice(words) | Shape::Part(words) => one_of(words),
            Shape::NodeRef(words) => format!("node number (negative: from the last), {}", one_of(words)),
            Shape::List(item, Some(2)) if matches!(**item, Shape::Real(..)) => "two numbers [x, y]".to_owned(),
            Shape::List(item, Some(2)) if matches!(&**item, Shape::Quantity(_)) => match &**item {
                Shape::Quantity(kind) => format!("pair such as [\"{0}\", \"{0}\"]", kind.example),
                _ => String::new(),
            },
            Shape::List(item, Some(length)) => format!("array of {length}; each entry: {}", item.expected()),
            Shape::List(item, None) => format!("array; each entry: {}", item.expected()),
            Shape::Table(_) => "table".to_owned(),
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
