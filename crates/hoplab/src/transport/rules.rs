//! The rules of a profile as values: what senders do where ns-2, Linux and the RFCs differ.
//!
//! `tcp.profile` selects one [`ProfileRules`] when a connection is built. Each part of the sender stores the struct that
//! concerns it, and never tests the profile. `docs/protocols/tcp.md` compares the three sets.
//!
//! # Source
//! `tcp/tcp.cc`, `tcp/tcp-linux.cc` and `tcp/tcp-vegas.cc` of ns-2.35; RFC 5681, 6298, 6582, 6675 and 9293.

use crate::packet::SegNo;

/// All rules of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileRules {
    /// How a loss reduces a real window.
    pub loss: LossRules,
    /// How controllers that work in every profile represent their window.
    pub window: WindowKind,
    /// Round-trip time and retransmission timer.
    pub timer: TimerRules,
    /// Loss recovery.
    pub recovery: RecoveryRules,
    /// Connection setup, idle periods, and bytes on the wire.
    pub connection: ConnectionRules,
    /// Whether Linux's controllers and its recovery replace those of the same name.
    pub uses_linux_parts: bool,
}

/// How `ssthresh` follows from a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossRules {
    /// What is halved.
    pub base: LossBase,
    /// Whether `ssthresh` is rounded down to whole segments.
    pub rounds_ssthresh: bool,
    /// Smallest half, in segments, that the window falls to after duplicate acknowledgments.
    pub min_half: f64,
    /// Whether a further timeout of a retransmitted segment leaves `ssthresh` (RFC 5681 section 3.1).
    pub keeps_ssthresh: bool,
}

/// The window that a loss reduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossBase {
    /// The window in use: `cwnd`, at most rwnd.
    UsedWindow,
    /// The flight size (RFC 5681, eq. 4).
    FlightSize,
}

/// How a window is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    /// As a real number.
    Real,
    /// As whole segments that grow by counters, as in Linux.
    Counted,
}

/// Round-trip time and retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerRules {
    /// How the timeout follows from samples.
    pub estimator: EstimatorRule,
    /// Whether every sample ends the backoff (RFC 6298 section 5), or only an acknowledgment of the timed segment.
    pub any_sample_ends_backoff: bool,
    /// Whether a retransmission of the timed segment cancels the sample when it is sent (Karn 1987); in ns-2 only
    /// recovery cancels it.
    pub retransmission_cancels_sample: bool,
    /// Whether the timer stops once everything is acknowledged (RFC 6298 section 5.2).
    pub stops_when_idle: bool,
}

/// Estimators of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimatorRule {
    /// BSD's and ns-2's: integer arithmetic in ticks of the sender's clock.
    Ticks {
        /// Whether a sample below the mean raises the deviation by an eighth of its excess only, as in Linux.
        damps_short_samples: bool,
    },
    /// RFC 6298 in real numbers.
    Rfc6298,
}

/// Loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryRules {
    /// `recover` before the first loss.
    pub initial_recover: SegNo,
    /// Whether duplicate acknowledgments of the SYN count although nothing beyond `recover` is acknowledged.
    pub counts_syn_dup_acks: bool,
    /// Whether the acknowledgment that ends recovery grows the window, as in ns-2. By the RFCs recovery exits with
    /// `ssthresh`.
    pub exit_ack_grows: bool,
    /// Whether partial acknowledgments are samples of the round-trip time.
    pub samples_partial_acks: bool,
    /// New segments per acknowledgment while duplicates are counted, at most.
    pub max_burst: Option<u32>,
    /// Which SACK-based recovery `sack` selects.
    pub sack: SackRule,
    /// Whether Vegas has the quirks of ns-2: send times in a ring, a window of zero after a timeout, and a timer that
    /// runs on while the sender is idle.
    pub vegas_quirks: bool,
}

/// SACK-based recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackRule {
    /// ns-2's Sack1.
    Sack1,
    /// RFC 6675.
    Rfc6675,
}

/// Connection setup, idle periods, and bytes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionRules {
    /// Whether data waits until the SYN is acknowledged. An agent of ns-2 with a window of two sends data behind the
    /// SYN.
    pub waits_for_syn_ack: bool,
    /// Whether `cwnd` restarts after an idle period of one timeout (RFC 5681 section 4.1).
    pub restarts_after_idle: bool,
    /// Whether SYNs and acknowledgments carry the bytes of their timestamps. In ns-2 only data segments do.
    pub charges_all_timestamps: bool,
}

const NS2_LOSS: LossRules =
    LossRules { base: LossBase::UsedWindow, rounds_ssthresh: true, min_half: 0.0, keeps_ssthresh: false };

const RFC_LOSS: LossRules =
    LossRules { base: LossBase::FlightSize, rounds_ssthresh: false, min_half: MIN_SSTHRESH, keeps_ssthresh: true };

const NS2_RECOVERY: RecoveryRules = RecoveryRules {
    initial_recover: 0,
    counts_syn_dup_acks: true,
    exit_ack_grows: true,
    samples_partial_acks: false,
    max_burst: Some(2),
    sack: SackRule::Sack1,
    vegas_quirks: true,
};

const NS2_TIMER: TimerRules = TimerRules {
    estimator: EstimatorRule::Ticks { damps_short_samples: false },
    any_sample_ends_backoff: false,
    retransmission_cancels_sample: false,
    stops_when_idle: false,
};

/// No loss sets `ssthresh` below this, in segments (RFC 5681, eq. 4).
pub const MIN_SSTHRESH: f64 = 2.0;

impl ProfileRules {
    /// The one-way agents of ns-2.35.
    pub const NS2_ONEWAY: ProfileRules = ProfileRules {
        loss: NS2_LOSS,
        window: WindowKind::Real,
        timer: NS2_TIMER,
        recovery: NS2_RECOVERY,
        connection: ConnectionRules {
            waits_for_syn_ack: false,
            restarts_after_idle: false,
            charges_all_timestamps: false,
        },
        uses_linux_parts: false,
    };

    /// `Agent/TCP/Linux` of ns-2.35.
    pub const NS2_LINUX: ProfileRules = ProfileRules {
        window: WindowKind::Counted,
        timer: TimerRules { estimator: EstimatorRule::Ticks { damps_short_samples: true }, ..NS2_TIMER },
        uses_linux_parts: true,
        ..ProfileRules::NS2_ONEWAY
    };

    /// RFC 5681, 6298, 6582 and 6675.
    pub const RFC: ProfileRules = ProfileRules {
        loss: RFC_LOSS,
        window: WindowKind::Real,
        timer: TimerRules {
            estimator: EstimatorRule::Rfc6298,
            any_sample_ends_backoff: true,
            retransmission_cancels_sample: true,
            stops_when_idle: true,
        },
        recovery: RecoveryRules {
            initial_recover: -1,
            counts_syn_dup_acks: false,
            exit_ack_grows: false,
            samples_partial_acks: true,
            max_burst: None,
            sack: SackRule::Rfc6675,
            vegas_quirks: false,
        },
        connection: ConnectionRules {
            waits_for_syn_ack: true,
            restarts_after_idle: true,
            charges_all_timestamps: true,
        },
        uses_linux_parts: false,
    };
}
