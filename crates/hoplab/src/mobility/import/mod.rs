//! Movements from files. A file is passed in as text with its name; errors cite file and line.

mod bonnmotion;
mod csv;
mod lines;
mod message;
mod request;
mod roster;
mod setdest;
pub mod tcl;

pub use bonnmotion::bonnmotion;
pub(super) use csv::HEADER;
pub use csv::csv;
pub use message::{ImportError, Warning};
pub use request::{File, Movements, PresentTime, Request, Rules};
pub use setdest::setdest;
