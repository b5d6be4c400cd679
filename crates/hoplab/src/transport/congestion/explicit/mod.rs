//! Controllers that follow the feedback of routers.

pub(crate) mod muzha;
pub(crate) mod xcp;

pub use muzha::Muzha;
pub use xcp::{Xcp, XcpB, XcpSender, XcpWinf};
