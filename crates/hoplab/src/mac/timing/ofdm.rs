//! Times of frames in OFDM and mixed networks: each depends on the modulation of its frame.
//!
//! IEEE 802.11-2016 sections 10.7.6.5 (rates of responses; of HT by its reference without HT), 17.4, 18.5 and 19.4 (air times).

use crate::kernel::{Rate, Span};
use crate::mac::config::{MacConfig, Preamble};
use crate::packet::Modulation;
use crate::phy::Phy;

/// Modes without MCS: four of 802.11b, eight of OFDM.
const REFERENCES: usize = 12;

/// Air times by modulation.
#[derive(Clone, Debug)]
pub(super) struct OfdmTimes {
    pub(super) phy: Phy,
    /// PLCP preamble and header of DSSS frames.
    plcp: Span,
    /// The slowest modulation of OFDM.
    pub(super) slowest: Modulation,
    /// By [`Mode::reference`](crate::packet::Mode::reference) of a frame: the modulation of the response.
    responses: [Modulation; REFERENCES],
}

impl OfdmTimes {
    /// Those of `config` on this physical layer; none for 802.11b.
    pub(super) fn new(config: &MacConfig, phy: Phy) -> Option<OfdmTimes> {
        if !phy.standard.is_ofdm() {
            return None;
        }
        let basic = match &config.basic_rates {
            Some(rates) => rates.iter().filter_map(|rate| phy.modulation(*rate)).collect(),
            None => phy.basic(),
        };
        let mut responses = [Modulation::DBPSK1; REFERENCES];
        for mode in phy.modulations() {
            responses[usize::from(mode.mode().reference)] = response(mode, &basic, phy);
        }
        let plcp = phy.plcp(config.preamble == Preamble::Short);
        Some(OfdmTimes { phy, plcp, slowest: phy.slowest(), responses })
    }

    /// Modulation of the response to a frame.
    #[inline]
    pub(super) fn response(&self, answered: Modulation) -> Modulation {
        self.responses[usize::from(answered.mode().reference)]
    }

    /// Air time of a frame. It stays out of the code of stations without OFDM.
    #[inline(never)]
    pub(super) fn airtime(&self, mode: Modulation, bytes: u32) -> Span {
        if mode.is_ofdm() {
            return self.phy.ofdm_airtime(mode, bytes);
        }
        self.plcp + Span::from_micros(mode.rate().time_for(u64::from(bytes) * 8).ceil_micros())
    }

    /// From the first bit of a frame to its payload.
    #[inline(never)]
    pub(super) fn header(&self, mode: Modulation) -> Span {
        if mode.is_ofdm() { self.phy.preamble(mode) } else { self.plcp }
    }

    /// The modulation of a rate; the lowest if the standard has none of that rate.
    pub(super) fn modulation(&self, rate: Rate) -> Modulation {
        self.phy.modulation(rate).unwrap_or_else(|| self.phy.basic()[0])
    }
}

