//! Any text ends in a scenario or in diagnostics: no panic, no hang, no excessive memory.

use crate::bad_scenarios;
use cpu_time::ThreadTime;
use hoplab::scenario::{NamedFile, Resolved, files_named};
use hoplab::world::World;
use proptest::prelude::*;
use proptest::test_runner::{FailurePersistence, FileFailurePersistence};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn corpus() -> Vec<String> {
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/good");
    let entries = fs::read_dir(good).expect("a folder of scenarios");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let bad = bad_scenarios::files().into_iter().flat_map(|(_, scenarios)| scenarios).map(|bad| bad.text);
    bad.chain(paths.iter().map(|path| fs::read_to_string(path).expect("a scenario"))).collect()
}

/// Parses a text and uses every form of the result.
fn read(text: &str, overrides: &[(String, String)]) {
    match Resolved::parse(text, "fuzz.toml", overrides) {
        Ok(resolved) => {
            let written = resolved.to_toml();
            let again = Resolved::parse(&written, "again.toml", &[]);
            assert!(again.is_ok_and(|again| again.positions == resolved.positions), "{text}\n{written}");
            let _ = (resolved.to_json(), resolved.canonical(), resolved.facts());
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
        }
    }
}

/// Pieces that are inserted into scenarios.
const PIECES: [&str; 44] = [
    "\"",
    "'''",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "#",
    "\n",
    "\r\n",
    "\t",
    "\u{0}",
    "\u{feff}",
    "\u{1f4a9}",
    "-",
    "0",
    "1e999",
    "nan",
    "inf",
    "-1",
    "1000001",
    "18446744073709551616",
    "1e9",
    "0x10",
    "true",
    "\"0 s\"",
    "\"1e9 m\"",
    "\"-5 dBm\"",
    "[topology]",
    "[[flow]]",
    "[[node]]\nid = 0\n",
    "kind = \"positions\"\n",
    "hops = 3\n",
    "[mobility]\nkind = \"waypoint\"\n",
    "file = \"m\"\nkind = \"setdest\"\n",
    "kind = \"random\"\nnodes = 7\n",
    "radio_off = [[\"1 s\", \"2 s\"]]\n",
    "flow",
    "node.0.mac.ssrl = 0\n",
    "topology",
];

/// Movement files of random pieces.
fn movements() -> impl Strategy<Value = String> {
    let pieces = [
        "$node_(0) set X_ 1\n",
        "$node_(0) set Y_ 2\n",
        "$node_(1) set X_ 300\n",
        "$node_(1) set Y_ 1e3\n",
        "$ns_ at 1.5 \"$node_(0) setdest 40 60.5 5\"\n",
        "$ns_ at 2 \"$node_(1) set X_ 7\"\n",
        "$god_ set-dist 0 1 1\n",
        "t,node,x,y\n",
        "0,0,1,2\r\n",
        "0,1,1,2\n",
        "5,1,9,nan\n",
        "0 1 2 3 4 5\n",
        "0 1 2 3 4 5 6 7 8\n",
        "# c\n",
        "\u{0}",
        "-1",
        "1e999",
        "99999",
    ];
    let piece = prop_oneof![9 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => ".{0,20}"];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8, 0..PIECES.len());
    (any::<prop::sample::Index>(), proptest::collection::vec(edit, 1..6)).prop_map(|(which, edits)| {
        let corpus = corpus();
        let mut text: Vec<char> = corpus[which.index(corpus.len())].chars().collect();
        for (from, to, how, piece) in edits {
            let (a, b) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (a, b) = (a.min(b), a.max(b));
            match how {
                0 => drop(text.splice(a..a, PIECES[piece].chars())),
                1 => drop(text.splice(a..b.min(a + 20), PIECES[piece].chars())),
                2 => drop(text.drain(a..b.min(a + 40))),
                _ => {
                    let copy: Vec<char> = text[a..b.min(a + 40)].to_vec();
                    drop(text.splice(b..b, copy));
                }
            }
        }
        text.into_iter().collect()
    })
}

fn overrides() -> impl Strategy<Value = Vec<(String, String)>> {
    let part = prop::sample::select(vec![
        "mac",
        "ssrl",
        "topology",
        "hops",
        "positions",
        "flow",
        "node",
        "0",
        "1",
        "9",
        "transport",
        "duration",
        "",
        "radio",
        "rx_range",
        "mobility",
        "kind",
        "nodes",
        "area",
        "radio_off",
    ]);
    let key = proptest::collection::vec(part, 0..5).prop_map(|parts| parts.join("."));
    let value = prop_oneof![prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned), ".{0,12}"];
    proptest::collection::vec((key, value), 0..4)
}

