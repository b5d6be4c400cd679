//! Controllers for multi-hop wireless paths.

pub(in crate::transport) mod semi_tcp;
pub(in crate::transport) mod tcp_ap;

pub use semi_tcp::SemiTcp;
pub use tcp_ap::{TcpAp, TcpApConfig, TcpApPreset};
