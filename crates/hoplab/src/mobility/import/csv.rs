//! Movements as a table: header `t,node,x,y`; seconds, whole numbers, metres.
//!
//! # Model
//! A row says when a node is where; it moves evenly from one of its rows to the next. Before its first row it stands
//! there, after its last one it stays. Two rows of a node at one time are a jump. Rows of different nodes may come in
//! any order, those of one node in order of time. Empty lines and lines with `#` are passed over.
//!
//! # Source
//! Our own form: what a spreadsheet or a data frame writes.
//!
//! # Deviations
//! None: there is no other definition.
//!
//! # Parameters
//! See [`Request`].

use super::lines::{Line, excerpt, lines, whole};
use super::message::{ImportError, Warnings};
use super::request::{File, Movements, Request};
use crate::kernel::Time;
use crate::mobility::trajectory::Path;
use std::collections::BTreeMap;

/// The first line of every table.
pub(crate) const HEADER: &str = "t,node,x,y";

/// Reads a table of movements.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn csv(file: File, request: &Request) -> Result<Movements, ImportError> {
    let mut rows = lines(file).filter(|line| !line.text.is_empty() && !line.text.starts_with('#'));
    let header = rows.next().ok_or_else(|| {
        let error = whole(file.path, "the file is empty").expected(format!("a header {HEADER}"));
        ImportError { line: Some(1), ..error }
    })?;
    check(header)?;
    let mut nodes: BTreeMap<u32, Way> = BTreeMap::new();
    let mut last_line = header.number;
    for line in rows {
        last_line = line.number;
        let [t, node, x, y] = cells(line)?;
        let (t, node, to) = (line.time(t)?, line.node(node)?, (line.coordinate(x)?, line.coordinate(y)?));
        request.admit(line, node)?;
        match nodes.get_mut(&node) {
            None => {
                let path = Path::at(to.0, to.1);
                nodes.insert(node, Way { path, t, first: (t, line.number), line: line.number });
            }
            Some(way) if t < way.t => {
                let message = format!(
                    "time of node {node} goes back from {} s in line {} to {} s",
                    way.t.secs(),
                    way.line,
                    t.secs()
                );
                return Err(line.error(message).expected("rows of a node in order of time"));
            }
            Some(way) => {
                way.path.reach(way.t, t, to);
                (way.t, way.line) = (t, line.number);
            }
        }
    }
    let mut warnings = Warnings::new(file.path);
    let mut found = BTreeMap::new();
    for (node, Way { path, first: (t, line), .. }) in nodes {
        if t > Time::ZERO {
            warnings.warn(Some(line), || format!("node {node} begins at {} s: until then it stands there", t.secs()));
        }
        let way = path.finish();
        let ((left, bottom), (right, top)) = way.bounding_box();
        if let Some((a, b)) = request.area.filter(|&(a, b)| left < 0.0 || bottom < 0.0 || right > a || top > b) {
            warnings.warn(Some(line), || format!("node {node} leaves the area {a} m x {b} m"));
        }
        found.insert(node, way);
    }
    request.muster(file.path, found, last_line, "rows t,node,x,y below the header", warnings.finish())
}

struct Way {
    path: Path,
    /// Of its last row so far.
    t: Time,
    line: u32,
    /// Time and line of its first row.
    first: (Time, u32),
}

fn check(header: Line) -> Result<(), ImportError> {
    let names = header.text.split(',').map(|name| name.trim().trim_matches('"'));
    if names.eq(HEADER.split(',')) {
        return Ok(());
    }
    let error = header.blame(header.text, "is not the header of a table of movements").expected(HEADER);
    Err(if header.text.starts_with('$') {
        error.hint("this looks like a movement file of ns-2: kind = \"setdest\"")
    } else if header.text.split(';').count() == 4 {
        error.hint("columns are separated by commas")
    } else if header.text.split_whitespace().count() > 2
        && header.text.split_whitespace().all(|word| word.parse::<f64>().is_ok())
    {
        error.hint("this looks like a movement file of BonnMotion: kind = \"bonnmotion\"")
    } else {
        error
    })
}

fn cells(line: Line<'_>) -> Result<[&str; 4], ImportError> {
    let mut cells = [""; 4];
    let mut count = 0;
    for cell in line.text.split(',') {
        if let Some(slot) = cells.get_mut(count) {
            *slot = cell.trim();
        }
        count += 1;
    }
    if count == 4 {
        return Ok(cells);
    }
    Err(line.error(format!("{} has {count} columns", excerpt(line.text))).expected(format!("4 columns: {HEADER}")))
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
    fn other_forms_are_recognised() {
        for (text, hint) in [
            ("t;node;x;y\n", "columns are separated by commas"),
            ("$node_(0) set X_ 1\n", "kind = \"setdest\""),
            ("0 1 2 10 3 4\n", "kind = \"bonnmotion\""),
        ] {
            let error = read(text).expect_err("no header");
            assert!(error.starts_with("m.csv:1: ") && error.contains(hint), "{error}");
        }
    }
}
