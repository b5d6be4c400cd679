//! The list of proxies: the type that can be any of them, so that the world calls one type.

use super::control::Proxy;
use super::packet::{ProxyCounts, ProxyOut, ProxyView, Verdict};
use super::split_tcp::SplitProxy;
use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{Lack, SegNo};
use enum_dispatch::enum_dispatch;

/// Any proxy.
#[enum_dispatch(Proxy)]
#[derive(Debug)]
pub enum AnyProxy {
    /// Of Split TCP.
    SplitTcp(Box<SplitProxy>),
    /// A user's own.
    Custom(Box<dyn Proxy + Send>),
}
