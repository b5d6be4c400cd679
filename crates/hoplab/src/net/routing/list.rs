//! The list of routing protocols, one row each: names, table of constants, schema, and variant of the type that nodes own.

use super::aodv::Aodv;
use super::config::{RoutingNeeds, RoutingProfile};
use super::dsdv::Dsdv;
use super::dsr::Dsr;
use super::hosts::Hosts;
use super::hwmp::Hwmp;
use super::olsr::Olsr;
use super::protocol::{RouteCtx, Routing};
use super::setup::{EngineRouting, RoutingConstants, RoutingSetup, Rule};
use super::static_path::StaticPath;
use crate::kernel::{Bytes, NodeId, PartKind, RadioId};
use crate::packet::PacketId;
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use enum_dispatch::enum_dispatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates names, tables and a common type from the rows.
macro_rules! routings {
    ($($(#[$doc:meta])* $Kind:ident = $name:literal: $Agent:ident as $Held:ty $(, table $table:ident)?;)+) => {
        /// Names of the routing protocols.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RoutingKind {
            $($(#[$doc])* $Kind,)+
        }

        impl PartKind for RoutingKind {
            const LIST: &'static str = "RoutingProtocol";
            const ALL: &'static [RoutingKind] = &[$(RoutingKind::$Kind),+];

            fn name(self) -> &'static str {
                match self { $(RoutingKind::$Kind => $name,)+ }
            }

            fn summary(self) -> &'static str {
                match self { $(RoutingKind::$Kind => $Agent::SUMMARY,)+ }
            }
        }

        impl RoutingKind {
            /// See [`EngineRouting::ROUTE_BYTES`].
            pub fn route_bytes(self) -> u32 {
                match self { $(RoutingKind::$Kind => $Agent::ROUTE_BYTES,)+ }
            }

            /// See [`EngineRouting::DISCOVERS_ROUTES`].
            pub fn discovers_routes(self) -> bool {
                match self { $(RoutingKind::$Kind => $Agent::DISCOVERS_ROUTES,)+ }
            }

            /// See [`EngineRouting::SEVERAL_RADIOS`].
            pub fn supports_several_radios(self) -> bool {
                match self { $(RoutingKind::$Kind => $Agent::SEVERAL_RADIOS,)+ }
            }

            /// See [`EngineRouting::SERVES_HOSTS`].
            pub fn serves_hosts(self) -> bool {
                match self { $(RoutingKind::$Kind => $Agent::SERVES_HOSTS,)+ }
            }

            /// See [`EngineRouting::KNOWS_ADDRESSES`].
            pub fn knows_addresses(self) -> bool {
                match self { $(RoutingKind::$Kind => $Agent::KNOWS_ADDRESSES,)+ }
            }

            /// See [`RoutingConstants::extra_bytes`].
            pub fn extra_bytes(self, profile: RoutingProfile) -> Bytes {
                match self {
                    $(RoutingKind::$Kind => <$Agent as EngineRouting>::Constants::extra_bytes(profile),)+
                }
            }

            /// The protocol at each node, in the order of nodes.
            pub fn build(self, tables: &RoutingTables, setup: &mut RoutingSetup<'_>) -> Vec<RoutingProtocol> {
                match self {
                    $(RoutingKind::$Kind => {
                        let given = None $(.or_else(|| tables.$table.clone()))?;
                        let constants = given.unwrap_or_else(|| RoutingConstants::of_profile(setup.profile));
                        let agents = $Agent::build(&constants, setup);
                        agents.into_iter().map(|agent| RoutingProtocol::$Kind(agent.into())).collect()
                    })+
                }
            }
        }

        /// Tables of constants, one per protocol that has any.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct RoutingTables {
            $($(
                #[doc = concat!("Constants of the routing protocol `", $name, "`.")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $table: Option<<$Agent as EngineRouting>::Constants>,
            )?)+
        }

        impl RoutingTables {
            /// Names of the tables.
            pub const NAMES: &[&str] = &[$($(stringify!($table),)?)+];

            /// All tables, with the values of a profile.
            pub fn of_profile(profile: RoutingProfile) -> RoutingTables {
                RoutingTables {
                    $($($table: Some(RoutingConstants::of_profile(profile)),)?)+
                }
            }

            /// Only the table of one protocol, with all values that follow from others.
            #[must_use]
            pub fn resolved(&self, kind: RoutingKind, profile: RoutingProfile) -> RoutingTables {
                match kind {
                    $(RoutingKind::$Kind => RoutingTables {
                        $($table: Some(
                            self.$table.clone().unwrap_or_else(|| RoutingConstants::of_profile(profile)).resolved()
                        ),)?
                        ..RoutingTables::default()
                    },)+
                }
            }

            /// See [`RoutingConstants::needs`].
            pub fn needs(&self, kind: RoutingKind, profile: RoutingProfile) -> RoutingNeeds {
                match kind {
                    $(RoutingKind::$Kind => {
                        let given = None $(.or_else(|| self.$table.clone()))?;
                        let own: <$Agent as EngineRouting>::Constants =
                            given.unwrap_or_else(|| RoutingConstants::of_profile(profile));
                        own.needs()
                    })+
                }
            }

            /// The rules of all tables, with the name of the table.
            pub fn rules(&self) -> impl Iterator<Item = (&'static str, Rule)> {
                let rules: Vec<(&'static str, Vec<Rule>)> = vec![
                    $($((stringify!($table), self.$table.as_ref().map(RoutingConstants::rules).unwrap_or_default()),)?)+
                ];
                rules.into_iter().flat_map(|(table, rules)| rules.into_iter().map(move |rule| (table, rule)))
            }
        }

        /// The routing protocol of a node.
        #[enum_dispatch(Routing)]
        #[derive(Debug)]
        pub enum RoutingProtocol {
            $($(#[$doc])* $Kind($Held),)+
            /// One that the calling program supplies.
            Custom(Box<dyn Routing + Send>),
        }
    };
}

// The agent is boxed where it is large. `table` is the table of its constants, `[routing.NAME]`.
routings! {
    /// Shortest paths by hops, known from the start.
    Static = "static": StaticPath as StaticPath;
    /// Ad hoc On-Demand Distance Vector.
    Aodv = "aodv": Aodv as Box<Aodv>, table aodv;
    /// Destination-Sequenced Distance Vector.
    Dsdv = "dsdv": Dsdv as Box<Dsdv>, table dsdv;
    /// Dynamic Source Routing.
    Dsr = "dsr": Dsr as Box<Dsr>, table dsr;
    /// Optimized Link State Routing.
    Olsr = "olsr": Olsr as Box<Olsr>, table olsr;
    /// Hybrid Wireless Mesh Protocol.
    Hwmp = "hwmp": Hwmp as Box<Hwmp>, table hwmp;
}
