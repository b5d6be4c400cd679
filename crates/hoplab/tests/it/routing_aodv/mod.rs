//! AODV in a small network of ideal links, where links fail by script.

mod discovery;
mod failure;
mod lab;
mod radios;
mod random;
mod rfc;

#[path = "../routing_lab/mesh.rs"]
mod mesh;
#[path = "../routing_lab/mod.rs"]
mod routing_lab;
