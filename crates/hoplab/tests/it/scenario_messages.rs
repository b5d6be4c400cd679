//! Messages of invalid scenarios: one file per kind of mistake in `scenarios/bad/`, with the complete message beside it.
//!
//! Lines `#! --set key=value` at the top of a file are overrides; files that a scenario names are relative to its folder.
//! `BLESS=1 cargo test` writes messages that have changed; review the difference before committing it.

use crate::hints::advice;
use hoplab::scenario::{NamedFile, Resolved, files_named};
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

fn parse(path: &Path) -> (String, Result<Resolved, hoplab::scenario::ScenarioError>) {
    let text = String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let overrides = overrides(&text);
    let files = files_named(&text, &name, &overrides).into_iter().map(|file| named(path, file)).collect::<Vec<_>>();
    let parsed = Resolved::parse_with(&text, &name, &overrides, &files);
    (name, parsed)
}

#[test]
fn every_invalid_scenario_has_its_message() {
    let bless = std::env::var_os("BLESS").is_some();
    let paths = scenarios("bad");
    assert!(paths.len() >= 40, "{} kinds of mistakes", paths.len());
    let mut wrong = Vec::new();
    for path in paths {
        let (name, parsed) = parse(&path);
        let Err(error) = parsed else {
            wrong.push(format!("{name} has become valid"));
            continue;
        };
        let message = format!("{error}\n");
        let beside = path.with_extension("txt");
        if bless {
            fs::write(&beside, &message).expect("a written message");
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if message != expected {
            wrong.push(format!("{name} says\n\n{message}\nand not\n\n{expected}"));
        }
        assert!(message.lines().all(|line| line.chars().count() < 750), "{name}: too long");
        let first = error.first();
        assert!(
            ["--set ", "../../mesh/", "../../mobility/", "../../traffic/"]
                .iter()
                .any(|place| first.path.starts_with(place))
                || first.path == name,
            "{name}: {}",
            first.path
        );
        if first.expected.is_empty() && first.hint.is_none() && !first.key.is_empty() {
            wrong.push(format!("{name}: no help in\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
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
    for path in scenarios("bad") {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
        let (name, parsed) = parse(&path);
        let error = parsed.expect_err("a bad scenario");
        for (key, hint) in error.diagnostics().iter().filter_map(|one| Some((&one.key, one.hint.as_ref()?))) {
            let advice = advice(key, hint);
            let mut all = overrides(&text);
            all.retain(|(known, _)| advice.iter().all(|(target, value)| value.is_none() || target != known));
            let invented = || "\"?\"".to_owned();
            all.extend(advice.iter().map(|(target, value)| (target.clone(), value.clone().unwrap_or_else(invented))));
            let files: Vec<_> = files_named(&text, &name, &all).into_iter().map(|file| named(&path, file)).collect();
            let after = Resolved::parse_with(&text, &name, &all, &files).err();
            for (target, value) in &advice {
                applied += 1;
                let diagnostics = after.iter().flat_map(hoplab::scenario::ScenarioError::diagnostics);
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
