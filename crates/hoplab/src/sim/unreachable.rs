//! Segments that had no route, and the reports to their senders: real connections, and those that ask for reports.

use super::event::Event;
use crate::kernel::{End, EventQueue, FlowId, NodeId, Span, Time};
use crate::packet::{Packet, Payload};
use crate::trace::DropReason;
use std::collections::BTreeMap;

/// Least time between two messages of a node to the same destination (RFC 1812 section 4.3.2.8; Linux: `icmp_ratelimit`).
const INTERVAL: Span = Span::from_millis(1000);

/// A segment that had no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The node that dropped it, or has passed a report of it on.
    pub node: NodeId,
    /// Its flow.
    pub flow: FlowId,
    /// The end that sent it.
    pub end: End,
    /// The node of that end.
    pub src: NodeId,
    /// Its destination.
    pub dst: NodeId,
    /// Whether the node has a route again.
    pub is_over: bool,
}

/// Reports that are due, and when the last ones were.
#[derive(Debug)]
pub struct Reports {
    /// Whether real connections get reports.
    to_streams: bool,
    /// Other flows that get them, in order.
    to_flows: Vec<FlowId>,
    /// Those of them that get reports once there is a route again, in order.
    followed: Vec<FlowId>,
    /// Reports of followed flows whose nodes have no route yet.
    open: Vec<Report>,
    due: Vec<Report>,
    last: BTreeMap<(NodeId, NodeId), Time>,
}

impl Reports {
    /// No reports yet: for all real connections, if `to_streams`, and for some other flows; some of those are followed.
    pub fn new(to_streams: bool, to_flows: Vec<FlowId>, followed: Vec<FlowId>) -> Reports {
        Reports { to_streams, to_flows, followed, open: Vec::new(), due: Vec::new(), last: BTreeMap::new() }
    }

    /// Whether nodes report when there is a route for this flow again.
    pub fn follows(&self, flow: FlowId) -> bool {
        self.followed.binary_search(&flow).is_ok()
    }

    /// A node on the way of a report will report when it has a route.
    pub fn remember(&mut self, report: Report) {
        if !self.open.contains(&report) {
            self.open.push(report);
        }
    }

    /// A node has a route that is new to it: reports on followed flows to this destination are due.
    pub fn on_route(&mut self, node: NodeId, dst: NodeId) {
        let due = &mut self.due;
        self.open.retain(|report| {
            let is_over = (report.node, report.dst) == (node, dst);
            due.extend(is_over.then_some(Report { is_over, ..*report }));
            !is_over
        });
    }

    /// A packet is dropped. Segments without a route are reported: at once to an end at the same node, otherwise once in
    /// [`INTERVAL`].
    pub(super) fn on_drop(
        &mut self,
        now: Time,
        node: NodeId,
        packet: &Packet,
        reason: DropReason,
        events: &mut EventQueue<Event>,
    ) {
        let is_unreachable = matches!(reason, DropReason::NoRoute | DropReason::RouteTimeout | DropReason::Arp);
        let end = match &packet.payload {
            Payload::Tcp(segment) if self.to_streams && is_unreachable => segment.from,
            Payload::Segment(_)
                if (is_unreachable || reason == DropReason::LinkFailure)
                    && self.to_flows.binary_search(&packet.flow).is_ok() =>
            {
                End::Source
            }
            _ => return,
        };
        if packet.src != node {
            let last = self.last.get(&(node, packet.src));
            if last.is_some_and(|&last| now < last + INTERVAL) {
                return;
            }
            self.last.insert((node, packet.src), now);
        }
        let (flow, src, dst) = (packet.flow, packet.src, packet.dst);
        let report = Report { node, flow, end, src, dst, is_over: false };
        // Routing reports a route to a source at the same node by itself.
        if src != node && self.follows(flow) {
            self.remember(report);
        }
        self.due.push(report);
        events.schedule(now, Event::Unreachable { node });
    }

    /// The next report that is due.
    pub fn take_next(&mut self) -> Option<Report> {
        (!self.due.is_empty()).then(|| self.due.remove(0))
    }
}
