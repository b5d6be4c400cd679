//! XCP's sender: the window follows the changes that routers grant.
//!
//! # Model
//! Each segment requests a change of the flow's rate and carries its round-trip time and spacing; each acknowledgment
//! returns the change that all routers grant, and the window moves by that times the round-trip time. There is no slow
//! start, and no growth without a grant. A loss halves the window as in Reno. XCP-b differs in its routers only. XCP-Winf
//! requests at most the available bandwidth of its node's links, and limits its window by their capacity.
//! # Source
//! Katabi 2002 section 3.2; `Agent/TCP/Reno/XCP` of ns-2.35 (docs/specs/xcp.md section 2). XCP-Winf: Barreto 2015, eq.
//! 15 (docs/specs/xcp-winf.md sections 2 and 4).
//! # Deviations
//! Round-trip times are exact unless `xcp.tick` says otherwise; ns-2 reads them from a clock of 10 ms. The rate of a
//! constant-rate application limits the request of XCP-Winf only.
//! # Parameters
//! Tables `[xcp]`, `[xcp_winf]`.

use crate::kernel::{Rate, Span, Time};
use crate::packet::explicit::{Echo, Feedback, XcpConfig, XcpHeader, XcpKind, XcpWinfConfig};
use crate::packet::{Ack, LinkEstimate};
use crate::transport::congestion::control::{CongestionControl, FeedbackNeeds, HeaderBytes, Needs};
use crate::transport::congestion::cross_layer::{CrossLayer, Sending};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::loss_based::reno::Reno;
use crate::transport::congestion::setup::{NoParameters, Setup};
use crate::transport::pacer::{PaceClock, PaceRules};
use std::fmt::Debug;
use std::marker::PhantomData;

/// XCP.
pub type Xcp = XcpControl<Base>;
/// XCP-b, whose routers read their queues alone.
pub type XcpB = XcpControl<Blind>;
/// XCP-Winf, whose routers have rt-Winf's estimates.
pub type XcpWinf = XcpControl<Winf>;

/// Parameters of a sender of the family.
#[derive(Clone, Debug, PartialEq)]
pub struct XcpSender {
    /// Table `[xcp]`.
    pub xcp: XcpConfig,
    /// Table `[xcp_winf]`.
    pub winf: XcpWinfConfig,
    /// Rate of the node's interface, which an unlimited file demands by eq. 15 as printed; infinite until the world
    /// sets it.
    pub interface: Rate,
}

impl Default for XcpSender {
    fn default() -> Self {
        XcpSender { xcp: XcpConfig::default(), winf: XcpWinfConfig::default(), interface: Rate(f64::INFINITY) }
    }
}

/// A member of the family.
pub trait Member: Debug {
    /// The kind that segments name in their headers.
    const KIND: XcpKind;
}

/// XCP.
#[derive(Clone, Copy, Debug)]
pub struct Base;
/// XCP-b.
#[derive(Clone, Copy, Debug)]
pub struct Blind;
/// XCP-Winf.
#[derive(Clone, Copy, Debug)]
pub struct Winf;

impl Member for Base {
    const KIND: XcpKind = XcpKind::Base;
}

impl Member for Blind {
    const KIND: XcpKind = XcpKind::Blind;
}

impl Member for Winf {
    const KIND: XcpKind = XcpKind::Winf;
}

/// The sender of a member of the family.
#[derive(Clone, Debug)]
pub struct XcpControl<M> {
    reno: Reno,
    config: XcpSender,
    /// Payload of a segment, in bytes.
    segment: f64,
    /// rwnd, in segments.
    limit: f64,
    /// Smoothed round-trip time, in seconds; 0 before the first sample.
    srtt: f64,
    /// What the application supplies, in bytes per second; infinite for a file.
    demand: f64,
    link: Option<LinkEstimate>,
    member: PhantomData<M>,
}

/// Request of an unlimited flow, in bytes per second.
const UNLIMITED: f64 = 1e24;

/// Weight of a new round-trip time.
const RTT_GAIN: f64 = 1.0 / 8.0;

