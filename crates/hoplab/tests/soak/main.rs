//! Random scenarios of everything the engine can do, looked at while they run: nothing is lost, stuck or late.
//!
//! Half of them vary a list of keys at depth (`variables`), half draw from every key of the schema (`schema`).
//! `cargo test` runs 200 of each; `make soak` runs `HOPLAB_SOAK` (10,000) from number `HOPLAB_SOAK_FROM` on. A failure
//! is shrunk and written as a scenario file, which one line runs again: `make soak-replay SCENARIO=soak-failure-17.toml`.
#![allow(clippy::disallowed_types, reason = "the wall clock limits the duration of a soak")]

mod check;
mod draft;
mod imports;
mod schema;
mod shrink;
#[allow(dead_code, reason = "bytes choose scenarios in the fuzz targets")]
mod variables;

use check::{Passed, Violation, check};
use draft::Draft;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Scenarios of the short form, of each kind.
const SHORT: u64 = 200;

/// Failures after which a thread ends.
const MOST_FAILURES: usize = 20;

/// Scenarios that may need settings taken out before the engine accepts them, of a hundred settings drawn.
const MOST_MENDED_PERCENT: usize = 15;

#[test]
fn two_hundred_random_scenarios() {
    let counts = soak(variables::draft, 0..SHORT, None, Path::new(env!("CARGO_TARGET_TMPDIR")));
    assert_eq!((counts.failures.as_slice(), counts.runs), (&[][..], SHORT));
    assert!(counts.passed.delivered > 20_000, "they carry traffic: {:?}", counts.passed);
    assert!(counts.mended * 100 < counts.settings * MOST_MENDED_PERCENT, "{} of {}", counts.mended, counts.settings);
    let transports = counts.values.keys().filter(|value| value.starts_with("transport = ")).count();
    assert_eq!(transports, variables::transports().len(), "every transport has its turn");
}

#[test]
fn two_hundred_random_scenarios_of_the_schema() {
    let counts = soak(schema::draft, 0..SHORT, None, Path::new(env!("CARGO_TARGET_TMPDIR")));
    assert_eq!((counts.failures.as_slice(), counts.runs), (&[][..], SHORT));
    assert!(counts.passed.delivered > 20_000, "they carry traffic: {:?}", counts.passed);
    assert!(counts.mended * 2 < counts.settings, "most settings stay: {} of {}", counts.mended, counts.settings);
}

#[test]
#[ignore = "long: make soak"]
fn soak_long() {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let (from, runs) = (number("HOPLAB_SOAK_FROM").unwrap_or(0), number("HOPLAB_SOAK").unwrap_or(10_000));
    let patience = number("HOPLAB_SOAK_SECONDS").map(Duration::from_secs);
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let counts = thread::scope(|scope| {
        let part = |at: u64| from + runs * at / threads..from + runs * (at + 1) / threads;
        let all: Vec<_> =
            (0..threads).map(|at| scope.spawn(move || soak(either, part(at), patience, &here()))).collect();
        all.into_iter().fold(Counts::default(), |sum, part| sum.and(part.join().expect("a thread that ends")))
    });
    assert!(counts.failures.is_empty(), "{} failures of {} scenarios", counts.failures.len(), counts.runs);
    println!("\n| value | runs |\n| --- | --- |");
    for (value, runs) in &counts.values {
        println!("| `{value}` | {runs} |");
    }
    println!(
        "\n{} scenarios from number {from}, {} keys, {} events, {} looks at all books, {} packets delivered, {} runs ended early, \
         no violation",
        counts.runs,
        schema::count(),
        counts.passed.events,
        counts.passed.audits,
        counts.passed.delivered,
        counts.passed.cut
    );
}

/// Even numbers vary a list of keys, odd ones draw from the schema.
fn either(number: u64) -> Draft {
    if number.is_multiple_of(2) { variables::draft(number / 2) } else { schema::draft(number / 2) }
}

#[test]
#[ignore = "replays one failure: make soak-replay SCENARIO=file"]
fn soak_replay() {
    let path = PathBuf::from(std::env::var("HOPLAB_SOAK_REPLAY").expect("HOPLAB_SOAK_REPLAY names a scenario file"));
    let path = if path.is_relative() { here().join(path) } else { path };
    let draft = read(&path);
    match check(&draft) {
        Ok(passed) => println!("no violation: {passed:?}"),
        Err(violation) => panic!("{violation}"),
    }
}

/// What was run.
#[derive(Default)]
struct Counts {
    runs: u64,
    passed: Passed,
    /// Settings drawn, and how many of them did not go with the others.
    settings: usize,
    mended: usize,
    /// What was found.
    failures: Vec<String>,
    /// Runs in which a key had a value.
    values: BTreeMap<String, u64>,
}

impl Counts {
    fn and(mut self, other: Counts) -> Counts {
        self.runs += other.runs;
        self.passed.events += other.passed.events;
        self.passed.delivered += other.passed.delivered;
        self.passed.audits += other.passed.audits;
        self.passed.cut += other.passed.cut;
        self.settings += other.settings;
        self.mended += other.mended;
        self.failures.extend(other.failures);
        for (value, runs) in other.values {
            *self.values.entry(value).or_default() += runs;
        }
        self
    }
}

