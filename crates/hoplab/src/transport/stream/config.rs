//! Table `[stream]` of a scenario: parameters of real TCP connections.

use crate::kernel::{Bytes, Span};
use crate::transport::congestion::{Bbr3Config, BbrConfig, CongestionConfig, CopaConfig, DctcpConfig, LedbatConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[stream]` of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StreamConfig {
    /// Window after the handshake, in segments (RFC 6928). After a lost SYN it is 1 (RFC 5681).
    #[schemars(range(min = 1))]
    pub initial_window: u32,
    /// Retransmission timeout before the first sample of the round-trip time.
    pub initial_rto: Span,
    /// Minimum of what `rto_floor` bounds.
    pub min_rto: Span,
    /// Maximum retransmission timeout.
    pub max_rto: Span,
    /// What `min_rto` bounds.
    pub rto_floor: RtoFloor,
    /// Retransmissions of a SYN that follow at `initial_rto` each, before the timeout doubles; Linux has 4.
    pub syn_linear: u32,
    /// Retransmissions of a SYN before the connection aborts.
    pub syn_retries: u32,
    /// Timeouts in succession before the connection aborts.
    #[schemars(range(min = 1))]
    pub data_retries: u32,
    /// Segments that arrive in order until an acknowledgment is due.
    #[schemars(range(min = 1))]
    pub delayed_ack: u32,
    /// Longest delay of an acknowledgment.
    pub delayed_ack_timeout: Span,
    /// Acknowledgments at the beginning that are not delayed.
    pub quick_acks: u32,
    /// How slow start ends without a loss.
    pub slow_start: SlowStart,
    /// Maximum receive buffer; it starts at 64 kB and follows the rate of arrival.
    pub receive_buffer: Bytes,
    /// Segments of a burst of a paced sender.
    #[schemars(range(min = 1))]
    pub send_quantum: u32,
    /// Whether both ends offer ECN (RFC 3168).
    pub ecn: bool,
    /// Least growth of CUBIC per round trip from slow start to the first loss, as a share of the window; Linux has 0.05.
    #[schemars(range(min = 0, max = 1))]
    pub first_growth: f64,
    /// Whether a node without a route for a segment reports that to its sender (ICMP), which aborts a connection in SYN-SENT.
    pub unreachable: bool,
    /// Parameters of `tcp_bbr`.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub bbr: BbrConfig,
    /// Parameters of `tcp_bbr3`.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub bbr3: Bbr3Config,
    /// Parameters of `tcp_dctcp`.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub dctcp: DctcpConfig,
    /// Parameters of `tcp_ledbat`.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub ledbat: LedbatConfig,
    /// Parameters of `tcp_copa`.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub copa: CopaConfig,
}

/// Whether a table has its defaults: scenarios without it are written as before there was one.
fn is_default<T: Default + PartialEq>(table: &T) -> bool {
    *table == T::default()
}

/// A table that is not written reads as its defaults.
fn or_default<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

impl StreamConfig {
    /// Tables of controllers, those of real connections included.
    pub fn controllers(&self, own: &CongestionConfig) -> CongestionConfig {
        CongestionConfig {
            bbr: self.bbr,
            bbr3: self.bbr3,
            dctcp: self.dctcp,
            ledbat: self.ledbat,
            copa: self.copa,
            ..own.clone()
        }
    }
}

/// What the minimum retransmission timeout bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RtoFloor {
    /// The variation: `srtt + max(4 rttvar, min_rto)`, as Linux.
    Variance,
    /// The timeout: `max(srtt + 4 rttvar, min_rto)`, as RFC 6298.
    Total,
}

/// How slow start ends without a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlowStart {
    /// It does not.
    Standard,
    /// At the first sign of a queue, as CUBIC of Linux (Ha, Rhee 2011).
    Hystart,
    /// By HyStart++ (RFC 9406).
    HystartPp,
}

impl Default for StreamConfig {
    fn default() -> Self {
        StreamConfig {
            initial_window: 10,
            initial_rto: Span::from_millis(1000),
            min_rto: Span::from_millis(200),
            max_rto: Span::from_millis(120_000),
            rto_floor: RtoFloor::Variance,
            syn_linear: 0,
            syn_retries: 6,
            data_retries: 15,
            delayed_ack: 2,
            delayed_ack_timeout: Span::from_millis(40),
            quick_acks: 16,
            slow_start: SlowStart::HystartPp,
            receive_buffer: Bytes(6_000_000),
            send_quantum: 2,
            ecn: false,
            first_growth: 0.0,
            unreachable: false,
            bbr: BbrConfig::default(),
            bbr3: Bbr3Config::default(),
            dctcp: DctcpConfig::default(),
            ledbat: LedbatConfig::default(),
            copa: CopaConfig::default(),
        }
    }
}
