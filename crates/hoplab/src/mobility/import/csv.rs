//! Movements as a table: header `t,node,x,y`; seconds, whole numbers, metres.
//!
//! # Model
//! A row has the position of a node at a time; the node moves uniformly from row to row. Before its first row it is at the
//! position of that row, after its last one at that of the last. Two rows of a node at one time are a jump. Rows are in any
//! order; those of one node are sorted by time, with a warning. Columns are in any order, too; a column `z` and others are
//! ignored. Cells may be in quotation marks. Empty lines and lines with `#` are skipped. Columns may be separated by
//! semicolons. Where the first node is no number, nodes have names, and are numbered in order of appearance.
//!
//! # Source
//! hoplab's own form, as a spreadsheet or a data frame writes it. Column names, semicolons and rows without a vehicle:
//! SUMO's floating car data (`--fcd-output`) after its `xml2csv.py`.
//!
//! # Deviations
//! None: there is no other definition.
//!
//! # Parameters
//! See [`Request`].

use super::lines::{Line, excerpt, lines, whole};
use super::message::{ImportError, Warnings};
use super::request::{File, Movements, PresentTime, Request};
use crate::kernel::Time;
use crate::mobility::trajectory::{Path, Point, Trajectory};
use std::collections::BTreeMap;

/// The first line of a table.
pub(crate) const HEADER: &str = "t,node,x,y";

/// Names of the columns that are read, ours first.
const COLUMNS: [&[&str]; 4] =
    [&["t", "timestep_time"], &["node", "vehicle_id"], &["x", "vehicle_x"], &["y", "vehicle_y"]];

/// SUMO's column of speeds, in metres per second.
const SPEED: &str = "vehicle_speed";

/// Least share of what speeds amount to that coordinates in metres move; a degree is some 100 km.
const LEAST_MOVED: f64 = 0.01;

/// Distance by speeds from which on coordinates are compared with it, in metres.
const COMPARED_M: f64 = 1.0;

/// Names of a column of heights.
const HEIGHTS: [&str; 2] = ["z", "vehicle_z"];

/// Reads a table of movements.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn csv(file: File, request: &Request) -> Result<Movements, ImportError> {
    let mut rows = lines(file).filter(|line| !line.text.is_empty() && !line.text.starts_with('#'));
    let header = rows.next().ok_or_else(|| {
        let error = whole(file.path, "empty file").expected(format!("header {HEADER}"));
        ImportError { line: Some(1), ..error }
    })?;
    let mut warnings = Warnings::new(file.path);
    let columns = Columns::read(header, &mut warnings)?;
    let mut nodes: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    let mut last_line = header.number;
    let mut cells = Vec::new();
    let mut has_height = false;
    let mut names = Names::default();
    for line in rows {
        last_line = line.number;
        split(line, columns.separator, &mut cells)?;
        let [t, node, x, y] = columns.of(line, &cells)?;
        if node.is_empty() && x.is_empty() && y.is_empty() {
            // A time without vehicles.
            continue;
        }
        let speed =
            columns.speed.and_then(|column| cells.get(column)?.parse().ok()).filter(|speed: &f64| *speed >= 0.0);
        let to = (line.coordinate(x)?, line.coordinate(y)?);
        let row = Row { t: line.time(t)?, to, speed: speed.unwrap_or(0.0), line: line.number };
        let node = names.number(line, node)?;
        request.admit(line, node)?;
        if let Some(z) = columns.height.and_then(|column| cells.get(column))
            && line.coordinate(z)? != 0.0
            && !has_height
        {
            has_height = true;
            warnings.warn(Some(line.number), || "column z ignored: movement is two-dimensional".to_owned());
        }
        nodes.entry(node).or_default().push(row);
    }
    names.warn(header.number, &mut warnings);
    let (mut found, mut spans) = (BTreeMap::new(), BTreeMap::new());
    let mut is_sorted = true;
    let (mut by_speed, mut moved) = (0.0, 0.0);
    for (place, (node, mut rows)) in (0..).zip(nodes) {
        let late = rows.windows(2).find(|pair| pair[1].t < pair[0].t).map(|pair| pair[1].line);
        if let Some(line) = late.filter(|_| std::mem::take(&mut is_sorted)) {
            let message = || format!("rows of node {node} are sorted by time");
            warnings.warn(Some(line), message);
        }
        rows.sort_by_key(|row| row.t);
        for pair in rows.windows(2) {
            by_speed += pair[1].speed * pair[1].t.since(pair[0].t).secs();
            moved += libm::hypot(pair[1].to.0 - pair[0].to.0, pair[1].to.1 - pair[0].to.1);
        }
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        let present = PresentTime { from: first.t, to: last.t, line: first.line };
        request.warn_of_absence(&mut warnings, node, present);
        let trajectory = trajectory_of(&rows);
        let ((left, bottom), (right, top)) = trajectory.bounding_box();
        if let Some((a, b)) = request.area.filter(|&(a, b)| left < 0.0 || bottom < 0.0 || right > a || top > b) {
            warnings.warn(Some(present.line), || format!("node {node} leaves mobility.area ({a} m x {b} m)"));
        }
        found.insert(node, trajectory);
        spans.insert(if request.renumber { place } else { node }, present);
    }
    if by_speed > COMPARED_M && moved < LEAST_MOVED * by_speed {
        let what = format!("coordinates are no metres: they move by {moved:.3}, and {SPEED} by {by_speed:.0} m");
        let error = whole(file.path, what).expected("x and y in metres");
        let error = error.hint("they are degrees of SUMO's option --fcd-output.geo: run it again without");
        return Err(ImportError { line: Some(header.number), ..error });
    }
    request.muster(file.path, found, &spans, last_line, "rows t,node,x,y after the header", warnings)
}

