//! Congestion control: how much may be in flight. One file per controller; the list below registers them.
//!
//! A controller sees events and keeps a window in segments. It knows no sequence, no timer and no packet in flight:
//! what is sent when, and what is sent again, is the business of the tcb and of recovery.

mod bic;
mod compound;
mod cubic;
mod delay;
mod linux_reno;
mod linux_vegas;
mod muzha;
mod reno;
mod semi_tcp;
mod tahoe;
mod tcp_ap;
mod vegas;
mod veno;
mod westwood;
mod westwood_plus;
mod window;
mod xcp;

pub use bic::{Bic, BicConfig};
pub use compound::{Compound, CompoundConfig};
pub use cubic::{Cubic, CubicConfig, CubicForm};
pub use linux_reno::LinuxReno;
pub use linux_vegas::{LinuxVegas, LinuxVegasConfig};
pub use muzha::Muzha;
pub use reno::Reno;
pub use semi_tcp::SemiTcp;
pub use tahoe::Tahoe;
pub use tcp_ap::{TcpAp, TcpApConfig, TcpApPreset};
pub use vegas::{Vegas, VegasConfig};
pub use veno::{Veno, VenoConfig};
pub use westwood::{Westwood, WestwoodConfig};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusConfig};
pub use xcp::{Xcp, XcpB, XcpSender, XcpWinf};

use super::config::TcpConfig;
use super::pacer::PaceRules;
use crate::kernel::{Span, Time};
use crate::packet::{Ack, EchoRule, ExplicitConfig, Feedback, LinkEstimate, MuzhaConfig, SegNo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Decides the congestion window.
pub trait CongestionControl: Debug {
    /// Segments that may be in flight, before recovery adds to it for duplicate acknowledgments. The receiver's limit
    /// is not applied: the window may grow beyond it.
    fn cwnd(&self) -> f64;

    /// Window below which the start is quick, in segments; infinite if unknown.
    fn ssthresh(&self) -> f64;

    /// New data was acknowledged while nothing was being repaired. `snd_una` has moved, nothing new has been sent yet.
    /// Called once per acknowledgment, however much it acknowledges, never for duplicates.
    fn on_ack(&mut self, ack: &NewAck<'_>);

    /// New data was acknowledged while a loss was being repaired: the window is not to grow.
    fn on_repair_ack(&mut self, _ack: &NewAck<'_>) {}

    /// An acknowledgment acknowledged nothing new. Called before recovery counts it.
    fn on_dup_ack(&mut self, _now: Time, _ack: &Ack) {}

    /// A segment was lost. Called once per episode, before anything is sent again.
    fn on_loss(&mut self, loss: &Loss);

    /// The opening segment was lost: the window after the opening is one segment.
    fn on_opening_lost(&mut self) {}

    /// Nothing has been in flight for as long as a timeout: the window goes back to `restart` segments if it is larger.
    fn on_idle(&mut self, restart: f64) {
        if self.cwnd() > restart {
            self.set_cwnd(restart);
        }
    }

    /// Recovery sets the window while it repairs.
    fn set_cwnd(&mut self, cwnd: f64);

    /// The repair is over, and recovery leaves this window.
    fn on_repaired(&mut self, cwnd: f64) {
        self.set_cwnd(cwnd);
    }

    /// Whether the opening segment carries data. No TCP does that, but ns-2's Vegas.
    fn syn_carries_data(&self) -> bool {
        false
    }

    /// Bytes above the MAC of segment `seq`, if data segments have this payload and headers that length. The opening
    /// segment (0) carries no data, as a rule.
    fn ip_bytes(&self, seq: SegNo, payload: u32, header: u32) -> u32 {
        if seq == 0 { header } else { payload + header }
    }

    /// An acknowledgment has come, whatever it says: called before recovery and every other event it causes.
    fn on_arrival(&mut self, _arrival: &AckArrival<'_>) {}

    /// Whether segments are spaced out, and how. Asked once.
    fn pace_rules(&self) -> Option<PaceRules> {
        None
    }

    /// Time between two segments, if they are spaced out.
    fn pace_interval(&self) -> Span {
        Span::ZERO
    }

    /// Whether the retransmission timeout doubles each time it ends.
    fn backs_off(&self) -> bool {
        true
    }

    /// Whether a timeout during a repair is answered from the window with what duplicates have added to it. Asked then.
    fn cuts_inflated(&self) -> bool {
        false
    }

    /// A segment leaves now: what the routers on its way are asked for. Called once per segment sent, repeated ones
    /// included; `in_flight` does not count it yet if it is new. Whatever the routers grant comes back in
    /// `ack.packet.feedback`, in duplicates too.
    fn stamp(&mut self, _sending: &Sending) -> Feedback {
        Feedback::None
    }

    /// Whether the connection has timestamps even if `tcp.timestamps` does not ask for them. Asked once.
    fn wants_timestamps(&self) -> bool {
        false
    }

    /// Bytes that the request adds to each segment, and its echo to each acknowledgment. Asked once.
    fn header_bytes(&self) -> HeaderBytes {
        HeaderBytes::default()
    }

    /// Which level the receiver echoes if an acknowledgment answers several segments. Asked once.
    fn echo_rule(&self) -> EchoRule {
        EchoRule::default()
    }

    /// Whether [`CongestionControl::on_link`] is to be called. Asked once.
    fn wants_link(&self) -> bool {
        false
    }

    /// The application supplies `rate` bytes of payload per second and no more. Said once, before anything is sent, and
    /// not at all of a file without end.
    fn on_demand(&mut self, _rate: f64) {}

    /// What the observers at the sender's node say of its links now; `None` before they know anything. Called before
    /// each acknowledgment, timeout and supply.
    fn on_link(&mut self, _link: Option<LinkEstimate>) {}
}

/// An acknowledgment as it comes.
#[derive(Clone, Copy, Debug)]
pub struct AckArrival<'a> {
    /// When it came.
    pub now: Time,
    /// Hops that it has travelled; 0 if unknown.
    pub hops: u16,
    /// What came.
    pub packet: &'a Ack,
}

/// A segment that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Now.
    pub now: Time,
    /// Which.
    pub seq: SegNo,
    /// Its payload in bytes.
    pub payload: u32,
    /// Whether it has been sent before.
    pub is_retransmission: bool,
    /// Segments that the receiver allows in flight.
    pub window: u32,
    /// Segments sent and not acknowledged.
    pub in_flight: u32,
}

/// Bytes of requests to routers and of their echoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderBytes {
    /// Per segment.
    pub segment: u32,
    /// Per acknowledgment.
    pub ack: u32,
}

/// An acknowledgment of new data.
#[derive(Clone, Copy, Debug)]
pub struct NewAck<'a> {
    /// When it came.
    pub now: Time,
    /// Highest segment acknowledged so far.
    pub acked: SegNo,
    /// Segments acknowledged for the first time.
    pub newly_acked: u32,
    /// Next segment that would be sent, before the window is used.
    pub snd_nxt: SegNo,
    /// Segments sent and not acknowledged.
    pub in_flight: u32,
    /// Time since segment `acked` was sent, if that was sent only once.
    pub rtt: Option<Span>,
    /// The smoothed round-trip time, this acknowledgment's included.
    pub srtt: Option<Span>,
    /// Whether as much was in flight as the congestion window allows when it came.
    pub was_full: bool,
    /// Whether it also told of new segments beyond a gap. Only the Linux sender says so.
    pub has_news: bool,
    /// What came, with everything that receiver and routers may have written into it.
    pub packet: &'a Ack,
}

