//! The statements of a file for one node, and the trajectory that follows from them.

use super::order::{Act, Order};
use super::walker::Walker;
use crate::kernel::Time;
use crate::mobility::import::lines::{Line, whole};
use crate::mobility::import::message::{ImportError, Warnings};
use crate::mobility::import::request::{PresentTime, Request};
use crate::mobility::trajectory::{Point, Trajectory};

/// Start and statements of one node.
#[derive(Default)]
pub(super) struct Orders {
    x: Option<Initial>,
    y: Option<Initial>,
    list: Vec<Order>,
    /// Line of the first order that is earlier than the one before it.
    unsorted: Option<u32>,
    /// When it departs, and in which line.
    departs: Option<(Time, u32)>,
    arrives: Option<Time>,
}

#[derive(Clone, Copy)]
struct Initial {
    metres: f64,
    line: u32,
}

impl Orders {
    /// Sets the start of the node along an axis. Returns the line that has set it before.
    pub(super) fn begin(&mut self, axis: &str, metres: f64, line: u32) -> Option<u32> {
        let slot = if axis == "X_" { &mut self.x } else { &mut self.y };
        slot.replace(Initial { metres, line }).map(|earlier| earlier.line)
    }

    /// The node departs or arrives: its first departure and its last arrival count.
    pub(super) fn be_active(&mut self, t: Time, line: u32, departs: bool) {
        if !departs {
            self.arrives = self.arrives.max(Some(t));
        } else if self.departs.is_none_or(|(earlier, _)| t < earlier) {
            self.departs = Some((t, line));
        }
    }

    pub(super) fn add(&mut self, line: Line<'_>, t: Time, act: Act) {
        if self.list.last().is_some_and(|last| t < last.t) {
            self.unsorted = self.unsorted.or(Some(line.number));
        }
        self.list.push(Order { t, line: line.number, act });
    }

    /// The trajectory by these orders, and when the file has the node. The file calls it `node`, the scenario `number`.
    pub(super) fn follow(
        mut self,
        path: &str,
        node: u32,
        number: u32,
        request: &Request<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(Trajectory, Option<PresentTime>), ImportError> {
        let start = self.start(path, node, number, request, warnings)?;
        let mut walker = Walker::at(start);
        if request.is_fixed(number) {
            return Ok((walker.path.finish(), None));
        }
        if self.unsorted.is_some() {
            self.list.sort_by_key(|order| order.t);
            let message = || format!("statements for node {node} are sorted by time, as in ns-2");
            warnings.warn(self.unsorted, message);
        }
        for pair in self.list.windows(2) {
            if let [Order { t, line, act: first @ Act::Go(..) }, Order { t: next, line: later, act: act @ Act::Go(..) }] =
                pair
                && (t, first) != (next, act)
                && t == next
            {
                let message = || format!("second setdest of node {node} at {} s overrides line {line}", t.secs());
                warnings.warn(Some(*later), message);
            }
        }
        for order in &self.list {
            walker.obey(node, order, request, warnings);
        }
        let way = walker.path.finish();
        let mut span = self.list.first().zip(self.list.last()).map(|(first, last)| PresentTime {
            from: first.t,
            to: way.legs().last().map_or(last.t, |leg| leg.t1.max(last.t)),
            line: first.line,
        });
        if let Some((from, line)) = self.departs {
            let to = self.arrives.filter(|to| *to > from).unwrap_or(Time::NEVER);
            let active = PresentTime { from, to, line };
            request.warn_of_absence(warnings, node, active);
            span = Some(active);
        }
        Ok((way, span))
    }

    /// The initial position, from the file, or else from the topology.
    fn start(
        &self,
        path: &str,
        node: u32,
        number: u32,
        request: &Request<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<Point, ImportError> {
        let (x, y) = match (self.x, self.y) {
            (Some(x), Some(y)) => (x, y),
            (None, None) if request.position(number).is_some() => {
                return Ok(request.position(number).unwrap_or_default());
            }
            (x, y) => {
                let line = x.or(y).map(|other| other.line).or(self.list.first().map(|order| order.line));
                let axis = if x.is_some() { "Y_" } else { "X_" };
                let message = format!("node {node} has no initial position: missing {axis}");
                let error = ImportError { line, ..whole(path, message) };
                let error = error.expected(format!("$node_({node}) set {axis} <meters>"));
                let is_placeless = x.is_none() && y.is_none();
                return Err(if is_placeless {
                    error.hint("add topology.positions for nodes without initial position in the file")
                } else {
                    error
                });
            }
        };
        let is_inside = |&(a, b): &Point| (0.0..=a).contains(&x.metres) && (0.0..=b).contains(&y.metres);
        if let Some((a, b)) = request.area.filter(|area| !is_inside(area)) {
            let message =
                || format!("node {node} starts at ({}, {}), outside mobility.area ({a} m x {b} m)", x.metres, y.metres);
            warnings.warn(Some(y.line), message);
        }
        Ok((x.metres, y.metres))
    }
}
