//! Where a scenario's text comes from, and how a place in it is shown.

use crate::scenario::syntax::diagnostic::{Problem, Snippet};
use crate::scenario::syntax::tree::Origin;
use std::ops::Range;

/// The text of a file and what was set on top of it.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// How messages name the file.
    pub(crate) path: &'a str,
    /// Its text.
    pub(crate) text: &'a str,
    /// Keys and values given with `--set`, in order.
    pub(crate) overrides: &'a [(String, String)],
    line_starts: Vec<usize>,
}

/// What is wrong at a place, before the place is looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trouble {
    pub(crate) key: String,
    pub(crate) value: Option<String>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) hint: Option<String>,
}

/// Characters of a line and of a value that are shown.
const MAX_LINE: usize = 120;
const MAX_VALUE: usize = 60;

/// Characters of a message and of a file's path: more than they ever have, unless somebody makes them.
const MAX_MESSAGE: usize = 700;
const MAX_PATH: usize = 4096;

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str, path: &'a str, overrides: &'a [(String, String)]) -> Source<'a> {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { path, text, overrides, line_starts }
    }

    /// A problem at a place.
    pub(crate) fn problem(&self, origin: &Origin, trouble: Trouble) -> Problem {
        let Trouble { key, value, message, expected, hint } = trouble;
        // Whatever has been quoted from the scenario, here it becomes harmless.
        let mut problem = Problem {
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
                problem.path = printable(path, MAX_PATH);
                problem.line = *line;
                problem.snippet = text.as_ref().map(|text| excerpt(text, 0, text.chars().count()));
            }
            Origin::File(span) => {
                let (line, column, snippet) = self.locate(span);
                problem.line = Some(line);
                problem.column = Some(column);
                problem.snippet = Some(snippet);
            }
            Origin::SetKey(index) | Origin::SetValue(index) => {
                let (key, value) = &self.overrides[*index];
                problem.path = format!("--set {}", printable(key, MAX_VALUE));
                let prefix = "--set ".chars().count();
                let line = format!("--set {key}={value}");
                let (start, length) = if matches!(origin, Origin::SetKey(_)) {
                    (prefix, key.chars().count())
                } else {
                    (prefix + key.chars().count() + 1, value.chars().count())
                };
                problem.snippet = Some(excerpt(&line, start, length));
            }
        }
        problem
    }

    /// The value at a place as it was written, on one line.
    pub(crate) fn written(&self, origin: &Origin) -> Option<String> {
        match origin {
            Origin::File(span) => self.text.get(span.clone()).map(|text| printable(text, MAX_VALUE)),
            Origin::SetValue(index) => self.overrides.get(*index).map(|(_, value)| printable(value, MAX_VALUE)),
            Origin::Nowhere | Origin::SetKey(_) | Origin::Beside { .. } => None,
        }
    }

    /// The line that a place is in, without its end.
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

/// Control characters could move a terminal's cursor; directional ones could turn the text around.
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
    // A long line is shown from a little before the place.
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
    fn finds_lines_and_columns() {
        let source = Source::new("a = 1\r\nbb = \"\u{e9}\u{e9}x\"\n", "f.toml", &[]);
        let problem = source.problem(&Origin::File(12..18), Trouble::default());
        assert_eq!((problem.line, problem.column), (Some(2), Some(6)));
        let snippet = problem.snippet.expect("a line");
        assert_eq!((snippet.text.as_str(), snippet.start, snippet.length), ("bb = \"\u{e9}\u{e9}x\"", 5, 4));
        let end = source.problem(&Origin::File(99..120), Trouble::default());
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