impl NewAck<'_> {
    /// When segment `acked` was sent, if it was sent only once.
    pub fn sent_at(&self) -> Option<Time> {
        self.rtt.map(|rtt| self.now - rtt)
    }
}

/// A loss, as recovery found it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When.
    pub now: Time,
    /// By which sign.
    pub sign: LossSignal,
    /// The window in use: `cwnd` within the receiver's limit.
    pub window: f64,
    /// Segments in flight, not counting those that limited transmit has added.
    pub flight: u32,
    /// Whether the segment that is missing had been sent again before.
    pub is_repeated: bool,
}

/// What tells of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Acknowledgments of later segments.
    DupAcks,
    /// Silence.
    Timeout,
}

/// What a controller is made from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Window after the opening, in segments.
    pub initial_window: f64,
    /// Slow-start threshold at the beginning, in segments.
    pub initial_ssthresh: f64,
    /// Whether losses are answered as RFC 5681 says, from what is in flight, or as ns-2, from the window.
    pub is_rfc: bool,
    /// Whether windows are whole and grow by counters, as in Linux.
    pub is_linux: bool,
    /// Payload of a segment, in bytes.
    pub segment: u32,
    /// Under which name it is made: one controller may go by several.
    pub kind: CongestionKind,
    /// The receiver's limit, in segments: beyond it a whole window does not grow. Infinite if unknown.
    pub window: f64,
}

impl Setup {
    /// For segments of `segment` payload bytes.
    pub fn new(config: &TcpConfig, segment: u32) -> Setup {
        Setup {
            initial_window: f64::from(config.opening_window(segment)),
            initial_ssthresh: config.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            is_rfc: config.is_rfc(),
            is_linux: config.is_linux(),
            segment,
            kind: CongestionKind::Reno,
            window: f64::INFINITY,
        }
    }

    /// With a limit of the window.
    #[must_use]
    pub fn with_window(self, window: u32) -> Setup {
        Setup { window: f64::from(window), ..self }
    }
}

/// A controller without parameters of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NoParameters {}

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
