//! The distributed coordination function.

mod activity;
mod backoff;
mod contend;
mod exchange;
mod parking;
mod receive;
mod station;
#[cfg(test)]
pub(super) mod test_station;

pub use activity::{Sent, StationActivity};
pub use station::Mac;
