//! Transport implementations of others as flows of hoplab, driven in simulated time.
//!
//! A library without I/O takes time as an argument and returns packets. Here each becomes a [`Stack`] of the engine, which
//! depends on none of them: a program hands [`Stacks`] to `World::build_with`. Features choose the libraries.

use hoplab::transport::{Stack, StackKind, StackSetup};
use hoplab::world::{ExternalStack, Externals};

#[cfg(feature = "quinn")]
mod quinn;
#[cfg(feature = "smoltcp")]
mod smoltcp;

/// Builds the stacks that this program has, and no other external parts.
#[derive(Clone, Copy, Debug)]
pub struct Stacks;

impl Externals for Stacks {
    fn stack(&mut self, kind: StackKind, setup: &StackSetup) -> Result<ExternalStack, String> {
        build(kind, setup)
    }
}

/// A stack before its flow starts.
///
/// # Errors
/// If this program is built without its feature.
#[cfg_attr(not(any(feature = "quinn", feature = "smoltcp")), expect(unused_variables, reason = "no stack is there"))]
pub fn build(kind: StackKind, setup: &StackSetup) -> Result<Box<dyn Stack>, String> {
    match kind {
        #[cfg(feature = "quinn")]
        StackKind::QuinnNewReno | StackKind::QuinnCubic | StackKind::QuinnBbr => {
            Ok(Box::new(quinn::Quic::new(kind, setup)))
        }
        #[cfg(feature = "smoltcp")]
        StackKind::SmoltcpReno | StackKind::SmoltcpCubic => Ok(Box::new(smoltcp::Tcp::new(kind, setup))),
        #[cfg(not(all(feature = "quinn", feature = "smoltcp")))]
        other => Err(other.missing()),
    }
}
