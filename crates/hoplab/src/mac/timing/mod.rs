//! Air times, gaps and timeouts of 802.11b, computed once per parameter set.

use crate::kernel::{Rate, Span};
use crate::mac::config::{MacConfig, MacProfile, Preamble};
use crate::packet::Modulation;

/// Length of an RTS in bytes, with FCS.
pub const RTS_BYTES: u32 = 20;
/// Length of a CTS in bytes, with FCS.
pub const CTS_BYTES: u32 = 14;
/// Length of an ACK in bytes, with FCS.
pub const ACK_BYTES: u32 = 14;

const SLOT: Span = Span::from_micros(20);
const SIFS: Span = Span::from_micros(10);
/// PLCP preamble (144 bits) and header (48 bits) at 1 Mb/s.
const LONG_PLCP: Span = Span::from_micros(192);
/// Short preamble (72 bits at 1 Mb/s) and header (48 bits at 2 Mb/s).
const SHORT_PLCP: Span = Span::from_micros(96);
/// Allowance for propagation in each direction (DSSS PHY).
const MAX_PROPAGATION: Span = Span::from_micros(2);
/// ns-2 compares the RTS threshold with the size of a packet with all overhead in bytes, preamble included.
const NS2_OVERHEAD: u32 = 58;

/// Parameters of a MAC and what follows from them.
#[derive(Clone, Debug)]
pub struct Timing {
    /// What the user said.
    pub config: MacConfig,
    /// Slot time.
    pub slot: Span,
    /// Short inter-frame space.
    pub sifs: Span,
    /// Inter-frame space before contention.
    pub difs: Span,
    /// Inter-frame space after a frame that could not be read: SIFS + ACK at the lowest rate + DIFS.
    pub eifs: Span,
    /// Air time of an RTS.
    pub rts: Span,
    /// Length of a CTS in bytes.
    pub cts_bytes: u32,
    /// Air time of a CTS.
    pub cts: Span,
    /// Air time of an ACK.
    pub ack: Span,
    /// Modulation of control and broadcast frames.
    pub basic: Modulation,
    /// Bytes that an ACK has beyond the standard's.
    pub ack_extra: u32,
}

impl Timing {
    /// Everything that follows from `config`.
    pub fn new(config: &MacConfig) -> Timing {
        Timing::with_ack(config, 0)
    }

    /// The same with ACKs that are `extra` bytes longer than the standard's. EIFS stays.
    pub fn with_ack(config: &MacConfig, extra: u32) -> Timing {
        let plcp = plcp(config.preamble);
        let control = |bytes: u32| plcp + config.basic_rate.time_for(u64::from(bytes) * 8);
        let difs = SIFS + SLOT * 2;
        // The standard's EIFS is at the lowest rate, which needs the long preamble; ns-2 takes the preamble in use.
        let eifs_plcp = if config.profile == MacProfile::Std { LONG_PLCP } else { plcp };
        Timing {
            slot: SLOT,
            sifs: SIFS,
            difs,
            eifs: SIFS + difs + eifs_plcp + Rate(1e6).time_for(u64::from(ACK_BYTES) * 8),
            rts: control(RTS_BYTES),
            cts_bytes: CTS_BYTES,
            cts: control(CTS_BYTES),
            ack: control(ACK_BYTES + extra),
            ack_extra: extra,
            basic: Modulation::of(config.basic_rate),
            config: config.clone(),
        }
    }

    /// The same, but a CTS tells who sends it, in six more bytes.
    #[must_use]
    pub fn with_sender_in_cts(&self) -> Timing {
        Timing { cts_bytes: RTS_BYTES, cts: self.rts, ..self.clone() }
    }

    /// Air time of a whole exchange for a packet, from the RTS to the ACK, gaps included.
    pub fn exchange(&self, packet_bytes: u32) -> Span {
        self.rts + self.cts + self.data(packet_bytes, false) + self.ack + self.sifs * 3
    }

    /// Preamble and header before every frame.
    pub fn plcp(&self) -> Span {
        plcp(self.config.preamble)
    }

    /// Whether the rules of profile `std` hold.
    pub fn is_std(&self) -> bool {
        self.config.profile == MacProfile::Std
    }

    /// Length of the data frame for a packet, in bytes.
    pub fn data_bytes(&self, packet_bytes: u32) -> u32 {
        packet_bytes + self.config.data_overhead.0
    }

    /// Air time of the data frame for a packet; broadcasts use the basic rate.
    pub fn data(&self, packet_bytes: u32, is_broadcast: bool) -> Span {
        let rate = if is_broadcast { self.config.basic_rate } else { self.config.data_rate };
        plcp(self.config.preamble) + rate.time_for(u64::from(self.data_bytes(packet_bytes)) * 8)
    }

    /// Modulation of the data frame for a packet.
    pub fn modulation(&self, is_broadcast: bool) -> Modulation {
        if is_broadcast { self.basic } else { Modulation::of(self.config.data_rate) }
    }

    /// Whether a packet goes with RTS and CTS. In ns-2 a packet of exactly the threshold does, in the standard not yet.
    pub fn uses_rts(&self, packet_bytes: u32) -> bool {
        let threshold = self.config.rts_threshold.0;
        if self.is_std() { self.data_bytes(packet_bytes) > threshold } else { packet_bytes + NS2_OVERHEAD >= threshold }
    }

    /// Whether failures of its data frame count against the short limit.
    pub fn is_short(&self, packet_bytes: u32) -> bool {
        let threshold = self.config.rts_threshold.0;
        if self.is_std() {
            self.data_bytes(packet_bytes) <= threshold
        } else {
            packet_bytes + NS2_OVERHEAD <= threshold
        }
    }

