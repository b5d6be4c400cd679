//! Neighbors: the receivers of each node's frames, with distance, delay and power. Without an index, each frame would have
//! to be compared with all nodes.

mod grid;
mod mobile_index;
mod motion;
mod receiver;
mod receiver_index;
mod receiver_lists;

pub use grid::Grid;
pub use receiver::Receiver;
pub(crate) use receiver::with_heights;
pub use receiver_index::{ReceiverIndex, sensing_range};
