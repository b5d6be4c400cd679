//! The ends of a connection that proxies take part in: Split TCP (Kopparty 2002; `proxy/split_tcp`).

use super::ends::{Emit, Ends, Outlet, refuse};
use super::spec::FlowSpec;
use crate::app::Supply;
use crate::kernel::{End, NodeId, Time};
use crate::packet::{Ack, Payload, SplitSegment};
use crate::transport::config::TcpConfig;
use crate::transport::proxy::split_tcp::{Sink, Source, SplitTcpConfig};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct SplitEnds {
    pub(super) source: Source,
    pub(super) sink: Sink,
    segment_bytes: u32,
    lack_bytes: u32,
    ack_bytes: u32,
    payload: u32,
}

impl SplitEnds {
    pub(super) fn new(
        spec: &FlowSpec,
        (src, dst): (NodeId, NodeId),
        tcp: &TcpConfig,
        config: &SplitTcpConfig,
    ) -> SplitEnds {
        let config = SplitTcpConfig { window_max: config.window_max.min(spec.window), ..config.clone() };
        let option = config.option_bytes();
        let (lack_bytes, config) = (config.lack_bytes.0 + option, Arc::new(config));
        SplitEnds {
            source: Source::new(spec.id, src, Arc::clone(&config), spec.segment),
            sink: Sink::new(dst, config),
            segment_bytes: tcp.header.0 + spec.segment + option,
            lack_bytes,
            ack_bytes: tcp.header.0,
            payload: spec.segment,
        }
    }

    /// Bytes of a full segment and of an acknowledgment.
    pub(super) fn packet_bytes(&self) -> (u32, u32) {
        (self.segment_bytes, self.ack_bytes)
    }

    fn on_segment(&mut self, now: Time, split: &SplitSegment, to: &mut Outlet<'_>) -> u32 {
        let taken = self.sink.on_segment(now, split);
        let segment = &split.segment;
        to.meter.on_arrival(segment.payload, taken.is_first.then(|| now.since(segment.first_sent)));
        to.meter.on_delivery(u64::from(taken.delivered) * u64::from(self.payload));
        to.out.push(Emit { end: End::Sink, payload: Payload::Lack(taken.lack), bytes: self.lack_bytes });
        to.out.extend(taken.ack.map(|ack| self.emit_ack(ack)));
        taken.delivered
    }

    fn emit_ack(&self, ack: Ack) -> Emit {
        Emit { end: End::Sink, payload: Payload::Ack(ack), bytes: self.ack_bytes }
    }

    /// Sends the source's segments and updates the meter after an event.
    fn settle(&mut self, now: Time, to: &mut Outlet<'_>) {
        let counts = self.source.counts();
        to.meter.on_losses(counts.timeouts + counts.e2e_timeouts, counts.fast_retransmits, 0);
        to.meter.on_cwnd(now, self.source.cwnd());
        let bytes = self.segment_bytes;
        for split in self.source.take_sent() {
            to.meter.on_sent(split.segment.is_retransmission);
            to.out.push(Emit { end: End::Source, payload: Payload::SplitSegment(split), bytes });
        }
    }
}

impl Ends for SplitEnds {
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        self.source.on_supply(now, supply, is_last);
        self.settle(now, to);
    }

    fn close(&mut self, _now: Time, _to: &mut Outlet<'_>) {
        self.source.close();
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        match (end, payload) {
            (End::Source, Payload::Ack(ack)) => self.source.on_ack(now, ack),
            (End::Source, Payload::Lack(lack)) => self.source.on_lack(now, lack),
            (End::Sink, Payload::SplitSegment(segment)) => return self.on_segment(now, segment, to),
            (end, payload) => return refuse(end, payload),
        }
        self.settle(now, to);
        0
    }

    fn deadline(&self, end: End) -> Option<Time> {
        match end {
            End::Source => self.source.deadline(),
            End::Sink => self.sink.deadline(),
        }
    }

    fn on_deadline(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        match end {
            End::Source => {
                self.source.on_deadline(now);
                self.settle(now, to);
            }
            End::Sink => {
                let ack = self.sink.on_deadline();
                to.out.extend(ack.map(|ack| self.emit_ack(ack)));
            }
        }
    }

    fn on_route(&mut self, now: Time, to: &mut Outlet<'_>) {
        self.source.on_route(now);
        self.settle(now, to);
    }

    fn window(&self) -> Option<(f64, f64)> {
        Some((self.source.cwnd(), self.source.ssthresh()))
    }
}
