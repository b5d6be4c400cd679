//! DCF, probes of rt-Winf: data frames without a packet, before the data of a new communication without RTS and CTS.
//!
//! Barreto 2015, section 3.2: the frames have the reserved subtype 1001, and each is acknowledged as data are. A probe that
//! reaches the retry limit is the last one; the data follow.

use super::state::{ProbeRules, Probing, Service};
use super::station::Mac;
use crate::kernel::RadioId;
use crate::mac::MacCtx;
use crate::packet::{Frame, FrameKind};

impl Mac {
    /// From now on probes precede the data of new communications.
    pub fn probe(&mut self, rules: ProbeRules) {
        self.probing = Some(Box::new(Probing::new(rules)));
    }

    /// Number of probes before data for `next_hop` that come now.
    pub(super) fn probes_before(&mut self, cx: &MacCtx<'_>, next_hop: RadioId) -> u32 {
        self.probing.as_mut().map_or(0, |probing| probing.before(cx.ctx.now, next_hop))
    }

    /// The probe that is next before the packet in service.
    pub(super) fn next_probe(&mut self) -> Option<Frame> {
        let rules = self.probing.as_ref()?.rules;
        let next_hop = self.outgoing.service.as_ref().filter(|service| service.probes > 0)?.frame.ra;
        Some(Frame {
            bytes: self.timing.data_bytes(rules.bytes),
            airtime: self.timing.data(rules.bytes, false),
            modulation: self.timing.modulation(false),
            duration: self.timing.data_duration(self.timing.unicast),
            seq: self.outgoing.next_sequence(),
            ..Frame::blank(FrameKind::Data, self.radio, next_hop)
        })
    }

    /// The packet in service, if a probe for it is on the air.
    pub(super) fn probed(&mut self) -> Option<&mut Service> {
        self.outgoing.service.as_mut().filter(|service| service.probes > 0)
    }

    /// A probe was acknowledged: the next one or the packet follows after a backoff.
    pub(super) fn on_probe_acknowledged(&mut self, cx: &mut MacCtx<'_>) {
        if let Some(service) = self.probed() {
            service.probes -= 1;
        }
        self.exchange.stop(cx.ctx);
        self.outgoing.retries.succeed(self.is_short_probe());
        self.access.reset_cw();
        self.draw_if_off(cx);
        self.resume(cx);
    }

    /// A probe was not acknowledged.
    pub(super) fn on_probe_failed(&mut self, cx: &mut MacCtx<'_>) {
        let is_short = self.is_short_probe();
        let config = &self.timing.config;
        let limit = if is_short { config.ssrl } else { config.slrl };
        if !self.outgoing.retries.fail(is_short, limit) {
            self.double_cw(cx);
            return;
        }
        if let Some(service) = self.probed() {
            service.probes = 0;
        }
        self.access.reset_cw();
        self.draw_if_off(cx);
    }

    fn is_short_probe(&self) -> bool {
        self.probing.as_ref().is_some_and(|probing| self.timing.is_short(probing.rules.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Bytes, Span, Time};
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::mac::{MacConfig, MacOut};
    use crate::packet::PacketId;
    use crate::phy::Reception;
    use crate::trace::What;

    const RULES: ProbeRules = ProbeRules { count: 4, bytes: 1500, pause: Span::from_millis(10_000) };

    fn station(rts_threshold: u32) -> Station {
        let mut station = Station::plain(&MacConfig { rts_threshold: Bytes(rts_threshold), ..MacConfig::default() });
        station.mac.probe(RULES);
        station.ctx.trace.keep_records();
        station
    }

    /// Lengths of the frames that the station has sent.
    fn sent(station: &mut Station) -> Vec<u32> {
        let records = station.ctx.trace.take_records();
        let bytes = records.iter().filter_map(|record| match record.what {
            What::FrameSent { bytes, .. } => Some(bytes),
            _ => None,
        });
        bytes.collect()
    }

    /// Acknowledges what the station sends, until `end`.
    fn answer(station: &mut Station, end: Time) {
        while station.ctx.events.next_time().is_some_and(|at| at <= end) {
            station.step();
            if station.mac.activity().sent.is_some() {
                station.ctx.now += Span::from_micros(10);
                station.hear(&Frame { bytes: 14, ..Frame::blank(FrameKind::Ack, OTHER, ME) }, Reception::Clean);
            }
        }
    }

    #[test]
    fn probes_precede_the_first_data_only() {
        let mut station = station(3000);
        station.send(OTHER, 500);
        answer(&mut station, Time::from_secs(1.0));
        let (probe, data) = (station.mac.timing().data_bytes(1500), station.mac.timing().data_bytes(500));
        assert_eq!(sent(&mut station), [probe, probe, probe, probe, data]);
        assert_eq!(station.out, [MacOut::Sent { packet: PacketId(0) }, MacOut::Ready]);
        station.send(OTHER, 500);
        answer(&mut station, Time::from_secs(2.0));
        assert_eq!(sent(&mut station), [data], "the communication is known");
    }

    #[test]
    fn no_probes_beside_rts_and_cts() {
        let mut station = station(0);
        station.send(OTHER, 500);
        station.run_until(Time::from_secs(10.0));
        assert!(sent(&mut station).iter().all(|bytes| *bytes == 20), "RTS alone");
    }

    #[test]
    fn probe_without_ack_ends_probing() {
        let mut station = station(3000);
        station.send(OTHER, 500);
        station.run_until(Time::from_secs(10.0));
        let lengths = sent(&mut station);
        let data = station.mac.timing().data_bytes(500);
        // Seven attempts (ssrl) at the first probe, and as many at the packet, which fails as it would without probes.
        assert_eq!(lengths.len(), 14);
        assert_eq!(lengths.iter().filter(|bytes| **bytes == data).count(), 7);
        let failed = MacOut::Failed { packet: PacketId(0), next_hop: OTHER, reached_next_hop: false };
        assert_eq!(station.out, [failed, MacOut::Ready]);
    }

    #[test]
    fn probe_gets_an_ack_and_no_layer_above_sees_it() {
        let mut station = station(3000);
        let probe = Frame { bytes: 1558, ..Frame::blank(FrameKind::Data, OTHER, ME) };
        assert_eq!(probe.control(), [0x98, 0x00]);
        station.hear(&probe, Reception::Clean);
        station.run_until(Time::from_secs(1.0));
        assert_eq!((sent(&mut station), station.out), (vec![14], vec![]));
    }
}
