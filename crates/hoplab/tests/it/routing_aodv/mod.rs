//! AODV in a small network of ideal links, where links fail by script.

mod discovery;
mod failure;
mod lab;
mod radios;
mod random;
mod rfc;
