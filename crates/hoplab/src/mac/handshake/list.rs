//! The list of handshake policies: one row each, with its name in scenarios. The line above a row is its summary, also in the
//! schema.

use super::hop_release::{HopRelease, HopReleaseRules};
use super::plain::Plain;
use super::policy::{Decision, HandshakePolicy, LocalState, RtsBits, RtsResponse, Taken};
use super::semi_tcp::{SemiTcp, SemiTcpRules};
use super::setup::{EngineHandshake, HandshakeSetup};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::timing::Timing;
use crate::packet::{Backlog, Category, Frame};
use enum_dispatch::enum_dispatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates names, rules and a common type from the rows.
macro_rules! handshakes {
    ($($(#[doc = $doc:literal])+ $Kind:ident = $name:literal: $Policy:ident as $Held:ty
        $(, rules $rules:ident: $Rules:ty)?;)+) => {
        /// Names of the handshake policies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum HandshakeKind {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $Kind,)+
        }

        impl HandshakeKind {
            /// All policies, in the order of documentation.
            pub const ALL: &[HandshakeKind] = &[$(HandshakeKind::$Kind),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(HandshakeKind::$Kind => $name,)+ }
            }

            /// What it does, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(HandshakeKind::$Kind => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// See [`EngineHandshake::PAGE`].
            pub fn page(self) -> &'static str {
                match self { $(HandshakeKind::$Kind => $Policy::PAGE,)+ }
            }

            /// The policy of a node, and the times of its station.
            pub fn build(self, rules: &HandshakeRules<'_>, setup: &HandshakeSetup<'_>) -> (Handshake, Arc<Timing>) {
                match self {
                    $(HandshakeKind::$Kind => {
                        let own = handshakes!(@own rules $($rules)?);
                        let timing = $Policy::timing(own, setup);
                        let policy = $Policy::build(own, &HandshakeSetup { timing: &timing, ..*setup });
                        (Handshake::$Kind(policy.into()), timing)
                    })+
                }
            }
        }

        /// The rules of all policies that have any.
        #[derive(Clone, Copy, Debug)]
        pub struct HandshakeRules<'a> {
            $($(
                #[doc = concat!("Rules of the policy `", $name, "`.")]
                pub $rules: &'a $Rules,
            )?)+
        }

        /// The handshake policy of a node.
        #[enum_dispatch(HandshakePolicy)]
        #[derive(Debug)]
        pub enum Handshake {
            $($(#[doc = $doc])+ $Kind($Held),)+
        }
    };
    (@own $all:ident) => { &() };
    (@own $all:ident $rules:ident) => { $all.$rules };
}

// The policy is boxed where it is large. `rules` is what the scenario decides of it.
handshakes! {
    /// plain 802.11: a CTS for every RTS
    Plain = "plain": Plain as Plain;
    /// Semi-TCP: RTS and CTS carry congestion, and a congested node refuses
    SemiTcp = "semi_tcp": SemiTcp as Box<SemiTcp>, rules semi_tcp: SemiTcpRules;
    /// release by overhearing: data wait until the next hop has sent the last ones on
    HopRelease = "hop_release": HopRelease as Box<HopRelease>, rules hop_release: HopReleaseRules;
}

impl Handshake {
    /// Whether it decides nothing: the MAC skips its calls.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self, Handshake::Plain(_))
    }
}
