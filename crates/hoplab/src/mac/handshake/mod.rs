//! What the RTS/CTS exchange decides beyond reserving the medium.
//!
//! A policy sees every frame that its station reads, knows what waits above the MAC, and is asked at the turns of an
//! exchange: may a packet contend, what does its request say, how is a neighbor's request answered. It sends nothing
//! and sets no timer: the MAC does.

mod plain;
mod semi_tcp;

pub use plain::Plain;
pub use semi_tcp::{
    CongestedAt, CtscAttribution, DeferCheck, ForwardCount, NeighborTable, OnMonopoly, RefuseWhileParked, RefusedBy,
    Reserve, SemiTcp, SemiTcpRules, UrgentRts,
};

use super::timing::Timing;
use crate::kernel::{NodeId, Span, Time};
use crate::packet::{Backlog, Frame, Urgency};

/// What the station has to send itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Neighbor that the data packet in service, or parked, is for.
    pub data: Option<NodeId>,
    /// That packet is parked.
    pub is_parked: bool,
    /// Neighbor, or everybody, that a control packet in service is for.
    pub control: Option<NodeId>,
    /// What is in service could go on the air at once: no answer to its request has come yet.
    pub is_contending: bool,
}

/// Whether a data packet contends for the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It does.
    Contend,
    /// It is parked: the MAC serves control packets only. The question is put again at this time, or before.
    Park {
        /// When.
        until: Time,
    },
}

/// What an RTS says besides its Duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Order bit.
    pub order: bool,
    /// That it is for a control packet.
    pub urgency: Urgency,
}

/// Answer to an RTS for this node, once the medium and the MAC allow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A CTS, with this Order bit.
    Grant {
        /// Order bit.
        order: bool,
    },
    /// None: what the station has itself goes on the air in its place.
    Reuse,
    /// None.
    Silence,
}

/// A policy of the RTS/CTS exchange, at one node. What a policy has no use for, it need not implement.
pub trait HandshakePolicy {
    /// How to answer `rts`. Called when nothing else is to be answered or awaited, after SIFS of an idle medium.
    fn answer(&mut self, now: Time, rts: &Frame, own: &Own) -> Answer;

    /// Air time of the longest answer that an RTS may get.
    fn answer_airtime(&self, timing: &Timing) -> Span;

    /// What waits above the MAC has changed.
    fn on_backlog(&mut self, _backlog: Backlog) {}

    /// Whether the node counts as congested.
    fn is_congested(&self, _own: &Own) -> bool {
        false
    }

    /// A data packet is to contend: it has just come down (`is_first`), its request is about to be sent or repeated,
    /// or it was parked until now.
    fn decide(&mut self, _now: Time, _own: &Own, _is_first: bool) -> Decision {
        Decision::Contend
    }

    /// What the RTS says that goes on the air now. Called once per RTS, repeated ones included.
    fn marks(&mut self, _own: &Own) -> Marks {
        Marks::default()
    }

    /// A frame was read, whomever it was for. Called before the MAC acts on it. Whether a neighbor that was congested
    /// is so no longer.
    fn on_frame(&mut self, _now: Time, _frame: &Frame) -> bool {
        false
    }

    /// Whether `rts`, sent by the neighbor whose CTS is awaited, means that there will be none.
    fn is_refusal(&self, _rts: &Frame) -> bool {
        false
    }

    /// The neighbor `by` has refused the request for the data packet in service, which is to be parked until the time
    /// that is returned.
    fn on_refused(&mut self, now: Time, _by: NodeId) -> Time {
        now
    }

    /// Whether a parked packet contends again before its time, now that a neighbor's congestion is over.
    fn may_unpark(&mut self, _now: Time, _own: &Own) -> bool {
        true
    }

    /// A parked packet contends again.
    fn on_unparked(&mut self) {}

    /// Whether each turn to the own packet, to refuse a neighbor's, counts against its short retry limit if it was
    /// parked.
    fn counts_reuse(&self) -> bool {
        false
    }

    /// The own request was granted by `by`, with this Order bit.
    fn on_granted(&mut self, _now: Time, _by: NodeId, _order: bool) {}

    /// A grant for `to` goes on the air, with this Order bit.
    fn on_granting(&mut self, _now: Time, _to: NodeId, _order: bool) {}

    /// The exchange that was granted to `to` is over: its data has been acknowledged, or has not come. Whether a
    /// parked packet is to be looked at again.
    fn on_grant_over(&mut self, _now: Time, _to: NodeId, _has_come: bool, _own: &Own) -> bool {
        false
    }

