//! Sizes of a workload: a number of bytes, or a table with a distribution, perhaps of a file.

use crate::app::{SizeConfig, SizeTable};
use crate::kernel::Bytes;
use crate::scenario::schema::fields::{Fields, Shape};
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds, not_supported_with, requires};
use crate::scenario::syntax::quantity::BYTES;
use crate::scenario::syntax::tree::{Node, Value};

/// The distributions of a table.
const KINDS: [&str; 5] = ["exponential", "pareto", "lognormal", "cdf", "file"];

/// Most points of an empirical distribution.
const MAX_POINTS: usize = 100_000;

/// A size; `None` if it is wrong, which is reported.
pub(crate) fn read(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<SizeConfig> {
    let before = reader.diagnostics.len();
    if !matches!(node.value, Value::Table(_)) {
        let value = reader.read(node, key, &Shape::Quantity(&BYTES))?;
        let bytes: Bytes = serde_json::from_value(value).ok()?;
        if bytes.0 == 0 {
            let raw = reader.wrong(node, key, OUT_OF_RANGE);
            reader.refuse(&node.origin, raw);
        }
        return (reader.diagnostics.len() == before).then_some(SizeConfig::Fixed(bytes));
    }
    let fields = Fields::of::<SizeTable>();
    let mut table = reader.overlay(Some(node), key, &fields, SizeTable::default());
    let section = Section { key, table: Some(node) };
    if reader.diagnostics.len() > before {
        return None;
    }
    check(reader, section, &table);
    if let Some(name) = table.file.take() {
        table.cdf = read_file(reader, section, &name);
    }
    if let Some(points) = &table.cdf
        && let Err(what) = check_points(points)
    {
        let blamed = section.blamed(&["cdf", "file"]);
        let expected = "sizes and shares that grow, the last share 1: [[1000, 0.5], [100000, 1.0]]";
        section.rule(reader, blamed, false, &what, expected);
    }
    (reader.diagnostics.len() == before).then_some(SizeConfig::Drawn(table))
}

fn check(reader: &mut Reader<'_>, section: Section<'_>, table: &SizeTable) {
    let given: Vec<&str> = KINDS.into_iter().filter(|key| section.given(key).is_some()).collect();
    match given[..] {
        [] => section.rule(reader, "exponential", false, "missing", &format!("one of {}", KINDS.join(", "))),
        [_] => {}
        [first, second, ..] => {
            section.rule(reader, second, false, &not_supported_with(first), &format!("{first} or {second}"));
        }
    }
    for (key, value) in [("pareto", table.pareto), ("lognormal", table.lognormal)] {
        let holds = value.is_none_or(|value| value > 0.0 && value <= 100.0);
        section.rule(reader, key, holds, OUT_OF_RANGE, "number above 0, at most 100");
    }
    let holds = table.pareto.is_none() || table.min.is_some();
    section.rule(reader, "pareto", holds, &requires("min"), "min and max beside pareto");
    let holds = table.lognormal.is_some() == table.median.is_some();
    let blamed = section.blamed(&["lognormal", "median"]);
    section.rule(reader, blamed, holds, "lognormal and median require each other", "both, or neither");
    for (key, bytes) in
        [("exponential", table.exponential), ("median", table.median), ("min", table.min), ("max", table.max)]
    {
        section.rule(reader, key, bytes.is_none_or(|bytes| bytes.0 > 0), OUT_OF_RANGE, "at least 1 B");
    }
    let (low, high) = table.bounds();
    let is_known = table.min.is_some() || table.max.is_some();
    let holds = !is_known || low < high;
    section.rule(reader, section.blamed(&["max", "min"]), holds, &exceeds("min", low, "max", high), "min below max");
}

fn check_points(points: &[[f64; 2]]) -> Result<(), String> {
    if points.is_empty() || points.len() > MAX_POINTS {
        return Err(format!("{} points, expected 1 to {MAX_POINTS}", points.len()));
    }
    let mut last = [0.0, 0.0];
    for &[size, share] in points {
        if size < 1.0 || size > f64::from(u32::MAX) || size < last[0] {
            return Err(format!("size {size} follows {}", last[0]));
        }
        if !(0.0..=1.0).contains(&share) || share < last[1] {
            return Err(format!("share {share} follows {}", last[1]));
        }
        last = [size, share];
    }
    if (last[1] - 1.0).abs() < 1e-9 { Ok(()) } else { Err(format!("the last share is {}", last[1])) }
}

/// The points of a file: a size in bytes and a share on each line; `#` begins a comment.
fn read_file(reader: &mut Reader<'_>, section: Section<'_>, name: &str) -> Option<Vec<[f64; 2]>> {
    let text = match reader.file(name) {
        Ok((_, text)) => text,
        Err(what) => {
            section.rule(reader, "file", false, &what, "file with a size in bytes and a share on each line");
            return None;
        }
    };
    let mut points = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let &[size, share] = &numbers[..] else {
            let what = format!("line {}: expected two numbers", i + 1);
            let key = join("file", name);
            section.rule(reader, "file", false, &format!("{what} ({key})"), "a size in bytes and a share on each line");
            return None;
        };
        points.push([size, share]);
    }
    Some(points)
}
