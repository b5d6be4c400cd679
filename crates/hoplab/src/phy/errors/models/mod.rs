//! Error models, one file each; `errors/list.rs` has their rows.

mod ber_curves;
mod gilbert;
mod links;
mod uniform_bit;
mod uniform_packet;

pub use ber_curves::BerCurves;
pub use gilbert::Gilbert;
pub use links::Links;
pub use uniform_bit::UniformBit;
pub use uniform_packet::UniformPacket;
