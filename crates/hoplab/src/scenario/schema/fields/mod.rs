//! The keys of a table and the values that each accepts, derived from the JSON Schema of its struct.
//!
//! The published schema decides: if a layer adds a field to its config struct, the key is read, checked and documented
//! without further code.

mod derive;
mod respelled;
mod shape;
mod value;

pub(in crate::scenario::schema) use respelled::squashed;
pub(crate) use shape::{Fields, Shape};
pub(crate) use value::{plain, value};
