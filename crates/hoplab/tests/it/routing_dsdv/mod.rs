//! DSDV in a small network of ideal links, where links fail by script, and in the whole engine.

mod convergence;
mod engine;
mod failure;
mod lab;
mod radios;
mod random;
mod updates;
