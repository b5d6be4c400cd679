//! DSDV in a small network of ideal links, where links fail by script, and in the whole engine.

mod convergence;
mod engine;
mod failure;
mod lab;
mod radios;
mod random;
mod updates;

#[path = "../routing_lab/mesh.rs"]
mod mesh;
#[path = "../routing_lab/mod.rs"]
mod routing_lab;
#[path = "../routing_lab/whole_run.rs"]
mod whole_run;
