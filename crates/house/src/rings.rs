//! No ring of imports between files: a file can be read with what it builds on, and what it builds on without it.
//!
//! A file uses another if it imports one of its items, or names one by a path. An item counts where it is defined: a
//! `mod.rs` that declares or re-exports its children does not thereby use them, nor is it used by files that import
//! through it. It uses them by what its own code does with them; children that need an item defined in such a `mod.rs`
//! then close a ring, and the item belongs into a file of its own. Code in tests does not count.

use crate::source::{Modules, words};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn files_form_no_ring() {
    let modules = crate::source::modules();
    let uses = uses(&modules);
    let rings = rings(&uses);
    let described: Vec<String> = rings.iter().map(|ring| describe(ring, &uses)).collect();
    assert!(described.is_empty(), "{}", described.join("\n"));
}

/// The files that each file uses.
fn uses(modules: &Modules) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses = BTreeMap::new();
    for (path, module) in modules {
        let mut used = BTreeSet::new();
        for import in &module.imports {
            let is_child = import.path.first().is_some_and(|first| module.children.contains(first) || first == "self");
            if !(import.is_public && is_child) || outside_imports(&module.code).contains(&import.name.as_str()) {
                used.extend(resolve(modules, path, &import.path, 0));
            }
        }
        for named in paths(&module.code) {
            used.extend(resolve(modules, path, &named, 0));
        }
        used.remove(&module.file);
        uses.insert(module.file.clone(), used);
    }
    uses
}

/// Words outside of `use` statements.
fn outside_imports(code: &str) -> BTreeSet<&str> {
    let mut is_import = false;
    let words = words(code).into_iter().filter(|word| {
        is_import = (is_import || *word == "use") && *word != ";";
        !is_import
    });
    words.collect()
}

/// Qualified paths outside of `use` statements.
fn paths(code: &str) -> Vec<Vec<String>> {
    let words = words(code);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at] == "use" {
            at += words[at..].iter().position(|word| *word == ";").unwrap_or(1);
        } else if words.get(at + 1) == Some(&"::") && is_name(words[at]) && (at == 0 || words[at - 1] != "::") {
            let mut path = vec![words[at].to_owned()];
            while words.get(at + 1) == Some(&"::") && words.get(at + 2).is_some_and(|word| is_name(word)) {
                path.push(words[at + 2].to_owned());
                at += 2;
            }
            paths.push(path);
        }
        at += 1;
    }
    paths
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The file that defines what `path` names, as seen from `module`; `None` for what is not the engine's.
fn resolve(modules: &Modules, module: &[String], path: &[String], depth: usize) -> Option<String> {
    assert!(depth < 20, "imports of {path:?} in {module:?} lead round");
    let (first, mut rest) = path.split_first()?;
    let mut here = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        name => {
            let found = &modules[module];
            let is_module = found.children.contains(name);
            if !is_module && !found.imports.iter().any(|import| import.name == name) {
                return None;
            }
            rest = path;
            module.to_vec()
        }
    };
    while let Some((name, further)) = rest.split_first() {
        let found = &modules[&here];
        if name == "super" {
            here.pop();
        } else if found.children.contains(name) {
            here.push(name.clone());
        } else if let Some(import) = found.imports.iter().find(|import| import.name == *name && import.path != path) {
            let whole = [import.path.as_slice(), further].concat();
            return resolve(modules, &here, &whole, depth + 1);
        } else {
            let globs = found.imports.iter().filter(|import| import.name == "*");
            let defined = globs.filter_map(|glob| resolve(modules, &here, &glob.path, depth + 1));
            let defines = |file: &String| {
                let module = modules.values().find(|module| module.file == *file);
                module.is_some_and(|module| words(&module.code).windows(2).any(|two| is_definition(two, name)))
            };
            return defined.into_iter().find(defines).or_else(|| Some(found.file.clone()));
        }
        rest = further;
    }
    Some(modules[&here].file.clone())
}

fn is_definition(two: &[&str], name: &str) -> bool {
    two[1] == name && ["struct", "enum", "trait", "type", "fn", "const", "static"].contains(&two[0])
}

/// Groups of files that use each other, directly or through others.
fn rings(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = uses.keys().map(|file| (file, reached(uses, file))).collect();
    let mut rings: Vec<BTreeSet<String>> = Vec::new();
    for file in uses.keys() {
        let ring: BTreeSet<String> =
            reach[file].iter().filter(|other| reach[**other].contains(file)).map(|other| (*other).clone()).collect();
        if !ring.is_empty() && !rings.contains(&ring) {
            rings.push(ring);
        }
    }
    rings
}

fn reached<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = uses[from].iter().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&uses[file]);
        }
    }
    reached
}

/// A ring, with what each of its files uses of the others.
fn describe(ring: &BTreeSet<String>, uses: &BTreeMap<String, BTreeSet<String>>) -> String {
    let line = |file: &String| {
        let inside: Vec<&str> = uses[file].intersection(ring).map(String::as_str).collect();
        format!("  {file} -> {}", inside.join(", "))
    };
    format!("ring of {}:\n{}", ring.len(), ring.iter().map(line).collect::<Vec<_>>().join("\n"))
}
