//! TCP Muzha (Lien and Hsiao): the levels that routers write, and the parameters that its sender and its routers share.

use crate::kernel::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lowest level: halve the window.
pub const MIN_LEVEL: u8 = 1;

/// Highest level: double the window. A sender requests it.
pub const MAX_LEVEL: u8 = 5;

/// Table `[muzha]` of a scenario: TCP Muzha.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MuzhaConfig {
    /// Bytes of the IP option in each segment; 0 carries the level for free.
    pub option_bytes: Bytes,
    /// Bytes of the TCP option in each acknowledgment.
    pub echo_bytes: Bytes,
    /// When a router writes its level into a packet: as the MAC dequeues it, or as it is enqueued.
    pub stamp_at: StampAt,
    /// Whether the source's own node writes its level.
    pub source_stamps: bool,
    /// Whether the destination's node writes its level.
    pub dest_stamps: bool,
    /// Whether acknowledgments carry the option too, and the nodes on their route lower it.
    pub ack_path: bool,
    /// Which level an acknowledgment carries if it covers several segments.
    pub echo: EchoChoice,
    /// Window once the connection is established, in segments.
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: u32,
    /// Minimum window, in segments.
    #[schemars(range(min = 1, max = 1000))]
    pub w_min: u32,
    /// Largest window, in segments. Default: the flow's `window`, which bounds it in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub w_max: Option<u32>,
    /// What counts as one round trip between two actions.
    pub round: RoundRule,
    /// Which of a round's levels decides.
    pub aggregate: Aggregate,
    /// Levels up to this one mark a duplicate acknowledgment: its loss is one of congestion.
    #[schemars(range(min = 1, max = 5))]
    pub mark_level: u8,
    /// How many of the duplicates must be marked for the loss to be one of congestion.
    pub mark_rule: MarkRule,
    /// Whether levels move the window during loss recovery as well; they never halve it there.
    pub adjust_in_ff: bool,
    /// Maximum number of new segments per acknowledgment after loss recovery, until the window is full again.
    #[schemars(range(min = 1))]
    pub max_burst: u32,
    /// Whether duplicate ACKs below the threshold release one new segment each. Default: as `tcp.limited_transmit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Whether a sender that was idle for a timeout starts again with one segment.
    pub restart_idle: bool,
    /// Whether routers write 4 in place of 5 into a share of the packets if several neighbors send through them.
    pub dither: bool,
    /// The level of a router.
    pub drai: DraiConfig,
}

/// Table `[muzha.drai]`: how a router finds its level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DraiConfig {
    /// Which signals count.
    pub mode: DraiMode,
    /// Smoothed queue, in packets, below which the level is 5.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub q1: f64,
    /// Below which it is 4.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub q2: f64,
    /// Below which it is 3.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub q3: f64,
    /// Below which it is 2; from here on it is 1.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub q4: f64,
    /// Busy share of the medium from which the level is at most 4.
    #[schemars(range(min = 0, max = 1))]
    pub u1: f64,
    /// From which it is at most 3.
    #[schemars(range(min = 0, max = 1))]
    pub u2: f64,
    /// From which it is at most 2.
    #[schemars(range(min = 0, max = 1))]
    pub u3: f64,
    /// Time constant of the smoothing of both signals.
    pub tau: Span,
    /// Time over which the busy share is measured.
    pub busy_window: Span,
    /// How far below a queue's threshold the signal must fall before the level rises, as a share of the threshold.
    #[schemars(range(min = 0, max = 1))]
    pub hysteresis: f64,
    /// The same for the busy share.
    #[schemars(range(min = 0, max = 1))]
    pub busy_hysteresis: f64,
    /// Minimum time between a change of the level and its rise by one.
    pub hold: Span,
    /// Which losses limit the level.
    pub drop_override: DropOverride,
    /// For how long.
    pub drop_hold: Span,
    /// Thresholds of `mode = "table"`: levels 5, 4, 3, 2 are below the four numbers, 1 above.
    pub table: Box<DraiTable>,
    /// Levels of `mode = "grid"`: any function of several signals.
    pub grid: Box<DraiGrid>,
}

/// Table `[muzha.drai.table]`: four rising thresholds for each signal that is to count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DraiTable {
    /// Of the smoothed queue, in packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<[f64; 4]>,
    /// Of the smoothed queue as a share of the queue's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<[f64; 4]>,
    /// Of the smoothed busy share of the medium.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<[f64; 4]>,
    /// Of the smoothed queueing time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<[f64; 4]>,
    /// Of the smoothed used share of the capacity, by the node's first observer that estimates both (`winf.everywhere`,
    /// `idle_gap.everywhere`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<[f64; 4]>,
}

