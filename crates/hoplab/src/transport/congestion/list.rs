//! The list of congestion controls, one row each: names, parameters, and the type that can be any of them. Schema, messages
//! and dispatch are derived from it, so that a new controller needs no other place.
//!
//! What users see of a controller, its summary and its page, is in the row of its transport (`scenario`).

use super::bandwidth_based::{
    Bbr, Bbr3, Bbr3Config, BbrConfig, Westwood, WestwoodConfig, WestwoodPlus, WestwoodPlusConfig,
};
use super::control::{CongestionControl, Needs};
use super::cross_layer::CrossLayer;
use super::delay_based::{
    Compound, CompoundConfig, Copa, CopaConfig, Ledbat, LedbatConfig, Vegas, VegasConfig, Veno, VenoConfig,
};
use super::event::{Loss, LostSegment, MarkResponse, NewAck, RateSample, SenderState};
use super::explicit::{Dctcp, DctcpConfig, Muzha, Xcp, XcpB, XcpSender, XcpWinf};
use super::linux::{LinuxCompound, LinuxReno, LinuxVegas, LinuxVegasConfig, LinuxVeno};
use super::loss_based::{Bic, BicConfig, Cubic, CubicConfig, Reno, Tahoe};
use super::setup::{NoParameters, Setup};
use super::wireless::{SemiTcp, TcpAp, TcpApConfig};
use crate::kernel::Time;
use crate::packet::Ack;
use crate::packet::explicit::{ExplicitConfig, MuzhaConfig};
use crate::transport::rules::WindowKind;
use enum_dispatch::enum_dispatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates names, parameters and a common type from the list of controllers.
macro_rules! controllers {
    ($($name:ident: $(#[$place:meta])* $Type:ident $(or $Linux:ident)? ($Config:ty);)+) => {
        /// Names of the controllers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum CongestionKind {
            $(
                #[doc = concat!("[`", stringify!($Type), "`].")]
                $Type,
            )+
        }

        /// Parameters of the controllers, a table each.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct CongestionConfig {
            $(
                #[doc = concat!("Parameters of the controller `", stringify!($name), "`.")]
                $(#[$place])*
                pub $name: $Config,
            )+
        }

        /// Any controller.
        #[enum_dispatch(CongestionControl)]
        #[derive(Debug)]
        pub enum Controller {
            $(
                #[doc = concat!("[`", stringify!($Type), "`].")]
                $Type($Type),
                $(
                    #[doc = concat!("[`", stringify!($Linux), "`].")]
                    $Linux($Linux),
                )?
            )+
            /// A user's own.
            Custom(Box<dyn CongestionControl + Send>),
        }

        impl CongestionKind {
            /// All controllers, in the order of documentation.
            pub const ALL: &[CongestionKind] = &[$(CongestionKind::$Type),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    $(CongestionKind::$Type => stringify!($name),)+
                }
            }

            /// The controller, before its connection is established.
            pub fn build(self, setup: &Setup, config: &CongestionConfig) -> Controller {
                match self {
                    $(
                        $(
                            CongestionKind::$Type if setup.window_kind == WindowKind::Counted => {
                                Controller::$Linux($Linux::new(setup, &config.$name))
                            }
                        )?
                        CongestionKind::$Type => Controller::$Type($Type::new(setup, &config.$name)),
                    )+
                }
            }
        }
    };
}

// NAME: Type (Table); with `or LinuxType` for the one that replaces it where windows are counted. Tables that senders share
// with routers are at the top of a scenario, and those of real connections in `[stream]`.
controllers! {
    tahoe: Tahoe(NoParameters);
    reno: Reno(NoParameters);
    vegas: Vegas(VegasConfig);
    veno: Veno or LinuxVeno(VenoConfig);
    westwood: Westwood(WestwoodConfig);
    westwood_plus: WestwoodPlus(WestwoodPlusConfig);
    bic: Bic(BicConfig);
    cubic: Cubic(CubicConfig);
    compound: Compound or LinuxCompound(CompoundConfig);
    linux_reno: LinuxReno(NoParameters);
    linux_vegas: LinuxVegas(LinuxVegasConfig);
    semi_tcp: SemiTcp(NoParameters);
    tcp_ap: TcpAp(TcpApConfig);
    xcp: #[serde(skip)] Xcp(XcpSender);
    xcp_b: #[serde(skip)] XcpB(XcpSender);
    xcp_winf: #[serde(skip)] XcpWinf(XcpSender);
    muzha: #[serde(skip)] Muzha(MuzhaConfig);
    bbr: #[serde(skip)] Bbr(BbrConfig);
    bbr3: #[serde(skip)] Bbr3(Bbr3Config);
    dctcp: #[serde(skip)] Dctcp(DctcpConfig);
    ledbat: #[serde(skip)] Ledbat(LedbatConfig);
    copa: #[serde(skip)] Copa(CopaConfig);
}

