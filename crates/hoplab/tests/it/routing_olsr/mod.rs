//! OLSR in a small network of ideal links, where links fail by script, and in the whole engine.

mod engine;
mod failure;
mod flooding;
mod lab;
mod radios;
mod random;
mod routes;

#[path = "../routing_lab/mesh.rs"]
mod mesh;
#[path = "../routing_lab/mod.rs"]
mod routing_lab;
#[path = "../routing_lab/whole_run.rs"]
mod whole_run;
