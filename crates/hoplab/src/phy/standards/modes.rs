//! Tables of modes that an MCS numbers.

use super::standard::McsRule;
use crate::packet::{CodeRate, Constellation, Format, Mode, OfdmMode, Width};

/// What an MCS of one stream says.
#[derive(Clone, Copy, Debug)]
pub struct McsForm {
    /// Constellation of each subcarrier.
    pub constellation: Constellation,
    /// Rate of the code.
    pub rate: CodeRate,
    /// [`Mode::reference`].
    pub reference: u8,
}

/// A channel, and the PPDUs in it.
#[derive(Clone, Copy, Debug)]
pub struct McsChannel {
    /// Layout of the PPDUs.
    pub format: &'static Format,
    /// Width of the channel.
    pub width: Width,
    /// Subcarriers that carry data.
    pub tones: u32,
    /// Guard interval, in nanoseconds.
    pub guard_ns: u16,
}

/// The modes of a channel: those of one stream, then those of two, and so on; `N` is their number.
pub const fn mcs_modes<const N: usize>(forms: &[McsForm], rule: McsRule, channel: McsChannel) -> [Mode; N] {
    let mut modes = [mode(forms, 0, rule, channel); N];
    let mut place = 1;
    while place < N {
        modes[place] = mode(forms, place, rule, channel);
        place += 1;
    }
    modes
}

const fn mode(forms: &[McsForm], place: usize, rule: McsRule, channel: McsChannel) -> Mode {
    let McsChannel { format, width, tones, guard_ns } = channel;
    let number = place % forms.len();
    let McsForm { constellation, rate, reference } = forms[number];
    Mode::ofdm(OfdmMode {
        constellation,
        rate,
        tones,
        streams: (place / forms.len()) as u8 + 1,
        width,
        guard_ns,
        format,
        mcs: Some(if rule.implies_streams { place } else { number } as u8),
        reference,
        is_mandatory: false,
    })
}
