//! Proxies: relays that take packets over and answer for them from then on. One folder per protocol.
//!
//! The network layer shows a proxy the packets on their way through its node whose option allows that. The proxy keeps
//! a packet or lets it go on. What it sends it puts in an outbox; the world carries that down.

pub mod split_tcp;

use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{Lack, SegNo, SplitSegment};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Debug;

/// A packet on its way through a proxy's node, its hop there counted.
#[derive(Clone, Copy, Debug)]
pub struct ProxyView {
    /// Its flow.
    pub flow: FlowId,
    /// Where the flow's data starts.
    pub src: NodeId,
    /// Where it goes.
    pub dst: NodeId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// Hops that it has travelled since the node that answers for it sent it.
    pub forwards: u16,
    /// Hops that are left to its destination, if that was asked for ([`Proxy::wants_hops_left`]) and is known.
    pub hops_left: Option<u16>,
    /// Its content.
    pub split: SplitSegment,
}

/// What is to become of a packet that a proxy was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The proxy has taken what it needs of it; this packet ends here.
    Keep,
    /// It goes on.
    PassOn,
    /// It goes on, and no other proxy is to look at it.
    Bypass,
}

/// What a proxy sends or tells.
#[derive(Clone, Copy, Debug)]
pub enum ProxyOut {
    /// Sends a segment on.
    Segment {
        /// Its flow.
        flow: FlowId,
        /// Where the flow's data starts.
        src: NodeId,
        /// Where it goes.
        dst: NodeId,
        /// Length with all headers above the MAC, in bytes.
        bytes: u32,
        /// Content.
        split: SplitSegment,
    },
    /// Sends a local acknowledgment.
    Lack {
        /// Its flow.
        flow: FlowId,
        /// Where the flow's data starts.
        src: NodeId,
        /// Content.
        lack: Lack,
    },
    /// Tells that it has taken a segment over.
    Took {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
        /// Segments that it holds now.
        held: u32,
    },
    /// Tells that it answers for a segment no longer.
    Released {
        /// Its flow.
        flow: FlowId,
        /// Which.
        seq: SegNo,
        /// Segments that it holds now.
        held: u32,
    },
}

/// Counts of one proxy. At any time `taken = released + expired + lost + held`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyCounts {
    /// Segments taken over.
    pub taken: u64,
    /// Segments that the next proxy or the destination has acknowledged.
    pub released: u64,
    /// Segments given up after too many attempts or too long a time.
    pub expired: u64,
    /// Segments lost when the proxy failed.
    pub lost: u64,
    /// Segments held now.
    pub held: u64,
    /// Most segments held at a time.
    pub held_max: u64,
    /// Segments that came again.
    pub duplicates: u64,
    /// Segments that went on since there was no room.
    pub bypassed: u64,
    /// Segments refused for want of room.
    pub refused: u64,
    /// Segments sent.
    pub sent: u64,
    /// Those of them that the proxy had sent before.
    pub resent: u64,
    /// Losses found by local acknowledgments of later segments.
    pub fast_retransmits: u64,
    /// Retransmission timers that ended.
    pub timeouts: u64,
    /// Local acknowledgments sent.
    pub lacks: u64,
    /// Those of them that only told of room.
    pub window_updates: u64,
    /// Times that the proxy has failed.
    pub failures: u64,
}

impl ProxyCounts {
    /// Whether every segment that was taken over is accounted for.
    pub fn is_balanced(&self) -> bool {
        self.taken == self.released + self.expired + self.lost + self.held
    }
}

/// A proxy, at one node. All times are absolute, all counts in segments.
pub trait Proxy: Debug {
    /// A packet of another node for another node is here. It is still in the network: only `Keep` ends it.
    fn on_segment(&mut self, now: Time, passing: &ProxyView, out: &mut Vec<ProxyOut>) -> Verdict;

    /// A local acknowledgment for this node has come.
    fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, out: &mut Vec<ProxyOut>);

    /// When it acts by itself. It may move with every call.
    fn deadline(&self) -> Option<Time>;

    /// The time of [`Proxy::deadline`] has come.
    fn on_deadline(&mut self, now: Time, out: &mut Vec<ProxyOut>);

    /// Routing has found a way to `dst`, or another one than before.
    fn on_route(&mut self, now: Time, dst: NodeId, out: &mut Vec<ProxyOut>);

    /// It fails: what it holds is lost, and until [`Proxy::recover`] packets pass by. The segments lost.
    fn fail(&mut self) -> u32;

    /// It works again, with nothing in hand.
    fn recover(&mut self);

    /// Whether packets are to be shown with the hops that are left to them.
    fn wants_hops_left(&self) -> bool;

    /// Its counts.
    fn counts(&self) -> ProxyCounts;

    /// The segments it holds, in no particular order.
    fn held(&self) -> Vec<(FlowId, SegNo)>;
}

/// Any proxy.
#[derive(Debug)]
pub enum AnyProxy {
    /// Of Split TCP.
    SplitTcp(Box<split_tcp::SplitProxy>),
    /// Given by the program that drives the engine.
    Custom(Box<dyn Proxy + Send>),
}

/// Calls the same method of whichever proxy it is.
macro_rules! dispatch {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        match $self {
            AnyProxy::SplitTcp(proxy) => proxy.$method($($argument),*),
            AnyProxy::Custom(proxy) => proxy.$method($($argument),*),
        }
    };
}

impl Proxy for AnyProxy {
    fn on_segment(&mut self, now: Time, passing: &ProxyView, out: &mut Vec<ProxyOut>) -> Verdict {
        dispatch!(self, on_segment(now, passing, out))
    }

    fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, out: &mut Vec<ProxyOut>) {
        dispatch!(self, on_lack(now, flow, lack, out));
    }

    fn deadline(&self) -> Option<Time> {
        dispatch!(self, deadline())
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<ProxyOut>) {
        dispatch!(self, on_deadline(now, out));
    }

    fn on_route(&mut self, now: Time, dst: NodeId, out: &mut Vec<ProxyOut>) {
        dispatch!(self, on_route(now, dst, out));
    }

    fn fail(&mut self) -> u32 {
        dispatch!(self, fail())
    }

    fn recover(&mut self) {
        dispatch!(self, recover());
    }

    fn wants_hops_left(&self) -> bool {
        dispatch!(self, wants_hops_left())
    }

    fn counts(&self) -> ProxyCounts {
        dispatch!(self, counts())
    }

    fn held(&self) -> Vec<(FlowId, SegNo)> {
        dispatch!(self, held())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_that_went_nowhere_is_missed() {
        let ended = ProxyCounts { taken: 10, released: 5, expired: 2, lost: 1, held: 2, ..ProxyCounts::default() };
        assert!(ended.is_balanced());
        assert!(!ProxyCounts { taken: 11, ..ended }.is_balanced());
        assert!(!ProxyCounts { held: 3, ..ended }.is_balanced());
    }
}
