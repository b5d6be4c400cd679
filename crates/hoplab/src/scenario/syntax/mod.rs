//! The text of a scenario as a tree of values that know where they were written. Nothing here knows a key of hoplab.

pub(crate) mod diagnostic;
pub mod quantity;
pub(crate) mod source;
pub(crate) mod suggest;
pub(crate) mod tree;
