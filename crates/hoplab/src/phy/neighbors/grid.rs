//! Uniform grid (cell lists): finds nodes near a position in time proportional to their number.

/// Nodes by square cell.
#[derive(Debug)]
pub struct Grid {
    cell: f64,
    origin: (f64, f64),
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

/// Cells per side of the largest grid.
const MAX_CELLS_PER_SIDE: f64 = 4096.0;

/// Cells per side of a grid for a node, and more for each square root of the number of nodes: few nodes far apart need no
/// more cells than others.
const CELLS_PER_SIDE: (f64, f64) = (64.0, 8.0);

impl Grid {
    /// Sorts `positions` (metres) into cells at least `cell` metres wide.
    pub fn new(positions: &[(f64, f64)], cell: f64) -> Grid {
        let bounds = |pick: fn(&(f64, f64)) -> f64| {
            let low = positions.iter().map(pick).fold(f64::INFINITY, f64::min);
            let high = positions.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
            (low, high)
        };
        let ((left, right), (bottom, top)) = (bounds(|p| p.0), bounds(|p| p.1));
        let side = (right - left).max(top - bottom).max(1.0);
        let most = CELLS_PER_SIDE.0 + CELLS_PER_SIDE.1 * libm::sqrt(positions.len() as f64);
        let cell = cell.max(side / most.min(MAX_CELLS_PER_SIDE));
        let columns = ((right - left) / cell).max(0.0) as usize + 1;
        let rows = ((top - bottom) / cell).max(0.0) as usize + 1;
        let mut grid = Grid {
            cell,
            origin: (left, bottom),
            columns,
            rows,
            starts: vec![0; columns * rows + 1],
            nodes: Vec::new(),
        };
        let cells: Vec<usize> = positions.iter().map(|&p| grid.cell_of(p)).collect();
        for &cell in &cells {
            grid.starts[cell + 1] += 1;
        }
        for cell in 0..columns * rows {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        let mut next = grid.starts.clone();
        grid.nodes = vec![0; positions.len()];
        for (node, &cell) in cells.iter().enumerate() {
            grid.nodes[next[cell] as usize] = node as u32;
            next[cell] += 1;
        }
        grid
    }

    /// Calls `visit` for every node within one cell's width of `position`, and some more.
    pub fn near(&self, position: (f64, f64), mut visit: impl FnMut(u32)) {
        let (column, row) = self.column_row(position);
        for r in row.saturating_sub(1)..=(row + 1).min(self.rows - 1) {
            for c in column.saturating_sub(1)..=(column + 1).min(self.columns - 1) {
                let cell = r * self.columns + c;
                for &node in &self.nodes[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                    visit(node);
                }
            }
        }
    }

    fn column_row(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let column = ((x - self.origin.0) / self.cell) as usize;
        let row = ((y - self.origin.1) / self.cell) as usize;
        (column.min(self.columns - 1), row.min(self.rows - 1))
    }

    fn cell_of(&self, position: (f64, f64)) -> usize {
        let (column, row) = self.column_row(position);
        row * self.columns + column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nodes_far_apart_have_few_cells() {
        let far = [(0.0, 0.0), (200.0, 0.0), (1e9, 0.0), (0.0, 1e9)];
        assert!(Grid::new(&far, 250.0).starts.len() < 7000);
        let near: Vec<(f64, f64)> = (0..100).map(|node| (f64::from(node) * 200.0, 0.0)).collect();
        assert!((Grid::new(&near, 550.0).cell - 550.0).abs() < 1e-9, "usual networks have cells of their reach");
    }

    proptest! {
        #[test]
        fn finds_all_that_brute_force_finds(
            positions in proptest::collection::vec((-3e3..3e3f64, -3e3..3e3f64), 1..80),
            reach in 1.0..2e3f64,
        ) {
            let grid = Grid::new(&positions, reach);
            for &(x, y) in &positions {
                let mut found = Vec::new();
                grid.near((x, y), |node| found.push(node as usize));
                found.sort_unstable();
                let before = found.len();
                found.dedup();
                prop_assert_eq!(before, found.len());
                for (other, &(ox, oy)) in positions.iter().enumerate() {
                    if libm::hypot(ox - x, oy - y) <= reach {
                        prop_assert!(found.contains(&other));
                    }
                }
            }
        }
    }
}
