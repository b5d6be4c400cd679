//! The list of queue disciplines, one row each: name, schema, and variant of the type that nodes own.

use super::airtime_fq;
use super::categories::Categories;
use super::codel;
use super::discipline::{Discipline, EngineDiscipline, QueueCtx, QueueSetup, RadioPart};
use super::drop_tail::DropTail;
use super::fq_codel::FlowQueues;
use super::managed::Managed;
use super::parameters::QueueParameters;
use super::pie;
use super::red::{self, lred};
use super::single::Single;
use crate::kernel::{PartKind, RadioId};
use crate::packet::{Category, PacketId, Packets};
use crate::trace::DropReason;
use enum_dispatch::enum_dispatch;

type Red = Box<Managed<Single<red::Red>>>;
type Codel = Box<Managed<Single<codel::Codel>>>;
type Pie = Box<Managed<Single<pie::Pie>>>;
type FqCodel = Box<Managed<FlowQueues>>;
type Lred = Box<Managed<Single<lred::Lred>>>;
type AirtimeFq = Box<Managed<airtime_fq::Neighbors>>;

/// Generates names and a common type from the rows.
macro_rules! disciplines {
    ($($(#[$doc:meta])* $Kind:ident = $name:literal;)+) => {
        /// Names of the queue disciplines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum QueueKind {
            $($(#[$doc])* $Kind,)+
        }

        impl PartKind for QueueKind {
            const LIST: &'static str = "QueueDiscipline";
            const ALL: &'static [QueueKind] = &[$(QueueKind::$Kind),+];

            fn name(self) -> &'static str {
                match self { $(QueueKind::$Kind => $name,)+ }
            }

            fn summary(self) -> &'static str {
                match self { $(QueueKind::$Kind => $Kind::SUMMARY,)+ }
            }
        }

        impl QueueKind {
            /// The empty queue of one node or port.
            pub fn build(self, setup: &QueueSetup<'_>) -> InterfaceQueue {
                match self { $(QueueKind::$Kind => InterfaceQueue::$Kind($Kind::build(setup)),)+ }
            }

            /// Keys of `[queue]` in addition to `kind`, `limit` and `limit_bytes`.
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(QueueKind::$Kind => $Kind::KEYS,)+ }
            }

            /// What it needs of the MAC of a radio with these parameters.
            pub fn radio_part(self, config: &QueueParameters) -> RadioPart {
                match self { $(QueueKind::$Kind => $Kind::radio_part(config),)+ }
            }

            /// The limit in packets unless it is given; `None`: that of its place, radio or wire.
            pub fn usual_limit(self) -> Option<u32> {
                match self { $(QueueKind::$Kind => $Kind::LIMIT,)+ }
            }
        }

        /// The interface queue of a node.
        #[enum_dispatch(Discipline)]
        #[derive(Debug)]
        pub enum InterfaceQueue {
            $($(#[$doc])* $Kind($Kind),)+
            /// One for each access category.
            Categories(Box<Categories<InterfaceQueue>>),
            /// One that the calling program supplies.
            Custom(Box<dyn Discipline + Send>),
        }
    };
}

disciplines! {
    /// First in, first out.
    DropTail = "drop_tail";
    /// Random early detection.
    Red = "red";
    /// Controlled delay.
    Codel = "codel";
    /// Proportional integral controller.
    Pie = "pie";
    /// A queue per flow, each under controlled delay.
    FqCodel = "fq_codel";
    /// A queue per neighbor and flow; neighbors take turns by airtime.
    AirtimeFq = "airtime_fq";
    /// Random early detection by the retries of the MAC.
    Lred = "lred";
}
