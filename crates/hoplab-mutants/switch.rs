//! Which mutant is on: the number in `HOPLAB_MUTANT`. With `HOPLAB_MUTANTS_REACHED`, what is asked for goes to that
//! file. `scripts/measure/mutants.py` puts this into the copy of the engine, and says how many mutants there are.
#![allow(missing_docs)]
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const MUTANTS: usize = COUNT;
const UNKNOWN: u32 = u32::MAX;
const RECORDING: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;
static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];

#[inline]
pub fn on(id: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    if active >= RECORDING { ask(id) } else { active == id }
}

#[cold]
fn ask(id: u32) -> bool {
    if ACTIVE.load(Relaxed) == UNKNOWN {
        let is_recording = std::env::var_os("HOPLAB_MUTANTS_REACHED").is_some();
        let active = std::env::var("HOPLAB_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(NONE);
        ACTIVE.store(if is_recording { RECORDING } else { active }, Relaxed);
        return on(id);
    }
    if !REACHED[id as usize].swap(true, Relaxed) {
        let path = std::env::var_os("HOPLAB_MUTANTS_REACHED").expect("a path");
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).expect("a file to write");
        writeln!(file, "{id}").expect("a file to write");
    }
    false
}
