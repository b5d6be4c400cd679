//! DSR in a small network of ideal links, where links fail by script.

mod discovery;
mod engine;
mod failure;
mod lab;
mod overhearing;
mod random;

#[path = "../routing_lab/mod.rs"]
mod routing_lab;
#[path = "../routing_lab/whole_run.rs"]
mod whole_run;
