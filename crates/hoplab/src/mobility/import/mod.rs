//! Movement files: readers that turn the text of a file into trajectories, so that movements of other programs can be repeated
//! exactly. The engine opens no file: the caller passes its name and text. Errors cite file and line.

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
