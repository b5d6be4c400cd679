//! The scenarios of `scenarios/bad`, one file per table: each after a line `==== NAME`, its message after `---- message`.

use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "==== ";
const MESSAGE: &str = "---- message\n";

/// A scenario with a mistake.
pub(crate) struct Bad {
    /// Name as a scenario file, which its message begins with. Files that it names are relative to the folder.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) message: String,
}

/// The folder of the files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/bad")
}

/// Each file with its scenarios, in the order of their names.
pub(crate) fn files() -> Vec<(PathBuf, Vec<Bad>)> {
    let entries = fs::read_dir(folder()).expect("a folder of scenarios");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &Path) -> Vec<Bad> {
    let text = fs::read_to_string(path).expect("a file of scenarios");
    let mut found = Vec::new();
    let rest = text.strip_prefix(NAME).unwrap_or_else(|| panic!("{} begins with a name", path.display()));
    for block in rest.split(&format!("\n{NAME}")) {
        let (name, body) = block.split_once('\n').expect("a scenario after its name");
        let (text, message) = body.split_once(MESSAGE).unwrap_or_else(|| panic!("{name}: no message"));
        found.push(Bad { name: name.to_owned(), text: text.to_owned(), message: message.to_owned() });
    }
    found
}

/// Writes a file anew.
pub(crate) fn write(path: &Path, scenarios: &[Bad]) {
    let blocks: Vec<String> =
        scenarios.iter().map(|bad| format!("{NAME}{}\n{}{MESSAGE}{}", bad.name, bad.text, bad.message)).collect();
    fs::write(path, blocks.join("\n")).expect("written messages");
}
