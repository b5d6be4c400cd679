//! Controllers for multi-hop wireless paths.

pub(crate) mod semi_tcp;
pub(crate) mod tcp_ap;

pub use semi_tcp::SemiTcp;
pub use tcp_ap::{TcpAp, TcpApConfig, TcpApPreset};
