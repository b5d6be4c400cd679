//! Movements at random: what is written is read back to the same places, and no file is too strange.

use hoplab::kernel::{Span, Time};
use hoplab::mobility::import::{bonnmotion, csv, setdest};
use hoplab::mobility::{File, Movements, Path, Point, Request, Rules, Trajectory, export};
use proptest::prelude::*;

/// Ways of some nodes: after a pause each goes somewhere, or jumps.
fn ways() -> impl Strategy<Value = Vec<Trajectory>> {
    let place = || (0.001..999.0, 0.001..499.0);
    let order = (0..30_000_000_000u64, place(), prop::option::weighted(0.8, 0.01..50.0));
    let node = (place(), prop::collection::vec(order, 0..12));
    let way = node.prop_map(|(start, orders): (Point, Vec<(u64, Point, Option<f64>)>)| {
        let mut path = Path::at(start.0, start.1);
        let mut t = Time::ZERO;
        for (wait, to, speed) in orders {
            t += Span(wait);
            match speed {
                Some(speed) => _ = path.go(t, to, speed),
                None => path.jump(t, to),
            }
        }
        path.finish()
    });
    prop::collection::vec(way, 1..6)
}

/// Distance of two ways at worst, at their own changes and around them.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    let times = a.legs().iter().flat_map(|leg| [leg.t0, leg.t1, Time(leg.t0.0 / 2 + leg.t1.0 / 2)]);
    let times = times.chain([Time::ZERO, Time::from_secs(1e6)]).collect::<Vec<_>>();
    let distance = |t: Time| {
        let ((x, y), (u, v)) = (a.position(t), b.position(t));
        libm::hypot(x - u, y - v)
    };
    times.into_iter().map(distance).fold(0.0, f64::max)
}

/// All ways stay in their boxes and jump only where they say so.
fn is_sound(movements: &Movements) {
    for way in movements.nodes.iter().flatten() {
        let ((left, bottom), (right, top)) = way.bounding_box();
        let mut t = Time::ZERO;
        for _ in 0..50 {
            let next = way.next_change(t);
            assert!(next > t || t == Time::NEVER);
            let before = Time(next.0.saturating_sub(1).max(t.0));
            for (x, y) in [way.position(t), way.position(before)] {
                assert!(x >= left && x <= right && y >= bottom && y <= top);
            }
            let ((x, y), (u, v)) = (way.position(before), way.position(next));
            let step = way.max_speed() * 1e-9 * (next.since(before).0 as f64) + 1e-6;
            assert!(way.has_jumps() || libm::hypot(x - u, y - v) <= step, "a jump of its own at {next}");
            t = next;
        }
    }
}

/// Statements as files have them, some of them wrong.
fn statements() -> impl Strategy<Value = String> {
    let number = || "(-?[0-9]{1,4}(\\.[0-9]{1,3})?|[0-9]{1,3}e[0-9]|nan|inf|x|)";
    let node = "\\$node_\\(([0-4]|[0-9]{1,9}|\\$i|)\\)";
    let statement = prop_oneof![
        4 => (node, "[XYZ]_|W_", number()).prop_map(|(n, axis, v)| format!("{n} set {axis} {v}")),
        8 => ("[0-9]{1,2}", "[0-4]", "[0-9]{1,3}", "[0-9]{1,3}", "[0-9]").prop_map(|(t, n, x, y, v)| format!("$ns_ at {t}.5 \"$node_({n}) setdest {x} {y} {v}\"")),
        4 => (number(), node, number(), number(), number()).prop_map(|(t, n, x, y, v)| format!("$ns_ at {t} \"{n} setdest {x} {y} {v}\"")),
        2 => (number(), node, "[XY]_", number()).prop_map(|(t, n, axis, v)| format!("$ns_ at {t} {{{n} set {axis} {v}}}")),
        1 => Just("$god_ set-dist 0 1 2".to_owned()),
        1 => ".{0,20}",
    ];
    prop::collection::vec(statement, 0..40).prop_map(|lines| lines.join("\n"))
}

