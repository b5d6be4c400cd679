//! Westwood+: Westwood with one sample of bandwidth per round trip, as Linux has it.
//!
//! # Model
//! Bytes acknowledged are summed up over a round trip, at least 50 ms; their rate passes two filters in a row, each
//! seven eighths old and one eighth new. The minimum of the smoothed round-trip time times that rate is the capacity of
//! the path. A loss sets `ssthresh` to half the window as Reno's, but the window during recovery to the capacity;
//! with `recovery_event` the end of recovery sets window and `ssthresh` to that as well, and a timeout `ssthresh`.
//!
//! # Source
//! Grieco, Mascolo 2004; `tcp_westwood.c` of Linux 2.6.22 in ns-2.35 (`select_ca westwood`).
//!
//! # Deviations
//! ns-2's port never reports the end of recovery to the module, so that its `ssthresh` stays Reno's: profile
//! `ns2_linux` sets `recovery_event = false`. No other profile reports it either: there `recovery_event` acts at once,
//! when the loss is detected.
//!
//! # Parameters
//! `recovery_event` true: the kernel's.

use super::duplicate_credit::DuplicateCredit;
use crate::kernel::{Span, Time};
use crate::packet::Ack;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{CongestionWindow, Window};
use crate::transport::rules::MIN_SSTHRESH;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.westwood_plus]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodPlusConfig {
    /// Whether the end of recovery sets window and `ssthresh` to the capacity of the path.
    pub recovery_event: bool,
}

impl Default for WestwoodPlusConfig {
    fn default() -> Self {
        WestwoodPlusConfig { recovery_event: true }
    }
}

/// Westwood with a sample of bandwidth per round trip.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    window: Window,
    config: WestwoodPlusConfig,
    /// Payload of a segment, in bytes.
    segment: u64,
    credit: DuplicateCredit,
    /// First filter, in bytes per millisecond.
    coarse: u64,
    /// Second filter, in bytes per millisecond.
    smooth: u64,
    /// Bytes acknowledged since the round began.
    acked: u64,
    /// When the round began, in milliseconds.
    since: Option<u64>,
    /// Smoothed round-trip time, in milliseconds.
    rtt: u64,
    /// Minimum of these.
    min_rtt: u64,
    /// Whether the next one replaces the minimum.
    resets_min_rtt: bool,
    /// Whether no loss recovery is in progress.
    is_open: bool,
}

impl WestwoodPlus {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &WestwoodPlusConfig) -> WestwoodPlus {
        WestwoodPlus {
            window: Window::new(setup),
            config: config.clone(),
            segment: u64::from(setup.segment),
            credit: DuplicateCredit::default(),
            coarse: 0,
            smooth: 0,
            acked: 0,
            since: None,
            rtt: INITIAL_RTT_MILLIS,
            min_rtt: INITIAL_RTT_MILLIS,
            resets_min_rtt: true,
            is_open: true,
        }
    }

    /// Capacity of the path, in segments.
    fn capacity(&self) -> f64 {
        ((self.smooth * self.min_rtt / self.segment.max(1)) as f64).max(MIN_SSTHRESH)
    }

    /// `segments` more have arrived.
    fn count(&mut self, now: Time, segments: u32) {
        let now = now.0 / MILLI;
        let since = *self.since.get_or_insert(now);
        let length = now - since;
        if self.rtt > 0 && length > self.rtt.max(MIN_ROUND_MILLIS) {
            let rate = self.acked / length;
            if self.coarse == 0 && self.smooth == 0 {
                (self.coarse, self.smooth) = (rate, rate);
            } else {
                self.coarse = (7 * self.coarse + rate) >> 3;
                self.smooth = (7 * self.smooth + self.coarse) >> 3;
            }
            self.acked = 0;
            self.since = Some(now);
        }
        self.acked += u64::from(segments) * self.segment;
        self.min_rtt = if self.resets_min_rtt { self.rtt } else { self.min_rtt.min(self.rtt) };
        self.resets_min_rtt = false;
    }

    fn note_ack(&mut self, ack: &NewAck<'_>) -> bool {
        if let Some(srtt) = ack.srtt {
            self.rtt = srtt.0 / MILLI;
        }
        let is_syn = self.window.count_acked(ack);
        // The SYN is counted before the first round begins.
        let is_first = self.since.is_none();
        let segments = if is_first { 0 } else { ack.newly_acked };
        let is_fast = self.is_open && !ack.has_new_sacks;
        let segments = if is_fast { segments } else { self.credit.settle(segments) };
        self.count(ack.now, segments);
        is_syn
    }

    /// Whether `recovery_event` acts when the loss is detected, since the end of recovery is not reported.
    fn settles_at_loss(&self) -> bool {
        self.config.recovery_event && !self.window.reports_recovery_exit()
    }
}

