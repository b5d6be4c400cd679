//! Static shortest paths, known from the start: the baseline in which routing costs nothing.
//!
//! # Model
//! Before the run, the shortest path by hops is found for each pair of nodes that a flow connects, on the graph of nodes in
//! reception range of each other. A relay sends a packet to the neighbor that its table gives. A frame that exceeds the MAC's
//! retry limit is dropped.
//!
//! # Source
//! Breadth-first search. It represents ns-2's DSDV whose updates stop once it has converged, which ignores link failures, too.
//!
//! # Deviations
//! Of equal paths the one through the neighbor with the lowest number counts; DSDV keeps the first that it received. No
//! bytes are added to TCP packets unless `routing.extra_bytes` is given (20 reproduces ns-2's DSDV). The TTL is 255.

mod agent;
mod table;

pub use agent::StaticPath;
pub use table::{PathRules, StaticTable, paths, routes};
