//! Fuzz targets of the engine: what they do is written, and replayed, in `crates/hoplab/tests`.

#[allow(dead_code, reason = "the soak uses more of it")]
#[path = "../../crates/hoplab/tests/soak/check.rs"]
mod check;
#[path = "../../crates/hoplab/tests/soak/draft.rs"]
mod draft;
#[path = "../../crates/hoplab/tests/hints/mod.rs"]
mod hints;
#[path = "../../crates/hoplab/tests/soak/imports.rs"]
mod imports;
#[path = "../../crates/hoplab/tests/fuzz/targets.rs"]
pub mod targets;
#[allow(dead_code, reason = "the soak uses more of it")]
#[path = "../../crates/hoplab/tests/soak/variables.rs"]
mod variables;
