//! The list of recoveries, one row each: names, and the type that can be any of them. Schema, messages and dispatch are
//! derived from it.

use super::go_back_n::GoBackN;
use super::linux::Linux;
use super::method::Recovery;
use super::muzha::Muzha;
use super::new_reno::NewReno;
use super::pulled_sack::PulledSack;
use super::reno::Reno;
use super::routes::{Atcp, Elfn, TcpF};
use super::sack::Sack;
use super::timeout_only::TimeoutOnly;
use super::vegas::Vegas;
use crate::packet::Ack;
use crate::transport::config::TcpConfig;
use crate::transport::tcb::Tcb;
use enum_dispatch::enum_dispatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names and a common type from the list of recoveries.
macro_rules! recoveries {
    ($($name:ident: $Kind:ident($Type:ident), needs_sack: $needs_sack:literal;)+) => {
        /// Names of the recoveries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum RecoveryKind {
            $(
                #[doc = concat!("[`", stringify!($Type), "`].")]
                $Kind,
            )+
        }

        /// Any recovery.
        #[enum_dispatch(Recovery)]
        #[derive(Debug)]
        pub enum AnyRecovery {
            $(
                #[doc = concat!("[`", stringify!($Type), "`].")]
                $Kind($Type),
            )+
            /// A user's own.
            Custom(Box<dyn Recovery + Send>),
        }

        impl RecoveryKind {
            /// All recoveries, in the order of documentation.
            pub const ALL: &[RecoveryKind] = &[$(RecoveryKind::$Kind),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(RecoveryKind::$Kind => stringify!($name),)+
                }
            }

            /// Whether the receiver must report out-of-order segments.
            pub fn needs_sack(self) -> bool {
                match self {
                    $(RecoveryKind::$Kind => $needs_sack,)+
                }
            }

            /// Whether the network notifies the sender of routes that fail.
            pub fn wants_route_failures(self) -> bool {
                matches!(self, RecoveryKind::Elfn | RecoveryKind::TcpF | RecoveryKind::Atcp)
            }

            /// Whether the network notifies the sender of routes that are back, too.
            pub fn wants_route_restorations(self) -> bool {
                self == RecoveryKind::TcpF
            }

            /// Whether its segments are ECN-capable whatever `tcp.ecn` is.
            pub fn needs_ecn(self) -> bool {
                self == RecoveryKind::Atcp
            }

            /// The recovery, before its connection is established.
            pub fn build(self, config: &TcpConfig) -> AnyRecovery {
                match self {
                    $(RecoveryKind::$Kind => AnyRecovery::$Kind($Type::new(config)),)+
                }
            }
        }
    };
}

recoveries! {
    timeout_only: TimeoutOnly(TimeoutOnly), needs_sack: false;
    pulled_sack: PulledSack(PulledSack), needs_sack: true;
    tahoe: Tahoe(GoBackN), needs_sack: false;
    reno: Reno(Reno), needs_sack: false;
    new_reno: NewReno(NewReno), needs_sack: false;
    sack: Sack(Sack), needs_sack: true;
    vegas: Vegas(Vegas), needs_sack: false;
    linux: Linux(Linux), needs_sack: true;
    muzha: Muzha(Muzha), needs_sack: false;
    elfn: Elfn(Elfn), needs_sack: false;
    tcp_f: TcpF(TcpF), needs_sack: false;
    atcp: Atcp(Atcp), needs_sack: false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let names: Vec<_> = RecoveryKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(
            names,
            [
                "timeout_only",
                "pulled_sack",
                "tahoe",
                "reno",
                "new_reno",
                "sack",
                "vegas",
                "linux",
                "muzha",
                "elfn",
                "tcp_f",
                "atcp"
            ]
        );
    }
}