/// The highest basic rate not above that of the frame answered, among those that its sender can receive: DSSS for DSSS. With
/// none, the highest mandatory one.
fn response(answered: Modulation, basic: &[Modulation], phy: Phy) -> Modulation {
    let highest = |modes: &[Modulation]| {
        let fits = |mode: &&Modulation| mode.rate().0 <= answered.rate().0 && (answered.is_ofdm() || !mode.is_ofdm());
        modes.iter().filter(fits).copied().max_by(|a, b| a.rate().0.total_cmp(&b.rate().0))
    };
    highest(basic).or_else(|| highest(&phy.basic())).unwrap_or(answered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::config::MacConfig;
    use crate::mac::timing::Timing;
    use crate::packet::Width;
    use crate::phy::standards::testing::{ht, ofdm, phy};

    fn timing(phy: Phy, data: f64, basic: f64) -> Timing {
        let config =
            MacConfig { data_rate: Rate(data * 1e6), basic_rate: Rate(basic * 1e6), ..MacConfig::std().of_phy(phy) };
        Timing::on(&config, phy)
    }

    #[test]
    fn response_has_the_highest_basic_rate_below() {
        let mbps = |phy: Phy, rate: f64| {
            let answered = phy.modulation(Rate(rate * 1e6)).expect("a rate");
            timing(phy, rate, 6.0).response_mode(answered).rate().0 * 1e-6
        };
        assert_eq!(
            [6.0, 9.0, 12.0, 18.0, 24.0, 54.0].map(|rate| mbps(phy("11a"), rate)),
            [6.0, 6.0, 12.0, 12.0, 24.0, 24.0]
        );
        assert_eq!([1.0, 5.5, 11.0, 9.0, 54.0].map(|rate| mbps(phy("11g"), rate)), [1.0, 5.5, 11.0, 6.0, 24.0]);
        let config = MacConfig { basic_rates: Some(vec![Rate(24e6)]), ..MacConfig::std().of_phy(phy("11a")) };
        let only = Timing::on(&config, phy("11a"));
        assert_eq!(only.response_mode(ofdm(Width::MHZ20)[2]).rate(), Rate(12e6), "the mandatory one");
    }

    #[test]
    fn response_to_ht_follows_its_reference() {
        let config = MacConfig { mcs: Some(2), ..MacConfig::std().of_phy(phy("11n")) };
        let timing = Timing::on(&config, phy("11n"));
        // IEEE 802.11-2016 table 10-11: MCS 0 to 7 as 6, 12, 18, 24, 36, 48, 54 and 54 Mb/s.
        let mbps = |mcs| timing.response_mode(ht(mcs, Width::MHZ20, 400)).rate().0 * 1e-6;
        assert_eq!([0, 1, 2, 3, 7, 8, 15].map(mbps), [6.0, 12.0, 12.0, 24.0, 24.0, 6.0, 24.0]);
        assert_eq!((timing.ack, timing.data_bytes(1500)), (Span::from_micros(32), 1538));
        // AIFS of 16 + 3 x 9; its end counts as a slot.
        assert_eq!((timing.difs, timing.aifs(), timing.extra_slots), (Span::from_micros(34), Span::from_micros(43), 1));
    }

    #[test]
    fn durations_cover_the_rest_of_the_exchange() {
        let of = |rate: f64, basic: f64| {
            let timing = timing(phy("11a"), rate, basic);
            let data = timing.data(1500, false);
            let rts = timing.rts_duration(data, timing.unicast);
            (timing.data_duration(timing.unicast), rts, timing.cts_duration(rts, timing.cts))
        };
        // IEEE 802.11-2016 section 9.2.5: DATA at 6 and 12 Mb/s; RTS and CTS at 12 and 24 before 1536 bytes.
        assert_eq!(of(6.0, 6.0).0, 60);
        assert_eq!(of(12.0, 12.0), (48, 1160, 1112));
        assert_eq!(of(54.0, 24.0), (44, 352, 308));
    }

    #[test]
    fn spaces_and_timeouts_follow_the_band() {
        let micros = |timing: &Timing| {
            let data = timing.data(1500, false);
            let wait = timing.data_timeout(data, timing.unicast) - data;
            [timing.slot, timing.sifs, timing.difs, timing.eifs, wait].map(|span| span.0 / 1000)
        };
        assert_eq!(micros(&timing(phy("11a"), 54.0, 6.0)), [9, 16, 34, 94, 45]);
        assert_eq!(micros(&timing(phy("11g"), 54.0, 6.0)), [9, 10, 28, 10 + 304 + 28, 39]);
        let ten = Phy { width: Width::MHZ10, ..phy("11a") };
        assert_eq!(micros(&timing(ten, 27.0, 3.0)), [13, 32, 58, 178, 85]);
        let long = MacConfig { short_slot: Some(false), ..MacConfig::std().of_phy(phy("11g")) };
        assert_eq!(micros(&Timing::on(&long, phy("11g"))), [20, 10, 50, 10 + 304 + 50, 50]);
        assert_eq!(timing(phy("11a"), 54.0, 24.0).nav_reset(), Span::from_micros(32 + 28 + 20 + 18));
    }
}
