//! A grid: rows of columns, numbered row by row. Flows run along each row, then along each column.

use super::family::{Family, Invalid, clipped, invalid_lengths, line};
use crate::kernel::Metres;
use crate::mobility::Point;
use crate::scenario::topology::keys::TopologyConfig;

/// A grid whose rows and columns are `spacing` metres apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    rows: u32,
    columns: u32,
    spacing: f64,
}

impl Family for Grid {
    const SUMMARY: &'static str = "rows x columns nodes";
    const KEYS: &'static [&'static str] = &["columns", "rows", "spacing"];
    const SIZE_KEYS: &'static [&'static str] = &["columns", "rows"];

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_lengths(&[("spacing", keys.spacing)])
    }

    fn from_keys(keys: &TopologyConfig) -> Option<Grid> {
        let columns = clipped(keys.columns?);
        Some(Grid { rows: keys.rows.map_or(columns, clipped), columns, spacing: keys.spacing_or_default() })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.rows = Some(u64::from(self.rows));
        keys.columns = Some(u64::from(self.columns));
        keys.spacing = Some(Metres(self.spacing));
    }

    fn nodes(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    fn positions(&self) -> Vec<Point> {
        (0..self.rows).flat_map(|row| line(self.columns, self.spacing, f64::from(row) * self.spacing)).collect()
    }

    fn natural_pairs(&self) -> usize {
        let along_columns = if self.rows > 1 { self.columns as usize } else { 0 };
        self.pairs_along_rows() as usize + along_columns
    }

    fn natural_pair(&self, i: usize) -> (u32, u32) {
        let (i, rows) = (i as u32, self.pairs_along_rows());
        if i < rows {
            (i * self.columns, i * self.columns + self.columns - 1)
        } else {
            (i - rows, (self.rows - 1) * self.columns + i - rows)
        }
    }

    fn center(&self) -> u32 {
        self.rows / 2 * self.columns + self.columns / 2
    }
}

impl Grid {
    fn pairs_along_rows(&self) -> u32 {
        if self.columns > 1 { self.rows } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::tests::{links, links_of, pairs};
    use super::*;

    #[test]
    fn flows_run_along_rows_then_columns() {
        let grid = Grid { rows: 2, columns: 3, spacing: 200.0 };
        assert_eq!(links(&grid), links_of(&[&[0, 1, 2], &[3, 4, 5], &[0, 3], &[1, 4], &[2, 5]]));
        assert_eq!(pairs(&grid), [(0, 2), (3, 5), (0, 3), (1, 4), (2, 5)]);
        assert_eq!(grid.center(), 4);
    }

    #[test]
    fn single_line_has_flows_in_one_direction() {
        assert_eq!(pairs(&Grid { rows: 1, columns: 1, spacing: 200.0 }), []);
        assert_eq!(pairs(&Grid { rows: 3, columns: 1, spacing: 200.0 }), [(0, 2)]);
    }
}
