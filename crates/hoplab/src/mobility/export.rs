//! Movements as files: for ns-2, and as a table. Both are read back to the same places.

use super::import::HEADER;
use super::trajectory::{Leg, Point, Trajectory};
use crate::kernel::Time;
use std::fmt::Write;

/// A movement file of ns-2, with all nodes' statements in order of time.
///
/// Before a jump the node is stopped (`setdest` with speed 0), as ns-2 would go on with its last course after it. ns-2
/// refuses destinations with a coordinate at or below 0, or at or beyond the edge of its ground.
pub fn setdest(ways: &[Trajectory]) -> String {
    let mut text = String::new();
    put(&mut text, format_args!("# nodes: {}\n", ways.len()));
    for (node, way) in ways.iter().enumerate() {
        let (x, y) = way.start();
        put(&mut text, format_args!("$node_({node}) set X_ {x}\n$node_({node}) set Y_ {y}\n$node_({node}) set Z_ 0\n"));
    }
    let mut statements: Vec<(Time, String)> = Vec::new();
    for (node, way) in ways.iter().enumerate() {
        each(way, |here, leg| {
            let at = seconds(leg.t0);
            let mut say = |what: &str| statements.push((leg.t0, format!("$ns_ at {at} \"$node_({node}) {what}\"\n")));
            if here != (leg.x0, leg.y0) {
                say(&format!("setdest {} {} 0", here.0, here.1));
                say(&format!("set X_ {}", leg.x0));
                say(&format!("set Y_ {}", leg.y0));
            }
            if leg.t0 < leg.t1 {
                say(&format!("setdest {} {} {}", leg.x1, leg.y1, leg.speed()));
            }
        });
    }
    statements.sort_by_key(|&(t, _)| t);
    text.extend(statements.into_iter().map(|(_, statement)| statement));
    text
}

/// A table `t,node,x,y` of all places where motion changes, node by node.
pub fn csv(ways: &[Trajectory]) -> String {
    let mut text = String::new();
    put(&mut text, format_args!("{HEADER}\n"));
    for (node, way) in ways.iter().enumerate() {
        let start = way.start();
        let mut row = |t: Time, (x, y): Point| put(&mut text, format_args!("{},{node},{x},{y}\n", seconds(t)));
        row(Time::ZERO, start);
        let mut written = Time::ZERO;
        each(way, |here, leg| {
            if written < leg.t0 {
                row(leg.t0, here);
            }
            if here != (leg.x0, leg.y0) {
                row(leg.t0, (leg.x0, leg.y0));
            }
            if leg.t0 < leg.t1 {
                row(leg.t1, (leg.x1, leg.y1));
            }
            written = leg.t1;
        });
    }
    text
}

/// Calls `visit` with each leg and the place before it.
fn each(way: &Trajectory, mut visit: impl FnMut(Point, &Leg)) {
    let mut here = way.start();
    for leg in way.legs() {
        visit(here, leg);
        here = (leg.x1, leg.y1);
    }
}

/// Seconds with all nanoseconds, without superfluous zeros.
fn seconds(t: Time) -> String {
    let text = format!("{}.{:09}", t.0 / 1_000_000_000, t.0 % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn put(text: &mut String, what: std::fmt::Arguments) {
    text.write_fmt(what).expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use super::super::trajectory::Path;
    use super::*;

    fn ways() -> Vec<Trajectory> {
        let mut path = Path::at(10.0, 20.5);
        path.go(Time(1_500_000_000), (40.0, 60.5), 5.0);
        path.jump(Time(20_000_000_000), (7.0, 8.0));
        path.go(Time(20_000_000_000), (7.0, 18.0), 2.0);
        vec![path.finish(), Trajectory::still(1.0, 2.0)]
    }

    #[test]
    fn as_ns_2_reads_it() {
        assert_eq!(
            setdest(&ways()),
            "# nodes: 2\n\
             $node_(0) set X_ 10\n$node_(0) set Y_ 20.5\n$node_(0) set Z_ 0\n\
             $node_(1) set X_ 1\n$node_(1) set Y_ 2\n$node_(1) set Z_ 0\n\
             $ns_ at 1.5 \"$node_(0) setdest 40 60.5 5\"\n\
             $ns_ at 20 \"$node_(0) setdest 40 60.5 0\"\n\
             $ns_ at 20 \"$node_(0) set X_ 7\"\n\
             $ns_ at 20 \"$node_(0) set Y_ 8\"\n\
             $ns_ at 20 \"$node_(0) setdest 7 18 2\"\n"
        );
    }

    #[test]
    fn as_a_table() {
        assert_eq!(
            csv(&ways()),
            "t,node,x,y\n0,0,10,20.5\n1.5,0,10,20.5\n11.5,0,40,60.5\n20,0,40,60.5\n20,0,7,8\n25,0,7,18\n0,1,1,2\n"
        );
    }
}
