//! OLSR in a small network of ideal links, where links fail by script, and in the whole engine.

mod engine;
mod failure;
mod flooding;
mod lab;
mod radios;
mod random;
mod routes;
