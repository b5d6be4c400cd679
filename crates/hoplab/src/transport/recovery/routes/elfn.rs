//! TCP-ELFN: NewReno that stands by while the network has no route (after Holland and Vaidya 1999).
//!
//! # Model
//! A node that drops a segment for want of a route, or because the link has failed, notifies the sender. The sender then
//! stands by: it stops its retransmission timer, and keeps window, threshold and timeout. At every `tcp.elfn_probe` it
//! sends the lowest unacknowledged segment. Any acknowledgment ends the standby, and restarts the timer with the timeout that was
//! kept.
//!
//! # Source
//! G. Holland, N. Vaidya, "Analysis of TCP performance over mobile ad hoc networks", MobiCom 1999, section 5: the
//! notification, the standby, and 2 s between probes.
//!
//! # Deviations
//! The paper's notification rides on DSR's route error; here it is a message of its own (ICMP destination
//! unreachable, RFC 792) from the node that dropped the segment, at most one per second and destination. The paper
//! does not say which segment probes; here it is the lowest unacknowledged one. Only the variant that keeps window and timeout is built.
//!
//! # Parameters
//! `tcp.elfn_probe`; those of NewReno.

use crate::kernel::Span;
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::recovery::method::Recovery;
use crate::transport::recovery::new_reno::NewReno;
use crate::transport::tcb::Tcb;

/// NewReno with a standby.
#[derive(Clone, Debug)]
pub struct Elfn {
    inner: NewReno,
    probe: Span,
    stands_by: bool,
}

impl Elfn {
    /// Before the connection is established.
    pub fn new(config: &TcpConfig) -> Elfn {
        Elfn { inner: NewReno::new(config), probe: config.elfn_probe, stands_by: false }
    }

    fn await_probe(&self, tcb: &mut Tcb) {
        tcb.set_timer(tcb.now() + self.probe);
    }
}

impl Recovery for Elfn {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        if self.stands_by {
            self.stands_by = false;
            tcb.restart_timer();
        }
        self.inner.on_ack(tcb, ack);
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        if self.stands_by {
            tcb.transmit(tcb.snd_una);
            self.await_probe(tcb);
        } else {
            self.inner.on_timeout(tcb);
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if !self.stands_by {
            self.inner.on_supply(tcb);
        }
    }

    fn on_route_failure(&mut self, tcb: &mut Tcb) {
        if !self.stands_by && tcb.in_flight() > 0 {
            self.stands_by = true;
            // A sample would include the time without a route.
            tcb.cancel_timed();
            self.await_probe(tcb);
        }
    }

    fn in_recovery(&self) -> bool {
        self.inner.in_recovery()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::CongestionKind;
    use crate::transport::congestion::control::CongestionControl;

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// A sender with segments 1 and 2 in flight.
    fn established() -> (Elfn, Tcb) {
        let config = TcpConfig::default();
        let mut tcb = Tcb::new(&config, CongestionKind::Reno, 1000, 20, 0.0);
        let mut elfn = Elfn::new(&config);
        tcb.supply(None);
        tcb.set_now(at(0));
        elfn.on_supply(&mut tcb);
        tcb.set_now(at(100));
        elfn.on_ack(&mut tcb, &Ack::plain(0, at(0)));
        let sent: Vec<_> = tcb.take_sent(40).map(|(segment, _)| segment.seq).collect();
        assert_eq!(sent, [0, 1, 2]);
        (elfn, tcb)
    }

    #[test]
    fn a_failed_route_stops_the_timer_and_probes() {
        let (mut elfn, mut tcb) = established();
        let (cwnd, rto) = (tcb.control.cwnd(), tcb.rtt.rto());
        tcb.set_now(at(200));
        elfn.on_route_failure(&mut tcb);
        assert_eq!(tcb.deadline(), Some(at(2_200)));
        for probe in 1..=5 {
            tcb.set_now(at(200 + probe * 2_000));
            elfn.on_route_failure(&mut tcb);
            elfn.on_timeout(&mut tcb);
            let sent: Vec<_> = tcb.take_sent(40).map(|(segment, _)| segment.seq).collect();
            assert_eq!(sent, [1]);
            assert_eq!(tcb.deadline(), Some(at(200 + (probe + 1) * 2_000)));
        }
        assert_eq!((tcb.control.cwnd(), tcb.rtt.rto(), tcb.counts().timeouts), (cwnd, rto, 0));
    }

    #[test]
    fn an_acknowledgment_ends_the_standby_with_the_window_that_was_kept() {
        let (mut elfn, mut tcb) = established();
        let rto = tcb.rtt.rto();
        tcb.set_now(at(200));
        elfn.on_route_failure(&mut tcb);
        tcb.set_now(at(2_200));
        elfn.on_timeout(&mut tcb);
        let probes = tcb.take_sent(40).count();
        assert_eq!(probes, 1);
        tcb.set_now(at(2_300));
        elfn.on_ack(&mut tcb, &Ack::plain(1, at(2_200)));
        assert_eq!(tcb.snd_una, 2);
        assert!(tcb.deadline().is_some_and(|deadline| deadline <= at(2_300) + rto), "the timeout was kept");
        assert!(tcb.take_sent(40).count() > 0, "the window is used again");
        elfn.on_timeout(&mut tcb);
        assert_eq!(tcb.counts().timeouts, 1, "a timeout is one again");
    }

    #[test]
    fn nothing_in_flight_needs_no_standby() {
        let (mut elfn, mut tcb) = established();
        tcb.set_now(at(200));
        elfn.on_ack(&mut tcb, &Ack::plain(1, at(100)));
        tcb.close();
        let mut last = tcb.snd_max - 1;
        while tcb.in_flight() > 0 {
            elfn.on_ack(&mut tcb, &Ack::plain(last, at(100)));
            last = tcb.snd_max - 1;
        }
        let deadline = tcb.deadline();
        elfn.on_route_failure(&mut tcb);
        assert_eq!(tcb.deadline(), deadline);
    }
}