/// Table `[muzha.drai.grid]`: rising steps of each signal that is to count, and the level of each cell between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DraiGrid {
    /// Of the smoothed queue, in packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Vec<f64>>,
    /// Of the smoothed queue as a share of the queue's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Vec<f64>>,
    /// Of the smoothed busy share of the medium.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<Vec<f64>>,
    /// Of the smoothed queueing time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Vec<f64>>,
    /// Of the smoothed used share of the capacity, as in `[muzha.drai.table]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<f64>>,
    /// Level of each cell, 1 to 5: one more cell than steps for each signal. Of the signals in the order above, the last
    /// varies fastest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<u8>>,
}

impl DraiGrid {
    /// Steps of each signal by its key; none for a signal that does not count.
    pub fn rows(&self) -> [(&'static str, &[f64]); 5] {
        [
            ("queue", &self.queue),
            ("share", &self.share),
            ("busy", &self.busy),
            ("delay", &self.delay),
            ("used", &self.used),
        ]
        .map(|(key, steps)| (key, steps.as_deref().unwrap_or_default()))
    }

    /// The signals that have steps.
    pub fn axes(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        self.rows().into_iter().filter(|(_, steps)| !steps.is_empty())
    }

    /// Level of each cell.
    pub fn levels(&self) -> &[u8] {
        self.levels.as_deref().unwrap_or_default()
    }

    /// Number of cells; 1 without steps.
    pub fn cells(&self) -> usize {
        self.axes().map(|(_, steps)| steps.len() + 1).product()
    }
}

/// Where a router writes its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StampAt {
    /// As late as possible.
    #[default]
    Dequeue,
    /// Before the packet waits.
    Enqueue,
}

/// Which level an acknowledgment carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EchoChoice {
    /// That of the segment that caused it, which is the latest.
    #[default]
    Triggering,
    /// The minimum since the last acknowledgment.
    MinSinceLastAck,
}

/// What counts as one round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundRule {
    /// Until everything is acknowledged that was in flight after the last action.
    #[default]
    Window,
    /// One smoothed round-trip time.
    Srtt,
}

/// Which of a round's levels decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// The minimum.
    #[default]
    Min,
    /// The last.
    Last,
    /// The most frequent; the lower one of two.
    Majority,
}

/// How many duplicates must be marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkRule {
    /// One is enough.
    #[default]
    Any,
    /// The one that signals the loss.
    Last,
    /// All of them.
    All,
}

/// Which signals determine a router's level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DraiMode {
    /// The queue's level, at most what the channel allows.
    #[default]
    #[serde(rename = "queue+channel")]
    QueueAndChannel,
    /// The queue alone.
    #[serde(rename = "queue")]
    Queue,
    /// The channel alone.
    #[serde(rename = "channel")]
    Channel,
    /// The minimum level that `[muzha.drai.table]` gives.
    #[serde(rename = "table")]
    Table,
    /// The level that `[muzha.drai.grid]` has for all its signals together.
    #[serde(rename = "grid")]
    Grid,
}

/// Which losses limit a router's level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropOverride {
    /// A full queue: level 1.
    #[default]
    Ifq,
    /// That, and a frame that exceeds the MAC's retry limit: at most level 2.
    Both,
    /// None.
    None,
}

impl Default for MuzhaConfig {
    fn default() -> Self {
        MuzhaConfig {
            option_bytes: Bytes(4),
            echo_bytes: Bytes(4),
            stamp_at: StampAt::Dequeue,
            source_stamps: true,
            dest_stamps: false,
            ack_path: false,
            echo: EchoChoice::Triggering,
            initial_window: 1,
            w_min: 1,
            w_max: None,
            round: RoundRule::Window,
            aggregate: Aggregate::Min,
            mark_level: 2,
            mark_rule: MarkRule::Any,
            adjust_in_ff: false,
            max_burst: 4,
            limited_transmit: None,
            restart_idle: false,
            dither: false,
            drai: DraiConfig::default(),
        }
    }
}

impl Default for DraiConfig {
    fn default() -> Self {
        DraiConfig {
            mode: DraiMode::QueueAndChannel,
            q1: 0.05,
            q2: 0.4,
            q3: 1.0,
            q4: 4.0,
            u1: 0.70,
            u2: 0.85,
            u3: 0.97,
            tau: Span::from_millis(250),
            busy_window: Span::from_millis(500),
            hysteresis: 0.15,
            busy_hysteresis: 0.02,
            hold: Span::from_millis(100),
            drop_override: DropOverride::Ifq,
            drop_hold: Span::from_millis(200),
            table: Box::default(),
            grid: Box::default(),
        }
    }
}