    /// Duration field of an RTS for data of this air time.
    pub fn rts_duration(&self, data: Span) -> u16 {
        micros(self.sifs * 3 + self.cts + data + self.ack)
    }

    /// Duration field of the CTS that answers an RTS with duration `rts` (microseconds).
    pub fn cts_duration(&self, rts: u16) -> u16 {
        micros(Span::from_micros(u64::from(rts)).saturating_sub(self.sifs + self.cts))
    }

    /// Duration field of unicast data.
    pub fn data_duration(&self) -> u16 {
        micros(self.sifs + self.ack)
    }

    /// How long an answer to an RTS is awaited, from the start of the RTS, if the answer takes `answer` on the air.
    pub fn rts_timeout(&self, answer: Span) -> Span {
        self.rts + MAX_PROPAGATION + self.sifs + answer + MAX_PROPAGATION
    }

    /// How long an ACK is awaited, from the start of data of this air time.
    pub fn data_timeout(&self, data: Span) -> Span {
        data + MAX_PROPAGATION + self.sifs + self.ack + MAX_PROPAGATION
    }

    /// How long data is awaited, from the start of a CTS with this duration field.
    pub fn cts_timeout(&self, duration: u16) -> Span {
        let exchange = self.cts + MAX_PROPAGATION + Span::from_micros(u64::from(duration)) + MAX_PROPAGATION;
        exchange.saturating_sub(self.sifs + self.ack)
    }

    /// After an RTS that nobody follows up, others may forget its reservation this long after its end
    /// (IEEE 802.11-2007 section 9.2.5.4, 802.11-2012 section 9.3.2.4: 2 SIFS, the CTS, PHY-RX-START-Delay, 2 slots).
    pub fn nav_reset(&self) -> Span {
        self.sifs * 2 + self.cts + self.slot * 2
    }
}

fn plcp(preamble: Preamble) -> Span {
    match preamble {
        Preamble::Long => LONG_PLCP,
        Preamble::Short => SHORT_PLCP,
    }
}

fn micros(span: Span) -> u16 {
    span.round_micros().min(u64::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Bytes;

    fn timing(data: f64, basic: f64) -> Timing {
        Timing::new(&MacConfig { data_rate: Rate(data), basic_rate: Rate(basic), ..MacConfig::default() })
    }

    #[test]
    fn air_times() {
        // phy.md section 6: microseconds at 1, 2, 5.5 and 11 Mb/s.
        for (rate, rts, cts, ack40, ip1500) in [
            (1e6, 352.0, 304.0, 784.0, 12464.0),
            (2e6, 272.0, 248.0, 488.0, 6328.0),
            (5.5e6, 221.091, 212.364, 299.636, 2423.273),
            (11e6, 206.545, 202.182, 245.818, 1307.636),
        ] {
            let timing = timing(rate, rate);
            for (got, want) in [
                (timing.rts, rts),
                (timing.cts, cts),
                (timing.data(40, false), ack40),
                (timing.data(1500, false), ip1500),
            ] {
                assert!((got.secs() * 1e6 - want).abs() < 6e-4, "{rate}: {got} against {want} us");
            }
        }
        assert_eq!(timing(2e6, 1e6).data(48, true), Span::from_micros(848));
        assert_eq!(timing(2e6, 1e6).eifs, Span::from_micros(364));
    }

    #[test]
    fn eifs_with_a_short_preamble() {
        let short = |profile| {
            let config =
                MacConfig { profile, preamble: Preamble::Short, basic_rate: Rate(2e6), ..MacConfig::default() };
            Timing::new(&config).eifs
        };
        assert_eq!(short(MacProfile::Ns2), Span::from_micros(268));
        assert_eq!(short(MacProfile::Std), Span::from_micros(364));
    }

    #[test]
    fn duration_fields() {
        // mac-80211.md section 2: (data rate, basic rate, IP bytes) -> RTS, CTS, DATA.
        for (data, basic, bytes, rts, cts, rest) in [
            (2e6, 1e6, 40, 1126, 812, 314),
            (2e6, 1e6, 44, 1142, 828, 314),
            (2e6, 1e6, 1500, 6966, 6652, 314),
            (1e6, 1e6, 1500, 13102, 12788, 314),
            (11e6, 1e6, 1500, 1946, 1632, 314),
            (11e6, 2e6, 1500, 1834, 1576, 258),
            (2e6, 1e6, 552, 3174, 2860, 314),
            (2e6, 1e6, 28, 1078, 764, 314),
        ] {
            let timing = timing(data, basic);
            let got = timing.rts_duration(timing.data(bytes, false));
            assert_eq!((got, timing.cts_duration(got), timing.data_duration()), (rts, cts, rest), "{bytes} bytes");
        }
    }

    #[test]
    fn timeouts() {
        let timing = timing(2e6, 1e6);
        assert_eq!(timing.rts_timeout(timing.cts), Span::from_micros(670));
        assert_eq!(timing.data_timeout(timing.data(1500, false)), Span::from_micros(6646));
    }

    #[test]
    fn rts_threshold() {
        let with = |profile, threshold| {
            Timing::new(&MacConfig { profile, rts_threshold: Bytes(threshold), ..MacConfig::default() })
        };
        assert!(with(MacProfile::Ns2, 0).uses_rts(40));
        assert!(with(MacProfile::Ns2, 1558).uses_rts(1500) && !with(MacProfile::Ns2, 1559).uses_rts(1500));
        assert!(with(MacProfile::Ns2, 1558).is_short(1500) && !with(MacProfile::Ns2, 1557).is_short(1500));
        assert!(with(MacProfile::Std, 1533).uses_rts(1500) && !with(MacProfile::Std, 1534).uses_rts(1500));
    }
}
