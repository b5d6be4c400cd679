//! What fuzzing has found, and what it started from: the corpora in `fuzz/corpus`, replayed.

use crate::targets;
use cpu_time::ThreadTime;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// CPU time. The limit is a second in an optimized build, which this is not.
const SLOW: Duration = Duration::from_secs(10);

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_input_ends_soon_and_well() {
    let mut wrong = Vec::new();
    for target in targets::TARGETS {
        let paths = corpus(target.name);
        assert!(paths.len() >= 3, "{} has a corpus", target.name);
        for path in paths {
            let bytes = fs::read(&path).expect("an input");
            let start = ThreadTime::now();
            let outcome = catch_unwind(|| (target.run)(&bytes));
            if outcome.is_err() || start.elapsed() > SLOW {
                wrong.push(format!("{}: {:?}", path.display(), start.elapsed()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_target_is_one_of_libfuzzers_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("fuzz/Cargo.toml");
    for target in targets::TARGETS {
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{} in fuzz/Cargo.toml", target.name);
        let path = folder.join(format!("fuzz_targets/{}.rs", target.name));
        let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(source.contains(&format!("targets::{}(bytes)", target.name)), "{} calls its target", path.display());
    }
}
