//! XCP's sender: the window follows what the routers grant.
//!
//! # Model
//! Each segment asks for a change of the flow's rate and tells the routers round-trip time and spacing; each
//! acknowledgment brings the change that all of them grant, and the window moves by that times the round-trip time. There
//! is no slow start and no growth of its own. A loss is answered as Reno does. XCP-b differs in its routers only.
//! XCP-Winf asks for no more than its own node's links have to spare, and keeps its window within what they carry.
//! # Source
//! Katabi 2002 section 3.2; `Agent/TCP/Reno/XCP` of ns-2.35 (xcp.md section 2). XCP-Winf: Barreto 2015, eq. 15
//! (xcp-winf.md sections 2 and 4).
//! # Deviations
//! Round-trip times are exact unless `xcp.tick` says otherwise; ns-2 reads them from a clock of 10 ms. The rate of a
//! constant-rate application limits the request of XCP-Winf only.
//! # Parameters
//! Tables `[xcp]`, `[xcp_winf]`.

use crate::kernel::{Rate, Span, Time};
use crate::packet::{Ack, Echo, Feedback, LinkEstimate, XcpConfig, XcpHeader, XcpKind, XcpWinfConfig};
use crate::transport::congestion::control::{CongestionControl, HeaderBytes};
use crate::transport::congestion::event::{Loss, NewAck, Sending};
use crate::transport::congestion::list::CongestionKind;
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::pacer::{PaceClock, PaceRules};

/// XCP with the capacity of the interface.
pub type XcpB = Xcp;
/// XCP with rt-Winf.
pub type XcpWinf = Xcp;

/// Parameters of a sender of the family.
#[derive(Clone, Debug, PartialEq)]
pub struct XcpSender {
    /// Table `[xcp]`.
    pub xcp: XcpConfig,
    /// Table `[xcp_winf]`.
    pub winf: XcpWinfConfig,
    /// Rate of the node's interface, which a file wants by eq. 15 as printed; without limit until the world says it.
    pub interface: Rate,
}

impl Default for XcpSender {
    fn default() -> Self {
        XcpSender { xcp: XcpConfig::default(), winf: XcpWinfConfig::default(), interface: Rate(f64::INFINITY) }
    }
}

/// XCP's sender.
#[derive(Clone, Debug)]
pub struct Xcp {
    reno: Reno,
    config: XcpSender,
    kind: XcpKind,
    /// Payload of a segment, in bytes.
    segment: f64,
    /// What the receiver allows in flight, in segments.
    limit: f64,
    /// Smoothed round-trip time, in seconds; 0 before the first sample.
    srtt: f64,
    /// What the application supplies, in bytes per second; infinite for a file.
    demand: f64,
    link: Option<LinkEstimate>,
}

/// What is asked for if nothing limits the flow, in bytes per second.
const UNLIMITED: f64 = 1e24;

/// Weight of a new round-trip time.
const RTT_GAIN: f64 = 1.0 / 8.0;

impl Xcp {
    /// Before the connection opens.
    pub fn new(setup: &Setup, config: &XcpSender) -> Xcp {
        let mut reno = Reno::new(setup, &NoParameters {});
        reno.initial_window = f64::from(config.xcp.initial_window);
        Xcp {
            reno,
            config: config.clone(),
            kind: match setup.kind {
                CongestionKind::XcpB => XcpKind::Blind,
                CongestionKind::XcpWinf => XcpKind::Winf,
                _ => XcpKind::Base,
            },
            segment: f64::from(setup.segment),
            limit: setup.window,
            srtt: 0.0,
            demand: f64::INFINITY,
            link: None,
        }
    }

    fn measure(&mut self, now: Time, ack: &Ack) {
        let sample = match self.config.xcp.tick {
            Span(0) => now.since(ack.echo).secs(),
            tick => (now.0 / tick.0 - ack.echo.0 / tick.0) as f64 * tick.secs(),
        };
        self.srtt = if self.srtt == 0.0 { sample } else { self.srtt + RTT_GAIN * (sample - self.srtt) };
    }

    /// Moves the window by what the routers grant.
    fn heed(&mut self, ack: &Ack) {
        if let Echo::Xcp(granted) = ack.feedback {
            let most = self.most().max(self.reno.cwnd);
            let moved = self.reno.cwnd + granted * self.srtt / self.segment;
            // A window beyond the limit is let shrink, not grow (docs/protocols/xcp.md, Deviations).
            self.reno.cwnd = moved.max(1.0).min(if granted > 0.0 { most } else { f64::INFINITY });
        }
    }

    /// Window that the node's own links can carry, in segments.
    fn most(&self) -> f64 {
        let winf = &self.config.winf;
        match self.link {
            Some(link) if self.kind == XcpKind::Winf && !winf.mode.is_literal_for(winf.cap) => {
                (link.capacity * self.srtt / self.segment).max(2.0)
            }
            _ => f64::INFINITY,
        }
    }

