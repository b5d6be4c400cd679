//! TCP-F: NewReno that sleeps while a route has failed and wakes when one is back (after Chandran et al. 1998).
//!
//! # Model
//! The node where a segment is dropped for want of a route sends a route failure notification (RFN) to the source. Each node
//! on its way gives up the route through the neighbor that sent it; one that has another route absorbs the RFN, every other remembers the
//! flow and passes it on. The sender snoozes: no timer, no segments, and window, threshold and timeout as they were. A node
//! that remembers a flow and finds a route sends a route re-establishment notification (RRN). Then the sender transmits all
//! unacknowledged segments that the kept window allows. After `tcp.tcp_f_timer` without an RRN, the snooze ends in a timeout.
//!
//! # Source
//! K. Chandran, S. Raghunathan, S. Venkatesan, R. Prakash, "A feedback based transport for improving TCP performance in ad-hoc
//! wireless networks", ICDCS 1998; IEEE Personal Communications, February 2001.
//!
//! # Deviations
//! The papers' texts were not at hand; the timer's value is ours. The paper leaves it to routing to find a route; AODV searches
//! for one only if there is a packet. So the sender transmits its lowest unacknowledged segment as it begins to snooze, and every
//! `tcp.tcp_f_search`. RFN and RRN are ICMP messages; RFNs are limited as those of `elfn` are.
//!
//! # Parameters
//! `tcp.tcp_f_timer`, `tcp.tcp_f_search`; those of NewReno.

use crate::kernel::{Span, Time};
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::recovery::method::Recovery;
use crate::transport::recovery::new_reno::NewReno;
use crate::transport::tcb::{AckKind, Tcb};

/// NewReno with a snooze.
#[derive(Clone, Debug)]
pub struct TcpF {
    inner: NewReno,
    timer: Span,
    search: Span,
    /// When the snooze ends without an RRN.
    snooze_until: Option<Time>,
}

impl TcpF {
    /// Before the connection is established.
    pub fn new(config: &TcpConfig) -> TcpF {
        TcpF { inner: NewReno::new(config), timer: config.tcp_f_timer, search: config.tcp_f_search, snooze_until: None }
    }

    /// Transmits a segment for which routing searches a route; again after `search`, unless the snooze ends.
    fn search(&self, tcb: &mut Tcb, until: Time) {
        tcb.transmit(tcb.snd_una);
        tcb.set_timer(until.min(tcb.now() + self.search));
    }
}

impl Recovery for TcpF {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        if self.snooze_until.is_none() {
            return self.inner.on_ack(tcb, ack);
        }
        // It may have been on its way when the route failed: it counts, and nothing is sent, unless nothing is in flight any more.
        if tcb.kind_of(ack) == AckKind::New {
            tcb.advance(ack);
            tcb.dup_acks = 0;
            if tcb.in_flight() == 0 {
                self.on_route_restored(tcb);
            }
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        match self.snooze_until {
            Some(until) if tcb.now() < until => self.search(tcb, until),
            _ => {
                self.snooze_until = None;
                self.inner.on_timeout(tcb);
            }
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if self.snooze_until.is_none() {
            self.inner.on_supply(tcb);
        }
    }

    fn on_route_failure(&mut self, tcb: &mut Tcb) {
        if self.snooze_until.is_none() && tcb.in_flight() > 0 {
            let until = tcb.now() + self.timer;
            self.snooze_until = Some(until);
            // A sample would include the time without a route.
            tcb.cancel_timed();
            self.search(tcb, until);
        }
    }

    fn on_route_restored(&mut self, tcb: &mut Tcb) {
        if self.snooze_until.take().is_some() {
            self.inner.resume(tcb);
        }
    }

    fn in_recovery(&self) -> bool {
        self.inner.in_recovery()
    }
}
