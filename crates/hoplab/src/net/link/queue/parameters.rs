//! Keys of `[queue]` for some queue disciplines, in addition to `kind` and `limit`.

use crate::kernel::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of queue disciplines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueueParameters {
    /// Size of the queue in bytes, besides. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<Bytes>,
    /// Whether packets whose transport understands marks are marked instead of dropped (`red`, `codel`, `pie`, `fq_codel`,
    /// `airtime_fq`, `lred`). Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// Packets that wait before an arriving one is marked, if its transport understands marks. Default: none is (`drop_tail`).
    #[schemars(range(max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_at: Option<u32>,
    /// Wait that is accepted. Default: 5 ms (`codel`, `fq_codel`), 15 ms (`pie`), 20 ms (`airtime_fq`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Span>,
    /// Time in which a packet has to wait less than the target. Default: 100 ms (`codel`, `fq_codel`, `airtime_fq`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Span>,
    /// Airtime of a neighbor's turn. Default: 300 us (`airtime_fq`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub airtime: Option<Span>,
    /// Bytes that a flow sends in its turn. Default: 1514 B (`fq_codel`), 300 B (`airtime_fq`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantum: Option<Bytes>,
    /// Number of queues that flows share by a hash. Default: one queue per flow and direction (`fq_codel`, `airtime_fq`).
    #[schemars(range(min = 1, max = 65536))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<u32>,
    /// Time between two changes of the probability. Default: 15 ms (`pie`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<Span>,
    /// Time at the start of a queue in which nothing is dropped. Default: 150 ms (`pie`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Span>,
    /// Change of the probability per second of delay beyond the target. Default: 0.125 (`pie`).
    #[schemars(range(min = 0.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Change of the probability per second by which the delay has grown. Default: 1.25 (`pie`).
    #[schemars(range(min = 0.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Mean from which on packets are dropped: of the queue length (`red`, default: 5 packets), of the retries of a data frame (`lred`,
    /// default: 0.9).
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Mean at which the probability is `max_p` (`red`, default: 15 packets), or would be 1 (`lred`, default: 1.9).
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Weight of an arrival in the mean (`red`, default: 0.002), or of a data frame (`lred`, default: 0.02).
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Probability at `max` (`red`, default: 0.1), or at most (`lred`, default: 0.01).
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_p: Option<f64>,
    /// Whether the probability rises to 1 at twice `max`, not at `max`. Default: yes (`red`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gentle: Option<bool>,
    /// Whether drops are at least the inverse of the probability apart, as in ns-2. Default: yes (`red`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<bool>,
    /// Whether nothing is dropped while at most one packet waits, as in ns-2. Default: as `wait` (`red`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_last: Option<bool>,
    /// Packet length by which the mean decays in idle times. Default: 500 B, as in ns-2 (`red`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_packet: Option<Bytes>,
    /// Whether `max_p` follows the mean. Default: no (`red`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<bool>,
    /// Whether the MAC waits in addition for the airtime of its last data frame while the mean is at least `min`. Default: yes
    /// (`lred`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<bool>,
}

/// Shortest time between two changes of PIE's probability (RFC 8033 section 4.2: 15 ms): each costs a step.
const SHORTEST_UPDATE: Span = Span::from_micros(100);

/// Longest time of a key.
const LONGEST: Span = Span::from_millis(100_000);

impl QueueParameters {
    /// `min` and `max` of `red` unless given, in packets.
    pub const RED: (f64, f64) = (5.0, 15.0);

    /// `min` and `max` of `lred` unless given, in retries: a minimum that serves chains of 4, 7 and 12 hops.
    pub const LRED: (f64, f64) = (0.9, 1.9);

    /// Rules that the values satisfy, where `min` and `max` are `usual` unless given: whether it holds, the key, and the values that
    /// are accepted.
    pub fn rules(&self, usual: (f64, f64)) -> Vec<(bool, &'static str, &'static str)> {
        let is_time = |time: Option<Span>| time.is_none_or(|time| time > Span::ZERO && time <= LONGEST);
        let is_size = |bytes: Option<Bytes>| bytes.is_none_or(|bytes| bytes.0 > 0);
        let (min, max) = (self.min.unwrap_or(usual.0), self.max.unwrap_or(usual.1));
        let time = "above 0 s, at most 100 s";
        vec![
            (is_size(self.limit_bytes), "limit_bytes", "at least 1 B"),
            (is_time(self.target), "target", time),
            (is_time(self.interval), "interval", time),
            (is_time(self.airtime), "airtime", time),
            (is_size(self.quantum), "quantum", "at least 1 B"),
            (is_size(self.mean_packet), "mean_packet", "at least 1 B"),
            (
                self.update.is_none_or(|update| update >= SHORTEST_UPDATE && update <= LONGEST),
                "update",
                "from 100 us to 100 s",
            ),
            (self.burst.is_none_or(|burst| burst <= LONGEST), "burst", "at most 100 s"),
            (self.max.is_none() || min < max, "max", "a number above min"),
            (self.max.is_some() || min < max, "min", "a number below max"),
            (self.weight.is_none_or(|weight| weight > 0.0), "weight", "a number above 0, at most 1"),
        ]
    }
}
