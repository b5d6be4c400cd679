//! Statements of ns-2 and the trajectories that follow from them.

use super::*;
use crate::kernel::NodeId;
use crate::mobility::import::request::Rules;
use crate::mobility::trajectory::{Point, Trajectory};

fn read(text: &str, rules: Rules) -> Result<Movements, ImportError> {
    setdest(File { path: "scen", text }, &Request { area: Some((500.0, 400.0)), rules, ..Request::default() })
}

/// Node 0 starts at (100, 100) and follows the statements; its positions at these times, and the warnings.
fn replayed(script: &str, rules: Rules, times: &[f64]) -> (Vec<Point>, Vec<String>) {
    let text = format!("$node_(0) set X_ 100\n$node_(0) set Y_ 100\n{script}");
    let Movements { nodes, warnings, .. } = read(&text, rules).expect("a good file");
    let way = nodes[0].as_ref().expect("node 0");
    let places = times.iter().map(|&t| way.position(Time::from_secs(t)));
    (places.collect(), warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn legs_lead_to_their_destinations() {
    let script = "$ns_ at 1.0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 5 {$node_(0) setdest 140 200 5} ;# turn\n";
    let (places, warnings) = replayed(script, Rules::Ns2, &[1.0, 5.0, 25.0, 99.0]);
    assert_eq!(places, [(100.0, 100.0), (140.0, 100.0), (140.0, 200.0), (140.0, 200.0)]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn speed_zero_is_a_stop() {
    let script = "$ns_ at 1 \"$node_(0) setdest 200 100 10\"\n$ns_ at 3 \"$node_(0) setdest 300 300 0\"";
    assert_eq!(replayed(script, Rules::Ns2, &[3.0, 50.0]).0, [(120.0, 100.0); 2]);
}

#[test]
fn destination_at_the_edge_is_refused_or_clipped() {
    let script = "$ns_ at 0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 2 \"$node_(0) setdest 500 100 50\"";
    let (places, warnings) = replayed(script, Rules::Ns2, &[3.0, 10.0, 50.0]);
    assert_eq!(places, [(130.0, 100.0), (200.0, 100.0), (200.0, 100.0)]);
    assert_eq!(
        warnings,
        [
            "scen:4: destination (500, 100) is not inside mobility.area (500 m x 400 m): ignored for node 0, as in ns-2; \
             set mobility.edge = \"clip\" or \"allow\" to accept it"
        ]
    );
    let (places, warnings) = replayed(&script.replace("500", "700"), Rules::Std, &[3.0, 50.0]);
    assert_eq!(places, [(170.0, 100.0), (500.0, 100.0)]);
    assert_eq!(warnings, ["scen:4: destination (700, 100) is outside mobility.area: node 0 moves to (500, 100)"]);
    let (places, warnings) = replayed(script, Rules::Std, &[50.0]);
    assert_eq!((places, warnings.len()), (vec![(500.0, 100.0)], 0), "the edge belongs to the area");
}

/// Measured in runs of ns-2.35 with these statements.
#[test]
fn ns2_continues_the_last_course_after_a_jump() {
    let script = "$ns_ at 5 \"$node_(0) setdest 200 100 5\"\n$ns_ at 30 \"$node_(0) set X_ 50\"\n$ns_ at 31 \"$node_(0) set Y_ 200\"";
    let (places, warnings) = replayed(script, Rules::Ns2, &[29.0, 30.0, 30.5, 31.0, 59.0, 70.0]);
    assert_eq!(places, [(200.0, 100.0), (50.0, 100.0), (52.5, 100.0), (55.0, 200.0), (195.0, 200.0), (200.0, 200.0)]);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    let (places, warnings) = replayed(script, Rules::Std, &[30.0, 31.0, 70.0]);
    assert_eq!((places, warnings.len()), (vec![(50.0, 100.0), (50.0, 200.0), (50.0, 200.0)], 0));
    // A coordinate beyond the destination returns to it at once.
    let script = "$ns_ at 1 \"$node_(0) setdest 200 150 10\"\n$ns_ at 3 \"$node_(0) set X_ 300\"";
    let (places, _) = replayed(script, Rules::Ns2, &[3.25, 12.25]);
    assert_eq!(places[0].0, 200.0);
    assert!((places[0].1 - 110.062).abs() < 1e-3 && places[1] == (200.0, 150.0), "{places:?}");
}

#[test]
fn stop_before_a_jump_ends_the_course() {
    let script = "$ns_ at 1 \"$node_(0) setdest 200 100 10\"\n$ns_ at 30 \"$node_(0) setdest 200 100 0\"\n$ns_ at 30 \"$node_(0) set X_ 20\"";
    let (places, warnings) = replayed(script, Rules::Ns2, &[29.9, 30.0, 90.0]);
    assert_eq!((places, warnings.len()), (vec![(200.0, 100.0), (20.0, 100.0), (20.0, 100.0)], 0));
}

#[test]
fn hop_oracle_and_comments_are_ignored() {
    let script = "$god_ set-dist 0 1 2\n# $ns_ at 1 \"$node_(0) setdest 1 1 1\"\n$ns_ at 3.5 \"$god_ set-dist 0 1 1\"\n$node_(0) set Z_ 0.0; # flat\n";
    assert_eq!(replayed(script, Rules::Ns2, &[9.0]), (vec![(100.0, 100.0)], vec![]));
}

#[test]
fn other_statements_are_ignored_with_a_warning() {
    let script = "set val(nn) 50\n$node_(0) color red\n$ns_ at 9 \"puts done\"\n$ns_ run\n$node_(0) set X_ 120\n$node_(0) set Z_ 2";
    let (places, warnings) = replayed(script, Rules::Ns2, &[0.0]);
    assert_eq!(places, [(120.0, 100.0)]);
    assert_eq!(
        warnings,
        [
            "scen:3: unknown statement \"set val(nn) 50\" ignored",
            "scen:4: unknown statement \"$node_(0) color red\" ignored",
            "scen:5: unknown statement \"puts done\" ignored",
            "scen:6: unknown statement \"$ns_ run\" ignored",
            "scen:7: X_ of node 0 overrides line 1",
            "scen:8: Z_ ignored: movement is two-dimensional",
        ]
    );
}

#[test]
fn stationary_nodes_stay_at_their_start() {
    let text = "$node_(1) set X_ 9\n$node_(1) set Y_ 8\n$ns_ at 1 \"$node_(1) setdest 20 20 5\"";
    let fixed = [NodeId(0), NodeId(1)];
    let request = Request { fixed: &fixed, ..Request::default() };
    let read = setdest(File { path: "scen", text }, &request).expect("a good file");
    assert_eq!(read.nodes, [None, Some(Trajectory::still(9.0, 8.0))]);
}

/// Each was run in ns-2.35: from (100, 100) the node is at (150, 100) at 6 s.
#[test]
fn statements_are_read_by_the_rules_of_tcl() {
    for script in [
        "$ns_ at 1.0 \"\\$node_(0) setdest 200 100 10\"",
        "$ns_ at 1.0 {$node_(0) setdest 200 100 10}",
        "$ns_ at 1.0 \\\n\"$node_(0) setdest 200 100 10\"",
        "$ns_ at 1.0 [list $node_(0) setdest 200 100 10]",
        "$ns_ \"at\" 1.0 \"$node_(0) {setdest} 200 100 10\" ;# x",
        "$ns_ at 1.0 {\n  $node_(0) setdest 200 100 10\n}",
        "$ns_ at 1.0 $node_(0)\\ setdest\\ 200\\ 100\\ 10",
        "$ns_ at 1.0 \"$node_(0) setdest 200 100 \\\n 10\"",
        "$ns_ at 1.0 \"set x 200; $node_(0) setdest \\$x 100 10\"",
        "${ns_} at 1.0 \"${node_(0)} setdest 200 100 10\"",
        "$ns_ at 1.0 \"$node_(0) setdest 200 100 10\n# comment\n\"",
        "set x 200; $ns_ at 1.0 \"$node_(0) setdest $x 100 10\"; set x 0",
        "$ns at 1e0 \"$node_(0) setdest 0200.0 +100 1e1;\"",
        "set sim_ [new Simulator]\n$sim_ at 1 \"$node_(0) setdest 200 100 10\"",
        "$anything at 1.0 \"$node_(0) setdest 200 100 10\"",
        "$ns_\tat\t1.0\t\"$node_(0)\tsetdest\t200\t100\t10\"",
        "$ns_ at 1.0 \"$node_(0) setdest 200 100 10\"; $node_(0) set Y_ 100",
    ] {
        let script = script.replace("; $node_(0) set Y_ 100", "");
        let (places, warnings) = replayed(&script, Rules::Ns2, &[1.0, 6.0]);
        assert_eq!(places, [(100.0, 100.0), (150.0, 100.0)], "{script}: {warnings:?}");
    }
    let (places, _) = replayed("$ns_ at now \"$node_(0) setdest 200 100 10\"", Rules::Ns2, &[5.0]);
    assert_eq!(places, [(150.0, 100.0)]);
}

#[test]
fn statement_that_moves_a_node_is_read_or_refused() {
    for (script, message) in [
        ("for {set i 0} {$i < 3} {incr i} {\n$node_($i) set X_ 1\n}", "unsupported statement"),
        ("proc go {n} {$n setdest 1 2 3}", "unsupported statement"),
        ("eval $node_(0) set X_ 120", "unsupported statement"),
        ("$ns_ at 1 $node_(0) setdest 200 100 10", "unsupported statement"),
        ("$ns_ at 1 \"$node_(0) setdest [expr 1 + 1] 2 3\"", "[expr 1 + 1] is not executed"),
        ("$node_(0) set X_ $x", "undefined variable \"x\""),
        ("set x [expr 5 * 5]\n$node_(0) set X_ $x", "\"x\" has no value: [expr 5 * 5] is not executed"),
        ("$ns_ at 2 \"$node_(0) set speed_ 5\"", "a new speed requires a new setdest"),
        ("$node_(0) random-motion 1", "random motion requires mobility.kind = \"waypoint\""),
        ("$n0 set X_ 5", "node 0 has two names: node_ and n"),
        ("$node_(x) set X_ 5", "\"node_(x)\" is not a node: expected integer, at least 0"),
    ] {
        let text = format!("$node_(0) set X_ 100\n$node_(0) set Y_ 100\n{script}");
        let error = read(&text, Rules::Ns2).map(|movements| movements.warnings).expect_err(script);
        assert!(error.line >= Some(3), "{script}: {error}");
        assert!(error.message.ends_with(&format!("moves a node: {message}")), "{script}: {error}");
    }
}

#[test]
fn contradictory_statements_warn() {
    let script = "$ns_ at 2 \"$node_(0) setdest 200 100 10\"\n$ns_ at 1 \"$node_(0) setdest 100 200 10\"\n\
        $ns_ at 2 \"$node_(0) setdest 300 110 10\"\n$ns_ at 3 \"$node_(0) setdest 1 1 0\"";
    let (places, warnings) = replayed(script, Rules::Ns2, &[2.0, 3.0, 9.0]);
    assert_eq!(places, [(100.0, 110.0), (110.0, 110.0), (110.0, 110.0)]);
    assert_eq!(
        warnings,
        [
            "scen:4: statements for node 0 are sorted by time, as in ns-2",
            "scen:5: second setdest of node 0 at 2 s overrides line 3",
            "scen:6: node 0 stops at (110, 110): speed 0 to (1, 1)",
        ]
    );
}

#[test]
fn edge_overrides_the_rule_of_the_profile() {
    use crate::mobility::Edge;
    let text = "$node_(0) set X_ 100\n$node_(0) set Y_ 100\n$node_(0) setdest -50 100 10";
    let at = |edge, area| {
        let request = Request { area, edge, ..Request::default() };
        let movements = setdest(File { path: "scen", text }, &request).expect("a good file");
        let way = movements.nodes[0].clone().expect("node 0");
        (way.position(Time::from_secs(60.0)).0, movements.warnings.first().map(ToString::to_string))
    };
    assert_eq!(
        at(None, None),
        (
            100.0,
            Some(
                "scen:3: destination (-50, 100) has a coordinate of 0 or less: ignored for node 0, as in ns-2; \
                 set mobility.edge = \"clip\" or \"allow\" to accept it"
                    .to_owned()
            )
        )
    );
    let area = Some((500.0, 400.0));
    assert_eq!(at(Some(Edge::Clip), area).0, 0.0);
    assert_eq!((at(Some(Edge::Clip), None), at(Some(Edge::Allow), area)), ((-50.0, None), (-50.0, None)));
    assert_eq!(at(Some(Edge::Refuse), area).0, 100.0);
}

#[test]
fn nodes_are_present_from_first_statement_to_arrival() {
    let text = "$node_(3) set X_ 100\n$node_(3) set Y_ 100\n$node_(9) set X_ 1\n$node_(9) set Y_ 1\n\
        $ns_ at 5 \"$node_(9) setdest 11 1 2\"";
    let request = Request { renumber: true, ..Request::default() };
    let movements = setdest(File { path: "scen", text }, &request).expect("a good file");
    assert_eq!(movements.numbers, Some(vec![3, 9]));
    let times: Vec<_> = movements.present.iter().map(|span| span.map(|span| (span.from, span.to))).collect();
    assert_eq!(times, [None, Some((Time::from_secs(5.0), Time::from_secs(10.0)))]);
}

#[test]
fn activities_of_sumo_say_when_vehicles_are_there() {
    let text = "$node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n$node_(1) set X_ 90.0\n$node_(1) set Y_ 20.0\n\
                $ns_ at 5.0 \"$node_(0) setdest 110.0 20.0 20.0\"\n\
                $ns_ at 2.0 \"$g(0) start\"; # SUMO-ID: veh0\n$ns_ at 12.0 \"$g(0) stop\"; # SUMO-ID: veh0\n\
                $ns_ at 7.0 \"$g(1) start\"; # SUMO-ID: veh1\n";
    let request = Request { off_when_absent: true, ..Request::default() };
    let movements = setdest(File { path: "m.tcl", text }, &request).expect("a file");
    let spans: Vec<_> = movements.present.iter().map(|span| span.map(|span| (span.from, span.to))).collect();
    let at = |secs: f64| Time::from_secs(secs);
    assert_eq!(spans, [Some((at(2.0), at(12.0))), Some((at(7.0), Time::NEVER))]);
    assert!(movements.warnings.is_empty(), "{:?}", movements.warnings);
    let movements = setdest(File { path: "m.tcl", text }, &Request::default()).expect("a file");
    assert!(movements.warnings.iter().any(|warning| warning.to_string().contains("off_when_absent")));
}
