//! Parameters of senders that follow a rate: tables `[rcp]` and `[rcp_winf]` (docs/specs/rcp.md section 4).

use crate::packet::explicit::{RcpConfig, RcpWinfConfig};

/// Parameters of a sender of the RCP family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RcpSender {
    /// Table `[rcp]`.
    pub rcp: RcpConfig,
    /// Table `[rcp_winf]`.
    pub winf: RcpWinfConfig,
}
