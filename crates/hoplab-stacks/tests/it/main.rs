//! Flows that the implementations of others carry, one program: `cargo test -p hoplab-stacks --test it quinn::`.

mod common;
#[cfg(feature = "quinn")]
mod quinn;
#[cfg(feature = "smoltcp")]
mod smoltcp;
