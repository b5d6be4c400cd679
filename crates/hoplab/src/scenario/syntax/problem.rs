//! Forms that the messages of scenarios share: the text that follows "KEY: ".
//!
//! `Reader::wrong` replaces `{}` in a form by the value as written.

use std::fmt::Display;

/// A value outside of its range; the expectation gives the range.
pub(crate) const OUT_OF_RANGE: &str = "{} is out of range";

/// A value that is none of the choices.
pub(crate) const UNKNOWN_VALUE: &str = "unknown value {}";

/// A choice of other simulators that hoplab does not have.
pub(crate) const NOT_SUPPORTED: &str = "{} is not supported";

/// A key that no table has under this name.
pub(crate) const UNKNOWN_KEY: &str = "unknown key";

/// A key or table that is needed and not given.
pub(crate) const MISSING: &str = "missing";

/// A time that must not be zero.
pub(crate) const ZERO_TIME: &str = "must be greater than 0 s";

/// A length that must not be zero.
pub(crate) const ZERO_LENGTH: &str = "must be greater than 0 m";

/// A rate that must not be zero.
pub(crate) const ZERO_RATE: &str = "must be greater than 0 b/s";

/// A value less than zero.
pub(crate) const NEGATIVE: &str = "must not be negative";

/// A number that is infinite or no number.
pub(crate) const NOT_FINITE: &str = "must be finite";

/// A quantity without unit.
pub(crate) const NO_UNIT: &str = "{} has no unit";

/// A value of another type.
pub(crate) fn mismatch(expected: impl Display, found: impl Display) -> String {
    format!("expected {expected}, found {found}")
}

/// A key that has no effect together with another key: `context` is `app = "ftp"`, or the name of the other key.
pub(crate) fn not_supported_with(context: impl Display) -> String {
    format!("not supported with {context}")
}

/// A key that has no effect, or a value that cannot be used, without another key.
pub(crate) fn requires(other: impl Display) -> String {
    format!("requires {other}")
}

/// Values as an alternative, in quotes.
pub(crate) fn quoted<T: Display>(values: impl Iterator<Item = T>) -> String {
    let written: Vec<String> = values.map(|value| format!("\"{value}\"")).collect();
    match written.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Two values in the wrong order, each with its name.
pub(crate) fn exceeds(low: impl Display, a: impl Display, high: impl Display, b: impl Display) -> String {
    format!("{low} ({a}) exceeds {high} ({b})")
}

/// A start at or after the end of the run.
pub(crate) fn not_before_end(end: impl Display) -> String {
    format!("must be before the end of the run ({end})")
}

/// A node number that the topology does not have.
pub(crate) fn no_such_node(number: impl Display) -> String {
    format!("node {number} does not exist")
}

/// The message for a table that no scenario has.
pub(crate) fn unknown_table(key: &str) -> String {
    format!("[{key}]: unknown table")
}

/// A form in which `{}` is replaced by the value as written.
pub(crate) fn filled(form: &str, value: Option<&str>) -> String {
    form.replacen("{}", value.unwrap_or("the value"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_placeholder_takes_the_value_as_written() {
        assert_eq!(filled(OUT_OF_RANGE, Some("{} m")), "{} m is out of range");
        assert_eq!(filled(OUT_OF_RANGE, None), "the value is out of range");
        assert_eq!(filled(&requires("rate {}"), Some("1")), "requires rate 1");
        assert_eq!(filled(NEGATIVE, Some("-1")), "must not be negative");
    }
}
