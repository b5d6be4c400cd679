//! Controllers that follow explicit feedback of routers: XCP (Katabi 2002) with its variants, TCP Muzha (Lien and Hsiao), and
//! DCTCP (RFC 8257), whose routers only mark. Those of the first two are in `net/explicit_feedback`.

pub(crate) mod dctcp;
pub(crate) mod muzha;
pub(crate) mod xcp;

pub use dctcp::{Dctcp, DctcpConfig};
pub use muzha::Muzha;
pub use xcp::{Xcp, XcpB, XcpSender, XcpWinf};