    /// The data packet in service was acknowledged by `by`.
    fn on_acknowledged(&mut self, _by: NodeId) {}

    /// The MAC gave up on `neighbor`.
    fn on_failed(&mut self, _neighbor: NodeId) {}

    /// Window for the next backoff, if the MAC's rules say `cw` and start from `cw_min`.
    fn window(&mut self, _now: Time, cw: u32, _cw_min: u32) -> u32 {
        cw
    }
}

macro_rules! policies {
    (($d:tt) $($(#[doc = $doc:literal])+ $name:ident: $Variant:ident($Type:ty)),+ $(,)?) => {
        /// The policies that a scenario can name.
        #[derive(Debug)]
        pub enum Handshake { $($(#[doc = $doc])+ $Variant($Type)),+ }

        /// Names of the policies.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum HandshakeKind { $($(#[doc = $doc])+ $Variant),+ }

        impl HandshakeKind {
            /// All policies, in the order of documentation.
            pub const ALL: &[HandshakeKind] = &[$(HandshakeKind::$Variant),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(HandshakeKind::$Variant => stringify!($name)),+ }
            }

            /// What it does, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(HandshakeKind::$Variant => concat!($($doc),+).trim_ascii()),+ }
            }
        }

        macro_rules! dispatch {
            ($d self_:expr, $d method:ident($d ($d argument:expr),*)) => {
                match $d self_ { $(Handshake::$Variant(policy) => policy.$d method($d ($d argument),*)),+ }
            };
        }
    };
}

policies! { ($)
    /// plain 802.11: every request is granted
    plain: Plain(Plain),
    /// requests and grants tell of congestion, and a congested node refuses (Semi-TCP)
    semi_tcp: SemiTcp(Box<SemiTcp>),
}

impl Handshake {
    /// Whether it decides nothing: the MAC need not ask.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self, Handshake::Plain(_))
    }
}

impl HandshakePolicy for Handshake {
    #[inline]
    fn answer(&mut self, now: Time, rts: &Frame, own: &Own) -> Answer {
        dispatch!(self, answer(now, rts, own))
    }

    #[inline]
    fn answer_airtime(&self, timing: &Timing) -> Span {
        dispatch!(self, answer_airtime(timing))
    }

    fn on_backlog(&mut self, backlog: Backlog) {
        dispatch!(self, on_backlog(backlog));
    }

    #[inline]
    fn is_congested(&self, own: &Own) -> bool {
        dispatch!(self, is_congested(own))
    }

    #[inline]
    fn decide(&mut self, now: Time, own: &Own, is_first: bool) -> Decision {
        dispatch!(self, decide(now, own, is_first))
    }

    #[inline]
    fn marks(&mut self, own: &Own) -> Marks {
        dispatch!(self, marks(own))
    }

    #[inline]
    fn on_frame(&mut self, now: Time, frame: &Frame) -> bool {
        dispatch!(self, on_frame(now, frame))
    }

    #[inline]
    fn is_refusal(&self, rts: &Frame) -> bool {
        dispatch!(self, is_refusal(rts))
    }

    fn on_refused(&mut self, now: Time, by: NodeId) -> Time {
        dispatch!(self, on_refused(now, by))
    }

    fn may_unpark(&mut self, now: Time, own: &Own) -> bool {
        dispatch!(self, may_unpark(now, own))
    }

    fn on_unparked(&mut self) {
        dispatch!(self, on_unparked());
    }

    fn counts_reuse(&self) -> bool {
        dispatch!(self, counts_reuse())
    }

    #[inline]
    fn on_granted(&mut self, now: Time, by: NodeId, order: bool) {
        dispatch!(self, on_granted(now, by, order));
    }

    #[inline]
    fn on_granting(&mut self, now: Time, to: NodeId, order: bool) {
        dispatch!(self, on_granting(now, to, order));
    }

    #[inline]
    fn on_grant_over(&mut self, now: Time, to: NodeId, has_come: bool, own: &Own) -> bool {
        dispatch!(self, on_grant_over(now, to, has_come, own))
    }

    #[inline]
    fn on_acknowledged(&mut self, by: NodeId) {
        dispatch!(self, on_acknowledged(by));
    }

    fn on_failed(&mut self, neighbor: NodeId) {
        dispatch!(self, on_failed(neighbor));
    }

    #[inline]
    fn window(&mut self, now: Time, cw: u32, cw_min: u32) -> u32 {
        dispatch!(self, window(now, cw, cw_min))
    }
}
