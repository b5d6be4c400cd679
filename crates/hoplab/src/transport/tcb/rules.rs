//! Constants of a connection from table `[tcp]`, and counts of the losses that its sender detects.

use crate::transport::config::TcpConfig;
use crate::transport::rules::{ConnectionRules, RecoveryRules, TimerRules};

/// What does not change during a connection.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Payload of a segment, in bytes.
    pub segment: u32,
    /// rwnd, in segments.
    pub window: u32,
    /// Duplicate acknowledgments that signal a loss.
    pub dup_ack_threshold: u32,
    /// Whether earlier ones release a new segment each (RFC 3042).
    pub limited_transmit: bool,
    /// The timer, by the profile.
    pub timer: TimerRules,
    /// Recovery, by the profile.
    pub recovery: RecoveryRules,
    /// Setup and idle periods, by the profile.
    pub connection: ConnectionRules,
    /// Whether the timer restarts with the first segment after everything was acknowledged.
    pub restarts_when_idle: bool,
    /// Window once the connection is established, in segments.
    pub initial_window: f64,
    /// Whether segments are sent only when the node below requests one.
    pub is_pulled: bool,
    /// Whether a timeout of a pulled sender doubles the next.
    pub backs_off: bool,
    /// Whether segments carry timestamps.
    pub timestamps: bool,
    /// Whether queues may mark segments (RFC 3168).
    pub ecn: bool,
}

impl Rules {
    /// Those of a sender with this payload and rwnd.
    pub(super) fn new(config: &TcpConfig, segment: u32, window: u32) -> Rules {
        let profile = config.profile.rules();
        Rules {
            segment,
            window,
            dup_ack_threshold: config.dup_ack_threshold,
            limited_transmit: config.limited_transmit,
            timer: profile.timer,
            recovery: profile.recovery,
            connection: profile.connection,
            restarts_when_idle: true,
            initial_window: f64::from(config.initial_window(segment)),
            is_pulled: false,
            backs_off: true,
            timestamps: config.timestamps,
            ecn: config.ecn,
        }
    }
}

/// Losses that a sender has detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Expired timers.
    pub timeouts: u64,
    /// Losses detected by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Those of them that left the window as it was.
    pub unreduced_fast_retransmits: u64,
    /// Times that as much was outstanding as allowed, of a pulled sender.
    pub limits_reached: u64,
}
