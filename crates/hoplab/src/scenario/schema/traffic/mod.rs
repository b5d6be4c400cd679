//! Tables of traffic: flows that are listed, and flows that are generated.

pub(crate) mod app;
pub(crate) mod app_kind;
pub(crate) mod external_controller;
pub(crate) mod flow;
pub(crate) mod flow_config;
pub(crate) mod generator;
pub(crate) mod node_ref;