/// Where a node is at a time.
struct Row {
    t: Time,
    to: Point,
    /// In metres per second; 0 where none is given.
    speed: f64,
    line: u32,
}

/// The trajectory through the positions of rows in order of time.
fn trajectory_of(rows: &[Row]) -> Trajectory {
    let mut path = Path::at(rows[0].to.0, rows[0].to.1);
    for pair in rows.windows(2) {
        path.reach(pair[0].t, pair[1].t, pair[1].to);
    }
    path.finish()
}

/// Nodes by name, where a table has names.
#[derive(Default)]
struct Names {
    /// Whether nodes have names; known from the first row.
    are_names: Option<bool>,
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// The number of a node.
    fn number(&mut self, line: Line<'_>, node: &str) -> Result<u32, ImportError> {
        let is_name = || !node.is_empty() && !node.starts_with('-') && node.parse::<f64>().is_err();
        if !*self.are_names.get_or_insert_with(is_name) {
            return line.node(node);
        }
        if let Some(&number) = self.numbers.get(node) {
            return Ok(number);
        }
        let number = self.numbers.len() as u32;
        line.node(&number.to_string())?;
        self.numbers.insert(node.to_owned(), number);
        Ok(number)
    }

    /// A warning with the name of each node number.
    fn warn(&self, line: u32, warnings: &mut Warnings<'_>) {
        if self.numbers.is_empty() {
            return;
        }
        let mut by_number: Vec<(u32, &str)> = self.numbers.iter().map(|(name, &number)| (number, &**name)).collect();
        by_number.sort_unstable();
        let more = if by_number.len() > SHOWN { ", ..." } else { "" };
        let shown: Vec<String> =
            by_number.iter().take(SHOWN).map(|(number, name)| format!("{} is node {number}", excerpt(name))).collect();
        warnings.warn(Some(line), || format!("nodes are numbered as they appear: {}{more}", shown.join(", ")));
    }
}

/// Names that the warning shows.
const SHOWN: usize = 5;

/// Which column is which.
struct Columns {
    separator: char,
    /// Of `t`, `node`, `x` and `y`.
    of: [usize; 4],
    height: Option<usize>,
    speed: Option<usize>,
    count: usize,
    header: String,
}

