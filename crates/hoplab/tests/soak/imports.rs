//! Files of other simulators for random scenarios, in the spellings that are read.

use crate::draft::{Draft, Setting};
use crate::variables::{Chance, quoted};
use std::fmt::Write;

/// Nodes whose movements a file gives, in one of three formats. How many there are.
pub fn movements(draft: &mut Draft, chance: &mut Chance<'_>) -> u32 {
    let kind = chance.pick(&["setdest", "bonnmotion", "csv"]);
    let nodes = 4 + chance.below(5);
    let of_sumo = chance.once_in(3);
    let mut text = match (kind, of_sumo) {
        ("csv", true) => "timestep_time;vehicle_angle;vehicle_id;vehicle_x;vehicle_y\n0.00;;;;\n".to_owned(),
        ("csv", false) => "t,node,x,y\n".to_owned(),
        _ => String::new(),
    };
    for node in 0..nodes {
        let mut place = || (chance.below(500), chance.below(400));
        let (from, to) = (place(), place());
        let departs = if of_sumo { chance.below(3) } else { 0 };
        let written = match kind {
            "setdest" => {
                let go = format!("$node_({node}) setdest {}.0 {}.0 30.0", to.0, to.1);
                let spelled = match chance.below(4) {
                    0 => format!("$ns_ at 0.5 {{{go}}}"),
                    1 => format!(
                        "set n{node} $node_({node})\n$ns_ at 0.5 \"$n{node} {}\"",
                        &go[go.find(' ').unwrap_or(0) + 1..]
                    ),
                    2 => format!("$ns_ at 0.5 \\\n  [list {go}] ;# go"),
                    _ => format!("$ns_ at 0.5 \"{go}\""),
                };
                let active = if of_sumo {
                    format!(
                        "$ns_ at {departs}.0 \"$g({node}) start\"; # SUMO-ID: v{node}\n$ns_ at 4.5 \"$g({node}) stop\"\n"
                    )
                } else {
                    String::new()
                };
                write!(
                    text,
                    "$node_({node}) set X_ {}.0\n$node_({node}) set Y_ {}.0\n{spelled}\n{active}",
                    from.0, from.1
                )
            }
            "bonnmotion" => writeln!(text, "0.0 {}.0 {}.0 5.0 {}.0 {}.0", from.0, from.1, to.0, to.1),
            _ if of_sumo => {
                let end = departs + 3;
                writeln!(text, "{departs};9;v.{node};{};{}\n{end};9;v.{node};{};{}", from.0, from.1, to.0, to.1)
            }
            _ => writeln!(text, "0,{node},{},{}\n5,{node},{},{}", from.0, from.1, to.0, to.1),
        };
        debug_assert!(written.is_ok());
    }
    let name = format!("soak.{kind}");
    draft.settings.push(Setting::new("mobility.kind", &quoted(kind)));
    draft.settings.push(Setting::new("mobility.file", &quoted(&name)));
    if of_sumo && kind != "bonnmotion" {
        draft.settings.push(Setting::new("mobility.off_when_absent", "true"));
    }
    draft.files.push((name, text));
    nodes
}

/// Flows of a file beside those of the scenario: objects that use their numbers again, agents of TCP and UDP.
pub fn traffic(draft: &mut Draft, chance: &mut Chance<'_>, nodes: u32) {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        let from = chance.below(nodes);
        let to = (from + 1 + chance.below(nodes - 1)) % nodes;
        let tenths = chance.below(9);
        let (agent, sink, application, keys) = match chance.below(3) {
            0 => ("UDP", "Null", "Traffic/CBR", "$app_(0) set packetSize_ 1200\n$app_(0) set interval_ 0.1\n"),
            1 => ("UDP", "Null", "Traffic/Exponential", "$app_(0) set rate_ 64.0kb\n"),
            _ => ("TCP/Newreno", "TCPSink", "FTP", "$a_(0) set window_ 8\n"),
        };
        let written = write!(
            text,
            "set a_(0) [new Agent/{agent}]\n$ns_ attach-agent $node_({from}) $a_(0)\nset b_(0) [new Agent/{sink}]\n\
             $ns_ attach-agent $node_({to}) $b_(0)\nset app_(0) [new Application/{application}]\n{keys}\
             $app_(0) attach-agent $a_(0)\n$ns_ connect $a_(0) $b_(0)\n$ns_ at 0.{tenths} \"$app_(0) start\"\n"
        );
        debug_assert!(written.is_ok());
    }
    draft.settings.push(Setting::new("traffic.file", "\"soak.tcl\""));
    draft.files.push(("soak.tcl".to_owned(), text));
}
