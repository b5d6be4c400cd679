//! 802.11n, HT-mixed format in 5 or 2.4 GHz (IEEE 802.11-2016 clause 19): one or two streams in 20 or 40 MHz.

use super::modes::{McsChannel, McsForm, mcs_modes};
use super::standard::{AggregationLimits, Band, McsRule, Standard};
use super::{a, b, g};
use crate::kernel::Span;
use crate::packet::{CodeRate, Constellation, DSSS, Field, Format, Mode, Radiotap, Width};

/// The row.
pub(super) static STANDARD: Standard = Standard {
    name: "11n",
    summary: "802.11n: HT with one or two streams in 20 or 40 MHz, 6.5 to 300 Mb/s, and the rates of 802.11a or 802.11g.",
    page: "wifi",
    bands: &[Band::Ghz5, Band::Ghz2],
    widths: &[Width::MHZ20, Width::MHZ40],
    modes: &[&DSSS, &a::OFDM[0], &HT[0], &HT[1], &HT[2], &HT[3]],
    plcp: Some(b::PLCP),
    ofdm: Some(a::HEADER),
    spaces: &[a::SPACES[0], g::SPACES],
    cw_min: 15,
    qos: Some(true),
    mcs: Some(RULE),
    aggregation: Some(AGGREGATION),
};

/// Sections 9.4.2.56.2 and 9.4.2.56.3 (lengths), 9.3.1.9.3 (Block Ack), and table 19-25 (aPPDUMaxTime).
const AGGREGATION: AggregationLimits = AggregationLimits {
    ampdu: 65_535,
    amsdu: 7_935,
    amsdu_in_ampdu: 3_839,
    window: 64,
    block_ack_bytes: 32,
    ppdu: Span::from_micros(5_484),
};

/// By default, the mode that is nearest to the 24 Mb/s of 802.11a: 16-QAM 1/2.
const RULE: McsRule = McsRule { usual: 3, streams: 2, implies_streams: true };

/// Modes in 20 MHz (tables 19-27 and 19-28) and in 40 MHz (tables 19-31 and 19-32), with either guard interval: eight of one
/// stream, eight of two.
static HT: [[Mode; 16]; 4] = [
    modes(Width::MHZ20, 52, 800),
    modes(Width::MHZ20, 52, 400),
    modes(Width::MHZ40, 108, 800),
    modes(Width::MHZ40, 108, 400),
];

const fn modes(width: Width, tones: u32, guard_ns: u16) -> [Mode; 16] {
    mcs_modes(&HT_FORMS, RULE, McsChannel { format: &HT_MIXED, width, tones, guard_ns })
}

/// The MCSs of a stream; responses by table 10-11.
pub static HT_FORMS: [McsForm; 8] = [
    form(Constellation::BPSK, CodeRate::Half, 0),
    form(Constellation::QPSK, CodeRate::Half, 2),
    form(Constellation::QPSK, CodeRate::ThreeQuarters, 3),
    form(Constellation::QAM16, CodeRate::Half, 4),
    form(Constellation::QAM16, CodeRate::ThreeQuarters, 5),
    form(Constellation::QAM64, CodeRate::TwoThirds, 6),
    form(Constellation::QAM64, CodeRate::ThreeQuarters, 7),
    form(Constellation::QAM64, CodeRate::FiveSixths, 7),
];

/// The response is chosen as for the OFDM mode of this place, from 6 Mb/s on.
const fn form(constellation: Constellation, rate: CodeRate, place: u8) -> McsForm {
    McsForm { constellation, rate, reference: a::SLOWEST + place }
}

/// PPDUs of the HT-mixed format (sections 19.3.2 and 19.4.3): HT-SIG, then one training field and one more for each stream. With
/// the short guard interval the payload is rounded up to whole symbols of 4 us.
pub static HT_MIXED: Format = Format {
    name: "HT",
    fields: &[
        &[SIGNAL, Field { time: Span::from_micros(4 + 4), bits: 0 }],
        &[SIGNAL, Field { time: Span::from_micros(4 + 8), bits: 0 }],
    ],
    symbol_ns: 3_200,
    whole_ns: 4_000,
    extra_bits: 16 + 6,
    radiotap: Radiotap::Mcs,
};
const SIGNAL: Field = Field { time: Span::from_micros(8), bits: 48 };
