//! Controllers that follow explicit feedback of routers: XCP (Katabi 2002) with its variants, and TCP Muzha (Lien and
//! Hsiao). The routers are in `net/explicit_feedback`.

pub(crate) mod muzha;
pub(crate) mod xcp;

pub use muzha::Muzha;
pub use xcp::{Xcp, XcpB, XcpSender, XcpWinf};
