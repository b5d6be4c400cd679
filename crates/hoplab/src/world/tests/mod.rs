//! Runs of small networks, built and driven from inside the crate.

mod drops;
mod feedback;
mod frame_script;
mod limits;
mod nav;
mod run_kind;
mod semi_tcp;
