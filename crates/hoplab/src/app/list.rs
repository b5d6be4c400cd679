//! The list of applications, from which names, schema and dispatch are derived: one row each. The line above a row describes
//! it in the schema.

use super::application::{Application, Carrier, FixedSegment};
use super::applications::{AdhocProbe, Cbr, Ftp, OnOff, Poisson, Voip, WinfProbe};
use super::keys::AppKeys;
use super::pair_meter::PairMeter;
use super::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names, parameters and a common source from the rows.
macro_rules! applications {
    ($($(#[$doc:meta])* $app:ident = $name:literal;)*) => {
        /// What a flow has to send.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum AppKind {
            $($(#[$doc])* #[serde(rename = $name)] $app,)*
        }

        impl AppKind {
            /// All applications, in the order of documentation.
            pub const ALL: &[AppKind] = &[$(AppKind::$app),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(AppKind::$app => $name,)* }
            }

            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(AppKind::$app => $app::SUMMARY,)* }
            }

            /// Its page below `docs/protocols`, without ending.
            pub fn page(self) -> &'static str {
                match self { $(AppKind::$app => $app::PAGE,)* }
            }

            /// Keys of a flow that it uses, of [`AppKeys::NAMES`].
            pub fn keys(self) -> &'static [&'static str] {
                match self { $(AppKind::$app => $app::KEYS,)* }
            }

            /// A key that has no default, and an example of its value.
            pub fn required(self) -> Option<(&'static str, &'static str)> {
                match self { $(AppKind::$app => $app::REQUIRED,)* }
            }

            /// Payload of a packet in bytes where the flow gives none.
            pub fn segment(self) -> u32 {
                match self { $(AppKind::$app => $app::SEGMENT,)* }
            }

            /// The only payload that it can have.
            pub fn fixed_segment(self) -> Option<FixedSegment> {
                match self { $(AppKind::$app => $app::FIXED_SEGMENT,)* }
            }

            /// Packets after which it ends where the flow gives no limit.
            pub fn max_packets(self) -> Option<u32> {
                match self { $(AppKind::$app => $app::MAX_PACKETS,)* }
            }

            /// The transports that can carry it.
            pub fn carrier(self) -> Carrier {
                match self { $(AppKind::$app => $app::CARRIER,)* }
            }

            /// The application that valid keys describe.
            pub fn with_keys(self, keys: &AppKeys) -> AppConfig {
                match self { $(AppKind::$app => AppConfig::$app($app::from_keys(keys)),)* }
            }
        }

        /// An application with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum AppConfig {
            $($(#[$doc])* $app($app),)*
        }

        impl AppConfig {
            /// Which application.
            pub fn kind(&self) -> AppKind {
                match self { $(AppConfig::$app(_) => AppKind::$app,)* }
            }

            /// The keys that describe it.
            pub fn keys(&self) -> AppKeys {
                match self { $(AppConfig::$app(app) => app.keys(),)* }
            }

            /// Its rate in payload bits, if that is constant on average.
            pub fn constant_rate(&self) -> Option<Rate> {
                match self { $(AppConfig::$app(app) => app.constant_rate(),)* }
            }

            /// The measurement at the receiver that belongs to it.
            pub fn meter(&self) -> Option<PairMeter> {
                match self { $(AppConfig::$app(app) => app.meter(),)* }
            }

            /// Whether its delays are rated as a voice call.
            pub fn is_voice(&self) -> bool {
                match self { $(AppConfig::$app(_) => $app::IS_VOICE,)* }
            }

            /// Its source, in packets of `segment` payload bytes.
            pub(super) fn source(&self, segment: u32, stream: impl FnOnce() -> RandomStream) -> Source {
                match self { $(AppConfig::$app(app) => Source::$app(app.source(segment, stream)),)* }
            }
        }

        /// The source of any application.
        #[derive(Debug)]
        pub(super) enum Source {
            $($app(<$app as Application>::Source),)*
            /// One that the calling program supplies.
            Custom(Box<dyn Traffic + Send>),
        }

        // Two applications may have one type of source, which `enum_dispatch` does not allow.
        impl Traffic for Source {
            fn on_start(&mut self, now: Time) -> Supply {
                match self {
                    $(Source::$app(source) => source.on_start(now),)*
                    Source::Custom(source) => source.on_start(now),
                }
            }

            fn on_deadline(&mut self, now: Time) -> Supply {
                match self {
                    $(Source::$app(source) => source.on_deadline(now),)*
                    Source::Custom(source) => source.on_deadline(now),
                }
            }

            fn on_stop(&mut self) {
                match self {
                    $(Source::$app(source) => source.on_stop(),)*
                    Source::Custom(source) => source.on_stop(),
                }
            }

            #[inline]
            fn deadline(&self) -> Option<Time> {
                match self {
                    $(Source::$app(source) => source.deadline(),)*
                    Source::Custom(source) => source.deadline(),
                }
            }
        }
    };
}

applications! {
    /// A file without end: there is always more.
    Ftp = "ftp";
    /// Packets at a constant rate.
    Cbr = "cbr";
    /// Packets at random times.
    Poisson = "poisson";
    /// Bursts of packets and off times.
    OnOff = "on_off";
    /// A voice call, one way.
    Voip = "voip";
    /// Pairs of packets that measure the capacity of the path.
    AdhocProbe = "adhoc_probe";
    /// Packets for rt-Winf to measure, where there is no RTS and CTS.
    WinfProbe = "winf_probe";
}
