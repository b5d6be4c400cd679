//! Table `[[flow]]`: its keys and their defaults.

use super::node_ref::NodeRef;
use crate::app::AppKind;
use crate::kernel::{Bytes, Rate, Span, Time};
use crate::packet::Category;
use crate::scenario::transports::TRANSPORTS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[[flow]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowConfig {
    /// Source of the data. Without `from` and `to`, the flow takes the topology's next natural pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<NodeRef>,
    /// Destination of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<NodeRef>,
    /// What there is to send.
    pub app: AppKind,
    /// Application that the calling program supplies instead of `app`: `program:NAME@DIGEST`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Payload bits per second of `cbr`, and of `on_off` during a burst (there 64 kb/s by default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether distances of packets are spread by up to half of their mean (`cbr`). Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<bool>,
    /// Mean length of a burst (`on_off`). Default: 0.5 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_mean: Option<Span>,
    /// Mean off time between bursts (`on_off`). Default: 0.5 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_mean: Option<Span>,
    /// Whether the speaker pauses (`voip`). Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub talk_spurts: Option<bool>,
    /// Time between two probes of `winf_probe`, or two pairs of `adhoc_probe`. Default: 0.25 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Span>,
    /// Pairs from which a value is selected (`adhoc_probe`). Default: 200.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Maximum number of packets. Default: no limit; 4 for `winf_probe`.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_packets: Option<u32>,
    /// Bytes of a finite transfer, after which the connection closes (`tcp_*`, `quinn_*`, `smoltcp_*`). Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// When the receiving application begins to read (`tcp_*`). Default: 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_from: Option<Time>,
    /// How fast it reads (`tcp_*`). Default: as fast as data arrives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Rate>,
    /// Number of the flow whose data it carries on, -1 that of the flow before this one: a relay at `from` ends that connection, and begins
    /// this one, which has no application of its own. Default: it carries its own data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relays: Option<i64>,
    /// Bytes of data not sent yet up to which that relay takes data from the connection that ends at it. Default: 64 kB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay_buffer: Option<Bytes>,
    /// Protocol that carries it.
    #[schemars(extend("enum" = TRANSPORTS.iter().map(|transport| transport.name).collect::<Vec<_>>()))]
    pub transport: String,
    /// Access category of its packets, acknowledgments included (`mac.qos`). Default: `best_effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Category>,
    /// Congestion control instead of that of `transport`, which is to be `new_reno`, `sack`, `reno`, `tahoe` or a `tcp_*`: a
    /// class in a Python file, as `FILE.py:CLASS`; or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Payload of a packet; `quinn_*` and `smoltcp_*` divide data by themselves. Default: 1460 bytes, 1448 for `tcp_*`; 210 for `on_off`, 1480 for probes; always 172 for `voip`.
    pub segment: Bytes,
    /// Longest payload of a datagram: a longer packet is split, as by `Agent/UDP` of ns-2 (`udp`). Default: none is split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_datagram: Option<Bytes>,
    /// Limit of the window, in segments, as the receiver's advertised window; `tcp_*` has `stream.receive_buffer` instead, `quinn_*` its own flow
    /// control.
    pub window: u32,
    /// When traffic begins.
    pub start: Time,
    /// Maximum of a uniform random delay of the start, drawn in each run. Default: 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_spread: Option<Span>,
    /// When it ends. Default: with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
}

/// Default of the maximum number of segments in flight: `window_` of ns-2.35.
const WINDOW: u32 = 20;

impl Default for FlowConfig {
    fn default() -> Self {
        FlowConfig {
            from: None,
            to: None,
            app: AppKind::Ftp,
            source: None,
            rate: None,
            random: None,
            on_mean: None,
            off_mean: None,
            talk_spurts: None,
            interval: None,
            samples: None,
            max_packets: None,
            bytes: None,
            read_from: None,
            read_rate: None,
            relays: None,
            relay_buffer: None,
            transport: "new_reno".to_owned(),
            priority: None,
            controller: None,
            segment: Bytes(1460),
            max_datagram: None,
            window: WINDOW,
            start: Time::ZERO,
            start_spread: None,
            stop: None,
        }
    }
}
