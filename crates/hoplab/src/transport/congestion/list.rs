//! The list of congestion controls: names, parameters, and the type that can be any of them.

use super::bandwidth_based::{Westwood, WestwoodConfig, WestwoodPlus, WestwoodPlusConfig};
use super::control::{CongestionControl, HeaderBytes};
use super::delay_based::{Compound, CompoundConfig, Vegas, VegasConfig, Veno, VenoConfig};
use super::event::{AckArrival, Loss, NewAck, Sending};
use super::explicit::{Muzha, Xcp, XcpB, XcpSender, XcpWinf};
use super::linux::{LinuxReno, LinuxVegas, LinuxVegasConfig};
use super::loss_based::{Bic, BicConfig, Cubic, CubicConfig, Reno, Tahoe};
use super::setup::{NoParameters, Setup};
use super::wireless::{SemiTcp, TcpAp, TcpApConfig};
use crate::kernel::{Span, Time};
use crate::packet::{Ack, EchoRule, ExplicitConfig, Feedback, LinkEstimate, MuzhaConfig, SegNo};
use crate::transport::pacer::PaceRules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes of a list of controllers their names, their parameters, and one type that can be any of them.
macro_rules! controllers {
    (($d:tt) $($(#[doc = $summary:literal])+ $name:ident: $(#[$place:meta])* $Type:ident($Config:ty);)+) => {
        /// Names of the controllers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum CongestionKind {
            $($(#[doc = $summary])+ $Type,)+
        }

        /// Parameters of the controllers, a table each.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct CongestionConfig {
            $($(#[doc = $summary])+ $(#[$place])* pub $name: $Config,)+
        }

        /// Any controller.
        #[derive(Debug)]
        pub enum Controller {
            $($(#[doc = $summary])+ $Type($Type),)+
            /// One that the user brings.
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

            /// What it does, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(CongestionKind::$Type => concat!($($summary),+).trim_ascii(),)+
                }
            }

            /// The controller, before its connection opens.
            pub fn build(self, setup: &Setup, config: &CongestionConfig) -> Controller {
                let setup = &Setup { kind: self, ..setup.clone() };
                match self {
                    $(CongestionKind::$Type => Controller::$Type($Type::new(setup, &config.$name)),)+
                }
            }
        }

        macro_rules! dispatch {
            ($d self_:expr, $d method:ident($d ($d argument:expr),*)) => {
                match $d self_ {
                    $(Controller::$Type(controller) => controller.$d method($d ($d argument),*),)+
                    Controller::Custom(controller) => controller.$d method($d ($d argument),*),
                }
            };
        }
    };
}

controllers! { ($)
    /// slow start and additive increase; any loss puts the window back to one segment
    tahoe: Tahoe(NoParameters);
    /// slow start and additive increase; a loss halves the window (NewReno and SACK differ from Reno in recovery only)
    reno: Reno(NoParameters);
    /// keeps a few segments queued in the network, judged by the round-trip time
    vegas: Vegas(VegasConfig);
    /// Reno that cuts less at a loss if no queue is seen
    veno: Veno(VenoConfig);
    /// Reno whose window after a loss is bandwidth times least round-trip time, a sample per acknowledgment
    westwood: Westwood(WestwoodConfig);
    /// as westwood, a sample of bandwidth per round trip
    westwood_plus: WestwoodPlus(WestwoodPlusConfig);
    /// binary search for the window of the last loss
    bic: Bic(BicConfig);
    /// a cubic of the time since the last loss
    cubic: Cubic(CubicConfig);
    /// Reno's window plus one that grows by delay
    compound: Compound(CompoundConfig);
    /// reno as Linux has it; profile ns2_linux puts it in reno's place
    linux_reno: LinuxReno(NoParameters);
    /// vegas as Linux has it; profile ns2_linux puts it in vegas' place
    linux_vegas: LinuxVegas(LinuxVegasConfig);
    /// no window: the node below says when there is room
    semi_tcp: SemiTcp(NoParameters);
    /// Reno's window, and segments no closer than a packet needs to move four hops
    tcp_ap: TcpAp(TcpApConfig);
    /// the window follows what routers with a known capacity grant
    xcp: #[serde(skip)] Xcp(XcpSender);
    /// the window follows what routers grant that judge by their queues alone
    xcp_b: #[serde(skip)] XcpB(XcpSender);
    /// the window follows what routers with rt-Winf's estimates grant
    xcp_winf: #[serde(skip)] XcpWinf(XcpSender);
    /// the window follows the least level of the routers on the way, once per round trip
    muzha: #[serde(skip)] Muzha(MuzhaConfig);
}

impl CongestionConfig {
    /// Takes over the tables that senders share with routers.
    pub fn share(&mut self, explicit: &ExplicitConfig) {
        let sender = XcpSender { xcp: explicit.xcp.clone(), winf: explicit.xcp_winf.clone(), ..XcpSender::default() };
        self.xcp = sender.clone();
        self.xcp_b = sender.clone();
        self.xcp_winf = sender;
        self.muzha = explicit.muzha.clone();
    }
}

impl CongestionControl for Controller {
    #[inline]
    fn cwnd(&self) -> f64 {
        dispatch!(self, cwnd())
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        dispatch!(self, ssthresh())
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        dispatch!(self, on_ack(ack));
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        dispatch!(self, on_repair_ack(ack));
    }

    fn on_dup_ack(&mut self, now: Time, ack: &Ack) {
        dispatch!(self, on_dup_ack(now, ack));
    }

    fn on_loss(&mut self, loss: &Loss) {
        dispatch!(self, on_loss(loss));
    }

    fn on_opening_lost(&mut self) {
        dispatch!(self, on_opening_lost());
    }

    fn on_idle(&mut self, restart: f64) {
        dispatch!(self, on_idle(restart));
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        dispatch!(self, set_cwnd(cwnd));
    }

    fn on_repaired(&mut self, cwnd: f64) {
        dispatch!(self, on_repaired(cwnd));
    }

    fn syn_carries_data(&self) -> bool {
        dispatch!(self, syn_carries_data())
    }

    #[inline]
    fn ip_bytes(&self, seq: SegNo, payload: u32, header: u32) -> u32 {
        dispatch!(self, ip_bytes(seq, payload, header))
    }

    #[inline]
    fn stamp(&mut self, sending: &Sending) -> Feedback {
        dispatch!(self, stamp(sending))
    }

    fn on_arrival(&mut self, arrival: &AckArrival<'_>) {
        dispatch!(self, on_arrival(arrival));
    }

    fn pace_rules(&self) -> Option<PaceRules> {
        dispatch!(self, pace_rules())
    }

    fn pace_interval(&self) -> Span {
        dispatch!(self, pace_interval())
    }

    fn backs_off(&self) -> bool {
        dispatch!(self, backs_off())
    }

    fn cuts_inflated(&self) -> bool {
        dispatch!(self, cuts_inflated())
    }

    fn wants_timestamps(&self) -> bool {
        dispatch!(self, wants_timestamps())
    }

    fn header_bytes(&self) -> HeaderBytes {
        dispatch!(self, header_bytes())
    }

    fn echo_rule(&self) -> EchoRule {
        dispatch!(self, echo_rule())
    }

    fn wants_link(&self) -> bool {
        dispatch!(self, wants_link())
    }

    fn on_demand(&mut self, rate: f64) {
        dispatch!(self, on_demand(rate));
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        dispatch!(self, on_link(link));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::EchoChoice;
    use crate::transport::TcpConfig;

    fn build(kind: CongestionKind, config: &CongestionConfig) -> Controller {
        kind.build(&Setup::new(&TcpConfig::default(), 1460), config)
    }

    /// A user's, with a window and the count of times that it was set.
    #[derive(Debug)]
    struct Counted(f64, u32);

    impl CongestionControl for Counted {
        fn cwnd(&self) -> f64 {
            self.0
        }

        fn ssthresh(&self) -> f64 {
            f64::INFINITY
        }

        fn on_ack(&mut self, _ack: &NewAck<'_>) {}

        fn on_loss(&mut self, _loss: &Loss) {}

        fn set_cwnd(&mut self, cwnd: f64) {
            *self = Counted(cwnd, self.1 + 1);
        }
    }

    #[test]
    fn an_idle_window_shrinks_if_it_is_larger() {
        let idle = |cwnd: f64| {
            let mut counted = Counted(cwnd, 0);
            counted.on_idle(4.0);
            (counted.0, counted.1)
        };
        assert_eq!((idle(3.0), idle(4.0), idle(5.0)), ((3.0, 0), (4.0, 0), (4.0, 1)));
    }

    #[test]
    fn only_xcp_winf_asks_about_links() {
        for &kind in CongestionKind::ALL {
            let wants_link = build(kind, &CongestionConfig::default()).wants_link();
            assert_eq!(wants_link, kind == CongestionKind::XcpWinf, "{}", kind.name());
        }
    }

    #[test]
    fn muzha_chooses_the_level_that_is_echoed() {
        let rule = |kind, echo| {
            let muzha = MuzhaConfig { echo, ..MuzhaConfig::default() };
            build(kind, &CongestionConfig { muzha, ..CongestionConfig::default() }).echo_rule()
        };
        assert_eq!(rule(CongestionKind::Muzha, EchoChoice::Triggering), EchoRule::Latest);
        assert_eq!(rule(CongestionKind::Muzha, EchoChoice::MinSinceLastAck), EchoRule::Least);
        assert_eq!(rule(CongestionKind::Reno, EchoChoice::MinSinceLastAck), EchoRule::Latest);
    }

    #[test]
    fn names_are_unique_and_listed() {
        let names: Vec<_> = CongestionKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names[..4], ["tahoe", "reno", "vegas", "veno"]);
        assert!(names.iter().enumerate().all(|(i, name)| !names[..i].contains(name)));
        assert!(CongestionKind::ALL.iter().all(|kind| !kind.summary().is_empty() && kind.summary().is_ascii()));
    }

    #[test]
    fn the_schema_has_a_table_for_each() {
        let schema = schemars::schema_for!(CongestionConfig);
        // Protocols whose routers read the same table have one of their own at the top of a scenario.
        let shared = |kind: &&CongestionKind| kind.name().starts_with("xcp") || **kind == CongestionKind::Muzha;
        for kind in CongestionKind::ALL.iter().filter(|kind| !shared(kind)) {
            assert!(schema.as_value()["properties"].get(kind.name()).is_some(), "{}", kind.name());
        }
    }
}
