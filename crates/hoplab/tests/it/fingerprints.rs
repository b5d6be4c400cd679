//! Known fingerprints: a changed number needs a line in the changelog with the reason.
//!
//! The numbers come from an optimized build (`hoplab run --json`, seed 1), the tests from an unoptimized one: both agree.
//!
//! `golden/trajectory_number.txt` has the trajectory number, and every watched fingerprint as it was when the number was
//! chosen. Where one of them has become another, `hoplab::trace::TRAJECTORIES` must have risen; `BLESS=1` then rewrites
//! the file. Rows may be added and removed.

use hoplab::scenario::Resolved;
use hoplab::trace::TRAJECTORIES;
use hoplab::world::World;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders of watched runs: `NAME.toml` with rows `OPTIONS | FINGERPRINT` in `NAME.txt`. The lab's test reads them, too.
const WATCHED: [&str; 2] = ["whole_runs", "trajectories"];

#[test]
fn fingerprints_equal_known_values() {
    let folder = golden().join(WATCHED[0]);
    let rows = rows(&folder);
    assert!(!rows.is_empty(), "no runs in {}", folder.display());
    for (name, _, known) in rows {
        let text = fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a scenario");
        assert_eq!(fingerprint(&text), known, "{name}");
    }
}

fn fingerprint(text: &str) -> String {
    let scenario = Resolved::parse(text, "known.toml", &[]).expect("a scenario");
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.ctx().trace.fingerprint().to_string()
}

#[test]
fn trajectory_number_rises_with_fingerprints() {
    let file = golden().join("trajectory_number.txt");
    let known = fs::read_to_string(&file).unwrap_or_default();
    match judged(&known, TRAJECTORIES, &watched()) {
        Ok(text) if text == known => {}
        Ok(text) if env::var_os("BLESS").is_some() => fs::write(&file, text).expect("the golden file is writable"),
        Ok(_) => panic!("{} is not up to date: BLESS=1 rewrites it", file.display()),
        Err(problem) => panic!("{problem}"),
    }
}

#[test]
fn changed_fingerprint_needs_a_new_number() {
    let rows = |value: &str| BTreeMap::from([("a".to_owned(), value.to_owned()), ("b".to_owned(), "1".to_owned())]);
    let known = judged("", 4, &rows("0")).expect("a first file");
    assert_eq!(known, "number = 4\na = 0\nb = 1\n");
    assert_eq!(judged(&known, 4, &rows("0")), Ok(known.clone()));
    assert!(judged(&known, 4, &rows("9")).is_err(), "a fingerprint has changed, and the number has not");
    assert!(judged(&known, 3, &rows("0")).is_err(), "a number that falls");
    assert_eq!(judged(&known, 5, &rows("9")), Ok("number = 5\na = 9\nb = 1\n".to_owned()));
    let more = BTreeMap::from([("a".to_owned(), "0".to_owned()), ("c".to_owned(), "7".to_owned())]);
    assert_eq!(judged(&known, 4, &more), Ok("number = 4\na = 0\nc = 7\n".to_owned()));
}

/// Every watched fingerprint by its name.
fn watched() -> BTreeMap<String, String> {
    let found = WATCHED.iter().flat_map(|folder| rows(&golden().join(folder)));
    found.map(|(name, options, known)| (format!("{name}: {}", options.replace(" = ", "=")), known)).collect()
}

/// Name, options and fingerprint of each row of a folder.
fn rows(folder: &Path) -> Vec<(String, String, String)> {
    let mut rows = Vec::new();
    let listed = fs::read_dir(folder).expect("a folder of golden files");
    for path in listed.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_some_and(|extension| extension == "txt") {
            let text = fs::read_to_string(&path).expect("a golden file");
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for line in text.lines() {
                let mut parts = line.split('|').map(str::trim);
                let (options, known) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let fingerprint = known.split_whitespace().next().unwrap_or_default();
                rows.push((name.clone(), options.to_owned(), fingerprint.to_owned()));
            }
        }
    }
    rows
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The file for this number and these fingerprints; an error if the number must rise first.
fn judged(known: &str, number: u32, rows: &BTreeMap<String, String>) -> Result<String, String> {
    let mut before = known.lines().filter_map(|line| line.rsplit_once(" = "));
    let known_number: u32 = before.next().and_then(|(_, number)| number.parse().ok()).unwrap_or(0);
    let changed: Vec<&str> =
        before.filter(|(name, value)| rows.get(*name).is_some_and(|now| now != value)).map(|(name, _)| name).collect();
    if number < known_number || (number == known_number && !changed.is_empty()) {
        let least = known_number + u32::from(!changed.is_empty());
        return Err(format!(
            "hoplab::trace::TRAJECTORIES is {number}, expected at least {least}: runs stored under {known_number} have \
             other event sequences ({} fingerprints changed: {})",
            changed.len(),
            changed.join("; ")
        ));
    }
    let lines = rows.iter().map(|(name, value)| format!("{name} = {value}\n"));
    Ok(std::iter::once(format!("number = {number}\n")).chain(lines).collect())
}
