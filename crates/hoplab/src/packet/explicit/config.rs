//! The parameters of all protocols with explicit feedback, together: routers of one node serve flows of several protocols.

use super::atp::AtpConfig;
use super::muzha::MuzhaConfig;
use super::rcp::{RcpConfig, RcpWinfConfig};
use super::wcp::WcpConfig;
use super::xcp::{XcpBConfig, XcpConfig, XcpWinfConfig};

/// A table per protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExplicitConfig {
    /// Table `[muzha]`.
    pub muzha: MuzhaConfig,
    /// Table `[xcp]`.
    pub xcp: XcpConfig,
    /// Table `[xcp_b]`.
    pub xcp_b: XcpBConfig,
    /// Table `[xcp_winf]`.
    pub xcp_winf: XcpWinfConfig,
    /// Table `[rcp]`.
    pub rcp: RcpConfig,
    /// Table `[rcp_winf]`.
    pub rcp_winf: RcpWinfConfig,
    /// Table `[atp]`.
    pub atp: AtpConfig,
    /// Table `[wcp]`.
    pub wcp: WcpConfig,
}
