//! Generated traffic: table `[traffic]`, which draws many flows as ns-2's `cbrgen` does.
//!
//! # Model
//! A generator of pairs draws the end points. Each flow starts at a uniform time within `start_window` after `start`, and
//! ends after `length` if that is given. End points are nodes of `ends`: all, or those that move (`topology.mobile_nodes`).
//!
//! Pairs and starts are drawn for each run from its seed. With `traffic.seed` they follow from that seed alone, as those
//! of a generated file follow from the generator's seed: all runs of a scenario have equal flows. They are numbered after
//! those of `[[flow]]`. With `file` the flows are those of a file written by `cbrgen`.
//!
//! A new generator is one file that implements [`generator::Generator`], and one row in `list.rs`.
//!
//! # Source
//! `cbrgen.tcl` of ns-2.35: 512 bytes, at most 10 000 packets at random distances for CBR; Tahoe with a window of 32 for
//! TCP; starts within 180 s.
//!
//! # Deviations
//! `rate` is in bits per second, not packets. See also `cbrgen.rs`.
//!
//! # Parameters
//! Table `[traffic]`.

mod cbrgen;
mod generator;
mod keys;
mod list;
mod random;
mod ring;

pub(crate) use generator::{Draw, Shortfall};
pub(crate) use keys::CBR_KEYS;
pub use keys::{Ends, TrafficConfig, TrafficKind};
pub use list::Pairs;