impl Columns {
    fn read(header: Line<'_>, warnings: &mut Warnings<'_>) -> Result<Columns, ImportError> {
        let mut names = Vec::new();
        let separator = if header.text.contains(';') && !header.text.contains(',') { ';' } else { ',' };
        split(header, separator, &mut names)?;
        let names: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let mut of = [0; 4];
        let is_one = |name: &str, wanted: &[&str]| wanted.contains(&name);
        for (column, wanted) in of.iter_mut().zip(COLUMNS) {
            let places: Vec<usize> = (0..names.len()).filter(|&place| is_one(&names[place], wanted)).collect();
            let [place] = places.as_slice() else { return Err(refused(header, &names)) };
            *column = *place;
        }
        let height = names.iter().position(|name| is_one(name, &HEIGHTS));
        let speed = names.iter().position(|name| name == SPEED);
        let is_read = |name: &str| is_one(name, &HEIGHTS) || COLUMNS.iter().any(|wanted| is_one(name, wanted));
        let ignored = names.iter().filter(|name| !is_read(name));
        let ignored: Vec<String> = ignored.map(|name| excerpt(name)).collect();
        if !ignored.is_empty() {
            let columns = if ignored.len() == 1 { "column" } else { "columns" };
            let message = || format!("{columns} {} ignored; used: t, node, x and y", ignored.join(", "));
            warnings.warn(Some(header.number), message);
        }
        Ok(Columns { separator, of, height, speed, count: names.len(), header: names.join(",") })
    }

    fn of<'a>(&self, line: Line<'a>, cells: &[&'a str]) -> Result<[&'a str; 4], ImportError> {
        if cells.len() == self.count {
            return Ok(self.of.map(|column| cells[column]));
        }
        let error = line.error(format!("{} has {} columns", excerpt(line.text), cells.len()));
        Err(error.expected(format!("{} columns: {}", self.count, self.header)))
    }
}

/// The error of a first line that lacks columns.
fn refused(header: Line<'_>, names: &[String]) -> ImportError {
    let error = header.blame(header.text, "is not a header");
    let error = error.expected(format!("{HEADER}, in any order"));
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    if header.text.starts_with('$') {
        error.hint("for a movement file of ns-2, set kind = \"setdest\"")
    } else if header.text.starts_with('<') {
        error.hint("convert XML of SUMO by its script xml2csv")
    } else if names.iter().any(|name| name.starts_with("lat")) && names.iter().any(|name| name.starts_with("lon")) {
        error.hint("project degrees to meters, in columns x and y")
    } else if header.text.split_whitespace().count() > 2 && header.text.split_whitespace().all(is_number) {
        error.hint("for a movement file of BonnMotion, set kind = \"bonnmotion\"")
    } else {
        error
    }
}

