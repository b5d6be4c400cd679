//! Controllers for multi-hop wireless paths: Semi-TCP (Cai 2013) and TCP-AP (ElRakabawy 2005).

pub(crate) mod semi_tcp;
pub(crate) mod tcp_ap;

pub use semi_tcp::SemiTcp;
pub use tcp_ap::{RateSource, TcpAp, TcpApConfig, TcpApPreset};
