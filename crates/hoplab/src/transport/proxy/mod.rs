//! Proxies: relays that acknowledge and retransmit packets locally. One folder per protocol; [`list`] registers them.
//!
//! The network layer shows a proxy the packets in transit whose option allows that. The proxy stores a packet or passes
//! it on. What it sends goes to an outbox, which the world carries to the network layer.

pub(crate) mod control;
pub(crate) mod list;
pub(crate) mod packet;
pub mod split_tcp;

pub use control::Proxy;
pub use list::AnyProxy;
pub use packet::{ProxyCounts, ProxyOut, ProxyView, Verdict};
