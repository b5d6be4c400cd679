//! Diagnostics of a scenario: file and line, key, value, problem, expectation and remedy, and their form on a terminal.
//!
//! Checks produce a [`RawDiagnostic`] without position. `Source::diagnostic` adds path, line and snippet. The form
//! follows compilers, so that editors find the line.

use std::fmt;

/// What is wrong, before its position is looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawDiagnostic {
    pub(crate) key: String,
    pub(crate) value: Option<String>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) hint: Option<String>,
}

/// Why a scenario is refused: at least one diagnostic, in the order of the file.
///
/// `Display` prints each as `path:line: message`, the source line with a caret below, the expectation and a hint. The text
/// has no newline at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    diagnostics: Vec<Diagnostic>,
}

/// One problem, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file; for a value of an override `--set mac.ssrl`, or `override mac.ssrl` for a program.
    pub path: String,
    /// Line in the file, from 1; `None` if the diagnostic concerns no line, or an override.
    pub line: Option<u32>,
    /// Character in the line, from 1.
    pub column: Option<u32>,
    /// The key from the top of the file: `mac.ssrl`, `flow.0.window`; empty if the file is not TOML.
    pub key: String,
    /// The value as written, shortened; `None` if there is none.
    pub value: Option<String>,
    /// The values that are accepted; empty where the message gives them.
    pub expected: String,
    /// A replacement, where one can be guessed.
    pub hint: Option<String>,
    /// The key and the problem: `mac.ssrl: 0 is out of range`.
    pub message: String,
    /// The source line, and the part that is wrong.
    pub snippet: Option<Snippet>,
}

/// A line of the file or of the command, with the part that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The line without control characters, shortened if it is very long.
    pub text: String,
    /// Start of the part in `text`, in characters.
    pub start: usize,
    /// Length of the part in characters, at least 1.
    pub length: usize,
}

/// What the path and the source line of an override start with, as the command line has it.
pub(super) const OPTION: &str = "--set ";

/// Prefix of the path of an override of a program, whose overrides are arguments.
const ARGUMENT: &str = "override ";

/// Diagnostics that are printed; the rest is counted.
const MAX_PRINTED: usize = 20;

impl ScenarioError {
    /// An error with these diagnostics; `None` if there are none.
    pub(crate) fn of(diagnostics: Vec<Diagnostic>) -> Option<ScenarioError> {
        if diagnostics.is_empty() { None } else { Some(ScenarioError { diagnostics }) }
    }

    /// The first diagnostic, which becomes the attributes of Python's exception.
    pub fn first(&self) -> &Diagnostic {
        &self.diagnostics[0]
    }

    /// The same error for a program that passed overrides as arguments: it names no option of the command line.
    #[must_use]
    pub fn for_program(mut self) -> ScenarioError {
        self.diagnostics.iter_mut().for_each(Diagnostic::name_argument);
        self
    }

    /// All diagnostics.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().take(MAX_PRINTED).enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            diagnostic.fmt(f)?;
        }
        match self.diagnostics.len() {
            1 => Ok(()),
            total @ 2..=MAX_PRINTED => write!(f, "\n\n{total} problems"),
            total => write!(f, "\n\n{total} problems; the first {MAX_PRINTED} are shown"),
        }
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic {
    /// Names an override as an argument in place of an option.
    fn name_argument(&mut self) {
        let Some(key) = self.path.strip_prefix(OPTION) else { return };
        self.path = format!("{ARGUMENT}{key}");
        if let Some(snippet) = &mut self.snippet
            && let Some(text) = snippet.text.strip_prefix(OPTION)
        {
            snippet.text = text.to_owned();
            snippet.start -= OPTION.len();
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The path of an override ends with the key, from which the message starts.
        let is_override = [OPTION, ARGUMENT].iter().any(|start| self.path.strip_prefix(start) == Some(&*self.key));
        let problem = self.message.strip_prefix(&*self.key).filter(|rest| is_override && rest.starts_with(": "));
        f.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match problem {
            Some(problem) => f.write_str(problem)?,
            None => write!(f, ": {}", self.message)?,
        }
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

    fn diagnostic() -> Diagnostic {
        Diagnostic {
            path: "chain.toml".into(),
            line: Some(12),
            column: Some(1),
            key: "mac.ssrll".into(),
            value: Some("9".into()),
            expected: "a key of [mac]".into(),
            hint: Some("did you mean mac.ssrl?".into()),
            message: "mac.ssrll: unknown key".into(),
            snippet: Some(Snippet { text: "ssrll = 9".into(), start: 0, length: 5 }),
        }
    }

    #[test]
    fn printed_form_is_that_of_a_compiler() {
        let error = ScenarioError::of(vec![diagnostic()]).expect("a diagnostic");
        let text = "chain.toml:12: mac.ssrll: unknown key\n   |\n12 | ssrll = 9\n   | ^^^^^\n   = expected: a key of [mac]\n   \
                    = hint: did you mean mac.ssrl?";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn override_with_the_key_in_its_path_omits_it_in_the_message() {
        let shown = |path: &str, key: &str, message: &str| {
            let (path, key, message) = (path.into(), key.into(), message.into());
            let one = Diagnostic { path, key, message, line: None, snippet: None, hint: None, ..diagnostic() };
            one.to_string().lines().next().map(str::to_owned)
        };
        let unknown = shown("--set mac.x", "mac.x", "mac.x: unknown key");
        assert_eq!(unknown.as_deref(), Some("--set mac.x: unknown key"));
        let other = shown("--set flow.x", "flow.0.x", "flow.0.x: unknown key");
        assert_eq!(other.as_deref(), Some("--set flow.x: flow.0.x: unknown key"));
    }

    #[test]
    fn twenty_are_printed_and_the_rest_is_counted() {
        let shown = |count| ScenarioError::of(vec![diagnostic(); count]).expect("diagnostics").to_string();
        assert!(shown(2).ends_with("\n\n2 problems"));
        let many = shown(500);
        assert!(many.ends_with("\n\n500 problems; the first 20 are shown"));
        assert_eq!(many.matches("12 |").count(), 20);
        assert_eq!(ScenarioError::of(Vec::new()), None);
    }
}
