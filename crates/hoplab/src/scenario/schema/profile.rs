//! Profiles: the source whose rules a part follows where sources differ, such as ns-2 and the standards.
//!
//! A profile is a value. A [`RuleSet`] gives the defaults of every table that profiles differ in; no other code of the
//! scenario reads the profile's name. A table with a `profile` key takes its defaults from that set.

use super::section::Section;
use crate::mac::MacConfig;
use crate::mobility::Rules;
use crate::net::routing::RoutingConfig;
use crate::phy::RadioConfig;
use crate::scenario::syntax::tree::Value;
use crate::transport::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the rules of all parts where sources differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// As ns-2.35.
    #[default]
    Ns2,
    /// As the standards: IEEE 802.11, and the RFCs.
    Std,
}

/// The defaults of the tables that profiles differ in.
#[derive(Clone, Debug)]
pub(crate) struct RuleSet {
    pub(crate) radio: RadioConfig,
    pub(crate) mac: MacConfig,
    pub(crate) routing: RoutingConfig,
    pub(crate) tcp: TcpConfig,
    /// How movement files are interpreted.
    pub(crate) movement: Rules,
}

impl Profile {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Ns2 => "ns2",
            Profile::Std => "std",
        }
    }

    /// Its rules.
    pub(crate) fn rules(self) -> RuleSet {
        match self {
            Profile::Ns2 => RuleSet::ns2(),
            Profile::Std => RuleSet::std(),
        }
    }
}

impl RuleSet {
    /// ns-2.35.
    pub(crate) fn ns2() -> RuleSet {
        RuleSet {
            radio: RadioConfig::default(),
            mac: MacConfig::default(),
            routing: RoutingConfig::default(),
            tcp: TcpConfig::default(),
            movement: Rules::Ns2,
        }
    }

    /// ns-2.35 with TCP-Linux, its module of Linux congestion controls.
    pub(crate) fn ns2_linux() -> RuleSet {
        RuleSet { tcp: TcpConfig::ns2_linux(), ..RuleSet::ns2() }
    }

    /// IEEE 802.11 and the RFCs.
    pub(crate) fn std() -> RuleSet {
        RuleSet {
            radio: RadioConfig::std(),
            mac: MacConfig::std(),
            routing: RoutingConfig::rfc(),
            tcp: TcpConfig::rfc(),
            movement: Rules::Std,
        }
    }

    /// The rules of a table: those that its own `profile` names, or else those of the scenario.
    pub(crate) fn of_table(table: Section<'_>, scenario: Profile) -> RuleSet {
        match table.given("profile").map(|node| &node.value) {
            Some(Value::Text(own)) => RuleSet::named(own),
            _ => scenario.rules(),
        }
    }

    /// The rules that the `profile` of a table names. The shape of that key refuses other names.
    fn named(name: &str) -> RuleSet {
        match name {
            "ns2_linux" => RuleSet::ns2_linux(),
            name if name.starts_with("ns2") => RuleSet::ns2(),
            _ => RuleSet::std(),
        }
    }
}
