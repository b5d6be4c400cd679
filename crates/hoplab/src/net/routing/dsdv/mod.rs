//! DSDV: each node regularly broadcasts the distances of all destinations to its neighbors.
//!
//! # Model
//! Per destination a node keeps a sequence number, the hops and the next hop. A full update lists them, every 11.25 to 15 s;
//! triggered updates list changes in between. A newer number always wins, of equal numbers the shorter route. Each destination
//! raises its own number, which is even, with each full update; a node that loses a route raises the number by one and
//! advertises an infinite distance. A route is not advertised before it has settled: twice a running mean of the time within
//! which better routes of the same number used to arrive. A neighbor without an update for three periods is lost. Packets
//! without a route wait.
//!
//! # Source
//! Perkins and Bhagwat 1994. Profile `ns2` (default) does what ns-2.35's `dsdv/` does. Profile `rfc` does the same, but a
//! frame that exceeds the MAC's retry limit is a broken link, as in the paper.
//!
//! # Deviations
//! See `docs/protocols/dsdv.md`. A packet that has waited receives no second header; a refused offer releases no packets
//! (in ns-2 it causes an endless loop); an update can have more than 255 entries.
//!
//! # Parameters
//! Table `[routing.dsdv]`, and `routing.extra_bytes` (ns2: 20 B, an IP header also on TCP's packets).

mod agent;
mod clocks;
mod config;
mod directory;
mod entry;
mod further_radios;
pub mod message;
mod receive;
mod routing;
mod send_buffer;
mod table;
mod update;

pub use agent::{Dsdv, DsdvRoute};
pub use config::DsdvConfig;
