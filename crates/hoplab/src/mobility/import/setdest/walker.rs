//! A node that executes its statements: courses, refused destinations and jumps, as measured in runs of ns-2.35.

use super::order::{Act, Order};
use crate::kernel::Span;
use crate::mobility::config::Edge;
use crate::mobility::import::message::Warnings;
use crate::mobility::import::request::{Request, Rules};
use crate::mobility::trajectory::{Path, Point};

/// Positions nearer than this are equal, in meters: files have so many digits.
const SAME_PLACE_M: f64 = 1e-6;

/// A node and its current course.
pub(super) struct Walker {
    pub(super) path: Path,
    heading: Option<Heading>,
}

/// The last course, which ns-2 stores after arrival, too.
#[derive(Clone, Copy)]
struct Heading {
    /// Metres per second along each axis.
    velocity: Point,
    to: Point,
}

impl Walker {
    pub(super) fn at((x, y): Point) -> Walker {
        Walker { path: Path::at(x, y), heading: None }
    }

    pub(super) fn obey(&mut self, node: u32, order: &Order, request: &Request<'_>, warnings: &mut Warnings<'_>) {
        match order.act {
            Act::Go(asked, speed) => {
                let Some(to) = admitted(asked, request) else {
                    warnings.warn(Some(order.line), || refusal(node, asked, request.area));
                    return;
                };
                if asked != to {
                    let message = || {
                        format!(
                            "destination ({}, {}) is outside mobility.area: node {node} moves to ({}, {})",
                            asked.0, asked.1, to.0, to.1
                        )
                    };
                    warnings.warn(Some(order.line), message);
                }
                let from = self.path.stop(order.t);
                let length = libm::hypot(to.0 - from.0, to.1 - from.1);
                if speed == 0.0 && length > SAME_PLACE_M {
                    let message =
                        || format!("node {node} stops at ({}, {}): speed 0 to ({}, {})", from.0, from.1, to.0, to.1);
                    warnings.warn(Some(order.line), message);
                }
                let along = |distance: f64| if length > 0.0 { distance / length * speed } else { 0.0 };
                self.heading = Some(Heading { velocity: (along(to.0 - from.0), along(to.1 - from.1)), to });
                self.path.go(order.t, to, speed);
            }
            Act::JumpX(x) => {
                let (_, y) = self.path.stop(order.t);
                self.jump(node, order, (x, y), request, warnings);
            }
            Act::JumpY(y) => {
                let (x, _) = self.path.stop(order.t);
                self.jump(node, order, (x, y), request, warnings);
            }
        }
    }

    fn jump(&mut self, node: u32, order: &Order, to: Point, request: &Request<'_>, warnings: &mut Warnings<'_>) {
        let heading = self.heading.filter(|_| request.rules == Rules::Ns2);
        let Some(heading) = heading.filter(|heading| heading.leads_on(to)) else {
            self.heading = None;
            return self.path.jump(order.t, to);
        };
        // Each coordinate continues to its last destination; one beyond it returns at once.
        let remaining = |from: f64, to: f64, v: f64| if v == 0.0 { 0.0 } else { ((to - from) / v).max(0.0) };
        let secs =
            (remaining(to.0, heading.to.0, heading.velocity.0), remaining(to.1, heading.to.1, heading.velocity.1));
        let at = |from: f64, to: f64, v: f64, left: f64, t: f64| match v {
            0.0 => from,
            _ if t >= left => to,
            _ => from + v * t,
        };
        let after = |t: f64| {
            let x = at(to.0, heading.to.0, heading.velocity.0, secs.0, t);
            (x, at(to.1, heading.to.1, heading.velocity.1, secs.1, t))
        };
        self.path.jump(order.t, after(0.0));
        let (first, last) = (secs.0.min(secs.1), secs.0.max(secs.1));
        let mut t = order.t;
        for end in [first, last] {
            let arrival = order.t + Span::from_secs(end.min(1e9));
            if arrival > t {
                self.path.reach(t, arrival, after(end));
                t = arrival;
            }
        }
        let message = || {
            format!(
                "node {node} jumps after a setdest and continues to ({}, {}), as in ns-2; add a setdest with speed 0 before the jump to stop it",
                heading.to.0, heading.to.1
            )
        };
        warnings.warn(Some(order.line), message);
    }
}

impl Heading {
    /// Whether a node at `place` continues to move.
    fn leads_on(&self, place: Point) -> bool {
        (self.velocity.0 != 0.0 && place.0 != self.to.0) || (self.velocity.1 != 0.0 && place.1 != self.to.1)
    }
}

/// The destination that a node is given for `to`; `None` if it is refused.
fn admitted(to: Point, request: &Request<'_>) -> Option<Point> {
    let (a, b) = request.area.unwrap_or((f64::INFINITY, f64::INFINITY));
    match request.edge() {
        Edge::Refuse => (to.0 > 0.0 && to.0 < a && to.1 > 0.0 && to.1 < b).then_some(to),
        Edge::Clip if request.area.is_some() => Some((to.0.clamp(0.0, a), to.1.clamp(0.0, b))),
        Edge::Clip | Edge::Allow => Some(to),
    }
}

fn refusal(node: u32, to: Point, area: Option<Point>) -> String {
    let what = match area {
        Some((a, b)) => format!("is not inside mobility.area ({a} m x {b} m)"),
        None => "has a coordinate of 0 or less".to_owned(),
    };
    let (x, y) = to;
    format!(
        "destination ({x}, {y}) {what}: ignored for node {node}, as in ns-2; \
         set mobility.edge = \"clip\" or \"allow\" to accept it"
    )
}
