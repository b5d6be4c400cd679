//! Messages of invalid scenarios, complete, one for each kind of mistake in `scenarios/bad/`.
//!
//! Lines `#! --set key=value` at the top of a scenario are overrides; files that it names are relative to the folder.
//! `BLESS=1 cargo test -p hoplab --test it scenario_messages::` writes messages that have changed; review the difference
//! before committing it. A new scenario needs no message yet.

use crate::bad_scenarios;
use crate::hints::advice;
use hoplab::scenario::{NamedFile, Resolved, ScenarioError, files_named};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(name)
}

fn scenarios(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).expect("a folder of scenarios");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    paths
}

fn overrides(text: &str) -> Vec<(String, String)> {
    let settings = text.lines().map_while(|line| line.strip_prefix("#! --set "));
    settings.map(|setting| setting.split_once('=').expect("key=value")).map(|(k, v)| (k.into(), v.into())).collect()
}

/// A file that a scenario names.
fn named(scenario: &Path, name: String) -> NamedFile {
    let read = fs::read(scenario.with_file_name(&name)).map_err(|_| "{}: file not found".to_owned());
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "{}: not UTF-8 text".to_owned()));
    NamedFile { path: name.clone(), name, text }
}

fn parse(path: &Path) -> (String, Result<Resolved, ScenarioError>) {
    let text = fs::read_to_string(path).expect("a file");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let parsed = parse_with(&text, path, &overrides(&text));
    (name, parsed)
}

/// Parses the text of a scenario as if it were read from a path.
fn parse_with(text: &str, path: &Path, overrides: &[(String, String)]) -> Result<Resolved, ScenarioError> {
    let name = path.file_name().expect("a name").to_string_lossy();
    let files = files_named(text, &name, overrides).into_iter().map(|file| named(path, file)).collect::<Vec<_>>();
    Resolved::parse_with(text, &name, overrides, &files)
}

#[test]
fn every_invalid_scenario_has_its_message() {
    let bless = std::env::var_os("BLESS").is_some();
    let files = bad_scenarios::files();
    assert!(files.iter().map(|(_, all)| all.len()).sum::<usize>() >= 249, "scenarios are missing");
    let mut wrong = Vec::new();
    for (path, mut scenarios) in files {
        let mut is_new = false;
        for bad in &mut scenarios {
            let name = &bad.name;
            let Err(error) = parse_with(&bad.text, &bad_scenarios::folder().join(name), &overrides(&bad.text)) else {
                wrong.push(format!("{name} has become valid"));
                continue;
            };
            let message = format!("{error}\n");
            assert!(message.lines().all(|line| line.chars().count() < 750), "{name}: too long");
            let first = error.first();
            assert!(
                ["--set ", "../../mesh/", "../../mobility/", "../../traffic/"]
                    .iter()
                    .any(|place| first.path.starts_with(place))
                    || first.path == *name,
                "{name}: {}",
                first.path
            );
            if first.expected.is_empty() && first.hint.is_none() && !first.key.is_empty() {
                wrong.push(format!("{name}: no help in\n{message}"));
            }
            if message != bad.message && bless {
                is_new = true;
                bad.message = message;
            } else if message != bad.message {
                wrong.push(format!("{name} says\n\n{message}\nand not\n\n{}", bad.message));
            }
        }
        if is_new {
            bad_scenarios::write(&path, &scenarios);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

#[test]
fn bad_scenarios_are_written_as_they_are_read() {
    for (path, scenarios) in bad_scenarios::files() {
        let before = fs::read_to_string(&path).expect("a file of scenarios");
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(path.file_name().expect("a name"));
        bad_scenarios::write(&copy, &scenarios);
        assert_eq!(fs::read_to_string(copy).expect("the copy"), before, "{}", path.display());
    }
}

#[test]
fn good_scenarios_have_the_stored_warnings() {
    let mut warnings = Vec::new();
    for path in scenarios("good") {
        let (name, parsed) = parse(&path);
        let resolved = parsed.unwrap_or_else(|error| panic!("{name}: {error}"));
        warnings.extend(resolved.warnings.iter().map(|warning| format!("{name}: {warning}\n")));
    }
    let expected = fs::read_to_string(folder("good").join("warnings.txt")).expect("the known warnings");
    if std::env::var_os("BLESS").is_some() {
        fs::write(folder("good").join("warnings.txt"), warnings.concat()).expect("written warnings");
        return;
    }
    assert_eq!(warnings.concat(), expected);
}

#[test]
fn shipped_scenarios_have_no_warning() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for entry in fs::read_dir(shipped).expect("the folder of scenarios") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let (name, parsed) = parse(&path);
            let resolved = parsed.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(resolved.warnings, Vec::<String>::new(), "{name}");
        }
    }
}

#[test]
fn values_that_hints_name_are_accepted() {
    let mut applied = 0;
    let mut wrong = Vec::new();
    for bad in bad_scenarios::files().into_iter().flat_map(|(_, scenarios)| scenarios) {
        let (name, text) = (&bad.name, &bad.text);
        let path = bad_scenarios::folder().join(name);
        let error = parse_with(text, &path, &overrides(text)).expect_err("a bad scenario");
        for (key, hint) in error.diagnostics().iter().filter_map(|one| Some((&one.key, one.hint.as_ref()?))) {
            let advice = advice(key, hint);
            let mut all = overrides(text);
            all.retain(|(known, _)| advice.iter().all(|(target, value)| value.is_none() || target != known));
            let invented = || "\"?\"".to_owned();
            all.extend(advice.iter().map(|(target, value)| (target.clone(), value.clone().unwrap_or_else(invented))));
            let after = parse_with(text, &path, &all).err();
            for (target, value) in &advice {
                applied += 1;
                let diagnostics = after.iter().flat_map(ScenarioError::diagnostics);
                let mut mine = diagnostics.filter(|one| one.path == format!("--set {target}"));
                let refusal = mine.find(|one| match value {
                    // A unit is added to a value that another rule refuses.
                    Some(_) => !hint.starts_with("write \"") || one.message.contains("unit"),
                    None => one.message.contains("unknown key"),
                });
                wrong.extend(refusal.map(|one| format!("{name}: {key}: {hint}: {}", one.message)));
            }
        }
    }
    assert!(applied >= 40, "{applied} hints name a value");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
