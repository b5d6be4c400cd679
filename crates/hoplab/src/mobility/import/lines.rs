//! Lines of a movement file: their numbers, times and coordinates, and errors that cite the line.

use super::message::ImportError;
use super::request::File;
use crate::kernel::Time;

/// Nodes that a file may have.
pub(super) const MAX_NODES: u32 = 1_000_000;

/// Fastest node, in m/s: the speed of light as the radio has it.
const MAX_SPEED: f64 = 3.0e8;

/// Farthest coordinate, in metres.
const MAX_COORDINATE: f64 = 1e9;

/// Latest time, in seconds.
const MAX_TIME_S: f64 = 1e9;

/// Problem of a value beyond its range.
const OUT_OF_RANGE: &str = "is out of range";

/// Problem of a value less than zero.
const NEGATIVE: &str = "is negative";

/// A line of a file, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) path: &'a str,
    /// From 1.
    pub(super) number: u32,
    /// Without its end.
    pub(super) text: &'a str,
}

/// The lines of a file, without a byte order mark; ends of lines may be those of Windows.
pub(super) fn lines(file: File<'_>) -> impl Iterator<Item = Line<'_>> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(file.text);
    text.lines().zip(1..).map(move |(text, number)| Line { path: file.path, number, text: text.trim() })
}

/// An error about the whole of a file.
pub(super) fn whole(path: &str, message: impl Into<String>) -> ImportError {
    ImportError { path: path.into(), line: None, message: message.into(), value: None, expected: "".into(), hint: None }
}

impl Line<'_> {
    /// An error about this line.
    pub(super) fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError { line: Some(self.number), ..whole(self.path, message) }
    }

    /// An error about a part of this line; `what` follows the value in a sentence.
    pub(super) fn blame(&self, value: &str, what: &str) -> ImportError {
        ImportError { value: Some(excerpt(value)), ..self.error(format!("{} {what}", excerpt(value))) }
    }

    /// A time in seconds, rounded to a nanosecond.
    pub(super) fn time(&self, text: &str) -> Result<Time, ImportError> {
        let expected = "time in seconds from 0 to 1e9";
        let secs = self.number(text, expected)?;
        if secs < 0.0 {
            return Err(self.blame(text, NEGATIVE).expected(expected));
        }
        if secs > MAX_TIME_S {
            return Err(self.blame(text, OUT_OF_RANGE).expected(expected));
        }
        Ok(Time::from_secs(secs))
    }

    /// A coordinate in metres.
    pub(super) fn coordinate(&self, text: &str) -> Result<f64, ImportError> {
        let expected = "coordinate in meters from -1e9 to 1e9";
        let metres = self.number(text, expected)?;
        if metres.abs() > MAX_COORDINATE {
            return Err(self.blame(text, OUT_OF_RANGE).expected(expected));
        }
        Ok(metres)
    }

    /// A speed in metres per second.
    pub(super) fn speed(&self, text: &str) -> Result<f64, ImportError> {
        let expected = "speed in m/s from 0 to 3e8";
        let speed = self.number(text, expected)?;
        if speed < 0.0 {
            return Err(self.blame(text, NEGATIVE).expected(expected));
        }
        if speed > MAX_SPEED {
            return Err(self.blame(text, OUT_OF_RANGE).expected(expected));
        }
        Ok(speed)
    }

    /// The number of a node.
    pub(super) fn node(&self, text: &str) -> Result<u32, ImportError> {
        let expected = "node number: integer, at least 0";
        let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole {
            return Err(self.blame(text, "is not a node number").expected(expected));
        }
        let node = text.parse::<u32>().ok().filter(|&node| node < MAX_NODES);
        node.ok_or_else(|| self.blame(text, OUT_OF_RANGE).expected(format!("at most {MAX_NODES} nodes")))
    }

    fn number(&self, text: &str, expected: &str) -> Result<f64, ImportError> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.blame(text, "is not finite").expected(expected)),
            Err(_) => Err(self.blame(text, "is not a number").expected(expected)),
        }
    }
}

/// Characters of a value or line that a message shows.
const SHOWN: usize = 60;

/// The beginning of `text` in quotes, safe to print.
pub(super) fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_all_notations() {
        let line = Line { path: "f", number: 3, text: "" };
        assert_eq!(line.time("1.5e2"), Ok(Time(150_000_000_000)));
        assert_eq!(line.time("13.313055100213"), Ok(Time(13_313_055_100)));
        assert_eq!(line.coordinate("-.5"), Ok(-0.5));
        assert_eq!(line.node("007"), Ok(7));
        let wrong = |result: Result<Time, ImportError>| result.expect_err("invalid time").message;
        assert_eq!(wrong(line.time("nan")), "\"nan\" is not finite");
        assert_eq!(wrong(line.time("-1e-9")), "\"-1e-9\" is negative");
        assert_eq!(wrong(line.time("1e10")), "\"1e10\" is out of range");
        assert_eq!(wrong(line.time("1,5")), "\"1,5\" is not a number");
        assert!(line.coordinate("-inf").is_err() && line.coordinate("2e9").is_err());
        assert!(line.speed("-1").is_err() && line.speed("1e9").is_err());
        assert!(line.node("-1").is_err() && line.node("").is_err() && line.node("1.0").is_err());
        assert!(line.node("1000000").is_err() && line.node("99999999999999999999").is_err());
    }

    #[test]
    fn line_ends_of_windows_are_read() {
        let file = File { path: "f", text: "\u{feff}a\r\n\r\n b \n\nc" };
        let found: Vec<_> = lines(file).map(|line| (line.number, line.text)).collect();
        assert_eq!(found, [(1, "a"), (2, ""), (3, "b"), (4, ""), (5, "c")]);
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("a\u{7}b"), "\"a\\u{7}b\"");
        assert_eq!(excerpt(&"x".repeat(1_000_000)).len(), SHOWN + 5);
    }
}