/// The cells of a line, without white space around them and without quotation marks.
fn split<'a>(line: Line<'a>, separator: char, cells: &mut Vec<&'a str>) -> Result<(), ImportError> {
    cells.clear();
    let mut rest = line.text;
    loop {
        let Some(inner) = rest.trim_start().strip_prefix('"') else {
            let (cell, after) = rest.split_once(separator).map_or((rest, None), |(cell, after)| (cell, Some(after)));
            cells.push(cell.trim());
            let Some(after) = after else { return Ok(()) };
            rest = after;
            continue;
        };
        let open = || line.error("unclosed quotation mark").expected("cells such as 5 or \"5\"");
        let (cell, after) = inner.split_once('"').ok_or_else(open)?;
        cells.push(cell.trim());
        rest = match after.trim_start() {
            "" => return Ok(()),
            after => after.strip_prefix(separator).ok_or_else(|| {
                line.error(format!("{} after a closing quotation mark", excerpt(after)))
                    .expected(format!("{separator:?}"))
            })?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Movements, String> {
        csv(File { path: "m.csv", text }, &Request::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_of_all_nodes_in_any_order() {
        let movements =
            read("t,node,x,y\r\n0,1,0,0\r\n0, 0, 5, 5\r\n# later\r\n10,1,20,0\r\n10,1,50,50\r\n12,1,50,60\r\n")
                .expect("a table");
        let place = |node: usize, t| movements.nodes[node].as_ref().expect("a node").position(Time::from_secs(t));
        assert_eq!(place(0, 100.0), (5.0, 5.0));
        assert_eq!((place(1, 5.0), place(1, 9.5)), ((10.0, 0.0), (19.0, 0.0)));
        assert_eq!((place(1, 10.0), place(1, 11.0), place(1, 13.0)), ((50.0, 50.0), (50.0, 55.0), (50.0, 60.0)));
        assert!(movements.warnings.is_empty());
    }

    #[test]
    fn columns_and_rows_in_any_order() {
        let text = "\"y\",\"X\",\"node\",\"z\",\"t\",\"speed\"\n5,20,1,0,10,3\n\"5\", \"0\" ,1,0,0,3\n7,7,0,2,0,0\n";
        let movements = read(text).expect("a table");
        let place = |node: usize, t| movements.nodes[node].as_ref().expect("a node").position(Time::from_secs(t));
        assert_eq!((place(1, 5.0), place(0, 5.0)), ((10.0, 5.0), (7.0, 7.0)));
        let warnings: Vec<String> = movements.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                "m.csv:1: column \"speed\" ignored; used: t, node, x and y",
                "m.csv:3: rows of node 1 are sorted by time",
                "m.csv:4: column z ignored: movement is two-dimensional",
            ]
        );
    }

    #[test]
    fn node_numbers_may_have_gaps() {
        let request = Request { renumber: true, ..Request::default() };
        let movements = csv(File { path: "m.csv", text: "t,node,x,y\n0,7,1,2\n0,3,5,6\n" }, &request).expect("a table");
        assert_eq!(movements.numbers, Some(vec![3, 7]));
        assert_eq!(movements.nodes, [Some(Trajectory::still(5.0, 6.0)), Some(Trajectory::still(1.0, 2.0))]);
        let error = read("t,node,x,y\n0,1,1,2\n").expect_err("no node 0");
        assert!(error.contains("set mobility.renumber = true"), "{error}");
    }

    #[test]
    fn floating_car_data_of_sumo() {
        let text = "timestep_time;vehicle_angle;vehicle_id;vehicle_speed;vehicle_x;vehicle_y\n0.00;;;;;\n\
                    1.00;90.00;veh0;0.00;5.10;1.60\n2.00;90.00;flow.1;0.00;5.10;1.60\n2.00;90.00;veh0;2.00;7.10;1.60\n\
                    3.00;90.00;flow.1;2.00;9.10;1.60\n";
        let request = Request { off_when_absent: true, ..Request::default() };
        let movements = csv(File { path: "m.csv", text }, &request).expect("a table");
        let place = |node: usize, t| movements.nodes[node].as_ref().expect("a node").position(Time::from_secs(t));
        assert_eq!((place(0, 1.5), place(1, 9.0)), ((6.1, 1.6), (9.1, 1.6)));
        let present: Vec<f64> = movements.present.iter().flatten().map(|span| span.from.secs()).collect();
        assert_eq!(present, [1.0, 2.0]);
        let warnings: Vec<String> = movements.warnings.iter().map(ToString::to_string).collect();
        let named = "m.csv:1: nodes are numbered as they appear: \"veh0\" is node 0, \"flow.1\" is node 1";
        assert!(warnings.iter().any(|warning| warning == named), "{warnings:?}");
        assert!(read("t,node,x,y\n0,0,1,2\n0,car,1,2\n").is_err_and(|error| error.contains("car")));
    }

    #[test]
    fn degrees_of_sumo_are_refused() {
        let rows = |scale: f64| {
            let row = |t: u32| format!("{t}.00;car;{:.6};{:.6};13.89\n", 8.54 + scale * 13.89 * f64::from(t), 47.37);
            let header = "timestep_time;vehicle_id;vehicle_x;vehicle_y;vehicle_speed\n";
            read(&(0..9).map(row).fold(header.to_owned(), |text, row| text + &row))
        };
        assert!(rows(1.0).is_ok());
        let error = rows(1.0 / 75_600.0).expect_err("degrees");
        assert!(
            error.starts_with("m.csv:1: coordinates are no metres") && error.contains("--fcd-output.geo"),
            "{error}"
        );
    }

    #[test]
    fn other_formats_are_named_in_the_hint() {
        for (text, hint) in [
            ("<?xml version=\"1.0\"?>\n", "xml2csv"),
            ("t;node;x\n", ""),
            ("$node_(0) set X_ 1\n", "kind = \"setdest\""),
            ("0 1 2 10 3 4\n", "kind = \"bonnmotion\""),
            ("t,node,lat,lon\n", "project degrees to meters"),
            ("t,node,x,y,x\n", ""),
        ] {
            let error = read(text).expect_err("no header");
            assert!(error.starts_with("m.csv:1: ") && error.contains(hint), "{error}");
        }
    }
}
