//! Two ends over a small link in memory: scripts of single connections, rows of the oracle, and random paths.

mod bbr;
mod bbr3;
mod bulk;
mod marks;
mod path;
mod random;
mod scripts;
mod timelines;