/// Places of nodes, then statements in order of time that are all right: these files are read.
fn good_statements() -> impl Strategy<Value = String> {
    let order = (0..4u32, 0..2_000u32, -50..550i32, -50..450i32, 0..40u32, any::<bool>());
    prop::collection::vec(order, 0..60).prop_map(|mut orders| {
        orders.sort_by_key(|order| order.1);
        let mut text = String::new();
        for node in 0..4 {
            text += &format!("$node_({node}) set X_ {}\n$node_({node}) set Y_ 10.25\n", 100 + node * 50);
        }
        for (node, t, x, y, v, is_jump) in orders {
            let what = if is_jump && v < 10 { format!("set X_ {x}") } else { format!("setdest {x} {y} {v}") };
            text += &format!("$ns_ at {} \"$node_({node}) {what}\"\n", f64::from(t) / 10.0);
        }
        text
    })
}

const SETDEST: &str = include_str!("../mobility/ns2/setdest_v2.txt");
const MOVEMENTS: &str = "0.0 10.5 20.5 10.0 30.0 20.0 15.25 30.0 20.0 25 30 70\n0.0 5.0 5.0\n0 1 2 3 4 5\n";
const TABLE: &str = "t,node,x,y\n0,0,1.5,1\n0,1,2,2\n5,0,7,1\n5,0,9,9\n9.125,1,4,4\n";

/// What happens to a file: a byte becomes another, a piece is cut out, doubled or moved.
fn mutated(text: &str, edits: &[(u8, usize, usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(kind, at, length, byte) in edits {
        let at = at % (bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        match kind % 4 {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => _ = bytes.drain(at..end),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes.insert(at, byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn edits() -> impl Strategy<Value = Vec<(u8, usize, usize, u8)>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"0123456789.-e \n\r\"{};$()#,".to_vec())];
    prop::collection::vec((any::<u8>(), 0..5_000usize, 0..60usize, byte), 1..8)
}

fn requests() -> impl Strategy<Value = (Option<u32>, Option<Point>, Rules, Option<u32>)> {
    let rules = prop_oneof![Just(Rules::Ns2), Just(Rules::Std)];
    (prop::option::of(1..8u32), prop::option::of(Just((500.0, 400.0))), rules, prop::option::of(2..4u32))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_is_exported_is_imported(ways in ways()) {
        for (text, path) in [(export::setdest(&ways), "x.setdest"), (export::csv(&ways), "x.csv")] {
            let request = Request { nodes: Some(ways.len() as u32), ..Request::default() };
            let file = File { path, text: &text };
            let read = if path == "x.csv" { csv(file, &request) } else { setdest(file, &request) };
            let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
            prop_assert!(read.warnings.is_empty(), "{:?}\n{text}", read.warnings);
            for (way, again) in ways.iter().zip(&read.nodes) {
                let again = again.as_ref().expect("a node");
                let distance = apart(way, again).max(apart(again, way));
                prop_assert!(distance < 1e-6, "{path}: {distance} m apart\n{text}");
            }
        }
    }

    #[test]
    fn no_statement_is_too_strange(text in statements(), (nodes, area, rules, _) in requests()) {
        if let Ok(movements) = setdest(File { path: "f", text: &text }, &Request { nodes, area, rules, ..Request::default() }) {
            is_sound(&movements);
        }
    }

    #[test]
    fn all_good_statements_are_read(text in good_statements(), (_, area, rules, _) in requests()) {
        let movements = setdest(File { path: "f", text: &text }, &Request { area, rules, ..Request::default() });
        is_sound(&movements.unwrap_or_else(|error| panic!("{error}\n{text}")));
    }

    #[test]
    fn no_edit_breaks_a_reader(edits in edits(), (nodes, area, rules, dimensions) in requests()) {
        let request = Request { nodes, area, rules, dimensions, ..Request::default() };
        for (seed, read) in [
            (SETDEST, setdest as fn(File, &Request) -> Result<Movements, _>),
            (MOVEMENTS, bonnmotion),
            (TABLE, csv),
        ] {
            let text = mutated(seed, &edits);
            match read(File { path: "f", text: &text }, &request) {
                Ok(movements) => is_sound(&movements),
                Err(error) => prop_assert!(error.to_string().starts_with("f:") && error.to_string().len() < 600),
            }
        }
    }
}
