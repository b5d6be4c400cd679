//! Windowed maximum of samples by the three-sample method of Kathleen Nichols (`lib/win_minmax.c` of Linux).

/// Maximum of the samples of a window, in whatever unit times are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MaxFilter {
    /// The maximum, and those of what came after it.
    best: [(u64, f64); 3],
}

impl MaxFilter {
    /// The maximum.
    #[inline]
    pub(crate) fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Adds a sample to a window of this length.
    pub(crate) fn add(&mut self, length: u64, at: u64, value: f64) {
        let new = (at, value);
        let best = &mut self.best;
        if value >= best[0].1 || at - best[2].0 > length {
            *best = [new; 3];
            return;
        }
        if value >= best[1].1 {
            (best[1], best[2]) = (new, new);
        } else if value >= best[2].1 {
            best[2] = new;
        }
        let age = at - best[0].0;
        if age > length {
            // The maximum is too old.
            *best = [best[1], best[2], new];
            if at - best[0].0 > length {
                *best = [best[1], best[2], new];
            }
        } else if best[1].0 == best[0].0 && age > length / 4 {
            // A quarter of the window without a second best.
            (best[1], best[2]) = (new, new);
        } else if best[2].0 == best[1].0 && age > length / 2 {
            best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maximum_leaves_after_the_window() {
        let mut filter = MaxFilter::default();
        for (at, value) in [(0, 5.0), (1, 9.0), (4, 7.0), (7, 6.0)] {
            filter.add(10, at, value);
        }
        assert_eq!(filter.get(), 9.0);
        filter.add(10, 11, 3.0);
        assert_eq!(filter.get(), 9.0);
        filter.add(10, 12, 3.0);
        assert_eq!(filter.get(), 7.0);
        filter.add(10, 30, 1.0);
        assert_eq!(filter.get(), 1.0);
    }
}
