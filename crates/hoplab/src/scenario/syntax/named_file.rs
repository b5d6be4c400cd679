//! A file that a scenario names, such as a movement file. The engine opens no files: the caller reads them.

/// A file that a scenario names, as the caller read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its name as written in the scenario: one of [`crate::scenario::files_named`].
    pub name: String,
    /// Its name in messages.
    pub path: String,
    /// Its text, unpacked; or the problem with it, in a form of `syntax::problem`.
    pub text: Result<String, String>,
}
