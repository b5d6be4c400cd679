//! Times of frames in OFDM and mixed networks: each depends on the modulation of its frame.
//!
//! IEEE 802.11-2016 sections 10.7.6.5 (rates of responses; of HT by its reference without HT), 17.4, 18.5 and 19.4 (air times).

use super::dsss;
use crate::kernel::{Rate, Span};
use crate::mac::config::MacConfig;
use crate::packet::Modulation;
use crate::phy::Phy;

/// Air times by modulation.
#[derive(Clone, Debug)]
pub(super) struct OfdmTimes {
    pub(super) phy: Phy,
    /// PLCP preamble and header of DSSS frames.
    plcp: Span,
    /// By modulation: that of the response.
    responses: [Modulation; Modulation::COUNT],
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
        let mut responses = [Modulation::DBPSK1; Modulation::COUNT];
        let ht = [false, true].into_iter().flat_map(|short| Phy { streams: 2, ..phy }.ht_modes(short));
        for mode in phy.modulations().into_iter().chain(ht) {
            responses[mode.index()] = response(mode.reference(), &basic, phy);
        }
        Some(OfdmTimes { phy, plcp: dsss::plcp(config.preamble), responses })
    }

    /// Modulation of the response to a frame.
    #[inline]
    pub(super) fn response(&self, answered: Modulation) -> Modulation {
        self.responses[answered.index()]
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
    use crate::phy::{Band, Standard};

    const A: Phy = Phy { standard: Standard::A, width: Width::Mhz20, band: Band::Ghz5, streams: 1 };
    const G: Phy = Phy { standard: Standard::G, band: Band::Ghz2, ..A };
    const N: Phy = Phy { standard: Standard::N, ..A };

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
        assert_eq!([6.0, 9.0, 12.0, 18.0, 24.0, 54.0].map(|rate| mbps(A, rate)), [6.0, 6.0, 12.0, 12.0, 24.0, 24.0]);
        assert_eq!([1.0, 5.5, 11.0, 9.0, 54.0].map(|rate| mbps(G, rate)), [1.0, 5.5, 11.0, 6.0, 24.0]);
        let config = MacConfig { basic_rates: Some(vec![Rate(24e6)]), ..MacConfig::std().of_phy(A) };
        let only = Timing::on(&config, A);
        assert_eq!(only.response_mode(Modulation::ofdm(Width::Mhz20)[2]).rate(), Rate(12e6), "the mandatory one");
    }

    #[test]
    fn response_to_ht_follows_its_reference() {
        let config = MacConfig { mcs: Some(2), ..MacConfig::std().of_phy(N) };
        let timing = Timing::on(&config, N);
        // IEEE 802.11-2016 table 10-11: MCS 0 to 7 as 6, 12, 18, 24, 36, 48, 54 and 54 Mb/s.
        let mbps = |mcs| timing.response_mode(Modulation::ht(mcs, Width::Mhz20, true)).rate().0 * 1e-6;
        assert_eq!([0, 1, 2, 3, 7, 8, 15].map(mbps), [6.0, 12.0, 12.0, 24.0, 24.0, 6.0, 24.0]);
        assert_eq!((timing.ack, timing.data_bytes(1500)), (Span::from_micros(32), 1538));
        // AIFS of 16 + 3 x 9; its end counts as a slot.
        assert_eq!((timing.difs, timing.aifs(), timing.extra_slots), (Span::from_micros(34), Span::from_micros(43), 1));
    }

    #[test]
    fn durations_cover_the_rest_of_the_exchange() {
        let of = |rate: f64, basic: f64| {
            let timing = timing(A, rate, basic);
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
        assert_eq!(micros(&timing(A, 54.0, 6.0)), [9, 16, 34, 94, 45]);
        assert_eq!(micros(&timing(G, 54.0, 6.0)), [9, 10, 28, 10 + 304 + 28, 39]);
        let ten = Phy { width: Width::Mhz10, ..A };
        assert_eq!(micros(&timing(ten, 27.0, 3.0)), [13, 32, 58, 178, 85]);
        let long = MacConfig { short_slot: Some(false), ..MacConfig::std().of_phy(G) };
        assert_eq!(micros(&Timing::on(&long, G)), [20, 10, 50, 10 + 304 + 50, 50]);
        assert_eq!(timing(A, 54.0, 24.0).nav_reset(), Span::from_micros(32 + 28 + 20 + 18));
    }
}
