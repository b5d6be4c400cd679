//! The tables and keys of a scenario: what each accepts, its default, and its own checks.
//!
//! `root` is the whole file as a struct; `fields` derives from its JSON Schema which keys there are and what they accept,
//! `reader` reads them, `section` has rules over values, `profile` the defaults by source, `key_hints` hints for tables of
//! other simulators. Tables are one file each: `times` (top of the file), `layers/`, `protocols/`, `network/`
//! and `traffic/`. Nothing here uses the resolved scenario.

pub(crate) mod fields;
pub(crate) mod key_hints;
pub(crate) mod layers;
pub(crate) mod network;
pub(crate) mod profile;
pub(crate) mod protocols;
pub(crate) mod reader;
pub(crate) mod root;
pub(crate) mod section;
pub(crate) mod table;
pub(crate) mod times;
pub(crate) mod traffic;
mod unsupported;
