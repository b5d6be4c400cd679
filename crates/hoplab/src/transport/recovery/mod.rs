//! Loss recovery: what is sent again, and when. One file per way; the list below registers them.
//!
//! A recovery sees every acknowledgment and timeout first. It moves the tcb's sequence, tells the controller of
//! new data and of losses, and sends. How large the window is, it does not decide; it only adds to it for duplicates.

mod go_back_n;
mod linux;
mod new_reno;
mod reno;
mod rfc6675;
mod sack;
mod sack1;
pub(super) mod scoreboard;
mod timeout_only;
mod vegas;

pub use go_back_n::GoBackN;
pub use linux::Linux;
pub use new_reno::NewReno;
pub use reno::Reno;
pub use rfc6675::Rfc6675;
pub use sack::Sack;
pub use sack1::Sack1;
pub use timeout_only::TimeoutOnly;
pub use vegas::Vegas;

use super::config::TcpConfig;
use super::congestion::CongestionControl;
use super::tcb::Tcb;
use crate::packet::Ack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Decides what is sent again.
pub trait Recovery: Debug {
    /// An acknowledgment has come. The tcb's clock is set, its sequence not yet moved.
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack);

    /// The retransmission timer has ended. The tcb's clock is set, nothing else has changed.
    fn on_timeout(&mut self, tcb: &mut Tcb);

    /// The application has supplied more: send what may be sent.
    fn on_supply(&mut self, tcb: &mut Tcb);

    /// A sender that is pulled has room for one segment. Whether it has sent one.
    fn on_slot(&mut self, tcb: &mut Tcb) -> bool {
        tcb.send_next()
    }

    /// Whether a loss found by acknowledgments is being repaired.
    fn in_recovery(&self) -> bool;

    /// The window to be shown, in segments: the controller's, unless the repair lets more out than that.
    fn shown_cwnd(&self, tcb: &Tcb) -> f64 {
        tcb.control.cwnd()
    }
}

/// Makes of a list of recoveries their names, and one type that can be any of them.
macro_rules! recoveries {
    ($($(#[doc = $summary:literal])+ $name:ident: $Kind:ident($Type:ty) = $build:expr, needs_sack: $needs_sack:literal;)+) => {
        /// Names of the ways to repair losses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum RecoveryKind {
            $($(#[doc = $summary])+ $Kind,)+
        }

        /// Any recovery.
        #[derive(Debug)]
        pub enum AnyRecovery {
            $($(#[doc = $summary])+ $Kind($Type),)+
            /// One that the user brings.
            Custom(Box<dyn Recovery + Send>),
        }

        impl RecoveryKind {
            /// All of them, in the order of documentation.
            pub const ALL: &[RecoveryKind] = &[$(RecoveryKind::$Kind),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(RecoveryKind::$Kind => stringify!($name),)+
                }
            }

            /// What it does, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(RecoveryKind::$Kind => concat!($($summary),+).trim_ascii(),)+
                }
            }

            /// Whether the receiver is to report what it holds beyond a gap.
            pub fn needs_sack(self) -> bool {
                match self {
                    $(RecoveryKind::$Kind => $needs_sack,)+
                }
            }

            /// It, before its connection opens.
            pub fn build(self, config: &TcpConfig) -> AnyRecovery {
                match self {
                    $(RecoveryKind::$Kind => {
                        let build: fn(&TcpConfig) -> $Type = $build;
                        AnyRecovery::$Kind(build(config))
                    })+
                }
            }
        }

        impl Recovery for AnyRecovery {
            fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.on_ack(tcb, ack),)+
                    AnyRecovery::Custom(recovery) => recovery.on_ack(tcb, ack),
                }
            }

            fn on_timeout(&mut self, tcb: &mut Tcb) {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.on_timeout(tcb),)+
                    AnyRecovery::Custom(recovery) => recovery.on_timeout(tcb),
                }
            }

            fn on_supply(&mut self, tcb: &mut Tcb) {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.on_supply(tcb),)+
                    AnyRecovery::Custom(recovery) => recovery.on_supply(tcb),
                }
            }

            fn on_slot(&mut self, tcb: &mut Tcb) -> bool {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.on_slot(tcb),)+
                    AnyRecovery::Custom(recovery) => recovery.on_slot(tcb),
                }
            }

            fn in_recovery(&self) -> bool {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.in_recovery(),)+
                    AnyRecovery::Custom(recovery) => recovery.in_recovery(),
                }
            }

            #[inline]
            fn shown_cwnd(&self, tcb: &Tcb) -> f64 {
                match self {
                    $(AnyRecovery::$Kind(recovery) => recovery.shown_cwnd(tcb),)+
                    AnyRecovery::Custom(recovery) => recovery.shown_cwnd(tcb),
                }
            }
        }
    };
}

recoveries! {
    /// a timeout sends the lowest missing segment again; duplicate acknowledgments say nothing
    timeout_only: TimeoutOnly(TimeoutOnly) = |_| TimeoutOnly::default(), needs_sack: false;
    /// a timeout or three duplicate acknowledgments send everything from the lowest missing segment on again
    tahoe: Tahoe(GoBackN) = |_| GoBackN, needs_sack: false;
    /// three duplicates send one segment again; further ones let new segments out until the next new acknowledgment
    reno: Reno(Reno) = |_| Reno::default(), needs_sack: false;
    /// as reno, but the repair goes on until everything sent before the loss was found has arrived
    new_reno: NewReno(NewReno) = NewReno::new, needs_sack: false;
    /// sends again what the receiver does not report, and counts what is in the network
    sack: Sack(Sack) = Sack::new, needs_sack: true;
    /// asks at any duplicate acknowledgment whether the missing segment is overdue
    vegas: Vegas(Vegas) = |_| Vegas::default(), needs_sack: false;
    /// losses by SACK, a window halved step by step; profile ns2_linux puts it in place of the four before it
    linux: Linux(Linux) = |_| Linux::default(), needs_sack: true;
    /// as new_reno, but the window is left as the controller has set it
    muzha: Muzha(NewReno) = NewReno::keeping_window, needs_sack: false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_described() {
        let names: Vec<_> = RecoveryKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names, ["timeout_only", "tahoe", "reno", "new_reno", "sack", "vegas", "linux", "muzha"]);
        assert!(RecoveryKind::ALL.iter().all(|kind| kind.summary().len() > 10));
    }
}
