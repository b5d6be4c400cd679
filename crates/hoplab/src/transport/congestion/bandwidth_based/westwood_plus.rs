//! Westwood+: Westwood with one sample of bandwidth per round trip, as Linux has it.
//!
//! # Model
//! Bytes acknowledged are summed up over a round trip, at least 50 ms; their rate goes through two filters in a row, each
//! seven eighths old and one eighth new. The least smoothed round-trip time times that rate is what the path can carry.
//! A loss sets `ssthresh` to half the window as Reno's, but the window during the repair to what the path can carry;
//! with `recovery_event` the end of the repair sets window and threshold to that as well, and a timeout the threshold.
//!
//! # Source
//! Grieco, Mascolo 2004; `tcp_westwood.c` of Linux 2.6.22 in ns-2.35 (`select_ca westwood`).
//!
//! # Deviations
//! ns-2's port never reports the end of a repair to the module, so that its threshold stays Reno's: profile `ns2_linux`
//! sets `recovery_event = false`. Under other profiles nobody reports it either: there `recovery_event` acts at once, when
//! the loss is found.
//!
//! # Parameters
//! `recovery_event` true: the kernel's.

use super::westwood::DuplicateCredit;
use crate::kernel::{Span, Time};
use crate::packet::Ack;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal, NewAck};
use crate::transport::congestion::setup::Setup;
use crate::transport::congestion::window::{LEAST_SSTHRESH, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.westwood_plus]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodPlusConfig {
    /// Whether the end of a repair sets window and threshold to what the path can carry.
    pub recovery_event: bool,
}

impl Default for WestwoodPlusConfig {
    fn default() -> Self {
        WestwoodPlusConfig { recovery_event: true }
    }
}

/// Westwood with a sample per round trip.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    window: Window,
    config: WestwoodPlusConfig,
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
    /// Least of these.
    min_rtt: u64,
    /// Whether the next one is to be the least, whatever it is.
    forgets_min_rtt: bool,
    is_open: bool,
}

impl WestwoodPlus {
    /// Before the connection opens.
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
            forgets_min_rtt: true,
            is_open: true,
        }
    }

    /// Segments that the path can carry.
    fn capacity(&self) -> f64 {
        ((self.smooth * self.min_rtt / self.segment.max(1)) as f64).max(LEAST_SSTHRESH)
    }

    /// `segments` more have arrived.
    fn count(&mut self, now: Time, segments: u32) {
        let now = now.0 / MILLI;
        let since = *self.since.get_or_insert(now);
        let length = now - since;
        if self.rtt > 0 && length > self.rtt.max(LEAST_ROUND_MILLIS) {
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
        self.min_rtt = if self.forgets_min_rtt { self.rtt } else { self.min_rtt.min(self.rtt) };
        self.forgets_min_rtt = false;
    }

    fn see(&mut self, ack: &NewAck<'_>) -> bool {
        if let Some(srtt) = ack.srtt {
            self.rtt = srtt.0 / MILLI;
        }
        let is_opening = self.window.take(ack);
        // The opening segment is known of before the first round begins.
        let is_first = self.since.is_none();
        let segments = if is_first { 0 } else { ack.newly_acked };
        let is_fast = self.is_open && !ack.has_news;
        let segments = if is_fast { segments } else { self.credit.settle(segments) };
        self.count(ack.now, segments);
        is_opening
    }

    fn is_settled_at_once(&self) -> bool {
        self.config.recovery_event && !self.window.is_whole()
    }
}

impl CongestionControl for WestwoodPlus {
    fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.is_open |= !self.window.is_whole();
        if !self.see(ack) {
            self.window.grow(ack);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.see(ack);
    }

    fn on_dup_ack(&mut self, now: Time, _ack: &Ack) {
        self.credit.on_duplicate();
        self.count(now, 1);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.is_open = false;
        let capacity = self.capacity();
        let in_use = self.window.at_loss(loss);
        let is_timeout = loss.sign == LossSignal::Timeout;
        if is_timeout && self.config.recovery_event {
            self.window.lose(loss, capacity, None);
        } else if self.is_settled_at_once() {
            self.window.lose(loss, capacity.min(in_use), None);
        } else {
            self.window.lose(loss, in_use / 2.0, Some(capacity));
        }
        self.forgets_min_rtt |= is_timeout && self.config.recovery_event;
    }

    fn on_opening_lost(&mut self) {
        self.window.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.set_cwnd(cwnd);
    }

    fn on_repaired(&mut self, cwnd: f64) {
        self.is_open = true;
        self.window.set_cwnd(cwnd);
        if self.config.recovery_event && self.window.is_whole() {
            let capacity = self.capacity();
            self.window.set_ssthresh(capacity);
            self.window.set_cwnd(capacity);
        }
    }
}

