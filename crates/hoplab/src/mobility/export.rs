//! Trajectories as files: for ns-2 (`setdest`), and as a table, so that other simulators and the viewer repeat the movements
//! of a run. Both are read back to equal positions, those of ns-2 possibly shifted.

use super::import::HEADER;
use super::trajectory::{Leg, Point, Trajectory};
use crate::kernel::Time;
use std::fmt::Write;

/// A movement file of ns-2, with all nodes' statements in order of time.
///
/// Before a jump the node is stopped (`setdest` with speed 0), as ns-2 would continue its last course after it. ns-2
/// refuses destinations with a coordinate at or below 0, or at or beyond the edge of its area: all positions are shifted by
/// [`shift`], which the file's first lines state.
pub fn setdest(trajectories: &[Trajectory]) -> String {
    let mut text = String::new();
    let (dx, dy) = shift(trajectories);
    put(&mut text, format_args!("# nodes: {}\n", trajectories.len()));
    if (dx, dy) != (0.0, 0.0) {
        put(&mut text, format_args!("# shifted by ({dx}, {dy}) m: ns-2 refuses coordinates at or below 0\n"));
    }
    let place = |(x, y): Point| (x + dx, y + dy);
    for (node, trajectory) in trajectories.iter().enumerate() {
        let (x, y) = place(trajectory.start());
        put(&mut text, format_args!("$node_({node}) set X_ {x}\n$node_({node}) set Y_ {y}\n$node_({node}) set Z_ 0\n"));
    }
    let mut statements: Vec<(Time, String)> = Vec::new();
    for (node, trajectory) in trajectories.iter().enumerate() {
        each(trajectory, |here, leg| {
            let at = seconds(leg.t0);
            let mut add = |what: &str| statements.push((leg.t0, format!("$ns_ at {at} \"$node_({node}) {what}\"\n")));
            let [here, from, to] = [here, (leg.x0, leg.y0), (leg.x1, leg.y1)].map(place);
            if here != from {
                add(&format!("setdest {} {} 0", here.0, here.1));
                add(&format!("set X_ {}", from.0));
                add(&format!("set Y_ {}", from.1));
            }
            if leg.t0 < leg.t1 {
                add(&format!("setdest {} {} {}", to.0, to.1, leg.speed()));
            }
        });
    }
    statements.sort_by_key(|&(t, _)| t);
    text.extend(statements.into_iter().map(|(_, statement)| statement));
    text
}

/// Distance from the axes of the lowest position of shifted movements, in meters.
const EDGE_M: f64 = 10.0;

/// The shift along each axis with which ns-2 accepts all positions; zero if it accepts them unshifted.
pub fn shift(trajectories: &[Trajectory]) -> Point {
    let along = |low: fn(Point) -> f64| {
        let lowest =
            trajectories.iter().map(|trajectory| low(trajectory.bounding_box().0)).fold(f64::INFINITY, f64::min);
        // The position at which a node stops before a jump is a destination, too.
        let ends = trajectories.iter().flat_map(Trajectory::legs).flat_map(|leg| [(leg.x0, leg.y0), (leg.x1, leg.y1)]);
        let mut starts = trajectories.iter().filter(|trajectory| trajectory.has_jumps()).map(Trajectory::start);
        let is_refused = ends.map(low).any(|metres| metres <= 0.0) || starts.any(|start| low(start) <= 0.0);
        if lowest < 0.0 || is_refused { EDGE_M - lowest } else { 0.0 }
    };
    (along(|place| place.0), along(|place| place.1))
}

/// A table `t,node,x,y` of all positions at which motion changes, node by node.
pub fn csv(trajectories: &[Trajectory]) -> String {
    let mut text = String::new();
    put(&mut text, format_args!("{HEADER}\n"));
    for (node, trajectory) in trajectories.iter().enumerate() {
        let start = trajectory.start();
        let mut row = |t: Time, (x, y): Point| put(&mut text, format_args!("{},{node},{x},{y}\n", seconds(t)));
        row(Time::ZERO, start);
        let mut written = Time::ZERO;
        each(trajectory, |here, leg| {
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

/// Calls `visit` with each leg and the position before it.
fn each(trajectory: &Trajectory, mut visit: impl FnMut(Point, &Leg)) {
    let mut here = trajectory.start();
    for leg in trajectory.legs() {
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

    fn trajectories() -> Vec<Trajectory> {
        let mut path = Path::at(10.0, 20.5);
        path.go(Time(1_500_000_000), (40.0, 60.5), 5.0);
        path.jump(Time(20_000_000_000), (7.0, 8.0));
        path.go(Time(20_000_000_000), (7.0, 18.0), 2.0);
        vec![path.finish(), Trajectory::still(1.0, 2.0)]
    }

    #[test]
    fn setdest_has_statements_in_order_of_time() {
        assert_eq!(
            setdest(&trajectories()),
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
    fn positions_rejected_by_ns2_are_shifted() {
        let mut path = Path::at(-20.0, 5.0);
        path.go(Time(1_000_000_000), (40.0, 5.0), 5.0);
        let trajectories = [path.finish(), Trajectory::still(1.0, 2.0)];
        assert_eq!(shift(&trajectories), (30.0, 0.0));
        let text = setdest(&trajectories);
        assert!(text.contains("# shifted by (30, 0) m: ns-2 refuses coordinates at or below 0\n"), "{text}");
        assert!(text.contains("$node_(0) set X_ 10\n") && text.contains("setdest 70 5 5\""), "{text}");
        // ns-2 accepts 0 as initial position, and refuses it as destination.
        assert_eq!(shift(&[Trajectory::still(0.0, 0.0)]), (0.0, 0.0));
        let mut path = Path::at(50.0, 5.0);
        path.go(Time(1_000_000_000), (0.0, 5.0), 5.0);
        assert_eq!(shift(&[path.finish()]), (10.0, 0.0));
    }

    #[test]
    fn csv_has_a_row_for_each_change_of_motion() {
        assert_eq!(
            csv(&trajectories()),
            "t,node,x,y\n0,0,10,20.5\n1.5,0,10,20.5\n11.5,0,40,60.5\n20,0,40,60.5\n20,0,7,8\n25,0,7,18\n0,1,1,2\n"
        );
    }
}
