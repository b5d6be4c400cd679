//! Table `[muzha]`: sender and routers of TCP Muzha (Lien and Hsiao). Ranges of numbers are in the schema.

use crate::kernel::Span;
use crate::packet::explicit::{DraiConfig, DraiMode, MAX_LEVEL, MIN_LEVEL, MuzhaConfig};
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds};

/// Maximum length of the options of an IP or TCP header, in bytes.
const MAX_OPTION: u32 = 40;

impl Table for MuzhaConfig {
    const KEY: &'static str = "muzha";

    fn defaults(_: RuleSet, _: Section<'_>) -> MuzhaConfig {
        MuzhaConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        for (key, bytes) in [("option_bytes", self.option_bytes), ("echo_bytes", self.echo_bytes)] {
            section.rule(reader, key, bytes.0 <= MAX_OPTION, OUT_OF_RANGE, "0 to 40 bytes; one level takes 4");
        }
        let table = section.given("drai");
        let drai = Section { key: "muzha.drai", table };
        check_times(reader, drai, &self.drai);
        if !reader.is_clean(section.key) {
            return;
        }
        if let Some(w_max) = self.w_max {
            let key = section.blamed(&["w_max", "w_min"]);
            let what = exceeds("w_min", self.w_min, "w_max", w_max);
            section.rule(reader, key, self.w_min <= w_max, &what, "w_min not above w_max");
        }
        check_thresholds(reader, drai, &self.drai);
    }
}

fn check_times(reader: &mut Reader<'_>, section: Section<'_>, config: &DraiConfig) {
    let (least, most) = (Span::from_millis(1), Span::from_millis(60_000));
    let times = [("tau", config.tau), ("hold", config.hold), ("drop_hold", config.drop_hold)];
    for (key, time) in times {
        section.rule(reader, key, (least..=most).contains(&time), OUT_OF_RANGE, "time from 1 ms to 60 s");
    }
    let is_kept = (Span::from_millis(10)..=Span::from_millis(2500)).contains(&config.busy_window);
    let expected = "10 ms to 2.5 s, the history of the observer";
    section.rule(reader, "busy_window", is_kept, OUT_OF_RANGE, expected);
}

fn check_thresholds(reader: &mut Reader<'_>, section: Section<'_>, config: &DraiConfig) {
    let queue = [("q1", config.q1), ("q2", config.q2), ("q3", config.q3), ("q4", config.q4)];
    let busy = [("u1", config.u1), ("u2", config.u2), ("u3", config.u3)];
    for row in [&queue[..], &busy[..]] {
        for pair in row.windows(2) {
            let [(low, a), (high, b)] = pair else { continue };
            let what = exceeds(low, a, high, b);
            let key = section.blamed(&[low, high]);
            section.rule(reader, key, a <= b, &what, "thresholds in ascending order");
        }
    }
    let table = Section { key: "muzha.drai.table", table: section.given("table") };
    let four = &config.table;
    let rows =
        [("queue", four.queue), ("share", four.share), ("busy", four.busy), ("delay", four.delay), ("used", four.used)];
    for (key, row) in rows {
        let rises = row.is_none_or(|four| four[0] >= 0.0 && four.windows(2).all(|pair| pair[0] <= pair[1]));
        table.rule(
            reader,
            key,
            rises,
            "must ascend from at least 0",
            "four ascending thresholds, for levels 5, 4, 3 and 2",
        );
    }
    let is_used = config.mode != DraiMode::Table || rows.iter().any(|(_, row)| row.is_some());
    let expected = "thresholds in [muzha.drai.table]: queue = [0.1, 0.4, 0.8, 2.0], share, busy, delay or used";
    section.rule(reader, "mode", is_used, "{} requires [muzha.drai.table]", expected);
    check_grid(reader, section, config);
}

/// Maximum number of cells of a grid.
const MAX_CELLS: usize = 4096;

fn check_grid(reader: &mut Reader<'_>, section: Section<'_>, config: &DraiConfig) {
    let grid = Section { key: "muzha.drai.grid", table: section.given("grid") };
    for (key, steps) in config.grid.rows() {
        let rises = steps.iter().all(|step| *step >= 0.0) && steps.windows(2).all(|pair| pair[0] < pair[1]);
        grid.rule(reader, key, rises, "must ascend from at least 0", "ascending steps, each different");
    }
    let (levels, cells) = (config.grid.levels(), config.grid.cells());
    let are_levels = levels.iter().all(|level| (MIN_LEVEL..=MAX_LEVEL).contains(level));
    grid.rule(reader, "levels", are_levels, OUT_OF_RANGE, "levels from 1 to 5");
    let is_small = cells <= MAX_CELLS;
    grid.rule(reader, "levels", is_small, &format!("has {cells} cells"), "at most 4096 cells: fewer steps");
    let has_all = levels.len() == cells || (levels.is_empty() && cells == 1);
    let what = format!("has {} entries", levels.len());
    grid.rule(reader, "levels", has_all, &what, &format!("{cells}: one more than steps, for each signal multiplied"));
    let is_given = config.mode != DraiMode::Grid || cells > 1;
    let expected = "steps and levels in [muzha.drai.grid], such as queue = [0.4, 4.0], levels = [5, 3, 1]";
    section.rule(reader, "mode", is_given, "{} requires [muzha.drai.grid]", expected);
}
