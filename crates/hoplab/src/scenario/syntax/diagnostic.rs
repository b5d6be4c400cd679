//! What is wrong with a scenario: where, which key, which value, what was expected, and what to write instead.

use std::fmt;

/// Why a scenario cannot be run: everything found wrong with it, in the order of the file, at least one problem.
///
/// `Display` gives the whole text, without a newline at its end: for each problem `path:line: message`, the line of
/// the file with a caret below, what was expected, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, or `--set mac.ssrl` for a value given there.
    pub path: String,
    /// Line in the file, from 1; `None` if no line is to blame, or it is not in the file.
    pub line: Option<u32>,
    /// Character in the line, from 1.
    pub column: Option<u32>,
    /// The key, from the top: `mac.ssrl`, `flow.0.window`; empty if the file is no TOML.
    pub key: String,
    /// The value as it was written, shortened; `None` if there is none.
    pub value: Option<String>,
    /// What should have been there; empty where the message says it.
    pub expected: String,
    /// What to write instead, where that can be guessed.
    pub hint: Option<String>,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// The line to blame, and the part of it.
    pub snippet: Option<Snippet>,
}

/// A line of the file (or of the command), with the part to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The line, without control characters, cut if it is very long.
    pub text: String,
    /// Where in `text` the part begins, in characters.
    pub start: usize,
    /// Its length in characters, at least 1.
    pub length: usize,
}

/// Problems that are printed; a file that is wrong throughout is not printed throughout.
const MAX_PRINTED: usize = 20;

impl ScenarioError {
    /// An error of these problems, if there are any.
    pub(crate) fn of(problems: Vec<Problem>) -> Option<ScenarioError> {
        if problems.is_empty() { None } else { Some(ScenarioError { problems }) }
    }

    /// The first problem: what machines are told.
    pub fn first(&self) -> &Problem {
        &self.problems[0]
    }

    /// All problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().take(MAX_PRINTED).enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            problem.fmt(f)?;
        }
        match self.problems.len() {
            1 => Ok(()),
            total @ 2..=MAX_PRINTED => write!(f, "\n\n{total} problems"),
            total => write!(f, "\n\n{total} problems; the first {MAX_PRINTED} are shown"),
        }
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)?;
        let number = self.line.map(|line| line.to_string()).unwrap_or_default();
        let margin = " ".repeat(number.len());
        if let Some(Snippet { text, start, length }) = &self.snippet {
            write!(f, "\n{margin} |\n{number} | {text}\n{margin} | {}{}", " ".repeat(*start), "^".repeat(*length))?;
        }
        if !self.expected.is_empty() {
            write!(f, "\n{margin} = expected: {}", self.expected)?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n{margin} = hint: {hint}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        Problem {
            path: "chain.toml".into(),
            line: Some(12),
            column: Some(1),
            key: "mac.ssrll".into(),
            value: Some("9".into()),
            expected: "a key of [mac]".into(),
            hint: Some("did you mean mac.ssrl?".into()),
            message: "mac.ssrll is not a key of [mac]".into(),
            snippet: Some(Snippet { text: "ssrll = 9".into(), start: 0, length: 5 }),
        }
    }

    #[test]
    fn looks_like_a_compiler() {
        let error = ScenarioError::of(vec![problem()]).expect("a problem");
        let text = "chain.toml:12: mac.ssrll is not a key of [mac]\n   |\n12 | ssrll = 9\n   | ^^^^^\n   = expected: a key of [mac]\n   \
                    = hint: did you mean mac.ssrl?";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn many_problems_are_counted() {
        let shown = |count| ScenarioError::of(vec![problem(); count]).expect("problems").to_string();
        assert!(shown(2).ends_with("\n\n2 problems"));
        let many = shown(500);
        assert!(many.ends_with("\n\n500 problems; the first 20 are shown"));
        assert_eq!(many.matches("12 |").count(), 20);
        assert_eq!(ScenarioError::of(Vec::new()), None);
    }
}
