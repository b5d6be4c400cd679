//! What BBRv3 remembers, and volumes that follow from it. Volumes are segments, rates bytes per second.

use super::config::Bbr3Config;
use crate::kernel::{Purpose, RandomStream, RandomStreams, Span, Time};
use crate::transport::congestion::bandwidth_based::max_filter::MaxFilter;
use crate::transport::congestion::event::Repair;
use crate::transport::congestion::setup::Setup;

/// Gains of pacing rate and window.
const DRAIN_GAIN: f64 = 0.5;
const DOWN_GAIN: f64 = 0.9;
const UP_GAIN: f64 = 1.25;
const UP_WINDOW_GAIN: f64 = 2.25;
const PROBE_RTT_WINDOW_GAIN: f64 = 0.5;
/// Bursts that the window has room for at least.
const BURSTS: f64 = 3.0;
/// Segments by which UP exceeds its window.
const UP_MARGIN: f64 = 2.0;
/// Least and largest burst, in segments and bytes.
const LEAST_BURST: f64 = 2.0;
const LARGEST_BURST: f64 = 65_536.0;

/// States of BBRv3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// What acknowledgments say about the probe for bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// Plateau of the delivery rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Full {
    pub(super) rate: f64,
    pub(super) rounds: u32,
    /// Since it was looked for last.
    pub(super) is_now: bool,
    /// Ever.
    pub(super) is_reached: bool,
}

/// Bounds from losses; infinite without them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) inflight_long: f64,
    pub(super) inflight_short: f64,
    pub(super) bw_short: f64,
}

/// Delivery and losses of the present round of losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    pub(super) end: u64,
    pub(super) is_start: bool,
    pub(super) has_loss: bool,
    pub(super) ranges: u32,
    pub(super) bw: f64,
    pub(super) inflight: f64,
    /// Round in which recovery began.
    pub(super) recovery_since: Option<u64>,
}

/// A probe for bandwidth, and when the next one is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) acks: AckPhase,
    /// Whether samples are of segments that were sent while probing.
    pub(super) is_sample: bool,
    pub(super) acked: f64,
    pub(super) acked_per_step: f64,
    pub(super) rounds: u32,
    pub(super) rounds_since: u64,
    pub(super) wait: Span,
    pub(super) cycle_at: Time,
    pub(super) was_too_high: bool,
    pub(super) was_cautious: bool,
}

/// The minimum round-trip time, and PROBE_RTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    pub(super) value: Option<Span>,
    pub(super) at: Time,
    /// Minimum since PROBE_RTT was due last.
    pub(super) recent: Option<Span>,
    pub(super) recent_at: Time,
    pub(super) is_expired: bool,
    pub(super) until: Option<Time>,
    pub(super) has_round: bool,
}

/// Follow a model of the path that losses bound.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    pub(super) config: Bbr3Config,
    pub(super) segment: f64,
    pub(super) initial_window: f64,
    pub(super) stream: RandomStream,
    pub(super) cwnd: f64,
    pub(super) rate: f64,
    pub(super) has_rtt: bool,
    pub(super) phase: Phase,
    pub(super) round: u64,
    pub(super) round_end: u64,
    pub(super) is_round_start: bool,
    /// Maximum delivery rates of the last cycle and this one.
    pub(super) max_bw: [f64; 2],
    pub(super) bw: f64,
    pub(super) extra: MaxFilter,
    pub(super) extra_begin: Time,
    pub(super) extra_acked: f64,
    pub(super) full: Full,
    pub(super) drain_round: u64,
    pub(super) bounds: Bounds,
    pub(super) losses: LossRound,
    pub(super) probe: Probe,
    pub(super) min_rtt: MinRtt,
    pub(super) prior_window: f64,
    pub(super) repair: Repair,
    pub(super) restarts: bool,
    /// Time and bytes delivered at the last event.
    pub(super) now: Time,
    pub(super) delivered: u64,
}

