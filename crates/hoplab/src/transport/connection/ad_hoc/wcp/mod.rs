//! WCP: additive increase and multiplicative decrease of a rate, by the congestion of neighborhoods (after Rangwala et al. 2008).
//!
//! # Model
//! The sender paces segments at a rate. Acknowledgments return whether the path crosses a congested neighborhood, and the control
//! interval: the longest round-trip time that neighborhoods share. Without a mark the rate grows once per control interval, by a segment per
//! interval. A mark halves it, and then nothing changes it for one interval. Losses are repaired and change no rate.
//! # Source
//! S. Rangwala, A. Jindal, K.-Y. Jang, K. Psounis, R. Govindan, "Understanding congestion control in multi-hop wireless mesh networks", MobiCom 2008.
//! # Deviations
//! After the paper, whose abstract was at hand: the increase, the first rate and the minimum are ours. A segment is missing once one that was
//! sent later has arrived, or the timer has expired. WCPCap is not built. Segment 0 opens the connection; there is no Fin.
//! # Parameters
//! Table `[wcp]`; `tcp.min_rto`, `tcp.max_rto`, `tcp.sack_blocks`.

mod sender;

use crate::app::Supply;
use crate::kernel::{End, Span, Time};
use crate::packet::Payload;
use crate::transport::config::TcpConfig;
use crate::transport::connection::ends::{Emit, Ends, Outlet, refuse};
use crate::transport::connection::rate::Sink;
use crate::transport::connection::spec::FlowSpec;
use sender::WcpSender;

#[derive(Debug)]
pub(crate) struct WcpEnds {
    sender: WcpSender,
    sink: Sink,
    payload: u32,
    header: u32,
}

impl WcpEnds {
    pub(crate) fn new(spec: &FlowSpec, tcp: &TcpConfig) -> WcpEnds {
        WcpEnds {
            sender: WcpSender::new(tcp, spec.segment, spec.window),
            sink: Sink::new(tcp, spec.segment, tcp.wcp.ack.0),
            payload: spec.segment,
            header: tcp.wcp.header.0,
        }
    }

    /// Bytes of a full segment and of an acknowledgment.
    pub(crate) fn packet_bytes(&self) -> (u32, u32) {
        (self.payload + self.header, self.sink.ack_bytes())
    }

    /// Sends the sender's segments and updates the meter after an event.
    fn settle(&mut self, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, 0);
        for segment in self.sender.take_sent() {
            to.meter.on_sent(segment.is_retransmission);
            let bytes = segment.payload + self.header;
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for WcpEnds {
    fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool, to: &mut Outlet<'_>) {
        self.sender.on_supply(now, supply);
        if is_last {
            self.sender.close();
        }
        self.settle(to);
    }

    fn close(&mut self, _now: Time, _to: &mut Outlet<'_>) {
        self.sender.close();
    }

    fn on_packet(&mut self, end: End, now: Time, payload: &Payload, to: &mut Outlet<'_>) -> u32 {
        match (end, payload) {
            (End::Source, Payload::Ack(ack)) => {
                self.sender.on_ack(now, ack);
                self.settle(to);
                0
            }
            (End::Sink, Payload::Segment(segment)) => self.sink.on_segment(now, segment, to),
            (end, payload) => refuse(end, payload),
        }
    }

    fn deadline(&self, end: End) -> Option<Time> {
        if end == End::Source { self.sender.deadline() } else { None }
    }

    fn on_deadline(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_deadline(now);
        self.settle(to);
    }

    fn srtt(&self) -> Option<Span> {
        self.sender.srtt()
    }

    fn rate(&self) -> Option<f64> {
        self.sender.rate().map(|rate| rate * f64::from(self.payload + self.header))
    }
}

#[cfg(test)]
mod tests;
