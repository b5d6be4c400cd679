//! One value of the tree, read by the shape of its key. A refusal has a reason, and a hint where the intention is clear.

use super::shape::Shape;
use crate::kernel::{Bytes, RegisteredPart};
use crate::scenario::schema::unsupported;
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
        (Shape::Integer(_, high), Value::Unsigned(number)) if i128::from(*number) <= *high => Ok(Json::from(*number)),
        (_, Value::Huge | Value::Unsigned(_)) => no("is too large", None),
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
        (Shape::Part(_), Value::Text(text)) if RegisteredPart::parse(text).is_some() => Ok(Json::from(text.as_str())),
        (Shape::Choice(words) | Shape::Part(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            if let Some((what, hint)) = unsupported::value(text) {
                return no(&format!("is none of the choices: {what}"), Some(hint.to_owned()));
            }
            let hint = suggest(text, words.iter().map(String::as_str));
            no("is none of the choices", hint.map(|word| format!("did you mean \"{word}\"?")))
        }
        (Shape::NodeRef(words), Value::Text(text)) => {
            if words.contains(text) {
                return Ok(Json::from(text.as_str()));
            }
            let hint = match text.trim().parse::<i64>() {
                Ok(number) => Some(format!("without quotes: {number}")),
                Err(_) => {
                    suggest(text, words.iter().map(String::as_str)).map(|word| format!("did you mean \"{word}\"?"))
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

/// The hint for a number with quotes or a unit, where a bare one is expected.
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