impl Bbr3 {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &Bbr3Config) -> Bbr3 {
        Bbr3 {
            config: *config,
            segment: f64::from(setup.segment),
            initial_window: setup.initial_window,
            stream: setup.stream.clone().unwrap_or_else(|| RandomStreams::new(0).stream(Purpose::Control, 0)),
            cwnd: 1.0,
            rate: 0.0,
            has_rtt: false,
            phase: Phase::Startup,
            round: 0,
            round_end: 0,
            is_round_start: false,
            max_bw: [0.0; 2],
            bw: 0.0,
            extra: MaxFilter::default(),
            extra_begin: Time::ZERO,
            extra_acked: 0.0,
            full: Full::default(),
            drain_round: 0,
            bounds: Bounds { inflight_long: f64::INFINITY, inflight_short: f64::INFINITY, bw_short: f64::INFINITY },
            losses: LossRound::default(),
            probe: Probe {
                acks: AckPhase::Init,
                is_sample: false,
                acked: 0.0,
                acked_per_step: f64::INFINITY,
                rounds: 0,
                rounds_since: 0,
                wait: Span::ZERO,
                cycle_at: Time::ZERO,
                was_too_high: false,
                was_cautious: false,
            },
            min_rtt: MinRtt {
                value: None,
                at: Time::ZERO,
                recent: None,
                recent_at: Time::ZERO,
                is_expired: false,
                until: None,
                has_round: false,
            },
            prior_window: 0.0,
            repair: Repair::None,
            restarts: false,
            now: Time::ZERO,
            delivered: 0,
        }
    }

    /// The bandwidth of the path, whatever losses say.
    pub(super) fn path_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.phase {
            Phase::Startup => self.config.startup_gain,
            Phase::Drain => DRAIN_GAIN,
            Phase::Down => DOWN_GAIN,
            Phase::Up => UP_GAIN,
            Phase::Cruise | Phase::Refill | Phase::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.phase {
            Phase::Up => UP_WINDOW_GAIN,
            Phase::ProbeRtt => PROBE_RTT_WINDOW_GAIN,
            _ => self.config.cwnd_gain,
        }
    }

    fn least(&self) -> f64 {
        f64::from(self.config.min_window)
    }

    /// Segments that the path holds at a bandwidth and a gain.
    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        match self.min_rtt.value {
            None => self.initial_window,
            Some(rtt) => gain * bw * rtt.secs() / self.segment,
        }
    }

    fn with_budget(&self, volume: f64) -> f64 {
        let burst = (self.rate * 1e-3).min(LARGEST_BURST) / self.segment;
        let volume = volume.max(BURSTS * burst.max(LEAST_BURST)).max(self.least());
        if self.phase == Phase::Up { volume + UP_MARGIN } else { volume }
    }

    /// What is in flight at a bandwidth and a gain, with room for bursts.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.with_budget(self.bdp(bw, gain))
    }

    pub(super) fn max_inflight(&self) -> f64 {
        self.with_budget(self.bdp(self.bw, self.cwnd_gain()) + self.extra.get())
    }

    /// The bandwidth-delay product, unless congestion has cut the window.
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp(self.bw, 1.0).min(self.cwnd)
    }

    /// The bound on the flight, less what is left to others.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let long = self.bounds.inflight_long;
        if long.is_infinite() {
            return long;
        }
        (long - (self.config.headroom * long).max(1.0)).max(self.least())
    }

    pub(super) fn probe_rtt_window(&self) -> f64 {
        self.bdp(self.bw, PROBE_RTT_WINDOW_GAIN).max(self.least())
    }

    /// What losses allow in the present state.
    pub(super) fn bound_of_phase(&self) -> f64 {
        let long = match self.phase {
            Phase::Down | Phase::Refill | Phase::Up => self.bounds.inflight_long,
            Phase::Cruise | Phase::ProbeRtt => self.inflight_with_headroom(),
            Phase::Startup | Phase::Drain => f64::INFINITY,
        };
        long.min(self.bounds.inflight_short).max(self.least())
    }

    pub(super) fn is_in_probe_bw(&self) -> bool {
        matches!(self.phase, Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up)
    }

    pub(super) fn is_probing(&self) -> bool {
        matches!(self.phase, Phase::Startup | Phase::Refill | Phase::Up)
    }
}

/// What tests look at.
#[cfg(test)]
impl Bbr3 {
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Gains of pacing rate and window.
    pub(crate) fn gains(&self) -> (f64, f64) {
        (self.pacing_gain(), self.cwnd_gain())
    }

    /// Bandwidth of the path and bound from losses, in Mb/s.
    pub(crate) fn bandwidths(&self) -> (f64, f64) {
        (self.path_bw() * 8e-6, self.bounds.bw_short * 8e-6)
    }

    /// Bounds on the flight, long and short.
    pub(crate) fn flight_bounds(&self) -> (f64, f64) {
        (self.bounds.inflight_long, self.bounds.inflight_short)
    }

    /// Whether the path was ever full, and is since the last look; rounds so far, and at the begin of DRAIN.
    pub(crate) fn fullness(&self) -> (bool, bool, u64, u64) {
        (self.full.is_reached, self.full.is_now, self.round, self.drain_round)
    }

    /// Aggregation of acknowledgments, and the bandwidth-delay product, in segments.
    pub(crate) fn volumes(&self) -> (f64, f64) {
        (self.extra.get(), self.bdp(self.path_bw(), 1.0))
    }
}
