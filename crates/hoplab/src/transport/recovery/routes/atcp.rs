//! ATCP: a layer below NewReno that repairs losses without cutting the window, and freezes it while there is no route (after
//! Liu and Singh 2001).
//!
//! # Model
//! - Normal: the third duplicate acknowledgment, or an expired timer, is kept from NewReno: loss. A report that the destination is
//!   unreachable: disconnected. An echoed mark (ECN): congested.
//! - Loss: NewReno is frozen. The lowest unacknowledged segment is transmitted, again after each timeout without backoff.
//!   Duplicates are ignored. An acknowledgment of new data: normal. An echoed mark: congested. A report: disconnected.
//! - Congested: as NewReno, which halves its window for the mark. Normal once it transmits a new segment.
//! - Disconnected: NewReno is frozen; the lowest unacknowledged segment probes every `tcp.atcp_probe`. Any acknowledgment: normal, with a
//!   window of one segment.
//!
//! # Source
//! J. Liu, S. Singh, "ATCP: TCP for mobile ad hoc networks", IEEE JSAC 19(7), 2001.
//!
//! # Deviations
//! The paper's text was not at hand; the time between probes is ours. While segments from before a loss are unacknowledged,
//! each acknowledgment of new data transmits the next of them, and duplicates do not count, as in NewReno's recovery. After disconnection all
//! unacknowledged segments are transmitted again. Reordering, source quench, and ATCP at the receiver are not modeled.
//!
//! # Parameters
//! `tcp.atcp_probe`; those of NewReno. Segments are ECN-capable whatever `tcp.ecn` is; queues mark with `queue.ecn`.

use crate::kernel::Span;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::recovery::method::Recovery;
use crate::transport::recovery::new_reno::NewReno;
use crate::transport::tcb::{AckKind, Tcb};

/// NewReno below a layer that hides losses.
#[derive(Clone, Debug)]
pub struct Atcp {
    inner: NewReno,
    probe: Span,
    state: State,
    /// Duplicate acknowledgments that were seen in the state normal.
    duplicates: u32,
    /// One past the highest segment sent before the last loss.
    repair_to: SegNo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    Loss,
    Congested {
        /// One past the highest segment sent when the mark arrived.
        high: SegNo,
    },
    Disconnected,
}

impl Atcp {
    /// Before the connection is established.
    pub fn new(config: &TcpConfig) -> Atcp {
        let inner = NewReno::new(config);
        Atcp { inner, probe: config.atcp_probe, state: State::Normal, duplicates: 0, repair_to: 0 }
    }

    fn lose(&mut self, tcb: &mut Tcb) {
        self.state = State::Loss;
        self.repair_to = tcb.snd_max;
        self.duplicates = 0;
        tcb.cancel_timed();
        tcb.transmit(tcb.snd_una);
        tcb.restart_timer();
    }

    /// An acknowledgment in the states in which NewReno is not frozen.
    fn pass(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match tcb.kind_of(ack) {
            AckKind::New => {
                self.duplicates = 0;
                self.inner.on_ack(tcb, ack);
                if tcb.snd_una < self.repair_to {
                    tcb.transmit(tcb.snd_una);
                }
            }
            AckKind::Duplicate if self.is_transparent() => self.inner.on_ack(tcb, ack),
            AckKind::Duplicate if tcb.snd_una < self.repair_to || !tcb.can_enter_recovery() => {}
            AckKind::Duplicate => {
                self.duplicates += 1;
                if self.duplicates < tcb.rules.dup_ack_threshold {
                    self.inner.on_ack(tcb, ack);
                } else {
                    self.lose(tcb);
                }
            }
            AckKind::Old => {}
        }
    }

    /// Whether NewReno handles losses itself.
    fn is_transparent(&self) -> bool {
        matches!(self.state, State::Congested { .. }) || self.inner.in_recovery()
    }
}

impl Recovery for Atcp {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        match self.state {
            State::Loss => {
                if tcb.kind_of(ack) != AckKind::New {
                    return;
                }
                self.state = State::Normal;
            }
            State::Disconnected => {
                self.state = State::Normal;
                self.repair_to = 0;
                tcb.control.set_cwnd(1.0);
                if tcb.kind_of(ack) == AckKind::New {
                    tcb.advance(ack);
                }
                self.inner.resume(tcb);
                return;
            }
            State::Normal | State::Congested { .. } => {}
        }
        self.pass(tcb, ack);
        if matches!(self.state, State::Congested { high } if tcb.snd_max > high) {
            self.state = State::Normal;
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        match self.state {
            State::Disconnected => {
                tcb.transmit(tcb.snd_una);
                tcb.set_timer(tcb.now() + self.probe);
            }
            // The connection is not established, or nothing is in flight, or NewReno handles losses.
            _ if tcb.snd_una == 0 || tcb.in_flight() == 0 || self.is_transparent() => self.inner.on_timeout(tcb),
            _ => self.lose(tcb),
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if matches!(self.state, State::Normal | State::Congested { .. }) {
            self.inner.on_supply(tcb);
        }
    }

    fn on_route_failure(&mut self, tcb: &mut Tcb) {
        if self.state != State::Disconnected && tcb.in_flight() > 0 {
            self.state = State::Disconnected;
            self.duplicates = 0;
            tcb.cancel_timed();
            tcb.set_timer(tcb.now() + self.probe);
        }
    }

    fn on_mark_echo(&mut self, tcb: &mut Tcb) {
        if tcb.reduce_for_mark() && self.state != State::Disconnected {
            self.state = State::Congested { high: tcb.snd_max };
        }
    }

    fn in_recovery(&self) -> bool {
        self.state == State::Loss || self.inner.in_recovery()
    }
}
