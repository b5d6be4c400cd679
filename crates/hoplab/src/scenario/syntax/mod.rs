//! Scenario text as a tree of values with their source positions. This room knows TOML, units and source lines, and no
//! key of hoplab.
//!
//! `source` locates bytes in the text, `tree` parses it, `overrides` sets `--set` values on the tree, `diagnostic` holds
//! what is wrong and prints it, `quantity` reads numbers with units, `suggest` finds the word that was meant.

pub(crate) mod diagnostic;
pub(crate) mod named_file;
pub(crate) mod overrides;
pub mod quantity;
pub(crate) mod source;
pub(crate) mod suggest;
pub(crate) mod tree;
