//! DSDV in a small network of ideal links, where links fail by script.

mod convergence;
mod failure;
mod lab;
mod random;
mod updates;
