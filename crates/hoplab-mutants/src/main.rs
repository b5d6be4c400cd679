//! Writes mutants of source files, all into one program: each behind a switch that is asked while it runs.
//!
//! One build then serves thousands of mutants, where a build for each would take days. The kinds of changes are those of
//! cargo-mutants. Calls in macros' arguments, constants and `const fn` are left alone.

mod edits;
mod operators;
mod values;
mod walk;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// `hoplab-mutants DROPPED FILE...`: rewrites the files where they are, leaves out the mutants whose numbers the file
/// DROPPED has, and prints all as JSON.
fn main() {
    let mut args = std::env::args().skip(1);
    let usage = "hoplab-mutants DROPPED FILE...";
    let dropped = fs::read_to_string(args.next().expect(usage)).expect("the list of what is left out");
    let dropped: HashSet<u32> = dropped.split_whitespace().map(|id| id.parse().expect("a number")).collect();
    let mut all = Vec::new();
    for path in args {
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let file = syn::parse_file(&source).unwrap_or_else(|error| panic!("{path}: {error}"));
        let written = walk::rewrite(&source, &file, Path::new(&path), &dropped, &mut all);
        fs::write(&path, written).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    println!("{}", serde_json::to_string(&all).expect("plain data"));
}
