//! ATP: a rate-based transport that the nodes on the path assist (after Sundaresan et al. 2003).
//!
//! # Model
//! Every node writes its delay, queueing and service, into passing segments if it is the largest so far. The receiver averages it and
//! reports once per epoch: the rate of its inverse, and which segments have arrived. The sender falls to a lower rate at once,
//! approaches a clearly higher one over several epochs, and otherwise keeps its own. One segment leaves per interval: missing ones first.
//! A first probe collects the delay of the path, and its response sets the rate (quick start). An epoch without a report halves the
//! rate; after several, and when the network reports a failed route, the sender only probes, once per epoch.
//! # Source
//! K. Sundaresan, V. Anantharaman, H.-Y. Hsieh, R. Sivakumar, "ATP: a reliable transport protocol for ad-hoc networks", MobiHoc 2003; IEEE
//! Transactions on Mobile Computing 4(6), 2005.
//! # Deviations
//! The papers' texts were not at hand: constants as surveys report them, or ours. A segment is missing once one that was sent later
//! has arrived. The receiver's window is not modeled. There is no Fin.
//! # Parameters
//! Table `[atp]`.

mod receiver;
mod sender;

use crate::app::Supply;
use crate::kernel::{End, Time};
use crate::packet::explicit::{AtpConfig, AtpReport};
use crate::packet::{Payload, Segment};
use crate::transport::connection::ends::{Emit, Ends, Outlet, refuse};
use crate::transport::connection::spec::FlowSpec;
use receiver::AtpReceiver;
use sender::AtpSender;

#[derive(Debug)]
pub(crate) struct AtpEnds {
    sender: AtpSender,
    receiver: AtpReceiver,
    payload: u32,
    header: u32,
    block: u32,
}

impl AtpEnds {
    pub(crate) fn new(spec: &FlowSpec, config: &AtpConfig) -> AtpEnds {
        AtpEnds {
            sender: AtpSender::new(config, spec.segment),
            receiver: AtpReceiver::new(config),
            payload: spec.segment,
            header: config.header.0,
            block: config.block_bytes.0,
        }
    }

    /// Bytes of a full segment and of a report without blocks.
    pub(crate) fn packet_bytes(&self) -> (u32, u32) {
        (self.payload + self.header, self.header)
    }

    fn on_segment(&mut self, now: Time, segment: &Segment, to: &mut Outlet<'_>) -> u32 {
        let received = self.receiver.on_segment(now, segment);
        if segment.payload > 0 {
            to.meter.on_arrival(segment.payload, received.is_first.then(|| now.since(segment.first_sent)));
        }
        to.meter.on_delivery(u64::from(received.delivered) * u64::from(self.payload));
        self.send_report(received.report, to);
        received.delivered
    }

    fn send_report(&self, report: Option<AtpReport>, to: &mut Outlet<'_>) {
        let Some(report) = report else { return };
        let bytes = self.header + self.block * report.blocks.len() as u32;
        to.out.push(Emit { end: End::Sink, payload: Payload::Report(Box::new(report)), bytes });
    }

    /// Sends the sender's segments and updates the meter after an event.
    fn settle(&mut self, to: &mut Outlet<'_>) {
        let counts = self.sender.counts();
        to.meter.on_losses(counts.timeouts, counts.fast_retransmits, 0);
        for segment in self.sender.take_sent() {
            // Probes do not count as segments.
            if segment.payload > 0 || segment.seq == 0 {
                to.meter.on_sent(segment.is_retransmission);
            }
            let bytes = segment.payload + self.header;
            to.out.push(Emit { end: End::Source, payload: Payload::Segment(segment), bytes });
        }
    }
}

impl Ends for AtpEnds {
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
            (End::Source, Payload::Report(report)) => {
                self.sender.on_report(now, report);
                self.settle(to);
                0
            }
            (End::Sink, Payload::Segment(segment)) => self.on_segment(now, segment, to),
            (end, payload) => refuse(end, payload),
        }
    }

    fn on_unreachable(&mut self, _end: End, now: Time, to: &mut Outlet<'_>) {
        self.sender.on_route_failure(now);
        self.settle(to);
    }

    fn deadline(&self, end: End) -> Option<Time> {
        match end {
            End::Source => self.sender.deadline(),
            End::Sink => self.receiver.deadline(),
        }
    }

    fn on_deadline(&mut self, end: End, now: Time, to: &mut Outlet<'_>) {
        match end {
            End::Source => {
                self.sender.on_deadline(now);
                self.settle(to);
            }
            End::Sink => {
                let report = self.receiver.on_deadline(now);
                self.send_report(report, to);
            }
        }
    }

    fn rate(&self) -> Option<f64> {
        self.sender.rate().map(|rate| rate * f64::from(self.payload + self.header))
    }
}

#[cfg(test)]
mod tests;
