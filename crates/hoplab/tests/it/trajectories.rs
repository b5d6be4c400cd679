//! Fingerprints of runs with each option, against the stored ones.
//!
//! `golden/trajectories/NAME.toml` is a scenario, `NAME.txt` has a row for each set of options that are changed in it: the
//! options, the fingerprint of the run, the first digits of a hash of what it reports and of samples of all values that
//! figures over time are drawn from, and why that is as without the last of these options, if it is. A row that has
//! become another needs a line in the changelog that says why the trajectory moved; `BLESS=1` rewrites rows.

use hoplab::kernel::Span;
use hoplab::measure::Sampler;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use serde_json::{Map, Value};
use std::path::Path;
use std::{env, fs};

struct Row {
    options: String,
    known: String,
    why_same: String,
}

impl Row {
    fn read(line: &str) -> Row {
        let mut parts = line.split('|').map(|part| part.trim().to_owned());
        let mut next = || parts.next().unwrap_or_default();
        Row { options: next(), known: next(), why_same: next() }
    }

    fn write(&self) -> String {
        let why_same = if self.why_same.is_empty() { String::new() } else { format!(" | {}", self.why_same) };
        format!("{} | {}{why_same}\n", self.options, self.known)
    }
}

/// Fingerprint of a run, and the beginning of a hash of what it reports and of samples of it; or what is wrong.
fn run(text: &str, name: &str, options: &str) -> Result<String, String> {
    let is_set = |option: &&str| !option.is_empty() && *option != "as it is";
    let set: Vec<(String, String)> = options
        .split(", ")
        .filter(is_set)
        .map(|option| {
            let (key, value) = option.split_once('=').unwrap_or_else(|| panic!("{name}: {option} is no KEY=VALUE"));
            (key.to_owned(), value.to_owned())
        })
        .collect();
    let scenario = Resolved::parse(text, name, &set).map_err(|error| error.to_string())?;
    let mut world = World::new(&scenario, scenario.seed);
    let (mut sampler, mut samples) = (Sampler::new(&scenario), Vec::new());
    while world.now() < scenario.end() {
        let next = scenario.end().min(world.now() + Span::from_millis(500));
        world.run_until(next).map_err(|error| format!("{error:?}"))?;
        world.sample(&mut sampler, &mut samples);
    }
    world.audit().map_err(|error| format!("{error:?}"))?;
    let mut report = serde_json::to_value(world.report(&scenario, scenario.seed, 0.0)).expect("plain data");
    let report = report.as_object_mut().expect("a report has fields");
    without_slowdowns(report);
    report.retain(|field, _| !["events", "format", "version", "warnings"].contains(&field.as_str()));
    let text = format!("{} {samples:?}", serde_json::to_string(report).expect("plain data"));
    let hash = blake3::hash(text.as_bytes()).to_hex();
    Ok(format!("{} {}", world.ctx().trace.fingerprint(), &hash[..8]))
}

/// Removes slowdowns: those of transfers alone are runs of their own.
fn without_slowdowns(report: &mut Map<String, Value>) {
    if let Some(completion) = report.get_mut("completion") {
        completion.as_object_mut().expect("a table").retain(|key, _| !key.starts_with("slowdown"));
    }
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/trajectories");
    let text = fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a scenario");
    let path = folder.join(format!("{name}.txt"));
    let mut rows: Vec<Row> = fs::read_to_string(&path).expect("rows").lines().map(Row::read).collect();
    let runs: Vec<Result<String, String>> = rows.iter().map(|row| run(&text, name, &row.options)).collect();
    if env::var_os("BLESS").is_some() {
        for (row, now) in rows.iter_mut().zip(&runs) {
            row.known = now.clone().unwrap_or_default();
        }
        fs::write(&path, rows.iter().map(Row::write).collect::<String>()).expect("a file to write");
    }
    let mut faults = String::new();
    for (row, now) in rows.iter().zip(&runs) {
        let Ok(now) = now.as_ref().map_err(|why| faults += &format!("{}: {why}\n", row.options)) else { continue };
        if row.known != *now {
            faults += &format!("{}: {now}, not {}\n", row.options, row.known);
        }
        let fewer = row.options.rsplit_once(", ").map(|(fewer, _)| fewer);
        let base = rows.iter().find(|row| Some(row.options.as_str()) == fewer).unwrap_or(&rows[0]);
        let is_same = row.options != "as it is" && *now == base.known;
        if is_same == row.why_same.is_empty() {
            faults += &format!("{}: changes {}\n", row.options, if is_same { "nothing" } else { "something" });
        }
    }
    assert!(faults.is_empty(), "{}:\n{faults}", path.display());
}

macro_rules! trajectories {
    ($($name:ident),+ $(,)?) => { $(#[test] fn $name() { check(stringify!($name)); })+ };
}

trajectories! { connections, congestion, semi_tcp, hop_release, split_tcp, muzha, explicit, access, radio, routes, traffic, openings, bursts, stream }