impl CongestionConfig {
    /// Copies the tables that senders share with routers.
    pub fn share(&mut self, explicit: &ExplicitConfig) {
        let sender = XcpSender { xcp: explicit.xcp.clone(), winf: explicit.xcp_winf.clone(), ..XcpSender::default() };
        self.xcp = sender.clone();
        self.xcp_b = sender.clone();
        self.xcp_winf = sender;
        self.muzha = explicit.muzha.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::explicit::{EchoChoice, EchoRule};
    use crate::transport::TcpConfig;

    fn needs(kind: CongestionKind, config: &CongestionConfig) -> Needs {
        kind.build(&TcpConfig::default().setup(1460), config).needs()
    }

    /// A user's, with a window and the number of times that it was set.
    #[derive(Debug)]
    struct Counted(f64, u32);

    impl CongestionControl for Counted {
        fn cwnd(&self) -> f64 {
            self.0
        }

        fn set_cwnd(&mut self, cwnd: f64) {
            *self = Counted(cwnd, self.1 + 1);
        }

        fn on_ack(&mut self, _ack: &NewAck<'_>) {}

        fn on_loss(&mut self, _loss: &Loss) {}
    }

    #[test]
    fn idle_window_shrinks_if_it_is_larger() {
        let idle = |cwnd: f64| {
            let mut counted = Counted(cwnd, 0);
            counted.on_idle(4.0);
            (counted.0, counted.1)
        };
        assert_eq!((idle(3.0), idle(4.0), idle(5.0)), ((3.0, 0), (4.0, 0), (4.0, 1)));
    }

    #[test]
    fn only_xcp_winf_needs_link_estimates() {
        for &kind in CongestionKind::ALL {
            let link_estimates = needs(kind, &CongestionConfig::default()).link_estimates;
            assert_eq!(link_estimates, kind == CongestionKind::XcpWinf, "{}", kind.name());
        }
    }

    #[test]
    fn muzha_selects_the_level_that_is_echoed() {
        let rule = |kind, echo| {
            let muzha = MuzhaConfig { echo, ..MuzhaConfig::default() };
            let needs = needs(kind, &CongestionConfig { muzha, ..CongestionConfig::default() });
            needs.feedback.map(|feedback| feedback.echo_rule)
        };
        assert_eq!(rule(CongestionKind::Muzha, EchoChoice::Triggering), Some(EchoRule::Latest));
        assert_eq!(rule(CongestionKind::Muzha, EchoChoice::MinSinceLastAck), Some(EchoRule::Least));
        assert_eq!(rule(CongestionKind::Reno, EchoChoice::MinSinceLastAck), None);
    }

    #[test]
    fn names_are_unique() {
        let names: Vec<_> = CongestionKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names[..3], ["tahoe", "reno", "vegas"]);
        assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)));
    }

    #[test]
    fn schema_has_a_table_for_each_controller() {
        let schema = schemars::schema_for!(CongestionConfig);
        // Protocols whose routers read the same table have one of their own at the top of a scenario, and controllers of real
        // connections one in `[stream]`.
        let elsewhere = ["muzha", "bbr", "bbr3", "dctcp", "ledbat", "copa"];
        let shared = |kind: &&CongestionKind| kind.name().starts_with("xcp") || elsewhere.contains(&kind.name());
        for kind in CongestionKind::ALL.iter().filter(|kind| !shared(kind)) {
            assert!(schema.as_value()["properties"].get(kind.name()).is_some(), "{}", kind.name());
        }
    }
}