impl<M: Member> XcpControl<M> {
    /// Before the connection is established.
    pub fn new(setup: &Setup, config: &XcpSender) -> XcpControl<M> {
        let mut reno = Reno::new(setup, &NoParameters {});
        reno.initial_window = f64::from(config.xcp.initial_window);
        XcpControl {
            reno,
            config: config.clone(),
            segment: f64::from(setup.segment),
            limit: setup.window,
            srtt: 0.0,
            demand: f64::INFINITY,
            link: None,
            member: PhantomData,
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
    fn apply_grant(&mut self, ack: &Ack) {
        if let Echo::Xcp(granted) = ack.feedback {
            let most = self.max_cwnd().max(self.reno.cwnd);
            let moved = self.reno.cwnd + granted * self.srtt / self.segment;
            // A window beyond the limit may shrink, but not grow (docs/protocols/xcp.md, Deviations).
            self.reno.cwnd = moved.max(1.0).min(if granted > 0.0 { most } else { f64::INFINITY });
        }
    }

    /// Window that the node's own links can carry, in segments.
    fn max_cwnd(&self) -> f64 {
        let winf = &self.config.winf;
        match self.link {
            Some(link) if M::KIND == XcpKind::Winf && !winf.mode.is_literal_for(winf.cap) => {
                (link.capacity * self.srtt / self.segment).max(2.0)
            }
            _ => f64::INFINITY,
        }
    }

    /// Change of the rate to request, in bytes per second, with a window of `window` segments in use.
    fn request(&self, window: f64) -> f64 {
        let rate = window * self.segment / self.srtt;
        let winf = &self.config.winf;
        match self.link {
            Some(LinkEstimate { capacity, available }) if M::KIND == XcpKind::Winf => {
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

impl<M: Member> CongestionControl for XcpControl<M> {
    fn cwnd(&self) -> f64 {
        self.reno.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.reno.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.reno.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.measure(ack.now, ack.packet);
        if ack.is_syn_ack() {
            self.reno.cwnd = self.reno.initial_window;
        } else {
            self.apply_grant(ack.packet);
        }
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.measure(ack.now, ack.packet);
        self.apply_grant(ack.packet);
    }

    fn on_dup_ack(&mut self, _now: Time, ack: &Ack) {
        if self.config.xcp.feedback_on_dup_ack {
            self.apply_grant(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn needs(&self) -> Needs {
        let bytes = self.config.xcp.header.0;
        let pacing = PaceRules { clock: PaceClock::OnDemand, flushes: false, restarts: true };
        Needs {
            timestamps: self.config.xcp.timestamps,
            link_estimates: M::KIND == XcpKind::Winf,
            feedback: Some(FeedbackNeeds {
                header_bytes: HeaderBytes { segment: bytes, ack: bytes },
                ..FeedbackNeeds::default()
            }),
            pacing: self.config.xcp.pacing.then_some(pacing),
            ..Needs::default()
        }
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        Some(self)
    }
}

impl<M: Member> CrossLayer for XcpControl<M> {
    fn stamp(&mut self, sending: &Sending) -> Feedback {
        let window = self.reno.cwnd.min(f64::from(sending.window)).floor().max(1.0);
        let (spacing, delta) = if self.srtt > 0.0 { (self.srtt / window, self.request(window)) } else { (0.0, 0.0) };
        Feedback::Xcp(XcpHeader { kind: M::KIND, rtt: self.srtt, spacing, delta })
    }

    fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.link = link;
    }

    fn on_demand(&mut self, rate: f64) {
        self.demand = rate;
    }

    fn pace_interval(&self) -> Span {
        Span::from_secs(self.srtt / self.reno.cwnd.min(self.limit).floor().max(1.0))
    }
}

/// A constant-rate application is granted more than its rate, so that its backlog can drain.
const DEMAND_HEADROOM: f64 = 1.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Bytes;
    use crate::packet::explicit::Form;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::ack;

    fn sender<M: Member>(segment: u32) -> XcpControl<M> {
        XcpControl::new(&TcpConfig::default().setup(segment), &XcpSender::default())
    }

    fn sending(window: u32) -> Sending {
        Sending { now: Time::ZERO, seq: 5, payload: 1000, is_retransmission: false, window, in_flight: 0 }
    }

    #[test]
    fn window_moves_by_the_grant() {
        let mut xcp = sender::<Base>(1000);
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
    fn segment_carries_rtt_and_spacing() {
        let mut xcp = sender::<Base>(1000);
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
    fn winf_requests_the_spare_capacity_of_its_links() {
        // docs/specs/xcp-winf.md section 6, test 3.
        let mut xcp = sender::<Winf>(1500);
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        assert!((xcp.request(10.0) - 2e4).abs() < 1e-9);
        xcp.on_demand(8e4);
        // A quarter more, so that its backlog can drain: 1e5.
        assert!((xcp.request(10.0) + 5e3).abs() < 1e-9, "a smaller demand, a smaller request");
    }

    #[test]
    fn winf_alone_keeps_cwnd_within_the_capacity_of_its_links() {
        fn grown<M: Member>() -> f64 {
            let mut xcp = sender::<M>(1000);
            (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
            xcp.on_link(Some(LinkEstimate { capacity: 2e5, available: 1e5 }));
            let mut granted = Ack::plain(4, Time::ZERO);
            granted.feedback = Echo::Xcp(5e5);
            xcp.on_ack(&NewAck { now: Time(100_000_000), ..ack(&granted, 3) });
            xcp.cwnd()
        }
        // 500 kB/s more for 100 ms are 50 segments; 200 kB/s carry 20.
        assert!((grown::<Base>() - 60.0).abs() < 1e-9);
        assert!((grown::<Winf>() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn rtt_counts_edges_of_ticks() {
        let mut xcp = sender::<Base>(1000);
        xcp.config.xcp.tick = Span::from_millis(10);
        xcp.measure(Time(21_000_000), &Ack::plain(1, Time(19_000_000)));
        assert!((xcp.srtt - 0.01).abs() < 1e-12);
        xcp.measure(Time(28_000_000), &Ack::plain(2, Time(21_000_000)));
        assert!((xcp.srtt - 0.01 * 7.0 / 8.0).abs() < 1e-12);
    }

    #[test]
    fn literal_equation_15_compares_demand_with_capacity() {
        // Barreto 2015: (demand - capacity) / (capacity * rtt / segment), at most what is available. A file demands the
        // rate of the interface: so little per segment that the limit never binds (docs/specs/xcp-winf.md section 2).
        let mut xcp = sender::<Winf>(1000);
        xcp.config.winf.eq15 = Some(Form::Literal);
        (xcp.srtt, xcp.reno.cwnd) = (0.1, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        xcp.config.interface = Rate(11e6);
        for window in [1.0, 10.0, 100.0] {
            assert!((xcp.request(window) - 8.75e5 / 50.0).abs() < 1e-9, "{}", xcp.request(window));
        }
        // An application demands its rate, without headroom.
        xcp.on_demand(6e5);
        assert!((xcp.request(10.0) - 1e5 / 50.0).abs() < 1e-9, "{}", xcp.request(10.0));
        xcp.on_demand(1e5);
        assert!((xcp.request(10.0) + 4e5 / 50.0).abs() < 1e-9, "less than the capacity: a decrease");
    }

    #[test]
    fn pacing_spreads_the_used_window_over_the_rtt() {
        // docs/specs/xcp.md section 2: srtt / W, W the smaller of cwnd and rwnd in whole segments.
        let mut xcp = Xcp::new(&TcpConfig::default().setup(1000).with_window(20), &XcpSender::default());
        for (cwnd, ms) in [(10.9, 10), (20.5, 5), (3000.0, 5), (0.5, 100)] {
            (xcp.srtt, xcp.reno.cwnd) = (0.1, cwnd);
            assert_eq!(xcp.pace_interval(), Span::from_millis(ms), "{cwnd} segments");
        }
    }

    #[test]
    fn base_requests_without_limit() {
        let mut xcp = sender::<Base>(1000);
        // So short a path that the rate is more than a rounding of the limit.
        (xcp.srtt, xcp.reno.cwnd) = (1e-12, 10.0);
        xcp.on_link(Some(LinkEstimate { capacity: 5e5, available: 2e5 }));
        assert!(xcp.request(10.0) < UNLIMITED && xcp.request(10.0) > 0.9 * UNLIMITED);
    }

    #[test]
    fn needs_follow_from_the_table() {
        let mut xcp = sender::<Base>(1000);
        let header_bytes = |xcp: &Xcp| xcp.needs().feedback.expect("explicit feedback").header_bytes;
        assert!(xcp.needs().timestamps);
        assert_eq!(header_bytes(&xcp), HeaderBytes::default());
        (xcp.config.xcp.timestamps, xcp.config.xcp.header) = (false, Bytes(20));
        assert!(!xcp.needs().timestamps);
        assert_eq!(header_bytes(&xcp), HeaderBytes { segment: 20, ack: 20 });
    }
}
