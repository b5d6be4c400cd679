//! Scenario text as a tree of values with their source positions. This room parses TOML (v1.0), units and source lines; it
//! contains no key of hoplab.
//!
//! `source` locates bytes in the text, `tree` parses it, `overrides` sets `--set` values on the tree, `diagnostic` describes
//! problems, `problem` has the forms that messages share, `quantity` reads numbers with units, `suggest` finds the word that
//! was intended.

pub(crate) mod diagnostic;
pub(crate) mod named_file;
pub(crate) mod overrides;
pub(crate) mod problem;
pub mod quantity;
pub(crate) mod source;
pub(crate) mod suggest;
pub(crate) mod tree;