/// Nanoseconds in a millisecond.
const MILLI: u64 = Span::from_millis(1).0;
/// Shortest round that is a sample (`TCP_WESTWOOD_RTT_MIN`), in milliseconds.
const LEAST_ROUND_MILLIS: u64 = 50;
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
        // The first round is longer than 80 ms: 90 ms, nine segments less the opening one.
        feed(&mut westwood, 0, 10);
        assert_eq!((westwood.coarse, westwood.smooth), (8 * 1460 / 90, 8 * 1460 / 90));
        feed(&mut westwood, 100, 300);
        // Nine segments in 90 ms: 146 bytes per millisecond; the filters round down.
        assert!((130..=146).contains(&westwood.smooth), "{}", westwood.smooth);
        westwood
    }

    #[test]
    fn ns2s_port_keeps_renos_threshold() {
        let mut westwood = westwood(false);
        westwood.window.set_cwnd(30.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        // 132 bytes per millisecond times 80 ms over 1460 bytes: 7.2.
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (7.0, 15.0));
        westwood.on_repaired(15.0);
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (15.0, 15.0));
        westwood.on_loss(&loss(LossSignal::Timeout, 15.0, 15));
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (1.0, 7.0));
    }

    #[test]
    fn the_kernel_settles_at_what_the_path_carries() {
        let mut westwood = westwood(true);
        westwood.window.set_cwnd(30.0);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        westwood.on_repaired(15.0);
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (7.0, 7.0));
        westwood.on_loss(&loss(LossSignal::Timeout, 7.0, 7));
        assert_eq!((westwood.cwnd(), westwood.ssthresh(), westwood.forgets_min_rtt), (1.0, 7.0, true));
        westwood.on_loss(&loss(LossSignal::Timeout, 1.0, 1));
        assert!(westwood.forgets_min_rtt, "a second timeout does not take that back");
    }

    /// Segments that an acknowledgment of three counts for after two duplicates, during a repair or not.
    fn counted(westwood: &mut WestwoodPlus, has_news: bool, is_repair: bool) -> u64 {
        let now = Time(3090 * MILLI);
        let packet = Ack::plain(1, Time::ZERO);
        (0..2).for_each(|_| westwood.on_dup_ack(now, &packet));
        let before = westwood.acked;
        let ack = NewAck { now, newly_acked: 3, has_news, ..ack(&packet, 9) };
        if is_repair {
            westwood.on_repair_ack(&ack);
        } else {
            westwood.on_ack(&ack);
        }
        (westwood.acked - before) / 1460
    }

    #[test]
    fn duplicates_are_taken_off_where_linux_looks_closely() {
        // `CA_EVENT_FAST_ACK` and `CA_EVENT_SLOW_ACK` of tcp-linux.cc: fast in order and with nothing to repair.
        assert_eq!(counted(&mut westwood(true), false, false), 3);
        assert_eq!(counted(&mut westwood(true), true, false), 1);
        let mut losing = westwood(true);
        losing.on_loss(&loss(LossSignal::Timeout, 30.0, 30));
        assert_eq!(counted(&mut losing, false, true), 1);
        assert_eq!(counted(&mut losing, false, false), 1, "the phase of loss goes on");
        losing.on_repaired(15.0);
        assert_eq!(counted(&mut losing, false, false), 3);
    }

    #[test]
    fn elsewhere_a_repair_ends_with_the_next_acknowledgment() {
        let setup = Setup::new(&TcpConfig::default(), 1460);
        let mut westwood = WestwoodPlus::new(&setup, &WestwoodPlusConfig::default());
        feed(&mut westwood, 0, 2);
        assert_eq!(counted(&mut westwood, false, false), 3);
        westwood.on_loss(&loss(LossSignal::DupAcks, 30.0, 30));
        assert_eq!(counted(&mut westwood, false, true), 1);
        assert_eq!(counted(&mut westwood, false, false), 3);
        assert_eq!(counted(&mut westwood, false, false), 3);
    }

    #[test]
    fn rounds_that_are_samples() {
        let smooth = |srtt_us: u64| {
            let mut westwood = WestwoodPlus::new(&linux(), &WestwoodPlusConfig::default());
            let packet = Ack::plain(1, Time::ZERO);
            for now_ms in [0, 10, 61] {
                let srtt = Some(Span(srtt_us * 1000));
                westwood.on_ack(&NewAck { now: Time(now_ms * MILLI), srtt, ..ack(&packet, 9) });
            }
            westwood.smooth
        };
        // `tcp_westwood.c` wants a round-trip time, of a millisecond at least.
        assert_eq!((smooth(1000), smooth(999)), (1460 / 61, 0));
    }

    #[test]
    fn the_filters_are_filled_only_when_both_are_empty() {
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
