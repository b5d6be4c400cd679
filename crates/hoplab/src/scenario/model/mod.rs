//! The resolved scenario: what a world is built from.

pub(crate) mod connectivity;
pub(crate) mod layout;
pub(crate) mod placement;
pub(crate) mod read;
pub(crate) mod resolved;
pub(crate) mod write;
