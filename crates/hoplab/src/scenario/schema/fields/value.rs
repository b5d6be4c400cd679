//! Reads one value of the tree by the shape of its key. A refusal has a reason, and a hint where the intention is clear.

use super::respelled::respelled;
use super::shape::Shape;
use crate::kernel::{Bytes, RegisteredPart};
use crate::scenario::schema::unsupported;
use crate::scenario::syntax::problem::{
    NEGATIVE, NO_UNIT, NOT_FINITE, NOT_SUPPORTED, OUT_OF_RANGE, UNKNOWN_VALUE, mismatch,
};
use crate::scenario::syntax::quantity::{BYTES, Quantity, Unreadable};
use crate::scenario::syntax::suggest::suggest;
use crate::scenario::syntax::tree::{Node, Value};
use serde_json::Value as Json;

/// Reads a value, or a list; `None` if anything in it is wrong.
pub(crate) fn plain(node: &Node, shape: &Shape) -> Option<Json> {
    match (shape, &node.value) {
        (Shape::List(item, length), Value::List(items)) if length.is_none_or(|length| length == items.len()) => {
            items.iter().map(|node| plain(node, item)).collect()
        }
        (Shape::List(..) | Shape::Table(_), _) => None,
        _ => value(node, shape).ok(),
    }
}

/// Reads a value that is neither list nor table.
pub(crate) fn value(node: &Node, shape: &Shape) -> Result<Json, Unreadable> {
    let no = |what: &str, hint: Option<String>| Err(Unreadable { what: what.to_owned(), hint });
    match (shape, &node.value) {
        (Shape::Quantity(kind), Value::Text(text)) => kind.canonical(text).map(Json::from),
        (Shape::Quantity(kind), Value::Integer(number)) if *kind == &BYTES => {
            match u64::try_from(*number).ok().map(Bytes::from_bare) {
                Some(Some(bytes)) => Ok(Json::from(bytes.write())),
                Some(None) => no(OUT_OF_RANGE, Some(format!("at most {} B", u32::MAX))),
                None => no(NEGATIVE, None),
            }
        }
        (Shape::Quantity(kind), Value::Integer(number)) => no(NO_UNIT, Some(kind.likely(&number.to_string()))),
        (Shape::Quantity(_) | Shape::Real(..), Value::Real(number)) if !number.is_finite() => no(NOT_FINITE, None),
        (Shape::Bool, Value::Bool(truth)) => Ok(Json::from(*truth)),
        (Shape::Bool, Value::Text(text)) if ["true", "false"].contains(&text.as_str()) => {
            no(&mismatch("boolean", "string"), Some(format!("write {text} without quotes")))
        }
        (Shape::Integer(low, high), Value::Integer(number)) => {
            if (*low..=*high).contains(&i128::from(*number)) {
                Ok(Json::from(*number))
            } else if *number < 0 && *low == 0 {
                no(NEGATIVE, None)
            } else {
                no(OUT_OF_RANGE, (i128::from(*number) > *high).then(|| format!("at most {high}")))
            }
        }
        (Shape::Integer(_, high), Value::Unsigned(number)) if i128::from(*number) <= *high => Ok(Json::from(*number)),
        (Shape::Integer(_, high), Value::Huge | Value::Unsigned(_)) => {
            no(OUT_OF_RANGE, Some(format!("at most {high}")))
        }
        (_, Value::Huge | Value::Unsigned(_)) => no(OUT_OF_RANGE, None),
        (Shape::Integer(..), Value::Real(number)) if libm::trunc(*number) == *number => {
            no(&mismatch("integer", "{}"), Some(format!("write {number:.0}")))
        }
        (Shape::Integer(..), Value::Real(_)) => no(&mismatch("integer", "{}"), None),
        (Shape::Integer(..), Value::Text(text)) => {
            let number: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
            let is_number = !number.is_empty() && number.len() < 19;
            no(&mismatch("integer", "string"), is_number.then(|| format!("write {number} without quotes and unit")))
        }
        (Shape::Quantity(kind), Value::Real(number)) => no(NO_UNIT, Some(kind.likely(&number.to_string()))),
        (Shape::Real(low, high), Value::Real(number)) => real(*number, *low, *high),
        (Shape::Real(low, high), Value::Integer(number)) => real(*number as f64, *low, *high),
        (Shape::Real(..), Value::Text(text)) => no(&mismatch("number", "string"), bare_number(text)),
        (Shape::Text, Value::Text(text)) => Ok(Json::from(text.as_str())),
        (Shape::Part(_), Value::Text(text)) if RegisteredPart::parse(text).is_some() => Ok(Json::from(text.as_str())),
        (Shape::Choice(words) | Shape::Part(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            if let Some(word) = respelled(text, words) {
                return no(UNKNOWN_VALUE, Some(format!("did you mean \"{word}\"?")));
            }
            if let Some(hint) = unsupported::value(text) {
                return no(NOT_SUPPORTED, Some(hint));
            }
            let hint = suggest(text, words.iter().map(String::as_str));
            no(UNKNOWN_VALUE, hint.map(|word| format!("did you mean \"{word}\"?")))
        }
        (Shape::NodeRef(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            let hint = match text.trim().parse::<i64>() {
                Ok(number) => Some(format!("write {number} without quotes")),
                Err(_) => {
                    suggest(text, words.iter().map(String::as_str)).map(|word| format!("did you mean \"{word}\"?"))
                }
            };
            no(UNKNOWN_VALUE, hint)
        }
        (Shape::NodeRef(_), Value::Integer(number)) => Ok(Json::from(*number)),
        (_, other) => no(&mismatch(shape.type_name(), other.what()), None),
    }
}

fn real(number: f64, low: f64, high: f64) -> Result<Json, Unreadable> {
    if (low..=high).contains(&number) {
        return Ok(Json::from(number));
    }
    Err(Unreadable { what: OUT_OF_RANGE.to_owned(), hint: None })
}

/// The hint for a number with quotes or a unit, where a bare one is expected.
fn bare_number(text: &str) -> Option<String> {
    let decibel = text.trim().strip_suffix("dB");
    let number = decibel.unwrap_or(text).trim().split(' ').next()?;
    let real = number.parse::<f64>().ok().filter(|real| real.abs() < 1e6)?;
    Some(match decibel {
        Some(_) => {
            let ratio = libm::round(libm::pow(10.0, real / 10.0) * 1e3) / 1e3;
            format!("write {ratio}, a ratio without unit")
        }
        None => format!("write {number} without quotes and unit"),
    })
}
