//! Movement files of BonnMotion (`.movements`), unpacked.
//!
//! # Model
//! One line per node, in order of nodes: groups `t x y` (or `t x y z`) of times and positions; the node moves uniformly from
//! one to the next. Before the first time it is at the first position, after the last one at the last. Lines with `#` are
//! comments.
//!
//! # Source
//! BonnMotion's manual and the files of version 3.0.1; `J=2D` or `J=3D` in its `.params` file distinguishes the two forms.
//!
//! # Deviations
//! Heights are ignored. Without `.params` and without `mobility.dimensions` the form is guessed from the number of
//! numbers; files that can be read both ways are refused.
//!
//! # Parameters
//! See [`Request`].

use super::lines::{Line, lines, whole};
use super::message::{ImportError, Warnings};
use super::request::{File, Movements, PresentTime, Request};
use crate::kernel::Time;
use crate::mobility::trajectory::{Path, Trajectory};
use std::collections::BTreeMap;

/// Reads a movement file of BonnMotion.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn bonnmotion(file: File, request: &Request) -> Result<Movements, ImportError> {
    let params = request.params.map(Params::read).transpose()?.unwrap_or_default();
    let rows = rows(file)?;
    let dimensions = match request.dimensions.or(params.dimensions) {
        Some(dimensions) => dimensions,
        None => guess(file, &rows)?,
    };
    let mut reader =
        Reader { request, warnings: Warnings::new(file.path), group: dimensions as usize + 1, has_height: false };
    let (mut found, mut spans) = (BTreeMap::new(), BTreeMap::new());
    let mut numbers = Vec::new();
    for (row, node) in rows.iter().zip(0..) {
        request.admit(row.line, node)?;
        let (way, present) = reader.way(row, node, &mut numbers)?;
        found.insert(node, way);
        spans.insert(node, present);
    }
    let last_line = rows.last().map_or(1, |row| row.line.number);
    if let Some((nodes, path)) = params.nodes.filter(|&(nodes, _)| nodes as usize != rows.len()) {
        let error = whole(file.path, format!("number of nodes ({}) differs from nn={nodes} in {path}", rows.len()));
        return Err(ImportError { line: Some(last_line), ..error.expected("one line per node") });
    }
    request.muster(file.path, found, &spans, last_line, FORM, reader.warnings)
}

/// Form of a movement.
const FORM: &str = "one line of numbers per node, in groups t x y or t x y z";

/// The line of a node.
struct Row<'a> {
    line: Line<'a>,
    /// How many numbers it has.
    count: usize,
}

/// The lines of the nodes, in order.
fn rows(file: File<'_>) -> Result<Vec<Row<'_>>, ImportError> {
    let mut rows = Vec::new();
    let mut blank: Option<Line> = None;
    for line in lines(file).filter(|line| !line.text.starts_with('#')) {
        let Some(first) = line.text.split_whitespace().next() else {
            blank = blank.or(Some(line));
            continue;
        };
        if let Some(blank) = blank {
            let error = blank.error(format!("empty line in place of node {}", rows.len()));
            return Err(error.expected(FORM));
        }
        if first.parse::<f64>().is_err() {
            let error = line.blame(first, "is not a number").expected(FORM);
            return Err(if first.starts_with('$') {
                error.hint("for a movement file of ns-2, set kind = \"setdest\"")
            } else if first.contains(',') {
                error.hint("for a table, set kind = \"csv\"")
            } else {
                error
            });
        }
        rows.push(Row { line, count: line.text.split_whitespace().count() });
    }
    Ok(rows)
}

/// Whether a file is two- or three-dimensional, by its numbers.
fn guess(file: File, rows: &[Row]) -> Result<u32, ImportError> {
    let (mut may_be_2, mut may_be_3) = (true, true);
    for row in rows {
        may_be_2 &= row.count.is_multiple_of(3);
        may_be_3 &= row.count.is_multiple_of(4);
        if !may_be_2 && !may_be_3 {
            let fits_alone = row.count.is_multiple_of(3) || row.count.is_multiple_of(4);
            let why = if fits_alone { "unlike the lines before" } else { "not a multiple of 3 or 4" };
            return Err(row.line.error(format!("{} numbers, {why}", row.count)).expected(FORM));
        }
    }
    match (may_be_2, may_be_3) {
        // No rows: the form has no effect.
        _ if rows.is_empty() => Ok(2),
        (true, true) => {
            let error = whole(file.path, "ambiguous dimensions: lines match groups t x y and t x y z");
            let hint = "set mobility.dimensions to 2 or 3, or add the .params file of BonnMotion";
            Err(ImportError { line: rows.first().map(|row| row.line.number), ..error.hint(hint) })
        }
        (is_2, _) => Ok(if is_2 { 2 } else { 3 }),
    }
}

struct Reader<'a> {
    request: &'a Request<'a>,
    warnings: Warnings<'a>,
    /// Numbers per position.
    group: usize,
    has_height: bool,
}

