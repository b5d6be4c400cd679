//! Neighbors: the receivers of each node's frames.

mod grid;
mod mobile_index;
mod motion;
mod receiver;
mod receiver_index;
mod receiver_lists;

pub use grid::Grid;
pub use receiver::Receiver;
pub use receiver_index::{ReceiverIndex, sensing_range};
