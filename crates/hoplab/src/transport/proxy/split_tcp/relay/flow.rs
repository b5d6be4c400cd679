//! State of a proxy for one flow, and the times at which it advertises buffer space to the previous node.

use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Lack, SplitSegment};
use crate::transport::proxy::packet::ProxyView;
use crate::transport::proxy::split_tcp::arrivals::Arrivals;

/// State of a flow at a proxy.
#[derive(Debug)]
pub(super) struct FlowState {
    pub(super) flow: FlowId,
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) arrivals: Arrivals,
    /// The last segment that arrived; its tag names the responsible node.
    last: SplitSegment,
    advertised: Advertised,
    pub(super) active_at: Time,
}

/// The buffer space last advertised to the previous node.
#[derive(Clone, Copy, Debug)]
struct Advertised {
    /// Window in the last local acknowledgment.
    win: u32,
    /// When a window update is retransmitted, and how often it was sent.
    repeat_at: Option<Time>,
    repeats: u32,
}

/// After an advertised window of zero, a window update waits for this much.
const MIN_UPDATE: u32 = 2;

impl FlowState {
    /// The flow of a packet in transit.
    pub(super) fn new(now: Time, passing: &ProxyView) -> FlowState {
        FlowState {
            flow: passing.flow,
            src: passing.src,
            dst: passing.dst,
            arrivals: Arrivals::default(),
            last: passing.split,
            advertised: Advertised { win: u32::MAX, repeat_at: None, repeats: 0 },
            active_at: now,
        }
    }

    /// A segment of the flow arrived: window updates need no repetition.
    pub(super) fn on_segment(&mut self, now: Time, split: SplitSegment) {
        self.active_at = now;
        self.last = split;
        self.advertised.repeat_at = None;
        self.advertised.repeats = 0;
    }

    /// The local acknowledgment of a segment, which advertises `win`.
    pub(super) fn acknowledge(&mut self, node: NodeId, split: &SplitSegment, win: u32) -> Lack {
        self.advertised.win = win;
        self.arrivals.lack(node, split, win)
    }

    /// When a window update is retransmitted.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.advertised.repeat_at
    }

    /// Whether a window update is due now that `win` segments can be stored.
    pub(super) fn is_update_due(&self, now: Time, win: u32) -> bool {
        let has_news = self.advertised.win == 0 && win >= MIN_UPDATE;
        has_news || self.advertised.repeat_at.is_some_and(|at| at <= now)
    }

    /// A window update for `win`. It may be lost: it is retransmitted at doubling intervals from `rto` to `max_rto`
    /// until data arrives, at most `most` times.
    pub(super) fn update(
        &mut self,
        now: Time,
        node: NodeId,
        win: u32,
        (rto, max_rto): (Span, Span),
        most: u32,
    ) -> Lack {
        let advertised = &mut self.advertised;
        advertised.win = win;
        advertised.repeats += 1;
        let wait = Span(rto.0.saturating_mul(1 << advertised.repeats.min(20)).min(max_rto.0));
        advertised.repeat_at = (advertised.repeats < most).then(|| now + wait);
        Lack { seq: None, ..self.arrivals.lack(node, &self.last, win) }
    }
}
