//! The list of channel observers, from which schema, messages and dispatch are derived: one row each, with its name in
//! scenarios. The line above a row is its summary.

use super::busy::Busy;
use super::channel_observer::{ChannelObserver, Content, Role};
use super::idle_gap::{IdleGap, IdleGapConfig};
use super::neighborhood::Neighborhood;
use super::service::Service;
use super::setup::{EngineObserver, ObserverSetup};
use super::winf::{Winf, WinfConfig};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Category, Frame, LinkCost, LinkEstimate};
use enum_dispatch::enum_dispatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names, tables and a common type from the rows.
macro_rules! observers {
    ($($(#[doc = $doc:literal])+ $Kind:ident = $name:literal: $Own:ident as $Held:ty
        $(, table $table:ident: $Config:ty)?;)+) => {
        /// Names of the observers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum ObserverKind {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $Kind,)+
        }

        impl ObserverKind {
            /// All observers, in the order of documentation.
            pub const ALL: &[ObserverKind] = &[$(ObserverKind::$Kind),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(ObserverKind::$Kind => $name,)+ }
            }

            /// What it observes, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(ObserverKind::$Kind => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// See [`EngineObserver::PAGE`].
            pub fn page(self) -> &'static str {
                match self { $(ObserverKind::$Kind => $Own::PAGE,)+ }
            }

            /// The observer of a node, before the run.
            pub fn build(self, tables: &ObserverTables<'_>, setup: &ObserverSetup<'_>) -> Observer {
                match self {
                    $(ObserverKind::$Kind => {
                        let own = observers!(@own tables $($table)?);
                        Observer::$Kind($Own::build(own, setup).into())
                    })+
                }
            }
        }

        /// The tables of all observers that have one.
        #[derive(Clone, Copy, Debug)]
        pub struct ObserverTables<'a> {
            $($(
                #[doc = concat!("Constants of the observer `", $name, "`.")]
                pub $table: &'a $Config,
            )?)+
        }

        /// Any observer.
        #[enum_dispatch(ChannelObserver)]
        #[derive(Debug)]
        pub enum Observer {
            $($(#[doc = $doc])+ $Kind($Held),)+
            /// One that the calling program supplies.
            Custom(Box<dyn ChannelObserver + Send>),
        }

        impl Observer {
            /// Its name in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Observer::$Kind(_) => $name,)+
                    Observer::Custom(_) => "custom",
                }
            }
        }
    };
    (@own $all:ident) => { &() };
    (@own $all:ident $table:ident) => { $all.$table };
}

// The observer is boxed where it is large. `table` is the table of its constants in a scenario.
observers! {
    /// share of time in which the medium is busy, and number of neighbors that send
    Busy = "busy": Busy as Box<Busy>;
    /// rt-Winf: capacity and available bandwidth from exchanges of RTS, CTS, data and ACK
    Winf = "winf": Winf as Box<Winf>, table winf: WinfConfig;
    /// IdleGap: data rate times the idle share of time
    IdleGap = "idle_gap": IdleGap as Box<IdleGap>, table idle_gap: IdleGapConfig;
    /// time of the MAC's last service of a packet, retries included
    Service = "service": Service as Box<Service>;
    /// what neighbors share in their data frames
    Neighborhood = "neighborhood": Neighborhood as Box<Neighborhood>;
}