impl CongestionControl for WestwoodPlus {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.is_open |= !self.window.reports_recovery_exit();
        if !self.note_ack(ack) {
            self.window.grow_as_reno(ack);
        }
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.note_ack(ack);
    }

    fn on_dup_ack(&mut self, now: Time, _ack: &Ack) {
        self.credit.on_dup_ack();
        self.count(now, 1);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let capacity = self.capacity();
        let base = self.window.loss_base(loss);
        let is_timeout = loss.signal == LossSignal::Timeout;
        if is_timeout && self.config.recovery_event {
            self.window.cut(loss, capacity, None);
        } else if self.settles_at_loss() {
            self.window.cut(loss, capacity.min(base), None);
        } else {
            self.window.cut(loss, base / 2.0, Some(capacity));
        }
        self.resets_min_rtt |= is_timeout && self.config.recovery_event;
    }

    fn on_recovery_exit(&mut self, cwnd: f64) {
        self.is_open = true;
        self.window.set_cwnd(cwnd);
        if self.config.recovery_event && self.window.reports_recovery_exit() {
            let capacity = self.capacity();
            self.window.set_ssthresh(capacity);
            self.window.set_cwnd(capacity);
        }
    }
}

/// Nanoseconds in a millisecond.
const MILLI: u64 = Span::from_millis(1).0;
/// Shortest round that is a sample (`TCP_WESTWOOD_RTT_MIN`), in milliseconds.
const MIN_ROUND_MILLIS: u64 = 50;
/// Round-trip time before the first sample (`TCP_WESTWOOD_INIT_RTT`), in milliseconds.
const INITIAL_RTT_MILLIS: u64 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::linux;
    use crate::transport::congestion::testing::{ack, loss};

    /// Acknowledgments of a segment each, every 10 ms from `from_ms` on, at a smoothed 80 ms.
    fn feed(westwood: &mut WestwoodPlus, from_ms: u64, count: u64) {
        for n in 0..count {
            let packet = Ack::plain(1, Time::ZERO);
            let now = Time((from_ms + 10 * n) * MILLI);
            westwood.on_ack(&NewAck { now, srtt: Some(Span::from_millis(80)), ..ack(&packet, 9) });
        }
    }

    fn westwood(recovery_event: bool) -> WestwoodPlus {
        let mut westwood = WestwoodPlus::new(&linux(), &WestwoodPlusConfig { recovery_event });
        // The first round is longer than 80 ms: 90 ms, nine segments less the SYN.
        feed(&mut westwood, 0, 10);
        assert_eq!((westwood.coarse, westwood.smooth), (8 * 1460 / 90, 8 * 1460 / 90));
        feed(&mut westwood, 100, 300);
        // Nine segments in 90 ms: 146 bytes per millisecond; the filters round down.
        assert!((130..=146).contains(&westwood.smooth), "{}", westwood.smooth);
        westwood
    }

    #[test]
    fn without_recovery_event_ssthresh_is_renos() {
        let mut westwood = westwood(false);
        westwood.window.set_cwnd(30.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        // 132 bytes per millisecond times 80 ms over 1460 bytes: 7.2.
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (7.0, 15.0));
        westwood.on_recovery_exit(15.0);
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (15.0, 15.0));
        westwood.on_loss(&loss(LossSignal::Timeout, 15.0, 15));
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (1.0, 7.0));
    }

    #[test]
    fn recovery_event_sets_window_and_ssthresh_to_capacity() {
        let mut westwood = westwood(true);
        westwood.window.set_cwnd(30.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        westwood.on_recovery_exit(15.0);
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (7.0, 7.0));
        westwood.on_loss(&loss(LossSignal::Timeout, 7.0, 7));
        assert_eq!((westwood.cwnd(), westwood.ssthresh(), westwood.resets_min_rtt), (1.0, 7.0, true));
        westwood.on_loss(&loss(LossSignal::Timeout, 1.0, 1));
        assert!(westwood.resets_min_rtt, "a second timeout keeps that");
    }

    /// Segments that an acknowledgment of three counts for after two duplicates.
    fn counted(westwood: &mut WestwoodPlus, has_new_sacks: bool, in_recovery: bool) -> u64 {
        let now = Time(3090 * MILLI);
        let packet = Ack::plain(1, Time::ZERO);
        (0..2).for_each(|_| westwood.on_dup_ack(now, &packet));
        let before = westwood.acked;
        let ack = NewAck { now, newly_acked: 3, has_new_sacks, ..ack(&packet, 9) };
        if in_recovery {
            westwood.on_recovery_ack(&ack);
        } else {
            westwood.on_ack(&ack);
        }
        (westwood.acked - before) / 1460
    }

    #[test]
    fn linux_deducts_duplicates_outside_the_fast_path() {
        // `CA_EVENT_FAST_ACK` and `CA_EVENT_SLOW_ACK` of tcp-linux.cc: fast in order and outside of recovery.
        assert_eq!(counted(&mut westwood(true), false, false), 3);
        assert_eq!(counted(&mut westwood(true), true, false), 1);
        let mut lossy = westwood(true);
        lossy.on_loss(&loss(LossSignal::Timeout, 30.0, 30));
        assert_eq!(counted(&mut lossy, false, true), 1);
        assert_eq!(counted(&mut lossy, false, false), 1, "the loss phase continues");
        lossy.on_recovery_exit(15.0);
        assert_eq!(counted(&mut lossy, false, false), 3);
    }

    #[test]
    fn other_profiles_exit_recovery_at_the_next_ack() {
        let setup = TcpConfig::default().setup(1460);
        let mut westwood = WestwoodPlus::new(&setup, &WestwoodPlusConfig::default());
        feed(&mut westwood, 0, 2);
        assert_eq!(counted(&mut westwood, false, false), 3);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        assert_eq!(counted(&mut westwood, false, true), 1);
        assert_eq!(counted(&mut westwood, false, false), 3);
        assert_eq!(counted(&mut westwood, false, false), 3);
    }

    #[test]
    fn round_needs_an_rtt_of_a_millisecond() {
        let smooth = |srtt_us: u64| {
            let mut westwood = WestwoodPlus::new(&linux(), &WestwoodPlusConfig::default());
            let packet = Ack::plain(1, Time::ZERO);
            for now_ms in [0, 10, 61] {
                let srtt = Some(Span(srtt_us * 1000));
                westwood.on_ack(&NewAck { now: Time(now_ms * MILLI), srtt, ..ack(&packet, 9) });
            }
            westwood.smooth
        };
        // `tcp_westwood.c` requires a round-trip time of at least a millisecond.
        assert_eq!((smooth(1000), smooth(999)), (1460 / 61, 0));
    }

    #[test]
    fn first_sample_fills_filters_that_are_both_empty() {
        let filtered = |coarse: u64, smooth: u64| {
            let mut westwood = WestwoodPlus::new(&linux(), &WestwoodPlusConfig::default());
            (westwood.coarse, westwood.smooth) = (coarse, smooth);
            (westwood.since, westwood.rtt, westwood.acked) = (Some(0), 80, 10_000);
            westwood.count(Time(100 * MILLI), 0);
            (westwood.coarse, westwood.smooth)
        };
        assert_eq!((filtered(0, 0), filtered(0, 80), filtered(80, 0)), ((100, 100), (12, 71), (82, 10)));
    }
}
