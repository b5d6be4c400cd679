//! A failing scenario made small: without every setting that the failure does not need.

use crate::check::{Violation, check};
use crate::draft::Draft;

/// Most runs that shrinking may take.
const MOST_RUNS: usize = 400;

/// The smallest scenario found in which the same property fails, and how it fails there.
pub fn shrink(draft: &Draft, violation: Violation, fails: &dyn Fn(&Draft) -> Option<Violation>) -> (Draft, Violation) {
    let mut best = (draft.clone(), violation);
    let mut runs = 0;
    loop {
        let before = size(&best.0);
        for smaller in candidates(&best.0) {
            if runs == MOST_RUNS {
                return best;
            }
            if size(&smaller) >= size(&best.0) || smaller.resolved().is_err() {
                continue;
            }
            runs += 1;
            if let Some(found) = fails(&smaller).filter(|found| found.property == best.1.property) {
                best = (smaller, found);
            }
        }
        if size(&best.0) == before {
            return best;
        }
    }
}

/// Whether this fails, by what the engine does.
pub fn fails(draft: &Draft) -> Option<Violation> {
    check(draft).err()
}

/// Everything one step smaller, large steps first.
fn candidates(draft: &Draft) -> Vec<Draft> {
    let mut all = Vec::new();
    for at in (0..draft.blocks.len()).rev() {
        let mut smaller = draft.clone();
        smaller.blocks.remove(at);
        all.push(smaller);
    }
    // Whole tables, then single keys.
    let tables: Vec<&str> = draft.settings.iter().filter_map(|setting| setting.key.split('.').next()).collect();
    for table in tables {
        let inside = format!("{table}.");
        let mut smaller = draft.clone();
        smaller.settings.retain(|setting| !setting.key.starts_with(&inside));
        all.push(smaller);
    }
    for at in (0..draft.settings.len()).rev() {
        let mut smaller = draft.clone();
        smaller.settings.remove(at);
        all.push(smaller);
    }
    for block in 0..draft.blocks.len() {
        for at in (0..draft.blocks[block].settings.len()).rev() {
            let mut smaller = draft.clone();
            smaller.blocks[block].settings.remove(at);
            all.push(smaller);
        }
    }
    all
}

/// How much there is to read.
fn size(draft: &Draft) -> usize {
    draft.settings.len() + draft.blocks.iter().map(|block| 1 + block.settings.len()).sum::<usize>()
}
