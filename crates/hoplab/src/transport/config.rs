//! Table `[tcp]` of a scenario: parameters of TCP, and the rule set that they modify.

use super::congestion::list::CongestionConfig;
use super::congestion::loss_based::cubic::config::CubicForm;
use super::congestion::setup::Setup;
use super::connection::ad_hoc::tpa::config::TpaConfig;
use super::pull::config::OooAck;
use super::rate_sender::config::RcpSender;
use super::rules::ProfileRules;
use crate::kernel::{Bytes, Span};
use crate::packet::explicit::{AtpConfig, ExplicitConfig, WcpConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpConfig {
    /// Rule set where ns-2, Linux and the RFCs differ.
    pub profile: TcpProfile,
    /// Whether the receiver acknowledges only every second segment that arrives in order.
    pub delayed_ack: bool,
    /// How many segments in order an acknowledgment covers at most. Default: 2 with `delayed_ack`; 16, of any
    /// order, with `semi_tcp_sack` and `hop_release`, 32 where `hop_release` has A-MPDUs; else 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub ack_every: Option<u32>,
    /// Longest delay of an acknowledgment; `semi_tcp.ack_delay` for `semi_tcp_sack`, `hop_release.ack_delay` for
    /// `hop_release`.
    pub delayed_ack_timeout: Span,
    /// How a segment that arrives out of order is acknowledged; `semi_tcp.ooo_ack` for flows of Semi-TCP.
    pub ooo_ack: OooAck,
    /// Maximum number of SACK blocks in an acknowledgment.
    #[schemars(range(min = 1, max = 3))]
    pub sack_blocks: u8,
    /// Retransmission timeout before the first sample of the round-trip time.
    pub initial_rto: Span,
    /// Minimum retransmission timeout.
    pub min_rto: Span,
    /// Maximum retransmission timeout.
    pub max_rto: Span,
    /// Tick of the sender's clock: the profiles of ns-2 measure in ticks, `rfc` takes it as the granularity G.
    pub tick: Span,
    /// Window once the connection is established, in segments. Default: 2 in the profiles of ns-2, RFC 5681 in `rfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub initial_window: Option<u32>,
    /// Slow-start threshold at the beginning, in segments. Default: 20 in the profiles of ns-2, infinite in `rfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub initial_ssthresh: Option<u32>,
    /// Duplicate acknowledgments that signal a loss.
    #[schemars(range(min = 1))]
    pub dup_ack_threshold: u32,
    /// Whether earlier duplicate acknowledgments release a new segment each (RFC 3042).
    pub limited_transmit: bool,
    /// At which partial acknowledgments recovery restarts the retransmission timer (RFC 6582 section 4).
    pub new_reno_variant: NewRenoVariant,
    /// Time between two probes of a sender that has no route (`elfn`).
    pub elfn_probe: Span,
    /// Longest snooze of a sender whose route has failed (`tcp_f`).
    pub tcp_f_timer: Span,
    /// Time between two segments of a sender that snoozes, for which routing searches (`tcp_f`).
    pub tcp_f_search: Span,
    /// Time between two probes of a sender that is disconnected (`atcp`).
    pub atcp_probe: Span,
    /// Whether queues may mark segments instead of dropping them, and the sender halves its window for a mark (RFC 3168).
    pub ecn: bool,
    /// Whether segments carry timestamps, so that every new acknowledgment samples the round-trip time.
    pub timestamps: bool,
    /// TCP and IP headers of a segment or acknowledgment.
    pub header: Bytes,
    /// Bytes that a timestamp adds to a segment.
    pub timestamp_bytes: Bytes,
    /// Bytes that each SACK block adds to an acknowledgment.
    pub sack_block_bytes: Bytes,
    /// Parameters of congestion controls.
    pub congestion: CongestionConfig,
    /// Tables `[rcp]` and `[rcp_winf]`, for senders that follow a rate.
    #[serde(skip)]
    pub rcp: RcpSender,
    /// Parameters of TPA.
    pub tpa: TpaConfig,
    /// Table `[atp]`.
    #[serde(skip)]
    pub atp: AtpConfig,
    /// Table `[wcp]`.
    #[serde(skip)]
    pub wcp: WcpConfig,
}

/// Rule sets (`docs/protocols/tcp.md` lists where they differ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TcpProfile {
    /// As the one-way agents of ns-2.35.
    Ns2Oneway,
    /// As `Agent/TCP/Linux` of ns-2.35: modules of Linux 2.6.22 on a sender with SACK and timestamps.
    Ns2Linux,
    /// As RFC 5681, 6298, 6582 and 6675, in whole segments.
    Rfc,
}

/// When NewReno restarts the retransmission timer at partial acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NewRenoVariant {
    /// At the first one only: many losses in a window end in a timeout.
    Impatient,
    /// At each one: recovery takes one round trip per loss, without limit.
    SlowButSteady,
}

