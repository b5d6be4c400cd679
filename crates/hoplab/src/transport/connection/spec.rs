//! Parameters of a connection: protocol, sizes and traffic, as the scenario's flow gives them.

use super::ad_hoc::AdHocKind;
use super::stack::StackKind;
use crate::app::AppConfig;
use crate::kernel::FlowId;
use crate::packet::explicit::RcpKind;
use crate::transport::congestion::CongestionKind;
use crate::transport::pull::config::PullConfig;
use crate::transport::sender::Parts;
use crate::transport::stream::Reading;

/// The protocol of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Datagrams.
    Udp,
    /// A connection with these parts.
    Tcp(Parts),
    /// A connection that proxies take part in.
    Split,
    /// A connection whose sender follows a rate: RCP.
    Rate(RcpKind),
    /// A connection of a transport for ad hoc networks that is no TCP.
    AdHoc(AdHocKind),
    /// A real TCP connection with this congestion control.
    Stream(CongestionKind),
    /// A connection that a stack carries.
    Stack(StackKind),
}

/// What a connection is built from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowSpec {
    /// The flow's number; its random streams follow from it.
    pub id: FlowId,
    /// The protocol that carries the traffic.
    pub protocol: Protocol,
    /// Payload of a packet, in bytes.
    pub segment: u32,
    /// rwnd, in segments.
    pub window: u32,
    /// The traffic. An unlimited file cannot be sent as datagrams: they would all leave at once.
    pub app: AppConfig,
    /// Parameters of a pulled flow, if it is one. Their limit replaces `window`.
    pub pull: Option<PullConfig>,
}

/// What a real TCP connection or that of a stack transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfer {
    /// Bytes after which the source closes; as many as the application supplies if `None`.
    pub bytes: Option<u64>,
    /// How the receiving application reads.
    pub reading: Reading,
}
