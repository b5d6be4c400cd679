//! The engine's sources as text: files, modules, imports and paths, test code left out.
//!
//! A reader of the subset of Rust that the engine is written in, not a compiler: it knows modules in files, `use` trees,
//! qualified paths and `#[cfg(test)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module of the engine that has a file of its own.
#[derive(Debug)]
pub(crate) struct Module {
    /// File below `src`.
    pub(crate) file: String,
    /// Source text without comments, literals and test code.
    pub(crate) code: String,
    /// Lines of product code, comments included.
    pub(crate) lines: usize,
    /// Names that `use` statements bring in, with the path that each stands for.
    pub(crate) imports: Vec<Import>,
    /// Child modules declared without `#[cfg(test)]`.
    pub(crate) children: BTreeSet<String>,
}

/// One name brought in by a `use` statement.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// Name in this module; `*` for a glob.
    pub(crate) name: String,
    /// The path as written.
    pub(crate) path: Vec<String>,
    /// Whether other modules see the name.
    pub(crate) is_public: bool,
}

/// Modules by path, the root being empty.
pub(crate) type Modules = BTreeMap<Vec<String>, Module>;

/// The folder of the engine's sources.
pub(crate) fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hoplab/src")
}

/// The modules of the engine.
pub(crate) fn modules() -> Modules {
    let src = engine();
    let mut modules = Modules::new();
    read(&src, &src.join("lib.rs"), Vec::new(), &mut modules);
    assert!(modules.len() > 100, "the engine has modules");
    modules
}

/// Names of the files below a folder that end in `.rs`, with their text.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a readable source file");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn read(src: &Path, file: &Path, path: Vec<String>, modules: &mut Modules) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let plain = without_literals(&text);
    let code = without_tests(&plain);
    let lines = code.trim_end().lines().count();
    let children: BTreeSet<String> = child_modules(&code);
    let folder = if path.is_empty() || file.ends_with("mod.rs") {
        file.parent().expect("a folder").to_path_buf()
    } else {
        file.with_extension("")
    };
    for child in &children {
        let beside = folder.join(format!("{child}.rs"));
        let below = folder.join(child).join("mod.rs");
        let child_path = [path.as_slice(), std::slice::from_ref(child)].concat();
        read(src, if beside.exists() { &beside } else { &below }, child_path, modules);
    }
    let name = file.strip_prefix(src).expect("a file of the engine").display().to_string();
    let imports = imports(&code);
    modules.insert(path, Module { file: name, code, lines, imports, children });
}

/// Names of `mod name;` declarations.
fn child_modules(code: &str) -> BTreeSet<String> {
    let words = words(code);
    let declared = words.windows(3).filter(|three| three[0] == "mod" && three[2] == ";");
    declared.map(|three| three[1].to_owned()).collect()
}

/// Identifiers, `::`, and single characters of punctuation.
pub(crate) fn words(code: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

fn imports(code: &str) -> Vec<Import> {
    let words = words(code);
    let mut imports = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at] == "use" && words.get(at + 1) != Some(&"<") {
            let before = &words[..at];
            let is_public = before.last() == Some(&"pub")
                || before.ends_with(&["pub", "(", "crate", ")"])
                || before.ends_with(&["pub", "(", "super", ")"]);
            at += 1;
            tree(&words, &mut at, &[], is_public, &mut imports);
        }
        at += 1;
    }
    imports
}

/// Reads one tree of a `use` statement.
fn tree(words: &[&str], at: &mut usize, prefix: &[String], is_public: bool, imports: &mut Vec<Import>) {
    let mut path = prefix.to_vec();
    let mut name = None;
    while let Some(&word) = words.get(*at) {
        match word {
            "::" => {}
            "{" => {
                *at += 1;
                while words[*at] != "}" {
                    tree(words, at, &path, is_public, imports);
                    if words[*at] == "," {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "as" => {
                *at += 1;
                name = Some(words[*at].to_owned());
            }
            ";" | "," | "}" => break,
            "*" => name = Some("*".to_owned()),
            segment => path.push(segment.to_owned()),
        }
        *at += 1;
    }
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
    imports.push(Import { name, path, is_public });
}

/// The text with comments, strings and characters blanked out; line breaks stay.
fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            'r' if rest.starts_with("r#\"") => rest[3..].find("\"#").map_or(rest.len(), |end| end + 5),
            '"' => string_length(rest),
            '\'' if rest[1..].starts_with('\\') => {
                rest[2..].find('\'').map_or(1, |end| if end == 0 { 4 } else { end + 3 })
            }
            '\'' if rest[1..].chars().nth(1) == Some('\'') => 2 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => 0,
        };
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.extend(rest[..length].chars().filter(|c| *c == '\n'));
            out.push(' ');
            rest = &rest[length..];
        }
    }
    out
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The code without items marked `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        let mut depth = 0;
        let end = item.char_indices().find(|&(at, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && (c == '}' || c == ';' && !item[at..].starts_with(";]"))
        });
        rest = end.map_or("", |(at, _)| &item[at + 1..]);
    }
    out + rest
}
