//! The text of a scenario: positions of keys and values, and how a position is printed.
//!
//! Everything quoted from a scenario passes [`printable`], so that a file cannot move the cursor of a terminal.

use super::diagnostic::{Diagnostic, OPTION, RawDiagnostic, Snippet};
use std::ops::Range;

/// Where a key or a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// No position: a key or table is missing.
    Nowhere,
    /// These bytes of the file.
    File(Range<usize>),
    /// The key of this override.
    SetKey(usize),
    /// The value of this override.
    SetValue(usize),
    /// A line of a file that the scenario names, with its text.
    Beside { path: Box<str>, line: Option<u32>, text: Option<Box<str>> },
}

/// The text of a file and the overrides that are set on it.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// Name of the file in messages.
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// Keys and values given with `--set`, in order.
    pub(crate) overrides: &'a [(String, String)],
    line_starts: Vec<usize>,
}

/// Characters shown of a line and of a value.
const MAX_LINE: usize = 120;
const MAX_VALUE: usize = 60;

/// Characters shown of a message and of a path: more than real ones have.
const MAX_MESSAGE: usize = 700;
const MAX_PATH: usize = 4096;

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str, path: &'a str, overrides: &'a [(String, String)]) -> Source<'a> {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { path, text, overrides, line_starts }
    }

    /// Bytes of text and overrides together.
    pub(crate) fn length(&self) -> usize {
        self.text.len() + self.overrides.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>()
    }

    /// A diagnostic with its position.
    pub(crate) fn diagnostic(&self, origin: &Origin, raw: RawDiagnostic) -> Diagnostic {
        let RawDiagnostic { key, value, message, expected, hint } = raw;
        let mut diagnostic = Diagnostic {
            path: printable(self.path, MAX_PATH),
            line: None,
            column: None,
            key: printable(&key, MAX_MESSAGE),
            value: value.map(|value| printable(&value, MAX_VALUE)),
            expected: printable(&expected, MAX_MESSAGE),
            hint: hint.map(|hint| printable(&hint, MAX_MESSAGE)),
            message: printable(&message, MAX_MESSAGE),
            snippet: None,
        };
        match origin {
            Origin::Nowhere => {}
            Origin::Beside { path, line, text } => {
                diagnostic.path = printable(path, MAX_PATH);
                diagnostic.line = *line;
                diagnostic.snippet = text.as_ref().map(|text| excerpt(text, 0, text.chars().count()));
            }
            Origin::File(span) => {
                let (line, column, snippet) = self.locate(span);
                diagnostic.line = Some(line);
                diagnostic.column = Some(column);
                diagnostic.snippet = Some(snippet);
            }
            Origin::SetKey(index) | Origin::SetValue(index) => {
                let (key, value) = &self.overrides[*index];
                diagnostic.path = format!("{OPTION}{}", printable(key, MAX_VALUE));
                let prefix = OPTION.len();
                let line = format!("{OPTION}{key}={value}");
                let (start, length) = if matches!(origin, Origin::SetKey(_)) {
                    (prefix, key.chars().count())
                } else {
                    (prefix + key.chars().count() + 1, value.chars().count())
                };
                diagnostic.snippet = Some(excerpt(&line, start, length));
            }
        }
        diagnostic
    }

    /// The value at a position as written, on one line.
    pub(crate) fn written(&self, origin: &Origin) -> Option<String> {
        match origin {
            Origin::File(span) => self.text.get(span.clone()).map(|text| printable(text, MAX_VALUE)),
            Origin::SetValue(index) => self.overrides.get(*index).map(|(_, value)| printable(value, MAX_VALUE)),
            Origin::Nowhere | Origin::SetKey(_) | Origin::Beside { .. } => None,
        }
    }

    /// The line of a byte, without its end.
    pub(crate) fn line_at(&self, at: usize) -> &'a str {
        let line = self.line_index(at);
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |&next| next - 1);
        self.text.get(self.line_starts[line]..end).unwrap_or("").trim_end_matches('\r')
    }

    fn line_index(&self, at: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= at) - 1
    }

    fn locate(&self, span: &Range<usize>) -> (u32, u32, Snippet) {
        let line = self.line_index(span.start.min(self.text.len()));
        let text = self.line_at(self.line_starts[line]);
        let offset = (span.start - self.line_starts[line]).min(text.len());
        let end = (span.end.max(span.start) - self.line_starts[line]).min(text.len());
        let chars = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
        let start = chars(0..offset);
        (line as u32 + 1, start as u32 + 1, excerpt(text, start, chars(offset..end)))
    }
}

/// `text` on one line, without control characters, cut to `most` characters.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).map(plain).collect();
    if text.chars().nth(most).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Control characters could move a terminal's cursor; bidirectional ones could reorder the text.
fn plain(c: char) -> char {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// The part of a line around the `length` characters from `start`.
fn excerpt(line: &str, start: usize, length: usize) -> Snippet {
    let total = line.chars().count();
    // A long line is shown from shortly before the position.
    let first = if total <= MAX_LINE { 0 } else { start.saturating_sub(MAX_LINE / 3) };
    let mut text = if first > 0 { "...".to_owned() } else { String::new() };
    let start = start - first + text.len();
    text.extend(line.chars().skip(first).take(MAX_LINE).map(plain));
    if total > first + MAX_LINE {
        text.push_str("...");
    }
    let room = text.chars().count().saturating_sub(start);
    Snippet { text, start, length: length.min(room).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_line_and_column() {
        let source = Source::new("a = 1\r\nbb = \"\u{e9}\u{e9}x\"\n", "f.toml", &[]);
        let diagnostic = source.diagnostic(&Origin::File(12..18), RawDiagnostic::default());
        assert_eq!((diagnostic.line, diagnostic.column), (Some(2), Some(6)));
        let snippet = diagnostic.snippet.expect("a line");
        assert_eq!((snippet.text.as_str(), snippet.start, snippet.length), ("bb = \"\u{e9}\u{e9}x\"", 5, 4));
        let end = source.diagnostic(&Origin::File(99..120), RawDiagnostic::default());
        assert_eq!((end.line, end.column), (Some(3), Some(1)));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = format!("positions = [{}]", "[1, 2], ".repeat(1000));
        let snippet = excerpt(&line, 4000, 3);
        assert!(snippet.text.chars().count() <= MAX_LINE + 6);
        let part: String = snippet.text.chars().skip(snippet.start).take(snippet.length).collect();
        assert_eq!(part, line.chars().skip(4000).take(3).collect::<String>());
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c", 20), "a [2Jb\u{fffd}c");
        assert_eq!(printable("abcdef", 3), "abc...");
    }
}