impl Reader<'_> {
    /// The trajectory of a node, and when the file has it.
    fn way<'t>(
        &mut self,
        row: &Row<'t>,
        node: u32,
        numbers: &mut Vec<&'t str>,
    ) -> Result<(Trajectory, PresentTime), ImportError> {
        let line = row.line;
        if !row.count.is_multiple_of(self.group) {
            let form = if self.group == 3 { "groups t x y" } else { "groups t x y z" };
            return Err(line.error(format!("node {node} has {} numbers", row.count)).expected(form));
        }
        numbers.clear();
        numbers.extend(line.text.split_whitespace());
        let mut way: Option<(Path, Time)> = None;
        let mut from = Time::ZERO;
        for group in numbers.chunks_exact(self.group) {
            let t = line.time(group[0])?;
            let to = (line.coordinate(group[1])?, line.coordinate(group[2])?);
            if let Some(z) = group.get(3)
                && line.coordinate(z)? != 0.0
                && !self.has_height
            {
                self.has_height = true;
                self.warnings.warn(Some(line.number), || "z ignored: movement is two-dimensional".to_owned());
            }
            match &mut way {
                None => {
                    from = t;
                    way = Some((Path::at(to.0, to.1), t));
                }
                Some((_, last)) if t < *last => {
                    let message = format!("time of node {node} decreases from {} s to {} s", last.secs(), t.secs());
                    return Err(line.error(message).expected("times in ascending order"));
                }
                Some((path, last)) if t == *last => {
                    if path.stop(t) != to {
                        let error = line.error(format!("node {node} has two positions at {} s", t.secs()));
                        return Err(error.expected("times in ascending order"));
                    }
                }
                Some((path, last)) => {
                    path.reach(*last, t, to);
                    *last = t;
                }
            }
        }
        let (path, to) = way.ok_or_else(|| line.error(format!("node {node} has no position")))?;
        let present = PresentTime { from, to, line: line.number };
        self.request.warn_of_absence(&mut self.warnings, node, present);
        let way = path.finish();
        let ((left, bottom), (right, top)) = way.bounding_box();
        if let Some((a, b)) = self.request.area.filter(|&(a, b)| left < 0.0 || bottom < 0.0 || right > a || top > b) {
            self.warnings.warn(Some(line.number), || format!("node {node} leaves mobility.area ({a} m x {b} m)"));
        }
        Ok((way, present))
    }
}

/// Content of the file that BonnMotion writes beside its movements.
#[derive(Default)]
struct Params<'a> {
    dimensions: Option<u32>,
    /// Number of nodes, and the file that has it.
    nodes: Option<(u32, &'a str)>,
}

