//! The resolved scenario, from which a world is built.
//!
//! `read` resolves the tables in steps; `parsed` is the result, shared by all runs of a batch; `draw` adds what a run's seed
//! decides: positions, movements and generated flows, and checks the memory that it needs. `resolved`, `flow` and `movement` are the parts of the
//! scenario, `facts` and `warnings` statements about it, `write` its forms as text.

mod acks;
mod connectivity;
mod degrees;
pub(crate) mod draw;
pub(crate) mod facts;
pub(crate) mod flow;
mod handshakes;
pub(crate) mod links;
pub(crate) mod movement;
pub(crate) mod parsed;
mod read;
mod relays;
pub(crate) mod resolved;
mod warnings;
mod wired;
pub(super) mod workload;
pub(crate) mod write;
