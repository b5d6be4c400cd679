//! Families of networks, one file each. `topology/list.rs` has their rows.

mod chain;
mod cross;
mod family;
mod grid;
mod links;
mod parallel;
mod places;
mod positions;
mod random;
mod spindle;

pub use chain::Chain;
pub use cross::Cross;
pub(crate) use family::{Family, Invalid, clipped, invalid_positions};
pub use grid::Grid;
pub use links::Links;
pub use parallel::Parallel;
pub use places::Places;
pub use positions::Positions;
pub use random::{Random, Unconnected};
pub use spindle::Spindle;
