//! Which keys a table has and what each accepts, derived from the JSON Schema of its struct.
//!
//! The published schema is the one that decides: a layer that adds a field to its config struct has the key read, checked
//! and documented without a further line.

mod derive;
mod shape;
mod value;

pub(crate) use shape::{Fields, Shape};
pub(crate) use value::{plain, value};
