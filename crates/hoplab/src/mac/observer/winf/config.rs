//! Parameters of rt-Winf: table `[winf]`. Where Barreto 2015 gives no value, the default is hoplab's.

use crate::kernel::{Bytes, Span};
use crate::packet::explicit::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[winf]` of a scenario: rt-Winf, at every node that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WinfConfig {
    /// Whether every node has the observer, also if no flow's protocol needs it.
    pub everywhere: bool,
    /// Form of the equations.
    pub mode: Form,
    /// Which part of an exchange counts as its time, unless literal.
    pub overhead: Overhead,
    /// How A-MPDUs and A-MSDUs count that carry less than they could. Default: `full`; literal: `sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregates: Option<Aggregates>,
    /// Window of the capacity, and longest window of the available bandwidth.
    pub window: Span,
    /// Packets shorter than this count only if there are no others.
    pub min_sample: Bytes,
    /// Whether each exchange counts as if its packet had 1500 bytes, so that short packets do not lower the capacity.
    pub normalise: bool,
    /// Whether the smallest of the roles' capacities counts, and a neighbor's if that is smaller (eqs. 9 to 11); else that of
    /// all exchanges together, and ACKs carry no value.
    pub least_role: bool,
    /// Whether capacity is taken per neighbor, and a node's value is the mean of those that it sends to; unless literal.
    pub per_neighbor: bool,
    /// Which of the roles' values routers and senders read.
    pub roles: Roles,
    /// Whether capacity is reduced by the share of this node's own attempts that failed in the window; unless literal.
    pub collisions: bool,
    /// Whether carrier without a decoded frame counts as busy.
    pub count_cs: bool,
    /// Bytes that the receiver's value adds to every MAC ACK: 0 as a header field of ns-2, 4 on the air.
    pub ack_extra: Bytes,
    /// Probes that the MAC sends before a new communication without RTS and CTS; 0 for none. The paper sends 4.
    #[schemars(range(min = 0, max = 100))]
    pub probes: u32,
    /// Length of a probe.
    pub probe_bytes: Bytes,
    /// Time without data to a neighbor after which the next data are a new communication.
    pub probe_pause: Span,
}

/// Which part of an exchange counts as its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overhead {
    /// All of it, with DIFS and the mean of the first backoff: the highest rate that can be sustained.
    #[default]
    Full,
    /// Data and ACK only, as in eq. 1.
    Exchange,
    /// The same, less the share that DIFS and the mean of the first backoff have of the time since the role's last exchange.
    Backoff,
}

/// How frames count that carry fewer packets than they could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aggregates {
    /// As if more of the same packets had filled them: what a backlogged station carries. What was free in own frames is available.
    Full,
    /// As they are sent.
    Sent,
}

/// Which of the roles' values routers and senders read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Roles {
    /// Both the least of all roles, and of the neighbors' values.
    #[default]
    Least,
    /// Routers that of the Onlooker; senders that of the Sender after eqs. 10 and 11. Without such an exchange in the window
    /// the least of all.
    Apart,
}

impl Default for WinfConfig {
    fn default() -> Self {
        WinfConfig {
            everywhere: false,
            mode: Form::Consistent,
            overhead: Overhead::Full,
            aggregates: None,
            window: Span::from_millis(1000),
            min_sample: Bytes(200),
            normalise: false,
            least_role: true,
            per_neighbor: false,
            roles: Roles::Least,
            collisions: false,
            count_cs: true,
            ack_extra: Bytes(0),
            probes: 0,
            probe_bytes: Bytes(1500),
            probe_pause: Span::from_millis(10_000),
        }
    }
}
