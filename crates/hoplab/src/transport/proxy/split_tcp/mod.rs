//! Split TCP: congestion control from proxy to proxy, reliability from end to end.
//!
//! # Model
//! A segment names the responsible node and counts the relays since. At the `d_p`-th relay a proxy accepts it:
//! or a gateway on the way between wire and radio, it stores the segment, forwards it as its own window allows, and acknowledges it to the responsible node (LACK), which
//! drops its copy. The source stores it until the destination acknowledges it end to end, every `e2e_every` segments.
//! Each leg between two proxies has a congestion window that its LACKs move. LACKs also advertise a window.
//!
//! # Source
//! Kopparty, Krishnamurthy, Faloutsos, Tripathi 2002, which leaves the implementation to a report that could not be
//! found: most of what follows from it is our design (docs/protocols/split_tcp.md, Deviations).
//!
//! # Deviations
//! The end-to-end timer samples the oldest segment of those acknowledged, for it must outlast the wait for the others.
//! A leg without an advertised window probes with one segment when its timer expires. A node drops a packet as looped if
//! it is responsible for it, not if it is its source: a proxy's route to the destination may lead back over the source.
//!
//! # Parameters
//! `[split_tcp]`, all of them in docs/protocols/split_tcp.md.

mod arrivals;
mod config;
mod leg;
mod relay;
mod sink;
mod source;
mod stream;

pub use config::{
    FailureConfig, FailureMode, Flavor, LackRouting, LocalAck, OnFull, ProxyPlace, SplitTcpConfig, StoreState,
    WindowMode,
};
pub use relay::SplitProxy;
pub use sink::{Sink, SinkCounts, Taken};
pub use source::{Source, SourceCounts};
pub use stream::{Digest, content_of, stream_digest};
