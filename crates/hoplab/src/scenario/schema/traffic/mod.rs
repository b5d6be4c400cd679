//! Tables of traffic: flows that are listed, and flows that are generated.

mod app;
pub(crate) mod external_controller;
pub(crate) mod flow;
pub(crate) mod flow_config;
pub(crate) mod generator;
pub(crate) mod node_ref;
pub(crate) mod source;
mod stream;
pub(crate) mod workload;
pub(crate) mod workload_config;
mod workload_size;