fn soak(draw: fn(u64) -> Draft, numbers: Range<u64>, patience: Option<Duration>, failures: &Path) -> Counts {
    let start = Instant::now();
    let is_one = numbers.end - numbers.start == 1;
    let is_told = std::env::var_os("HOPLAB_SOAK_TELL").is_some();
    let mut counts = Counts::default();
    for number in numbers {
        if patience.is_some_and(|patience| start.elapsed() > patience) {
            break;
        }
        if is_told {
            // Should this one end the process, it is known which it was.
            println!("scenario {number}");
        }
        let mut draft = draw(number);
        counts.settings += draft.settings.len();
        match draft.mend() {
            Ok(mended) => counts.mended += mended,
            Err(violation) => {
                println!("scenario {number}: {violation}\n");
                counts.failures.push(format!("scenario {number}: {violation}"));
                continue;
            }
        }
        if is_told && is_one {
            println!("{}", draft.text());
        }
        match check(&draft) {
            Ok(passed) => {
                counts.passed.events += passed.events;
                counts.passed.delivered += passed.delivered;
                counts.passed.audits += passed.audits;
                counts.passed.cut += passed.cut;
            }
            Err(violation) => {
                let text = report(&draft, number, &violation, failures);
                println!("{text}\n");
                counts.failures.push(text);
                if counts.failures.len() == MOST_FAILURES {
                    break;
                }
                continue;
            }
        }
        let in_blocks = draft.blocks.iter().flat_map(|block| &block.settings);
        let is_a_choice =
            |key: &str| !matches!(key, "from" | "to" | "id" | "topology.positions" | "topology.links" | "between");
        let mut values: Vec<_> = draft.settings.iter().chain(in_blocks).filter(|one| is_a_choice(&one.key)).collect();
        values.sort_by_key(|setting| (&setting.key, &setting.value));
        values.dedup();
        for setting in values {
            *counts.values.entry(format!("{} = {}", setting.key, setting.value)).or_default() += 1;
        }
        counts.runs += 1;
    }
    counts
}

/// Shrinks a failure, writes it down, and says how to run it again.
fn report(draft: &Draft, number: u64, violation: &Violation, folder: &Path) -> String {
    let (small, found) = shrink::shrink(draft, violation.clone(), &shrink::fails);
    let path = folder.join(format!("soak-failure-{number}.toml"));
    let place = match write(&small, &path) {
        Ok(()) => format!("make soak-replay SCENARIO={}", path.display()),
        Err(error) => format!("(could not be written: {error})"),
    };
    format!("scenario {number}: {violation}\nsmaller: {found}\n\n{}\nagain: {place}", small.text())
}

/// Writes a scenario, and beside it the files that it names.
fn write(draft: &Draft, path: &Path) -> std::io::Result<()> {
    for (name, text) in draft.named() {
        fs::write(path.with_file_name(name), text)?;
    }
    fs::write(path, draft.text())
}

/// A scenario file with the files that it names, as they were written.
fn read(path: &Path) -> Draft {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut draft = Draft::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(table) = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
            let tables = ["flow", "node", "wire", "workload"];
            let table = tables.into_iter().find(|one| *one == table).unwrap_or_else(|| panic!("[[{table}]]"));
            draft.blocks.push(draft::Block { table, settings: Vec::new() });
        } else if let Some((key, value)) = line.split_once(" = ") {
            match draft.blocks.last_mut() {
                Some(block) => block.settings.push(draft::Setting::new(key, value)),
                None if key == "seed" => draft.seed = value.parse().expect("a seed"),
                None => draft.settings.push(draft::Setting::new(key, value)),
            }
        }
    }
    let keys = draft.settings.iter().filter(|setting| draft::FILES.contains(&setting.key.as_str()));
    let names: Vec<String> = keys.map(|setting| setting.value.trim_matches('"').to_owned()).collect();
    for name in names {
        let text = fs::read_to_string(path.with_file_name(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        draft.files.push((name, text));
    }
    draft
}

/// The folder that the command was given in, rather than that of the crate.
fn here() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::var_os("HOPLAB_SOAK_HERE").map_or_else(|| crates.join("../.."), PathBuf::from)
}

#[test]
fn failing_draft_is_shrunk_and_replayed_from_file() {
    // A property that fails wherever a queue is short and a flow is muzha's: nothing else is to remain.
    let fails = |draft: &Draft| {
        let is_short = draft.settings.iter().any(|setting| setting.key == "queue.limit");
        let is_muzha = draft.text().contains("transport = \"muzha\"");
        (is_short && is_muzha).then(|| Violation { property: "report", what: String::new() })
    };
    let mut draft = (0..1000).map(variables::draft).find(|draft| fails(draft).is_some()).expect("one of them");
    draft.mend().expect("a scenario");
    let violation = fails(&draft).expect("it fails still");
    let (small, _) = shrink::shrink(&draft, violation, &fails);
    assert!(fails(&small).is_some());
    let kept: Vec<&str> = small.settings.iter().map(|setting| setting.key.as_str()).collect();
    assert!(
        kept.iter().all(|key| key.starts_with("topology.") || key.starts_with("mobility.") || *key == "queue.limit"),
        "{kept:?}"
    );
    assert_eq!(small.blocks.len(), 1, "{}", small.text());

    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soak-example.toml");
    write(&small, &path).expect("a place for it");
    let again = read(&path);
    assert_eq!((again.text(), again.files), (small.text(), small.named()));
}
