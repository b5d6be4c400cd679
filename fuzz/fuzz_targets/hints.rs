//! See `crates/hoplab/tests/fuzz/targets.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hoplab_fuzz::targets::hints(bytes));
