//! DSR in a small network of ideal links, where links fail by script.

mod discovery;
mod engine;
mod failure;
mod lab;
mod overhearing;
mod random;
