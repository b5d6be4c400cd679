//! Split TCP: what proxies do, in scripts, in random runs, and in whole networks; no byte is lost whatever happens.

mod lab;
mod networks;
mod property;
mod scripts;