/// Inputs that failed before are stored beside this file, and tested first.
#[allow(clippy::unnecessary_wraps, reason = "the type that proptest asks for")]
fn failures() -> Option<Box<dyn FailurePersistence>> {
    Some(Box::new(FileFailurePersistence::WithSource("regressions")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_time: 20_000, failure_persistence: failures(), ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), overrides in overrides()) {
        read(&text, &overrides);
    }

    #[test]
    fn any_utf8_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes), &[]);
    }

    #[test]
    fn any_movement_file_is_read_or_refused(
        kind in prop::sample::select(vec!["setdest", "bonnmotion", "csv"]),
        text in movements(),
        nodes in prop::option::of(1..4u32),
        more in prop::sample::select(vec!["", "skip = \"2 s\"", "area = [\"50 m\", \"50 m\"]", "stationary_nodes = [0]", "profile = 3"]),
    ) {
        let topology = nodes.map_or(String::new(), |n| format!("[topology]\nkind = \"random\"\nnodes = {n}\n"));
        let scenario = format!("duration = \"9 s\"\n{topology}[mobility]\nkind = \"{kind}\"\nfile = \"m\"\n{more}\n[[flow]]\n");
        let files: Vec<NamedFile> = files_named(&scenario, "fuzz.toml", &[])
            .into_iter()
            .map(|name| NamedFile { path: format!("/{name}"), name, text: Ok(text.clone()) })
            .collect();
        prop_assert!(!files.is_empty());
        if let Ok(resolved) = Resolved::parse_with(&scenario, "fuzz.toml", &[], &files) {
            let again = Resolved::parse_with(&resolved.to_toml(), "again.toml", &[], &files);
            prop_assert!(again.is_ok_and(|again| again.canonical() == resolved.canonical()));
            let mut world = World::new(&resolved, 1);
            prop_assert!(world.run_until(resolved.end()).is_ok() && world.audit().is_ok());
        }
    }

    #[test]
    fn mutated_scenarios_are_read_or_refused(text in mutated(), overrides in overrides()) {
        read(&text, &overrides);
    }
}

/// Scenarios at the limits of what is accepted, and beyond.
fn extremes() -> Vec<(&'static str, String)> {
    let flow = "[[flow]]\n";
    let positions = |place: &str, count: usize| {
        format!("[[flow]]\n[topology]\nkind = \"positions\"\npositions = [{}]\n", vec![place; count].join(","))
    };
    vec![
        ("a billion hops", format!("[topology]\nkind = \"chain\"\nhops = 1000000000\n{flow}")),
        ("a square of 2^63", format!("[topology]\nkind = \"grid\"\ncolumns = 9223372036854775807\n{flow}")),
        ("the longest chain", format!("[topology]\nkind = \"chain\"\nhops = 999999\n{flow}")),
        ("the largest grid", format!("[topology]\nkind = \"grid\"\ncolumns = 1000\n{flow}")),
        (
            "a million nodes in a kilometre",
            format!("[topology]\nkind = \"grid\"\ncolumns = 1000\nspacing = \"1 m\"\n{flow}"),
        ),
        (
            "a million nodes a hair apart",
            format!("[topology]\nkind = \"grid\"\ncolumns = 1000\nspacing = \"1e-9 m\"\n{flow}"),
        ),
        (
            "a grid across the solar system",
            format!("[topology]\nkind = \"grid\"\ncolumns = 1000\nspacing = \"1e9 m\"\n{flow}"),
        ),
        ("all nodes in one place", positions("[0,0]", 300_000)),
        ("100,000 flows", flow.repeat(100_000)),
        ("90,000 flows over a grid", {
            let flows = "[[flow]]\nfrom=0\nto=-1\n".repeat(90_000);
            format!("[topology]\nkind = \"grid\"\ncolumns = 300\n{flows}")
        }),
        ("as many flows as fit", format!("[topology]\nkind = \"chain\"\nhops = 1\n{}", flow.repeat(200_000))),
        ("as many nodes as fit", {
            let nodes = (0..70_000).map(|i| format!("[[node]]\nid={i}\nmac.ssrl=3\n")).collect::<Vec<_>>().concat();
            format!("[topology]\nkind = \"chain\"\nhops = 999999\n{flow}{nodes}")
        }),
        ("the same node again and again", {
            format!("[topology]\nkind = \"chain\"\nhops = 1\n{flow}{}", "[[node]]\nid=0\n".repeat(120_000))
        }),
        ("many unknown keys", {
            let keys = (0..150_000).map(|i| format!("k{i}=1\n")).collect::<Vec<_>>().concat();
            format!("{keys}[topology]\nkind = \"chain\"\nhops = 1\n{flow}")
        }),
        ("one long key", format!("{} = 1\n", "k".repeat(2_000_000))),
        (
            "one long text",
            format!("name = \"{}\"\n[topology]\nkind = \"chain\"\nhops = 1\n{flow}", "n".repeat(2_000_000)),
        ),
        ("a deep list", format!("x = {}{}\n", "[".repeat(900_000), "]".repeat(900_000))),
        ("a deep table", format!("x = {}1{}\n", "{a=".repeat(400_000), "}".repeat(400_000))),
        ("a deep key", format!("{}a = 1\n", "a.".repeat(1_000_000))),
        ("a deep header", format!("[{}a]\n", "a.".repeat(1_000_000))),
        ("many digits", format!("seed = {}\n", "9".repeat(2_000_000))),
        ("many digits with a unit", format!("duration = \"{} s\"\n", "9".repeat(2_000_000))),
        ("too long", "#".repeat(3 << 20)),
        ("nothing but lines", "\n".repeat(2 << 20)),
    ]
}

#[test]
fn extreme_scenarios_are_parsed_in_bounded_time() {
    let mut slow = Vec::new();
    for (name, text) in extremes() {
        let start = ThreadTime::now();
        let parsed = Resolved::parse(&text, "extreme.toml", &[]);
        let facts = parsed.as_ref().ok().map(Resolved::facts);
        let took = start.elapsed();
        if let Err(error) = &parsed {
            assert!(error.to_string().len() < 20_000, "{name}: a message of {} bytes", error.to_string().len());
        }
        println!("{name}: {took:?} {:?}", facts.map(|facts| (facts.nodes, facts.mean_degree, facts.partitions)));
        if took > Duration::from_secs(10) {
            slow.push(format!("{name}: {took:?}"));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn long_overrides_are_refused() {
    let text = "[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\n";
    for (key, value) in [("a.".repeat(500_000), "1".to_owned()), ("mac.ssrl".to_owned(), "[".repeat(1_000_000))] {
        assert!(Resolved::parse(text, "f.toml", &[(key, value)]).is_err());
    }
}
