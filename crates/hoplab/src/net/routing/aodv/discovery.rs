//! Route discovery by expanding ring search, with a timer per RREQ (RFC 3561 sections 6.3 and 6.4).

use super::agent::{Aodv, REQUEST};
use super::state::entry::UNREACHABLE;
use crate::kernel::NodeId;
use crate::net::routing::protocol::RouteCtx;
use crate::trace::DropReason;

/// `TIMEOUT_BUFFER`: hops that are added to a ring for its timeout.
const TIMEOUT_BUFFER: u64 = 2;

impl Aodv {
    /// Starts a discovery, unless one is in progress.
    pub(super) fn start_discovery(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        let request = self.table[index].request_mut();
        if request.timer.is_none() {
            request.ttl = 0;
            request.count = 0;
            self.widen_ring(cx, index);
        }
    }

    /// No RREP has arrived in time.
    pub(super) fn on_request_timer(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let index = self.entry(cx.now(), dst);
        self.table[index].request_mut().timer = None;
        if self.buffer.has(dst) {
            self.widen_ring(cx, index);
        }
    }

    /// Sends the next RREQ of a discovery, or ends it without success.
    fn widen_ring(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        let now = cx.now();
        let config = self.config.clone();
        let entry = &mut self.table[index];
        let (dst, last_hops) = (entry.dst, entry.last_hops);
        let request = entry.request_mut();
        if request.count > config.rreq_retries {
            self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
            return;
        }
        if let Err(later) = self.limits.allow_rreq(now) {
            let timer = cx.set_timer(later, REQUEST, dst);
            self.table[index].request_mut().timer = Some(timer);
            return;
        }
        let wanted = match (request.ttl, last_hops) {
            (0, UNREACHABLE) => config.ttl_start,
            (0, hops) => hops.saturating_add(config.ttl_increment),
            (ttl, _) => ttl.saturating_add(config.ttl_increment),
        };
        let wait = if wanted <= config.ttl_threshold {
            request.ttl = wanted;
            config.node_traversal_time * (2 * (u64::from(wanted) + TIMEOUT_BUFFER))
        } else {
            request.ttl = config.network_diameter;
            request.count += 1;
            config.net_traversal_time() * (1 << (request.count - 1))
        };
        let ttl = request.ttl;
        let timer = cx.set_timer(now + wait, REQUEST, dst);
        self.table[index].request_mut().timer = Some(timer);
        self.send_rreq(cx, index, ttl);
    }

    /// A route is found: cancels the timer of its discovery or repair.
    pub(super) fn end_discovery(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        let timer = self.table[index].request.as_mut().and_then(|request| request.timer.take());
        if let Some(timer) = timer {
            cx.cancel_timer(timer);
        }
    }
}
