//! Sizes that keep the tree readable: lines of a file, siblings in a folder. Test code does not count.

use crate::source::{Modules, files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most lines of a file.
const LINES: usize = 450;
/// Most modules side by side in one folder.
const SIBLINGS: usize = 14;

/// Files that are still longer. The list only shrinks.
const LONG: &[&str] = &[];
/// Folders that still have more modules. The list only shrinks.
const CROWDED: &[&str] = &[];

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
    let long: BTreeSet<&str> =
        lengths.iter().filter(|(_, lines)| **lines > LINES).map(|(file, _)| file.as_str()).collect();
    let known: BTreeSet<&str> = LONG.iter().copied().collect();
    assert_eq!(long, known, "files above {LINES} lines; take those off the list that are not");
}

#[test]
fn folders_have_few_siblings() {
    let modules = crate::source::modules();
    let crowded: BTreeSet<String> = crowded(&modules);
    let known: BTreeSet<String> = CROWDED.iter().map(|folder| (*folder).to_owned()).collect();
    assert_eq!(crowded, known, "folders with more than {SIBLINGS} modules; take those off the list that have fewer");
}

#[test]
fn folders_of_all_crates_have_few_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut modules: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for (path, _) in files(&crates) {
        let relative = path.strip_prefix(&crates).expect("below the folder of crates").to_path_buf();
        let (Some(folder), Some(stem)) = (relative.parent(), relative.file_stem()) else { continue };
        if folder.components().any(|part| part.as_os_str() == "src")
            && !["lib", "main", "mod"].iter().any(|root| stem == *root)
        {
            modules.entry(folder.to_path_buf()).or_default().insert(stem.to_string_lossy().into_owned());
        }
    }
    assert!(modules.len() > 50, "the crates have folders");
    let crowded: Vec<_> = modules.iter().filter(|(_, names)| names.len() > SIBLINGS).collect();
    assert!(crowded.is_empty(), "folders with more than {SIBLINGS} files: {crowded:?}");
}

fn crowded(modules: &Modules) -> BTreeSet<String> {
    let wide = modules.iter().filter(|(_, module)| module.children.len() > SIBLINGS);
    wide.map(|(path, _)| path.join("/")).collect()
}
