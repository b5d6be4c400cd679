//! Tables of traffic: flows that are listed, and flows that are generated.

pub(crate) mod app;
pub(crate) mod external_controller;
pub(crate) mod flow;
pub(crate) mod generator;
pub(crate) mod node_ref;