/// `window_` of ns-2.35 when an agent is created, before scripts change it: what `ssthresh` starts from.
const NS2_SSTHRESH: u32 = 20;

/// `windowInit_` of ns-2.35.
const NS2_INITIAL_WINDOW: u32 = 2;

impl Default for TcpConfig {
    fn default() -> Self {
        TcpConfig {
            profile: TcpProfile::Ns2Oneway,
            delayed_ack: false,
            ack_every: None,
            delayed_ack_timeout: Span::from_millis(100),
            ooo_ack: OooAck::Dupack,
            sack_blocks: 3,
            initial_rto: Span::from_millis(3000),
            min_rto: Span::from_millis(200),
            max_rto: Span::from_millis(60_000),
            tick: Span::from_millis(10),
            initial_window: Some(NS2_INITIAL_WINDOW),
            initial_ssthresh: Some(NS2_SSTHRESH),
            dup_ack_threshold: 3,
            limited_transmit: true,
            new_reno_variant: NewRenoVariant::Impatient,
            elfn_probe: Span::from_millis(2_000),
            tcp_f_timer: Span::from_millis(10_000),
            tcp_f_search: Span::from_millis(500),
            atcp_probe: Span::from_millis(2_000),
            ecn: false,
            timestamps: false,
            header: Bytes(40),
            timestamp_bytes: Bytes(10),
            sack_block_bytes: Bytes(8),
            congestion: CongestionConfig::default(),
            rcp: RcpSender::default(),
            tpa: TpaConfig::default(),
            atp: AtpConfig::default(),
            wcp: WcpConfig::default(),
        }
    }
}

impl TcpConfig {
    /// Copies the tables that senders share with routers.
    pub fn share(&mut self, explicit: &ExplicitConfig) {
        self.congestion.share(explicit);
        self.atp = explicit.atp.clone();
        self.wcp = explicit.wcp.clone();
        self.rcp = RcpSender { rcp: explicit.rcp.clone(), winf: explicit.rcp_winf.clone() };
    }

    /// Defaults of profile `rfc`.
    pub fn rfc() -> TcpConfig {
        let mut config = TcpConfig {
            profile: TcpProfile::Rfc,
            initial_rto: Span::from_millis(1000),
            min_rto: Span::from_millis(1000),
            tick: Span::from_millis(1),
            initial_window: None,
            initial_ssthresh: None,
            // RFC 7323: ten bytes of option and two of padding.
            timestamp_bytes: Bytes(12),
            ..TcpConfig::default()
        };
        config.congestion.vegas.headers = true;
        config
    }

    /// Defaults of profile `ns2_linux`.
    pub fn ns2_linux() -> TcpConfig {
        let mut config = TcpConfig {
            profile: TcpProfile::Ns2Linux,
            // The agent counts in jiffies of 1 ms as soon as it has a module.
            tick: Span::from_millis(1),
            timestamps: true,
            ..TcpConfig::default()
        };
        config.congestion.cubic.form = CubicForm::Linux2622;
        config.congestion.westwood_plus.recovery_event = false;
        config
    }

    /// Segments in order per acknowledgment.
    pub fn segments_per_ack(&self) -> u32 {
        self.ack_every.unwrap_or(if self.delayed_ack { 2 } else { 1 })
    }

    /// Window once the connection is established, for segments of this size (RFC 5681 section 3.1).
    pub fn initial_window(&self, segment: u32) -> u32 {
        self.initial_window.unwrap_or(match segment {
            0..=1095 => 4,
            1096..=2190 => 3,
            _ => 2,
        })
    }

    /// What a controller is built from, for segments of this size and without rwnd.
    pub fn setup(&self, segment: u32) -> Setup {
        let rules = self.profile.rules();
        Setup {
            initial_window: f64::from(self.initial_window(segment)),
            initial_ssthresh: self.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            segment,
            window: f64::INFINITY,
            loss: rules.loss,
            window_kind: rules.window,
            stream: None,
        }
    }
}

impl TcpProfile {
    /// The rules of the profile.
    pub fn rules(self) -> ProfileRules {
        match self {
            TcpProfile::Ns2Oneway => ProfileRules::NS2_ONEWAY,
            TcpProfile::Ns2Linux => ProfileRules::NS2_LINUX,
            TcpProfile::Rfc => ProfileRules::RFC,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_window_depends_on_segment_size_in_rfc() {
        let rfc = TcpConfig::rfc();
        let windows = [512, 1095, 1096, 1460, 2190, 2191].map(|segment| rfc.initial_window(segment));
        assert_eq!(windows, [4, 4, 3, 3, 3, 2]);
        assert_eq!(TcpConfig::default().initial_window(512), 2);
    }
}
