//! Split TCP in scripts, in random runs, and in networks. No byte is lost under any failure.

mod lab;
mod networks;
mod property;
mod scripts;
