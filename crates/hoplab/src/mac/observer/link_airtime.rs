//! The airtime of a test frame to each neighbor, by which HWMP compares paths (`routing.protocol = "hwmp"`).

use super::channel_observer::{ChannelObserver, Role};
use super::setup::ObserverSetup;
use crate::kernel::{RadioId, Span, Time, exp};
use crate::mac::timing::Timing;
use crate::packet::{Frame, FrameKind, LinkCost, Modulation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Airtime link metric (IEEE 802.11-2016 clause 14.9): `c_a = (O + B_t / r) / (1 - e_f)`.
///
/// `O` is DIFS, SIFS, the ACK, the preamble and the headers of a mesh data frame, `B_t` 8192 bits, `r` the rate of the last data
/// frame to the neighbor. The standard leaves `e_f` open. As in ns-3.37 (`WifiRemoteStationInfo`), the share of attempts that fail
/// is averaged over packets, with weights that decay by `memory`; with aggregation over acknowledgments, which show the share of
/// MPDUs, as Linux counts the outcome of each. It counts as 0.95 at most, where Linux closes a link
/// (mac80211 `LINK_FAIL_THRESH`), so that a link that has failed can be tried again.
#[derive(Debug)]
pub struct LinkAirtime {
    radio: RadioId,
    timing: Arc<Timing>,
    memory: Span,
    links: BTreeMap<RadioId, Link>,
    /// Frames of the packet in service.
    service: Service,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    modulation: Modulation,
    error: f64,
    updated: Time,
    failures: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Service {
    to: Option<RadioId>,
    /// Modulation of the last data frame.
    modulation: Option<Modulation>,
    data_frames: u32,
    is_acked: bool,
    /// With aggregation: MPDUs whose outcome is known, and those of them that were lost.
    mpdus: [u32; 2],
}

/// Bytes of the test frame: `B_t`, then MAC header with four addresses and QoS Control, FCS, and Mesh Control.
const TEST_BYTES: u32 = 8_192 / 8 + 32 + 4 + 6;
/// Maximum error rate of a link.
const MAX_ERROR: f64 = 0.95;

impl LinkAirtime {
    /// Before the first frame.
    pub fn new(setup: &ObserverSetup<'_>, memory: Span) -> LinkAirtime {
        let timing = Arc::clone(setup.timing);
        LinkAirtime { radio: setup.radio, timing, memory, links: BTreeMap::new(), service: Service::default() }
    }

    /// Airtime of a test frame that arrives at once.
    fn test_airtime(&self, modulation: Modulation) -> Span {
        let timing = &self.timing;
        timing.sifs * 2 + timing.slot * 2 + timing.ack_to(modulation) + timing.airtime(modulation, TEST_BYTES)
    }

    /// Packets to a neighbor have left the MAC; this share of their attempts has failed.
    fn record(&mut self, now: Time, to: RadioId, failed: f64) {
        let modulation = self.service.modulation;
        let unicast = self.timing.unicast;
        let first = Link { modulation: unicast, error: 0.0, updated: Time::ZERO, failures: 0 };
        let link = self.links.entry(to).or_insert(first);
        let kept = exp(-now.since(link.updated).secs() / self.memory.secs());
        link.error = failed * (1.0 - kept) + link.error * kept;
        link.updated = now;
        link.modulation = modulation.unwrap_or(link.modulation);
        link.failures = if failed < 1.0 { 0 } else { link.failures + 1 };
    }
}

impl ChannelObserver for LinkAirtime {
    fn on_frame(&mut self, _now: Time, role: Role, frame: &Frame) {
        match (role, frame.kind) {
            (Role::Sent, FrameKind::Rts) => self.service.to = Some(frame.ra),
            (Role::Sent, FrameKind::Data | FrameKind::Aggregate) if !frame.is_broadcast() && !frame.is_probe() => {
                self.service.to = Some(frame.ra);
                self.service.modulation = Some(frame.modulation);
                self.service.data_frames += 1;
            }
            (Role::Received, FrameKind::Ack) if frame.ra == self.radio => self.service.is_acked = true,
            _ => {}
        }
    }

    fn on_contending(&mut self, now: Time, is_waiting: bool) {
        if is_waiting {
            return;
        }
        if let Some(to) = self.service.to {
            let attempts = f64::from(self.service.data_frames.max(1));
            let failed = if self.service.is_acked { (attempts - 1.0) / attempts } else { 1.0 };
            self.record(now, to, failed);
        }
        self.service = Service::default();
    }

    fn on_window(&mut self, now: Time, neighbor: RadioId, acked: u32, lost: u32) {
        let [all, failed] = &mut self.service.mpdus;
        *all += acked + lost;
        *failed += lost;
        if acked > 0 {
            let failed = f64::from(*failed) / f64::from(*all);
            self.record(now, neighbor, failed);
            self.service = Service::default();
        }
    }

    fn on_given_up(&mut self, now: Time, neighbor: RadioId) {
        self.record(now, neighbor, 1.0);
        self.service = Service::default();
    }

    fn link_cost(&self, neighbor: RadioId) -> Option<LinkCost> {
        let Some(link) = self.links.get(&neighbor) else {
            return Some(LinkCost { airtime: self.test_airtime(self.timing.unicast), failures: 0 });
        };
        let arrives = 1.0 - link.error.min(MAX_ERROR);
        let airtime = Span::from_secs(self.test_airtime(link.modulation).secs() / arrives);
        Some(LinkCost { airtime, failures: link.failures })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;

    const NEIGHBOR: RadioId = RadioId(1);

    fn observer() -> LinkAirtime {
        let timing = Arc::new(Timing::new(&MacConfig::std()));
        LinkAirtime::new(&ObserverSetup { radio: RadioId(0), timing: &timing }, Span::from_millis(1_000))
    }

    /// A packet that is sent so often, and acknowledged at last or not.
    fn serve(observer: &mut LinkAirtime, at: Time, attempts: u32, is_acked: bool) {
        let modulation = observer.timing.unicast;
        let data = Frame { modulation, ..Frame::blank(FrameKind::Data, RadioId(0), NEIGHBOR) };
        let data = Frame { packet: Some(crate::packet::PacketId(0)), ..data };
        for _ in 0..attempts {
            observer.on_frame(at, Role::Sent, &data);
        }
        if is_acked {
            observer.on_frame(at, Role::Received, &Frame::blank(FrameKind::Ack, NEIGHBOR, RadioId(0)));
        }
        observer.on_contending(at, false);
    }

    fn micros(observer: &LinkAirtime) -> f64 {
        observer.link_cost(NEIGHBOR).expect("a cost").airtime.secs() * 1e6
    }

    #[test]
    fn airtime_of_an_unknown_link_is_that_of_the_frame() {
        let observer = observer();
        let timing = &observer.timing;
        // DIFS, SIFS, ACK, long preamble, and 1066 bytes.
        let ack = timing.ack_to(timing.unicast).secs() * 1e6;
        let expected = 50.0 + 10.0 + ack + 192.0 + 1066.0 * 8.0 / (timing.config.data_rate.0 / 1e6);
        let got = micros(&observer);
        assert!((got - expected).abs() < 1.0, "{got} instead of {expected}");
    }

    #[test]
    fn failed_attempts_raise_the_airtime_and_decay() {
        let mut observer = observer();
        let clean = micros(&observer);
        serve(&mut observer, Time::from_secs(100.0), 2, true);
        // Half of the attempts of the first packet have failed.
        assert!((micros(&observer) / clean - 2.0).abs() < 1e-3);
        serve(&mut observer, Time::from_secs(101.0), 1, true);
        let error = 0.5 * exp(-1.0);
        assert!((micros(&observer) / clean - 1.0 / (1.0 - error)).abs() < 1e-3);
    }

    #[test]
    fn acknowledgments_of_windows_show_the_share_of_mpdus() {
        let mut observer = observer();
        let clean = micros(&observer);
        let at = Time::from_secs;
        let data =
            Frame { modulation: observer.timing.unicast, ..Frame::blank(FrameKind::Aggregate, RadioId(0), NEIGHBOR) };
        observer.on_frame(at(100.0), Role::Sent, &data);
        observer.on_window(at(100.0), NEIGHBOR, 24, 8);
        assert!((micros(&observer) / clean - 4.0 / 3.0).abs() < 1e-3);
        // A Block Ack without any MPDU is of the same attempts as the next one; the end of the service adds nothing.
        observer.on_window(at(101.0), NEIGHBOR, 0, 16);
        observer.on_window(at(101.0), NEIGHBOR, 16, 0);
        observer.on_contending(at(101.0), false);
        let error = 0.5 * (1.0 - exp(-1.0)) + 0.25 * exp(-1.0);
        assert!((micros(&observer) / clean - 1.0 / (1.0 - error)).abs() < 1e-3);
        for _ in 0..2 {
            observer.on_given_up(at(102.0), NEIGHBOR);
        }
        assert_eq!(observer.link_cost(NEIGHBOR).map(|cost| cost.failures), Some(2));
        observer.on_window(at(102.1), NEIGHBOR, 1, 9);
        assert_eq!(observer.link_cost(NEIGHBOR).map(|cost| cost.failures), Some(0));
    }

    #[test]
    fn failures_in_a_row_end_with_an_acknowledgment() {
        let mut observer = observer();
        let clean = micros(&observer);
        serve(&mut observer, Time::from_secs(100.0), 7, false);
        serve(&mut observer, Time::from_secs(100.1), 7, false);
        assert_eq!(observer.link_cost(NEIGHBOR).map(|cost| cost.failures), Some(2));
        assert!((micros(&observer) / clean - 20.0).abs() < 1e-3, "no frame arrives");
        serve(&mut observer, Time::from_secs(100.2), 1, true);
        assert_eq!(observer.link_cost(NEIGHBOR).map(|cost| cost.failures), Some(0));
    }
}
