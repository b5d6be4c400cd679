//! The list of queue disciplines, one row each: name, schema, and variant of the type that nodes own.

use super::discipline::{Discipline, EngineDiscipline, QueueCtx};
use super::drop_tail::DropTail;
use crate::kernel::{NodeId, PartKind};
use crate::packet::{PacketId, Packets};
use crate::trace::DropReason;
use enum_dispatch::enum_dispatch;

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
            /// The empty queue of one node, of size `limit` in packets.
            pub fn build(self, limit: u32) -> InterfaceQueue {
                match self { $(QueueKind::$Kind => InterfaceQueue::$Kind($Kind::build(limit)),)+ }
            }

            /// The empty queue of a port of a wire, in which `limit` packets may wait.
            pub fn build_port(self, limit: u32) -> InterfaceQueue {
                match self { $(QueueKind::$Kind => InterfaceQueue::$Kind($Kind::build_port(limit)),)+ }
            }
        }

        /// The interface queue of a node.
        #[enum_dispatch(Discipline)]
        #[derive(Debug)]
        pub enum InterfaceQueue {
            $($(#[$doc])* $Kind($Kind),)+
            /// One that the calling program supplies.
            Custom(Box<dyn Discipline + Send>),
        }
    };
}

disciplines! {
    /// First in, first out.
    DropTail = "drop_tail";
}
