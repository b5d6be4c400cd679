//! Sizes that keep the tree readable: lines of a file, siblings in a folder. Test code does not count.
//!
//! Above a limit a line is printed, which asks whether the file has two subjects. No file is split for a number.

use crate::source::{Modules, files};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Lines of a file above which a look is asked for.
const LINES: usize = 450;
/// Most lines of a file.
const MOST_LINES: usize = 600;
/// Modules side by side in one folder above which a look is asked for.
const SIBLINGS: usize = 14;

/// Prints to the terminal, also where the test passes.
fn alarm(text: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {text}");
}

#[test]
fn files_are_short() {
    let modules = crate::source::modules();
    let mut lengths: BTreeMap<String, usize> =
        modules.values().map(|module| (module.file.clone(), module.lines)).collect();
    for other in ["hoplab-live", "hoplab-py", "hoplab-stacks", "hoplab-trace", "hoplab-wasm"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(other).join("src");
        for (path, text) in files(&folder) {
            let name = path.strip_prefix(&folder).expect("a file of the crate").display().to_string();
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
            lengths.insert(format!("{other}: {name}"), product.lines().count());
        }
    }
    for (file, lines) in lengths.iter().filter(|(_, lines)| **lines > LINES) {
        alarm(&format!("{file} has {lines} lines; above {LINES}, see whether it has two subjects"));
    }
    let long: BTreeSet<&str> =
        lengths.iter().filter(|(_, lines)| **lines > MOST_LINES).map(|(file, _)| file.as_str()).collect();
    assert!(long.is_empty(), "files above {MOST_LINES} lines: {long:?}");
}

#[test]
fn crowded_folders_are_named() {
    let modules = crate::source::modules();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for (path, _) in files(&crates) {
        let relative = path.strip_prefix(&crates).expect("below the folder of crates").to_path_buf();
        let (Some(folder), Some(stem)) = (relative.parent(), relative.file_stem()) else { continue };
        if folder.components().any(|part| part.as_os_str() == "src")
            && !["lib", "main", "mod"].iter().any(|root| stem == *root)
        {
            names.entry(folder.to_path_buf()).or_default().insert(stem.to_string_lossy().into_owned());
        }
    }
    assert!(names.len() > 50, "the crates have folders");
    let files = names.iter().filter(|(_, names)| names.len() > SIBLINGS);
    let files: BTreeSet<String> = files.map(|(folder, _)| folder.display().to_string()).collect();
    for folder in files.union(&crowded(&modules)) {
        alarm(&format!(
            "{folder} has more than {SIBLINGS} modules; see whether some belong into a folder of their own"
        ));
    }
}

fn crowded(modules: &Modules) -> BTreeSet<String> {
    let wide = modules.iter().filter(|(_, module)| module.children.len() > SIBLINGS);
    wide.map(|(path, _)| path.join("/")).collect()
}
