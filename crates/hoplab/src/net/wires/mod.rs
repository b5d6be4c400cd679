//! Wires between nodes: each direction is a port with a queue, a rate and a delay.
//!
//! # Model
//! A packet that a port accepts waits in its queue; the packet in service is not in the queue. Service takes
//! 8 (bytes + `overhead`) / `rate`, rounded up to a nanosecond. Then the packet is lost with the probability `loss`, or arrives after
//! `delay` and a uniform random time up to `jitter`. A later packet arrives no earlier, unless `reorder`. There is no ARP
//! and no `link.delay`. A packet costs two events. A port may have feedback routers: packets pass them when they arrive and when
//! their service begins.
//! # Source
//! Store and forward as in ns-2.35 `SimpleLink`; bursts of losses after Gilbert (1960) and Elliott (1963).
//! # Deviations
//! ns-2's drop-tail queue of a link of size N holds N - 1 packets besides the one in service; here all `limit` packets wait.
//! # Parameters
//! Table `[[wire]]`.

mod config;
mod loss;
mod port;
mod table;
mod usage;

pub use config::{Bursts, PortConfig, WireLoss, WireSpec};
pub use port::{Port, PortCounts};
pub use table::Wires;
