//! The architecture of the engine: rooms and which may use which, no ring of imports, small files and folders.
//!
//! The folder tree is the architecture; these tests keep it so. An edge between rooms that is missing here is added in the
//! commit that needs it, with the reason.
#![cfg(test)]

mod limits;
mod rings;
mod source;

use source::files;
use std::collections::BTreeSet;

/// Each layer with the layers it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("packet", &["kernel"]),
    ("trace", &["kernel", "packet"]),
    ("sim", &["kernel", "packet", "trace"]),
    ("mobility", &["kernel"]),
    ("phy", &["kernel", "packet", "trace", "sim", "mobility"]),
    ("mac", &["kernel", "packet", "trace", "sim", "phy"]),
    // A port of a wire keeps the distribution of its waiting times.
    ("net", &["kernel", "packet", "trace", "sim", "metrics"]),
    // Numbers that a connection keeps of itself; the run's come from the trace.
    ("metrics", &["kernel", "packet", "trace"]),
    ("app", &["kernel"]),
    // A connection owns the traffic that feeds it, and the meter that measures it.
    ("transport", &["kernel", "packet", "app", "metrics"]),
    // Sees every layer's parameters; of the radio also the receivers of each node, of routing the paths, for warnings; of
    // mobility the movements of a file, which are read with the scenario, and the words of Tcl, for traffic files, too.
    ("scenario", &["kernel", "packet", "mobility", "phy", "mac", "net", "transport", "app"]),
    // Subscribers of a run: they read every layer's state, and world feeds them.
    ("measure", &["kernel", "packet", "trace", "sim", "phy", "mac", "net", "transport", "app", "metrics", "scenario"]),
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
            "measure",
        ],
    ),
];

#[test]
fn rooms_use_only_listed_rooms() {
    let mut wrong = Vec::new();
    for module in source::modules().values() {
        let Some((room, allowed)) = LAYERS.iter().find(|(name, _)| is_in(&module.file, name)) else { continue };
        for used in crate_paths(&module.code) {
            let is_room = LAYERS.iter().any(|(name, _)| *name == used);
            if is_room && used != *room && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: {room} uses {used}", module.file));
            }
        }
    }
    assert!(wrong.is_empty(), "an edge that is not listed:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_in_a_listed_room() {
    let listed: BTreeSet<String> = LAYERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let modules = source::modules();
    assert_eq!(modules[&Vec::new()].children, listed);
}

#[test]
fn engine_uses_no_file_socket_thread_or_clock() {
    let forbidden =
        ["std::fs", "std::net", "std::process", "std::thread", "std::time::", "std::env", "println!", "eprintln!"];
    for (path, text) in files(&source::engine()) {
        for word in forbidden {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

fn is_in(file: &str, room: &str) -> bool {
    file.strip_prefix(room).is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
}

/// First components of `crate::...` paths.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let words = source::words(code);
    words
        .windows(3)
        .filter(|three| three[0] == "crate" && three[1] == "::")
        .flat_map(|three| {
            // `use crate::{a::.., b::..}` is not written in the engine: the first component follows at once.
            assert_ne!(three[2], "{", "one room per use statement");
            [three[2].to_owned()]
        })
        .collect()
}