    /// Change of the rate to ask for, in bytes per second, with a window of `window` segments in use.
    fn request(&self, window: f64) -> f64 {
        let rate = window * self.segment / self.srtt;
        let winf = &self.config.winf;
        match self.link {
            Some(LinkEstimate { capacity, available }) if self.kind == XcpKind::Winf => {
                if winf.mode.is_literal_for(winf.eq15) {
                    let demand = self.demand.min(self.config.interface.0 / 8.0);
                    ((demand - capacity) / (capacity * (self.srtt / self.segment))).min(available)
                } else {
                    ((DEMAND_HEADROOM * self.demand).min(capacity) - rate).min(available) / window
                }
            }
            _ => UNLIMITED - rate,
        }
    }
}

impl CongestionControl for Xcp {
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.measure(ack.now, ack.packet);
        if ack.acked == 0 {
            self.reno.cwnd = self.reno.initial_window;
        } else {
            self.heed(ack.packet);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.measure(ack.now, ack.packet);
        self.heed(ack.packet);
    }

    fn on_dup_ack(&mut self, _now: Time, ack: &Ack) {
        if self.config.xcp.feedback_on_dup_ack {
            self.heed(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_opening_lost(&mut self) {
        self.reno.on_opening_lost();
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn stamp(&mut self, sending: &Sending) -> Feedback {
        let window = self.reno.cwnd.min(f64::from(sending.window)).floor().max(1.0);
        let (spacing, delta) = if self.srtt > 0.0 { (self.srtt / window, self.request(window)) } else { (0.0, 0.0) };
        Feedback::Xcp(XcpHeader { kind: self.kind, rtt: self.srtt, spacing, delta })
    }

    fn wants_timestamps(&self) -> bool {
        self.config.xcp.timestamps
    }

    fn header_bytes(&self) -> HeaderBytes {
        let bytes = self.config.xcp.header.0;
        HeaderBytes { segment: bytes, ack: bytes }
    }

    fn pace_rules(&self) -> Option<PaceRules> {
        let rules = PaceRules { clock: PaceClock::OnDemand, flushes: false, restarts: true };
        self.config.xcp.pacing.then_some(rules)
    }

    fn pace_interval(&self) -> Span {
        Span::from_secs(self.srtt / self.reno.cwnd.min(self.limit).floor().max(1.0))
    }

    fn wants_link(&self) -> bool {
        self.kind == XcpKind::Winf
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.link = link;
    }

    fn on_demand(&mut self, rate: f64) {
        self.demand = rate;
    }
}

/// A constant-rate application is granted more than its rate, so that what has piled up can drain.
const DEMAND_HEADROOM: f64 = 1.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Bytes;
    use crate::packet::Form;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::ack;

    fn sender(kind: CongestionKind, segment: u32) -> Xcp {
        let setup = Setup { kind, ..Setup::new(&TcpConfig::default(), segment) };
        Xcp::new(&setup, &XcpSender::default())
    }

    fn sending(window: u32) -> Sending {
        Sending { now: Time::ZERO, seq: 5, payload: 1000, is_retransmission: false, window, in_flight: 0 }
    }

    #[test]
    fn the_window_moves_by_what_is_granted() {
        let mut xcp = sender(CongestionKind::Xcp, 1000);
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
        let mut granted = Ack::plain(4, Time::ZERO);
        granted.feedback = Echo::Xcp(2000.0);
        // 2000 B/s for 100 ms in segments of 1000 bytes; the sample equals the mean.
        xcp.on_ack(&NewAck { now: Time(100_000_000), ..ack(&granted, 3) });
        assert!((xcp.cwnd() - 10.2).abs() < 1e-12);
        granted.feedback = Echo::Xcp(-2e6);
        xcp.on_ack(&NewAck { now: Time(100_000_000), ..ack(&granted, 3) });
        assert_eq!(xcp.cwnd(), 1.0);
        granted.feedback = Echo::Xcp(2000.0);
        xcp.on_dup_ack(Time::ZERO, &granted);
        assert_eq!(xcp.cwnd(), 1.0);
        xcp.config.xcp.feedback_on_dup_ack = true;
        xcp.on_dup_ack(Time::ZERO, &granted);
        assert!((xcp.cwnd() - 1.2).abs() < 1e-12);
        xcp.set_cwnd(5.0);
        assert_eq!(xcp.cwnd(), 5.0);
    }

    #[test]
    fn segments_tell_round_trip_and_spacing() {
        let mut xcp = sender(CongestionKind::Xcp, 1000);
        let Feedback::Xcp(first) = xcp.stamp(&sending(20)) else { panic!("a header of XCP") };
        assert_eq!((first.rtt, first.spacing, first.delta), (0.0, 0.0, 0.0));
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.7);
        let Feedback::Xcp(header) = xcp.stamp(&sending(20)) else { panic!("a header of XCP") };
        assert_eq!((header.rtt, header.spacing), (0.1, 0.01));
        assert_eq!(header.delta, UNLIMITED - 1e5);
        let Feedback::Xcp(limited) = xcp.stamp(&sending(4)) else { panic!("a header of XCP") };
        assert_eq!(limited.spacing, 0.025);
    }

    #[test]
    fn winf_asks_for_what_its_links_have() {
        // xcp-winf.md section 6, test 3.
        let mut xcp = sender(CongestionKind::XcpWinf, 1500);
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        assert!((xcp.request(10.0) - 2e4).abs() < 1e-9);
        xcp.on_demand(8e4);
        // A quarter more, so that what has piled up can drain: 1e5.
        assert!((xcp.request(10.0) + 5e3).abs() < 1e-9, "an application that wants less asks for less");
    }

    #[test]
    fn winf_alone_grows_no_farther_than_its_links_carry() {
        let grown = |kind| {
            let mut xcp = sender(kind, 1000);
            (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
            xcp.on_link(Some(LinkEstimate { capacity: 2e5, available: 1e5 }));
            let mut granted = Ack::plain(4, Time::ZERO);
            granted.feedback = Echo::Xcp(5e5);
            xcp.on_ack(&NewAck { now: Time(100_000_000), ..ack(&granted, 3) });
            xcp.cwnd()
        };
        // 500 kB/s more for 100 ms are 50 segments; 200 kB/s carry 20.
        assert!((grown(CongestionKind::Xcp) - 60.0).abs() < 1e-9);
        assert!((grown(CongestionKind::XcpWinf) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_counted_by_their_edges() {
        let mut xcp = sender(CongestionKind::Xcp, 1000);
        xcp.config.xcp.tick = Span::from_millis(10);
        xcp.measure(Time(21_000_000), &Ack::plain(1, Time(19_000_000)));
        assert!((xcp.srtt - 0.01).abs() < 1e-12);
        xcp.measure(Time(28_000_000), &Ack::plain(2, Time(21_000_000)));
        assert!((xcp.srtt - 0.01 * 7.0 / 8.0).abs() < 1e-12);
    }

    #[test]
    fn equation_15_as_printed() {
        // Barreto 2015: (demand - capacity) / (capacity * rtt / segment), at most what is available. A file wants the rate of
        // the interface, whatever the flow does: so little per segment that the limit never binds (xcp-winf.md section 2).
        let mut xcp = sender(CongestionKind::XcpWinf, 1000);
        xcp.config.winf.eq15 = Some(Form::Literal);
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        xcp.config.interface = Rate(11e6);
        for window in [1.0, 10.0, 100.0] {
            assert!((xcp.request(window) - 8.75e5 / 50.0).abs() < 1e-9, "{}", xcp.request(window));
        }
        // An application wants its rate, with nothing on top.
        xcp.on_demand(6e5);
        assert!((xcp.request(10.0) - 1e5 / 50.0).abs() < 1e-9, "{}", xcp.request(10.0));
        xcp.on_demand(1e5);
        assert!((xcp.request(10.0) + 4e5 / 50.0).abs() < 1e-9, "less than the capacity: a decrease");
    }

    #[test]
    fn pacing_spreads_what_is_in_use_over_a_round_trip() {
        // xcp.md section 2: srtt / W, W the lesser of both windows in whole segments.
        let setup = Setup { kind: CongestionKind::Xcp, ..Setup::new(&TcpConfig::default(), 1000) };
        let mut xcp = Xcp::new(&setup.with_window(20), &XcpSender::default());
        for (cwnd, ms) in [(10.9, 10), (20.5, 5), (3000.0, 5), (0.5, 100)] {
            (xcp.srtt, xcp.reno.cwnd) = (0.1, cwnd);
            assert_eq!(xcp.pace_interval(), Span::from_millis(ms), "{cwnd} segments");
        }
    }

    #[test]
    fn others_ask_without_limit_for_more_than_they_have() {
        let mut xcp = sender(CongestionKind::Xcp, 1000);
        // So quick a path that the rate is more than a rounding of the limit.
        (xcp.srtt, xcp.reno.cwnd) = (1e-12, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        assert!(xcp.request(10.0) < UNLIMITED && xcp.request(10.0) > 0.9 * UNLIMITED);
    }

    #[test]
    fn what_the_connection_is_asked_for() {
        let mut xcp = sender(CongestionKind::Xcp, 1000);
        assert!(xcp.wants_timestamps());
        assert_eq!(xcp.header_bytes(), HeaderBytes::default());
        (xcp.config.xcp.timestamps, xcp.config.xcp.header) = (false, Bytes(20));
        assert!(!xcp.wants_timestamps());
        assert_eq!(xcp.header_bytes(), HeaderBytes { segment: 20, ack: 20 });
    }
}
