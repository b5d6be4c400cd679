//! Movement files: positions equal to those of ns-2, and messages of invalid files.
//!
//! `BLESS=1 cargo test` writes the messages of `mobility/bad/` that have changed; look at the difference before keeping it.

use hoplab::kernel::Time;
use hoplab::mobility::import::{bonnmotion, csv, setdest};
use hoplab::mobility::{Cursor, File, ImportError, Movements, Request};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mobility").join(name)
}

fn text(folder_name: &str, file: &str) -> String {
    fs::read_to_string(folder(folder_name).join(file)).expect("a movement file")
}

/// Reads by the end of the name.
fn read(path: &str, text: &str, request: &Request) -> Result<Movements, ImportError> {
    let file = File { path, text };
    match path.rsplit('.').next() {
        Some("movements") => bonnmotion(file, request),
        Some("csv") => csv(file, request),
        _ => setdest(file, request),
    }
}

/// Largest distance from the places that ns-2.35 printed, in metres. It lets a node go on after a jump from when it was
/// last looked at, which was up to a second before.
fn distance_from_ns2(name: &str) -> f64 {
    let movements = text("ns2", &format!("{name}.txt"));
    let request = Request { nodes: Some(4), area: Some((500.0, 400.0)), ..Request::default() };
    let movements = read(name, &movements, &request).expect("a good file");
    let mut cursors = [Cursor::default(); 4];
    let mut worst: f64 = 0.0;
    let mut rows = 0;
    for row in text("ns2", &format!("{name}.csv")).lines().skip(1) {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let node = cells[1] as usize;
        let trajectory = movements.nodes[node].as_ref().expect("a node");
        let (x, y) = trajectory.course_from(&mut cursors[node], Time::from_secs(cells[0])).position;
        worst = worst.max(libm::hypot(x - cells[2], y - cells[3]));
        rows += 1;
    }
    assert_eq!(rows, 240);
    worst
}

#[test]
fn positions_match_ns2() {
    for name in ["setdest_v1", "setdest_v2", "turns"] {
        let distance = distance_from_ns2(name);
        // ns-2 adds up small steps, and its own files round to 1e-12.
        assert!(distance < 1e-6, "{name}: {distance} m apart");
    }
}

#[test]
fn positions_after_jumps_are_close_to_ns2() {
    let distance = distance_from_ns2("jumps");
    assert!(distance <= 5.0, "{distance} m apart at 5 m/s");
}

#[test]
fn files_of_setdest_are_read_without_warnings() {
    for name in ["setdest_v1.txt", "setdest_v2.txt"] {
        let text = text("ns2", name);
        let unix = read(name, &text, &Request::default()).expect("a good file");
        assert_eq!(unix.warnings, [], "{name}");
        let windows = read(name, &text.replace('\n', "\r\n"), &Request::default()).expect("a good file");
        assert_eq!(unix, windows, "{name}");
    }
}

#[test]
fn the_output_of_ns_2_is_a_table_of_movements() {
    let movements = read("turns.csv", &text("ns2", "turns.csv"), &Request::default()).expect("a table");
    assert_eq!(movements.nodes.len(), 4);
    assert_eq!(movements.warnings.len(), 4, "all begin at 0.25 s: {:?}", movements.warnings);
}

#[test]
fn every_invalid_file_has_its_message() {
    let mut names: Vec<String> = fs::read_dir(folder("bad"))
        .expect("a folder of broken files")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name != "messages.txt")
        .collect();
    names.sort();
    assert!(names.len() >= 30, "{} kinds of mistakes", names.len());
    let mut messages = String::new();
    for name in &names {
        let result = read(
            name,
            &text("bad", name),
            &Request { nodes: Some(5).filter(|_| name.starts_with("too_many")), ..Request::default() },
        );
        let error = result.err().unwrap_or_else(|| panic!("{name} has become valid"));
        assert_eq!(&*error.path, name);
        assert!(error.line.is_some(), "{name}: no line");
        writeln!(messages, "{error}\n").expect("a string takes all");
    }
    let beside = folder("bad").join("messages.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&beside, &messages).expect("written messages");
    }
    let known = fs::read_to_string(&beside).unwrap_or_default();
    let difference = messages.lines().zip(known.lines().chain(std::iter::repeat(""))).find(|(new, old)| new != old);
    assert!(messages == known, "messages have changed, first here (new, old): {difference:#?}");
}

/// Ten megabytes of other content are rejected early, or at least not stored.
#[test]
fn garbage_is_refused() {
    const LENGTH: usize = 10_000_000;
    let noise: String = (0..LENGTH as u64)
        .map(|i| char::from((i.wrapping_mul(i).wrapping_mul(2_654_435_761) >> 13) as u8 & 0x7f))
        .collect();
    for (what, text) in [
        ("one line", "x".repeat(LENGTH)),
        ("short lines", "garbage\n".repeat(LENGTH / 8)),
        ("noise", noise),
        ("zeros", "\0".repeat(LENGTH)),
        ("semicolons", ";".repeat(LENGTH)),
        ("commands", "a;".repeat(LENGTH / 2)),
        ("quotation marks", "\"".repeat(LENGTH + 1)),
        ("commas", ",".repeat(LENGTH)),
        ("numbers", "7 ".repeat(LENGTH / 2 - 1)),
        ("lines of numbers", "1 2 3 4 5\n".repeat(LENGTH / 10)),
        ("unfinished statements", "$node_(0) set X_\n".repeat(LENGTH / 17)),
        ("ends of lines", "\r\n".repeat(LENGTH / 2)),
    ] {
        for path in ["g.setdest", "g.movements", "g.csv"] {
            let error = read(path, &text, &Request::default()).err().unwrap_or_else(|| panic!("{what} read as {path}"));
            assert!(error.to_string().len() < 500, "{what}: {error}");
        }
    }
}

#[test]
fn unrelated_script_has_few_warnings() {
    let script = "set opt(x) 1\n".repeat(900) + "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n";
    let movements = read("script.tcl", &script, &Request::default()).expect("a script with a movement");
    assert_eq!(movements.warnings.len(), 21);
    assert_eq!(movements.warnings[20].to_string(), "script.tcl: 880 more warnings");
}
