//! The list of rate controls, from which names, schema and dispatch are derived: one row each. The line above a row describes
//! it in the schema.

use super::arf::{Aarf, Arf};
use super::ideal::Ideal;
use super::minstrel::Minstrel;
use super::minstrel_ht::MinstrelHt;
use super::rate_control::{EngineRateControl, Outcome, RateControl, RateSetup};
use crate::kernel::{RadioId, Time};
use crate::packet::Modulation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names and a common type from the rows.
macro_rules! rate_controls {
    ($($(#[$doc:meta])* $Control:ident = $name:literal;)*) => {
        /// Rate controls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum RateControlKind {
            /// None: `data_rate` for all frames.
            #[serde(rename = "fixed")]
            Fixed,
            $($(#[$doc])* #[serde(rename = $name)] $Control,)*
        }

        impl RateControlKind {
            /// All controls, in the order of documentation.
            pub const ALL: &[RateControlKind] = &[RateControlKind::Fixed, $(RateControlKind::$Control),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    RateControlKind::Fixed => "fixed",
                    $(RateControlKind::$Control => $name,)*
                }
            }

            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    RateControlKind::Fixed => "one rate for all frames",
                    $(RateControlKind::$Control => $Control::SUMMARY,)*
                }
            }

            /// The control of a station before the run; `None` without one. `setup` is asked for both guard intervals or one.
            pub fn build(self, setup: impl FnOnce(bool) -> RateSetup) -> Option<AnyRateControl> {
                match self {
                    RateControlKind::Fixed => None,
                    $(RateControlKind::$Control => {
                        let setup = setup($Control::HAS_BOTH_INTERVALS);
                        Some(AnyRateControl::$Control($Control::new(setup)))
                    })*
                }
            }
        }

        /// Any control.
        #[derive(Debug)]
        pub enum AnyRateControl {
            $($(#[$doc])* $Control($Control),)*
            /// One that the calling program supplies.
            Custom(Box<dyn RateControl + Send>),
        }

        impl AnyRateControl {
            /// See [`RateControl::modulation`].
            pub fn modulation(&mut self, now: Time, to: RadioId, attempt: u32) -> Modulation {
                match self {
                    $(AnyRateControl::$Control(control) => control.modulation(now, to, attempt),)*
                    AnyRateControl::Custom(control) => control.modulation(now, to, attempt),
                }
            }

            /// See [`RateControl::on_result`].
            pub fn on_result(&mut self, now: Time, to: RadioId, outcome: &Outcome) {
                match self {
                    $(AnyRateControl::$Control(control) => control.on_result(now, to, outcome),)*
                    AnyRateControl::Custom(control) => control.on_result(now, to, outcome),
                }
            }

            /// See [`RateControl::on_given_up`].
            pub fn on_given_up(&mut self, now: Time, to: RadioId) {
                match self {
                    $(AnyRateControl::$Control(control) => control.on_given_up(now, to),)*
                    AnyRateControl::Custom(control) => control.on_given_up(now, to),
                }
            }

            /// See [`RateControl::attempts`].
            pub fn attempts(&self, to: RadioId) -> Option<u32> {
                match self {
                    $(AnyRateControl::$Control(control) => control.attempts(to),)*
                    AnyRateControl::Custom(control) => control.attempts(to),
                }
            }

            /// See [`RateControl::aggregates`].
            pub fn aggregates(&self, to: RadioId) -> bool {
                match self {
                    $(AnyRateControl::$Control(control) => control.aggregates(to),)*
                    AnyRateControl::Custom(control) => control.aggregates(to),
                }
            }
        }
    };
}

rate_controls! {
    /// Automatic Rate Fallback: up after ten successes, down after two failures.
    Arf = "arf";
    /// Adaptive ARF: each failed rise doubles the successes that the next one needs.
    Aarf = "aarf";
    /// Minstrel of Linux: measured success of all rates, a tenth of the packets sample.
    Minstrel = "minstrel";
    /// Minstrel of Linux for 802.11n: success of MPDUs by groups of streams and guard interval, single frames sample.
    MinstrelHt = "minstrel_ht";
    /// The fastest rate that the receiver's signal-to-noise ratio allows, known at no cost.
    Ideal = "ideal";
}
