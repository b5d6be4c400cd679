//! The sending end of a connection: the machine, and the recovery that works it.

use super::config::TcpConfig;
use super::congestion::{CongestionControl, CongestionKind, Controller};
use super::machine::{Machine, SenderCounts};
use super::recovery::{AnyRecovery, Recovery, RecoveryKind};
use crate::app::Supply;
use crate::kernel::Time;
use crate::packet::{Ack, Segment};

/// A sender: acknowledgments, timeouts and supply in, segments out.
#[derive(Debug)]
pub struct Sender {
    machine: Machine,
    recovery: AnyRecovery,
}

/// What a sender is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Who decides the window.
    pub congestion: CongestionKind,
    /// Who decides what is sent again.
    pub recovery: RecoveryKind,
}

impl Sender {
    /// Before anything is sent. `phase`, in `[0, 1)`, is where in a tick its clock starts.
    pub fn new(config: &TcpConfig, parts: Parts, segment: u32, window: u32, phase: f64) -> Sender {
        Sender {
            machine: Machine::new(config, parts.congestion, segment, window, phase),
            recovery: parts.recovery.build(config),
        }
    }

    /// Takes a controller of the user's instead of the one it was made with. To be done before anything is sent.
    pub fn set_controller(&mut self, controller: Controller) {
        self.machine.control = controller;
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        self.machine.at(now);
        self.machine.supply(match supply {
            Supply::Segments(count) => Some(count),
            Supply::Endless => None,
        });
        self.recovery.on_supply(&mut self.machine);
    }

    /// The application supplies nothing more.
    pub fn close(&mut self, now: Time) {
        self.machine.at(now);
        self.machine.close();
    }

    /// An acknowledgment has come. One of what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.machine.at(now);
        if ack.cumulative < self.machine.snd_max {
            self.recovery.on_ack(&mut self.machine, ack);
        }
    }

    /// The time of [`Sender::deadline`] has come.
    pub fn on_timeout(&mut self, now: Time) {
        self.machine.at(now);
        self.recovery.on_timeout(&mut self.machine);
    }

    /// When the retransmission timer ends. It moves at nearly every acknowledgment.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.machine.deadline()
    }

    /// Takes out the segments to be sent since the last call, in order, each with its bytes above the MAC if its
    /// headers have `header`.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        self.machine.take_sent(header)
    }

    /// The congestion window, in segments; duplicates of a repair are not in it.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.machine.control.cwnd()
    }

    /// The slow-start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        self.machine.control.ssthresh()
    }

    /// Losses found so far.
    pub fn counts(&self) -> SenderCounts {
        self.machine.counts()
    }

    /// Whether a loss found by acknowledgments is being repaired.
    pub fn is_repairing(&self) -> bool {
        self.recovery.is_repairing()
    }

    /// Sequence, timer and round-trip time.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}
