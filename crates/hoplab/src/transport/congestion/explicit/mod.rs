//! Controllers that follow what routers write into headers.

pub(in crate::transport) mod muzha;
pub(in crate::transport) mod xcp;

pub use muzha::Muzha;
pub use xcp::{Xcp, XcpB, XcpSender, XcpWinf};
