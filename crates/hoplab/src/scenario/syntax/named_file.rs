//! A file beside the scenario, such as a movement file. The engine opens no files: the caller reads them.

/// A file that a scenario names, as the caller found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its name as written in the scenario: one of [`crate::scenario::files_named`].
    pub name: String,
    /// Its name in messages.
    pub path: String,
    /// Its text, unpacked; or why it cannot be read, as the end of a sentence that starts with its name.
    pub text: Result<String, String>,
}
