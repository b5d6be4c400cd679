//! A script as commands, and a command as words (Tcl(n), rules 1 to 6).

use super::cursor::{Cursor, Form, Wrong};
use std::borrow::Cow;

/// A command of a script.
#[derive(Clone, Debug)]
pub struct Command<'a> {
    /// Line of its first word.
    pub line: u32,
    /// As it is written, without what ends it.
    pub text: &'a str,
    /// Its words; at least one.
    pub words: Vec<Word<'a>>,
}

/// A word as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// Without its delimiters.
    pub text: &'a str,
    /// Line that it begins in.
    pub line: u32,
    pub(super) form: Form,
}

/// What is wrong with a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line of the command that it is in.
    pub line: u32,
    /// The problem, in a sentence without a full stop.
    pub message: String,
}

/// The commands of a script, one after the other. Ends after the first fault.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    text: &'a str,
    cursor: Cursor<'a>,
    /// Line of the byte at `counted`.
    line: u32,
    counted: usize,
}

/// The text of a file as `source` reads it: without a byte order mark, its lines ended as in Unix.
pub fn source(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

impl<'a> Script<'a> {
    /// A script whose first line has number `line`.
    pub fn new(text: &'a str, line: u32) -> Script<'a> {
        Script { text, cursor: Cursor::new(text, 0), line, counted: 0 }
    }

    /// The line of the byte at `at`, which is not before that of the last call.
    fn line_at(&mut self, at: usize) -> u32 {
        let ends = self.text[self.counted..at].matches('\n').count();
        (self.line, self.counted) = (self.line + ends as u32, at);
        self.line
    }

    fn command(&mut self) -> Result<Command<'a>, Wrong> {
        let start = self.cursor.at;
        let line = self.line;
        let mut words = Vec::with_capacity(4);
        let mut end = start;
        while !self.cursor.is_command_over(false) {
            let line = self.line_at(self.cursor.at);
            let (form, text) = self.cursor.word(false)?;
            words.push(Word { text, line, form });
            end = self.cursor.at;
            self.cursor.skip_space();
        }
        Ok(Command { line, text: &self.text[start..end], words })
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = Result<Command<'a>, Fault>;

    fn next(&mut self) -> Option<Result<Command<'a>, Fault>> {
        if !self.cursor.seek_command(false) {
            return None;
        }
        let line = self.line_at(self.cursor.at);
        let command = self.command();
        if command.is_err() {
            self.cursor.at = self.text.len();
        }
        Some(command.map_err(|wrong| Fault { line, message: wrong.to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of each command, as they are written.
    fn words(text: &str) -> Result<Vec<Vec<&str>>, Fault> {
        let words = |command: Command<'_>| command.words.iter().map(|word| &text[span(text, word.text)]).collect();
        Script::new(text, 1).map(|command| command.map(words)).collect()
    }

    fn span(text: &str, part: &str) -> std::ops::Range<usize> {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        start..start + part.len()
    }

    fn lines(text: &str) -> Vec<u32> {
        Script::new(text, 1).map(|command| command.expect("a good script").line).collect()
    }

    #[test]
    fn commands_end_at_lines_and_semicolons() {
        assert_eq!(words("a b;c\n\n ; d\te"), Ok(vec![vec!["a", "b"], vec!["c"], vec!["d", "e"]]));
        assert_eq!(words(""), Ok(vec![]));
        assert_eq!(lines("a\n\nb; c\n\\\nd"), [1, 3, 3, 5]);
    }

    #[test]
    fn quotes_braces_and_brackets_keep_words_together() {
        assert_eq!(words("a \"b ; c\" {d\n{e}} [f g; h]"), Ok(vec![vec!["a", "b ; c", "d\n{e}", "[f g; h]"]]));
        assert_eq!(words("a \"x [b \"]\" ] y\" z"), Ok(vec![vec!["a", "x [b \"]\" ] y", "z"]]));
        assert_eq!(words("$a(b c) ${d e}"), Ok(vec![vec!["$a(b c)", "${d e}"]]));
        assert_eq!(words("a\"b {} \"\""), Ok(vec![vec!["a\"b", "", ""]]));
    }

    #[test]
    fn backslashes_escape_and_continue_lines() {
        assert_eq!(words("a \\\n b\\ c \\;d"), Ok(vec![vec!["a", "b\\ c", "\\;d"]]));
        assert_eq!(words("a {b\\}c}"), Ok(vec![vec!["a", "b\\}c"]]));
        assert_eq!(words("a \"b\\\"c\""), Ok(vec![vec!["a", "b\\\"c"]]));
        assert_eq!(words("a b\\"), Ok(vec![vec!["a", "b\\"]]));
    }

    #[test]
    fn comments_begin_where_a_command_does() {
        assert_eq!(words("# a {\nb # c\nd ;# e; f \\\n g\nh"), Ok(vec![vec!["b", "#", "c"], vec!["d"], vec!["h"]]));
    }

    #[test]
    fn open_delimiters_are_faults_of_their_first_line() {
        for (text, message) in [
            ("a\nb \"c\nd", "unclosed quotation mark"),
            ("a\nb {c\nd", "unclosed brace"),
            ("a\nb [c\nd", "unclosed bracket"),
            ("a\n$b(c\nd", "unclosed parenthesis"),
            ("a\n${b\nd", "unclosed brace"),
            ("a\nb {c}d", "characters after a closing brace"),
            ("a\nb \"c\"d", "characters after a closing quotation mark"),
            ("a\nb {*}$c", "{*} is not supported: replace it by its words"),
        ] {
            assert_eq!(words(text), Err(Fault { line: 2, message: message.to_owned() }), "{text}");
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(words(&deep).expect_err("too deep").message, "nesting of brackets or parentheses exceeds the limit");
        assert!(words(&"$a(".repeat(1_000_000)).is_err());
    }

    #[test]
    fn line_ends_of_all_systems() {
        assert_eq!(source("\u{feff}a\r\nb\rc"), "a\nb\nc");
        assert_eq!(words(&source("a b\r\nc \\\r\nd")), Ok(vec![vec!["a", "b"], vec!["c", "d"]]));
    }
}
