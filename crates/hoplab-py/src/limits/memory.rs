//! Memory of a batch: the memory that is available to this process, shared by runs in order of arrival.
//!
//! A run waits until its estimated memory is available, so that the threads together do not exceed the limit of the process.

use hoplab::scenario::MAX_BYTES;
use pyo3::prelude::*;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Usable part of the available memory: the rest is for libraries, results, and errors of estimates.
const SHARE: f64 = 0.9;

/// Interval at which a waiting run tests whether it is cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

/// Memory that runs share.
pub(crate) struct Memory {
    all: f64,
    taken: Mutex<f64>,
    freed: Condvar,
}

/// Memory of a run, until it is dropped.
pub(crate) struct Reservation<'m> {
    memory: &'m Memory,
    bytes: f64,
}

impl Memory {
    /// The memory that is available to this process, at most the limit of a run.
    pub(crate) fn left() -> Memory {
        Memory { all: memory_left(), taken: Mutex::new(0.0), freed: Condvar::new() }
    }

    /// All of it, in bytes.
    pub(crate) fn all(&self) -> f64 {
        self.all
    }

    /// Waits until `bytes` are available, at most all; `None` if the batch is cancelled meanwhile.
    pub(crate) fn take(&self, bytes: f64, cancelled: &AtomicBool) -> Option<Reservation<'_>> {
        let bytes = bytes.min(self.all);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0.0 && *taken + bytes > self.all {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            taken = self.freed.wait_timeout(taken, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += bytes;
        Some(Reservation { memory: self, bytes })
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = (*taken - self.bytes).max(0.0);
        self.memory.freed.notify_all();
    }
}

/// Bytes that are available to this process: the minimum of its limit of address space, the available memory of the machine
/// and the control group, and the limit of a run.
#[pyfunction]
pub(crate) fn memory_left() -> f64 {
    let limits = [address_space(), machine(), control_group()];
    let least = limits.into_iter().flatten().fold(f64::INFINITY, f64::min);
    (least * SHARE).min(MAX_BYTES)
}

/// Below the limit of `ulimit -v`, if there is one.
fn address_space() -> Option<f64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: f64 = line.split_whitespace().next()?.parse().ok()?;
    let kib = field(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some((limit - kib * 1024.0).max(0.0))
}

fn machine() -> Option<f64> {
    Some(field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? * 1024.0)
}

/// Below the limit of control groups of version 2, as containers have.
fn control_group() -> Option<f64> {
    let number = |name: &str| -> Option<f64> {
        fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?.trim().parse().ok()
    };
    // Pages of files can be reclaimed.
    let files = field(&fs::read_to_string("/sys/fs/cgroup/memory.stat").ok()?, "inactive_file").unwrap_or(0.0);
    Some((number("max")? - number("current")? + files).max(0.0))
}

/// The number behind a name at the start of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn runs_wait_for_room() {
        let memory = Memory { all: 10.0, taken: Mutex::new(0.0), freed: Condvar::new() };
        let (together, most, cancelled) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let portion = memory.take(4.0, &cancelled);
                    assert!(portion.is_some());
                    most.fetch_max(together.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    together.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 2);
        let first = memory.take(99.0, &cancelled);
        assert!(first.is_some(), "a run alone may use all memory");
        cancelled.store(true, Ordering::Relaxed);
        assert!(memory.take(1.0, &cancelled).is_none());
    }

    #[test]
    fn numbers_of_the_system_are_read() {
        assert_eq!(field("A:  7 kB\nVmSize:\t  12 kB", "VmSize:"), Some(12.0));
        assert_eq!(field("A:  7 kB", "VmSize:"), None);
        assert!(memory_left() > 0.0);
    }
}
