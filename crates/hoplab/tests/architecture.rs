//! The layers of the house: which may use which. The folder tree is the architecture; this list holds it to that.
//!
//! An edge that is missing here is added in the commit that needs it, with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with the layers it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("packet", &["kernel"]),
    ("trace", &["kernel", "packet"]),
    ("sim", &["kernel", "packet", "trace"]),
    ("mobility", &["kernel"]),
    ("phy", &["kernel", "packet", "trace", "sim", "mobility"]),
    ("mac", &["kernel", "packet", "trace", "sim", "phy"]),
    ("net", &["kernel", "packet", "trace", "sim"]),
    // Numbers that a connection keeps of itself; the run's come from the trace.
    ("metrics", &["kernel", "packet", "trace"]),
    ("app", &["kernel"]),
    // A connection owns the traffic that feeds it, and the meter that measures it.
    ("transport", &["kernel", "packet", "app", "metrics"]),
    // Sees every layer's parameters; of the radio also who can hear whom, of routing the paths, for warnings; of mobility
    // the movements that a file gives, which are read with the scenario.
    ("scenario", &["kernel", "packet", "mobility", "phy", "mac", "net", "transport", "app"]),
    (
        "world",
        &[
            "kernel",
            "packet",
            "trace",
            "sim",
            "mobility",
            "phy",
            "mac",
            "net",
            "transport",
            "app",
            "metrics",
            "scenario",
        ],
    ),
];

#[test]
fn floors_use_lower_floors_only() {
    let mut wrong = Vec::new();
    for (layer, allowed) in LAYERS {
        for file in sources(layer) {
            let text = fs::read_to_string(&file).expect("a readable source file");
            for used in crate_paths(&text) {
                let is_floor = LAYERS.iter().any(|(name, _)| *name == used);
                if is_floor && used != *layer && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{}: {layer} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "a layer reaches over:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_its_floor() {
    let listed: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    let lib = fs::read_to_string(src().join("lib.rs")).expect("lib.rs");
    for line in lib.lines() {
        if let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) {
            assert!(listed.contains(name), "module {name} has no layer");
        }
    }
}

#[test]
fn the_engine_touches_nothing_outside() {
    let forbidden = ["std::fs", "std::net", "std::process", "std::time::", "std::env", "println!", "eprintln!"];
    for (layer, _) in LAYERS {
        for file in sources(layer) {
            let text = fs::read_to_string(&file).expect("a readable source file");
            for word in forbidden {
                assert!(!text.contains(word), "{} names {word}", file.display());
            }
        }
    }
}

/// First components of `crate::...` paths outside of tests.
fn crate_paths(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources(layer: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let file = src().join(format!("{layer}.rs"));
    if file.exists() {
        found.push(file);
    }
    let mut open = vec![src().join(layer)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "layer {layer} has no files");
    found
}
