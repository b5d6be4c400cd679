//! 802.11a, OFDM in 5 GHz (IEEE 802.11-2016 clause 17).

use super::standard::{Band, OfdmHeader, Spaces, Standard};
use crate::kernel::Span;
use crate::packet::{CodeRate, Constellation, Field, Format, Mode, OfdmMode, Radiotap, Width};

/// The row.
pub(super) static STANDARD: Standard = Standard {
    name: "11a",
    summary: "802.11a: OFDM in 5 GHz, 6 to 54 Mb/s in 20 MHz.",
    page: "wifi",
    bands: &[Band::Ghz5],
    widths: &[Width::MHZ20, Width::MHZ10, Width::MHZ5],
    modes: &[&OFDM[0], &OFDM[1], &OFDM[2]],
    plcp: None,
    ofdm: Some(HEADER),
    spaces: &SPACES,
    cw_min: 15,
    qos: Some(false),
    mcs: None,
    aggregation: None,
};

/// Timing of preambles (table 17-5), aCCATime (table 17-21), and aSignalExtension (table 18-5).
pub(super) const HEADER: OfdmHeader = OfdmHeader {
    training: Span::from_micros(16),
    signal: Span::from_micros(4),
    cca_time: Span::from_micros(4),
    extension: Span::from_micros(6),
};

/// Table 17-21.
pub(super) static SPACES: [Spaces; 3] = [spaces(Width::MHZ20, 9), spaces(Width::MHZ10, 13), spaces(Width::MHZ5, 21)];

const fn spaces(width: Width, slot: u64) -> Spaces {
    let sifs = Span::from_micros(16 * width.scale());
    Spaces { band: Band::Ghz5, width, sifs, slot: Span::from_micros(slot), short_slot: None }
}

/// Modes in 20, 10 and 5 MHz (table 17-4).
pub(super) static OFDM: [[Mode; 8]; 3] = [modes(Width::MHZ20), modes(Width::MHZ10), modes(Width::MHZ5)];

const fn modes(width: Width) -> [Mode; 8] {
    use CodeRate::{Half, ThreeQuarters, TwoThirds};
    const BPSK: Constellation = Constellation::BPSK;
    const QPSK: Constellation = Constellation::QPSK;
    const QAM16: Constellation = Constellation::QAM16;
    const QAM64: Constellation = Constellation::QAM64;
    [
        mode(width, 0, BPSK, Half, true),
        mode(width, 1, BPSK, ThreeQuarters, false),
        mode(width, 2, QPSK, Half, true),
        mode(width, 3, QPSK, ThreeQuarters, false),
        mode(width, 4, QAM16, Half, true),
        mode(width, 5, QAM16, ThreeQuarters, false),
        mode(width, 6, QAM64, TwoThirds, false),
        mode(width, 7, QAM64, ThreeQuarters, false),
    ]
}

/// Place of the slowest mode among those of 802.11b and OFDM ([`Mode::reference`]).
pub(super) const SLOWEST: u8 = 4;

/// 48 subcarriers carry data (section 17.3.2.4); rates of 6, 12 and 24 Mb/s are mandatory (section 17.2.2.3).
const fn mode(width: Width, place: u8, constellation: Constellation, rate: CodeRate, is_mandatory: bool) -> Mode {
    Mode::ofdm(OfdmMode {
        constellation,
        rate,
        tones: 48,
        streams: 1,
        width,
        guard_ns: 800,
        format: &FORMAT,
        mcs: None,
        reference: SLOWEST + place,
        is_mandatory,
    })
}

/// PPDUs (section 17.3.2): SERVICE of 16 bits, tail of six.
static FORMAT: Format = Format {
    name: "OFDM",
    fields: &[NO_FIELDS],
    symbol_ns: 3_200,
    whole_ns: 1,
    extra_bits: 16 + 6,
    radiotap: Radiotap::Rate,
};
const NO_FIELDS: &[Field] = &[];
