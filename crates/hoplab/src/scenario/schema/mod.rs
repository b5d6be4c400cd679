//! The tables and keys of a scenario: what each may hold, its default, and how it checks itself.

pub(crate) mod aliases;
pub(crate) mod check;
pub(crate) mod external_controller;
pub(crate) mod file;
pub(crate) mod flow;
pub(crate) mod key_hints;
pub(crate) mod muzha;
pub(crate) mod node;
pub(crate) mod reader;
pub(crate) mod semi_tcp;
pub(crate) mod topology;
pub(crate) mod traffic;
