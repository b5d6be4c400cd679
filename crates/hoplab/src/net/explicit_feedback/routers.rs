//! All feedback routers of one interface: each sees every packet that passes its queue.

use super::context::{FeedbackCtx, Interface, RouterNode, context};
use super::router::{AnyRouter, At, Lost, PacketKind, PacketView};
use crate::kernel::Time;
use crate::packet::PacketId;
use crate::packet::explicit::Feedback;
use crate::sim::{Ctx, FeedbackTimer};
use crate::trace::What;

/// All feedback routers of one interface, in the order in which packets pass them; mostly none.
#[derive(Debug, Default)]
pub struct FeedbackRouters {
    list: Vec<AnyRouter>,
    interface: Interface,
}

impl FeedbackRouters {
    /// Those of a port of a wire, which adds `overhead` bytes to each packet; none yet.
    pub(in crate::net) fn of_port(port: u32, overhead: u32) -> FeedbackRouters {
        FeedbackRouters { list: Vec::new(), interface: Interface::Port { port, overhead } }
    }

    /// Adds a router.
    pub fn push(&mut self, router: AnyRouter) {
        self.list.push(router);
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(in crate::net) fn start(&mut self, ctx: &mut Ctx, here: &RouterNode<'_>) {
        self.each(ctx, here, |router, cx| router.start(cx));
    }

    /// A packet passes, and the routers may write into its header.
    pub(in crate::net) fn pass(&mut self, ctx: &mut Ctx, here: &RouterNode<'_>, at: At, packet: PacketId) {
        let meeting = ctx.packet(packet);
        let (uid, flow) = (meeting.uid, meeting.flow);
        let (mut passing, before) = (PacketView::of(meeting, here.node), meeting.feedback());
        passing.bytes += self.interface.overhead();
        let feedback = self.on_packet(ctx, here, at, &passing, before);
        if feedback != before {
            ctx.packet_mut(packet).set_feedback(feedback);
        }
        let is_asked = passing.kind == PacketKind::Segment && feedback != Feedback::None;
        if at == At::Departure && (is_asked || feedback != before) {
            ctx.note_about(here.node, What::Stamped { uid, flow, feedback }, packet);
        }
    }

    /// A packet for this node passes before delivery, and the routers may write into its header.
    pub(in crate::net) fn pass_delivery(&mut self, ctx: &mut Ctx, here: &RouterNode<'_>, packet: PacketId) {
        let arrived = ctx.packet(packet);
        let (passing, before) = (PacketView::of(arrived, here.node), arrived.feedback());
        let mut feedback = before;
        self.each(ctx, here, |router, cx| router.on_delivery(cx, &passing, &mut feedback));
        if feedback != before {
            ctx.packet_mut(packet).set_feedback(feedback);
        }
    }

    /// Returns the header of a packet as the routers leave it.
    fn on_packet(
        &mut self,
        ctx: &mut Ctx,
        here: &RouterNode<'_>,
        at: At,
        packet: &PacketView,
        mut feedback: Feedback,
    ) -> Feedback {
        self.each(ctx, here, |router, cx| router.on_packet(cx, at, packet, &mut feedback));
        feedback
    }

    pub(in crate::net) fn on_timer(&mut self, ctx: &mut Ctx, here: &RouterNode<'_>, timer: FeedbackTimer) {
        if let Some(router) = self.list.get_mut(usize::from(timer.router)) {
            let cx = &mut context(ctx, here, self.interface, u32::from(timer.router));
            router.on_timer(cx, timer.kind);
        }
    }

    pub(in crate::net) fn on_lost(&mut self, ctx: &mut Ctx, here: &RouterNode<'_>, lost: Lost) {
        self.each(ctx, here, |router, cx| router.on_lost(cx, lost));
    }

    pub(in crate::net) fn read(&self, now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        for router in &self.list {
            router.read(now, put);
        }
    }

    fn each(
        &mut self,
        ctx: &mut Ctx,
        here: &RouterNode<'_>,
        mut event: impl FnMut(&mut AnyRouter, &mut FeedbackCtx<'_>),
    ) {
        for (index, router) in self.list.iter_mut().enumerate() {
            event(router, &mut context(ctx, here, self.interface, index as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{FlowId, NodeId, RadioId};
    use crate::mac::observer::Observers;
    use crate::net::explicit_feedback::{FeedbackKind, FeedbackSetup};
    use crate::net::link::DropTail;
    use crate::net::link::InterfaceQueue;
    use crate::packet::Category;
    use crate::packet::explicit::ExplicitConfig;
    use crate::packet::explicit::{RcpHeader, RcpKind, WcpHeader, XcpHeader, XcpKind};
    use std::collections::BTreeSet;

    /// Calls with the routers of one node.
    fn with_routers<T>(
        kinds: &[FeedbackKind],
        call: impl FnOnce(&mut FeedbackRouters, &mut Ctx, &RouterNode<'_>) -> T,
    ) -> T {
        let explicit = ExplicitConfig::default();
        let setup = FeedbackSetup { data_rate: 1.25e6, queue_limit: 50, is_wire: false, explicit: &explicit };
        let list = kinds.iter().map(|kind| kind.build(&setup)).collect();
        let mut routers = FeedbackRouters { list, ..FeedbackRouters::default() };
        let (queue, hop) = (InterfaceQueue::DropTail(DropTail::of_size(50)), Observers::default());
        call(
            &mut routers,
            &mut Ctx::new(1, 1, 4),
            &RouterNode { node: NodeId(3), radio: RadioId(3), place: 0, queue: &queue, hop: &hop },
        )
    }

    #[test]
    fn the_first_timers_of_a_node_are_not_in_phase() {
        let times = with_routers(&[FeedbackKind::Xcp, FeedbackKind::Xcp], |routers, ctx, here| {
            routers.start(ctx, here);
            std::iter::from_fn(|| ctx.events.pop()).map(|(key, _)| key.time()).collect::<BTreeSet<_>>()
        });
        assert_eq!(times.len(), 4, "{times:?}");
    }

    #[test]
    fn a_router_changes_headers_of_its_own_kind_on_segments_alone() {
        let xcp = |kind| Feedback::Xcp(XcpHeader { kind, rtt: 0.1, spacing: 0.01, delta: 1e24 });
        let rcp = |kind| Feedback::Rcp(RcpHeader { kind, rtt: 0.1, rate: f64::INFINITY });
        let headers = [
            (FeedbackKind::Xcp, xcp(XcpKind::Base)),
            (FeedbackKind::XcpB, xcp(XcpKind::Blind)),
            (FeedbackKind::XcpWinf, xcp(XcpKind::Winf)),
            (FeedbackKind::Rcp, rcp(RcpKind::Base)),
            (FeedbackKind::RcpWinf, rcp(RcpKind::Winf)),
            (FeedbackKind::Muzha, Feedback::Mrai(9)),
            (FeedbackKind::Atp, Feedback::Atp(0.0)),
            (FeedbackKind::Wcp, Feedback::Wcp(WcpHeader::default())),
        ];
        for (router, _) in headers {
            for (meant_for, header) in headers {
                for kind in [PacketKind::Segment, PacketKind::Datagram] {
                    let (flow, node) = (FlowId(0), NodeId(1));
                    let packet = PacketView {
                        flow,
                        bytes: 1500,
                        kind,
                        category: Category::BestEffort,
                        is_own: false,
                        next_hop: RadioId(1),
                        prev_hop: node,
                        queued_at: Time::ZERO,
                    };
                    let left = with_routers(&[router], |routers, ctx, here| {
                        routers.on_packet(ctx, here, At::Departure, &packet, header)
                    });
                    let is_own = router == meant_for && kind == PacketKind::Segment;
                    assert_eq!(left != header, is_own, "{router:?}: {header:?}, {kind:?}");
                }
            }
        }
    }
}