impl<'a> Params<'a> {
    fn read(file: File<'a>) -> Result<Params<'a>, ImportError> {
        let mut params = Params::default();
        for line in lines(file).filter(|line| !line.text.is_empty() && !line.text.starts_with('#')) {
            let Some((key, value)) = line.text.split_once('=') else {
                return Err(line.blame(line.text, "is not a parameter").expected("key=value"));
            };
            match (key.trim(), value.trim()) {
                ("J", "2D" | "2d") => params.dimensions = Some(2),
                ("J", "3D" | "3d") => params.dimensions = Some(3),
                ("J", other) => return Err(line.blame(other, "is not a dimension").expected("2D or 3D")),
                ("nn", nodes) => params.nodes = Some((line.node(nodes)?, file.path)),
                _ => {}
            }
        }
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, request: &Request) -> Result<Movements, String> {
        bonnmotion(File { path: "a.movements", text }, request).map_err(|error| error.to_string())
    }

    fn at(movements: &Movements, node: usize, secs: f64) -> (f64, f64) {
        movements.nodes[node].as_ref().expect("a node").position(Time::from_secs(secs))
    }

    #[test]
    fn waypoints_are_uniform() {
        let movements = read("0 10 20 10 30 20 15 30 20 25 30 70\n# done\n0.0 5.0 5.0\n\n", &Request::default());
        let movements = movements.expect("two dimensions, by the second line");
        for (t, place) in
            [(0.0, (10.0, 20.0)), (5.0, (20.0, 20.0)), (12.0, (30.0, 20.0)), (16.0, (30.0, 25.0)), (99.0, (30.0, 70.0))]
        {
            assert_eq!(at(&movements, 0, t), place);
        }
        assert_eq!(at(&movements, 1, 7.0), (5.0, 5.0));
        assert!(movements.warnings.is_empty());
    }

    #[test]
    fn heights_of_three_dimensions_are_ignored() {
        let movements =
            read("0 10 20 1.5 10 30 20 1.5\n0 1 2 0 5 6 7 0", &Request::default()).expect("three dimensions");
        assert_eq!(at(&movements, 0, 5.0), (20.0, 20.0));
        assert_eq!(at(&movements, 1, 5.0), (6.0, 7.0));
        let warnings: Vec<String> = movements.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["a.movements:1: z ignored: movement is two-dimensional"]);
    }

    #[test]
    fn ambiguous_dimensions_are_refused() {
        let text = "0 1 2 3 4 5 6 7 8 9 10 11";
        let error = read(text, &Request::default()).expect_err("ambiguous");
        assert!(error.starts_with("a.movements:1: ambiguous dimensions"), "{error}");
        assert!(error.ends_with("set mobility.dimensions to 2 or 3, or add the .params file of BonnMotion"));
        let by_option = |d| read(text, &Request { dimensions: Some(d), ..Request::default() }).map(|m| at(&m, 0, 3.0));
        assert_eq!(by_option(2), Ok((4.0, 5.0)));
        assert_eq!(by_option(3), Ok((4.0, 5.0)).map(|_: (f64, f64)| (1.0 + 4.0 * 0.75, 2.0 + 4.0 * 0.75)));
        let params = File { path: "a.params", text: "model=RandomWaypoint\r\nJ=2D\r\nnn=1\r\n" };
        let by_params = read(text, &Request { params: Some(params), ..Request::default() }).expect("dimensions of J");
        assert_eq!(at(&by_params, 0, 3.0), (4.0, 5.0));
    }

    #[test]
    fn params_and_movements_must_agree() {
        let params = File { path: "a.params", text: "nn=3" };
        let error =
            read("0 1 2\n0 3 4", &Request { params: Some(params), ..Request::default() }).expect_err("a node too few");
        assert_eq!(
            error,
            "a.movements:2: number of nodes (2) differs from nn=3 in a.params\n  = expected: one line per node"
        );
        let params = File { path: "a.params", text: "x=1\nJ=4D" };
        let error = read("0 1 2", &Request { params: Some(params), ..Request::default() }).expect_err("no dimension");
        assert_eq!(error, "a.params:2: \"4D\" is not a dimension\n  = expected: 2D or 3D");
    }
}
