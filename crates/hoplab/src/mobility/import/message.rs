//! Errors and warnings of movement files: value, problem, expectation and remedy, with the line.

use std::fmt;

/// Why a movement file is refused: its first error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file.
    pub path: Box<str>,
    /// Line in the file, from 1; `None` if it is about the whole file.
    pub line: Option<u32>,
    /// The problem, without a full stop.
    pub message: String,
    /// The wrong value as written, shortened.
    pub value: Option<String>,
    /// Accepted content; empty if the message has it.
    pub expected: Box<str>,
    /// A remedy, if one is known.
    pub hint: Option<String>,
}

/// Unusual but valid content of a movement file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub path: String,
    /// Line in the file, from 1; `None` if it is about the whole file.
    pub line: Option<u32>,
    /// The content, and how it is read.
    pub message: String,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, &self.path, self.line)?;
        f.write_str(&self.message)?;
        if !self.expected.is_empty() {
            write!(f, "\n  = expected: {}", self.expected)?;
        }
        self.hint.iter().try_for_each(|hint| write!(f, "\n  = hint: {hint}"))
    }
}

impl std::error::Error for ImportError {}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        place(f, &self.path, self.line)?;
        f.write_str(&self.message)
    }
}

fn place(f: &mut fmt::Formatter<'_>, path: &str, line: Option<u32>) -> fmt::Result {
    match line {
        Some(line) => write!(f, "{path}:{line}: "),
        None => write!(f, "{path}: "),
    }
}

impl ImportError {
    /// Adds the accepted content.
    pub(super) fn expected(mut self, expected: impl Into<Box<str>>) -> ImportError {
        self.expected = expected.into();
        self
    }

    /// Adds a remedy.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> ImportError {
        self.hint = Some(hint.into());
        self
    }
}

/// Maximum number of warnings of one file.
const MAX_WARNINGS: usize = 20;

/// Collects warnings: the first ones, and how many more there are.
#[derive(Debug)]
pub(super) struct Warnings<'a> {
    path: &'a str,
    kept: Vec<Warning>,
    more: usize,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(path: &'a str) -> Warnings<'a> {
        Warnings { path, kept: Vec::new(), more: 0 }
    }

    pub(super) fn warn(&mut self, line: Option<u32>, message: impl FnOnce() -> String) {
        if self.kept.len() < MAX_WARNINGS {
            self.kept.push(Warning { path: self.path.to_owned(), line, message: message() });
        } else {
            self.more += 1;
        }
    }

    /// All of them, in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        self.kept.sort_by_key(|warning| warning.line);
        if self.more > 0 {
            let message = format!("{} more warnings", self.more);
            self.kept.push(Warning { path: self.path.to_owned(), line: None, message });
        }
        self.kept
    }
}
