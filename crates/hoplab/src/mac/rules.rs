//! The MAC rules in which ns-2 and the standard differ, as a value.
//!
//! A station follows one [`DcfRules`], chosen once by `[mac] profile`; the MAC reads single rules and never the
//! profile. A third set of rules is one more constant. `docs/protocols/dcf.md` shows the two sets side by side.
//!
//! Sources: ns-2.35 `mac/mac-802_11.cc` and `mac/mac-timers.cc`; IEEE 802.11-1999, clause 9.

use crate::kernel::{Rate, Span};

/// One set of rules of the distributed coordination function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcfRules {
    /// A backoff is drawn from 0 to CW, CW included (IEEE 802.11-1999 section 9.2.4). Else from 0 to CW - 1
    /// (ns-2 `BackoffTimer::start`).
    pub draws_cw: bool,
    /// Without a pending backoff a frame is sent at once if the medium has been idle for DIFS (IEEE 802.11-1999
    /// section 9.2.5.1). Else every frame waits for a backoff (ns-2 `Mac802_11::send`).
    pub skips_backoff_when_idle: bool,
    /// What EIFS is after a frame that could not be decoded.
    pub eifs: EifsRule,
    /// EIFS contains an ACK with the long preamble, as sent at the lowest rate (IEEE 802.11-1999 section 9.2.10). Else
    /// with the preamble in use (ns-2 `PHY_MIB::getEIFS`).
    pub eifs_has_long_preamble: bool,
    /// A frame that is too weak to collide with the one that the receiver is locked on sets the NAV for its airtime and EIFS
    /// (ns-2 `Mac802_11::capture`). In the standard such frames have no effect.
    pub captured_frame_sets_nav: bool,
    /// A CTS needs an idle medium by CCA and NAV (ns-2 `Mac802_11::check_pktCTRL`). Else by NAV alone (IEEE 802.11-1999
    /// section 9.2.5.7).
    pub cts_needs_idle_cca: bool,
    /// Data after a CTS needs an idle medium; on a busy one the station sends a new RTS with a doubled CW (ns-2
    /// `Mac802_11::check_pktTx`). Else it is sent after SIFS in any case (IEEE 802.11-1999 section 9.2.5.6).
    pub granted_data_needs_idle: bool,
    /// Data short enough to need no RTS is ignored, without ACK, while this station awaits the data for which it has sent
    /// a CTS (ns-2 `Mac802_11::recvDATA`). The standard acknowledges it (IEEE 802.11-1999 section 9.2.8).
    pub ignores_short_data_after_cts: bool,
    /// A drop is followed by a backoff (IEEE 802.11-1999 section 9.2.5.2). Else the next frame draws its own (ns-2
    /// `Mac802_11::RetransmitDATA`).
    pub backs_off_after_drop: bool,
    /// Retry counters start at zero for every MSDU (IEEE 802.11-1999 section 9.2.5.3). Else they belong to the station
    /// (ns-2 `Mac802_11::ssrc_`, `slrc_`).
    pub counts_retries_per_msdu: bool,
    /// A duplicate has the Retry bit and a repeated sequence number (IEEE 802.11-1999 section 9.2.9). Else the number
    /// alone counts (ns-2 `Mac802_11::recvDATA`).
    pub duplicate_has_retry_bit: bool,
    /// What `rts_threshold` is compared with.
    pub rts_threshold: ThresholdRule,
    /// Air times and Duration fields are rounded up to whole microseconds (IEEE 802.11b-1999 section 18.3.4, IEEE 802.11-1999
    /// section 7.1.3.2). Else air times are exact, and Duration fields round to the nearest (ns-2 `Mac802_11::txtime` and
    /// `usec`).
    pub rounds_times_up: bool,
    /// When a station gives up waiting for a CTS or an ACK.
    pub timeout: TimeoutRule,
}

/// When a station gives up waiting for a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutRule {
    /// After SIFS, the whole response, and an allowance for propagation each way (ns-2 `DSSS_MaxPropagationDelay`).
    ResponseEnd,
    /// When the PHY has reported no frame within SIFS, a slot and aRxPHYStartDelay; a frame that it has reported is waited for
    /// (IEEE 802.11-2016 sections 10.3.2.4 and 10.3.2.9).
    ResponseStart,
}

/// How a station waits after a frame that it could not decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EifsRule {
    /// EIFS sets the NAV; DIFS follows, and a decoded frame changes nothing (ns-2 `Mac802_11::recv_timer`).
    Nav,
    /// EIFS takes the place of DIFS, until a frame is decoded (IEEE 802.11-1999 section 9.2.3.4).
    Interval,
}

/// Which length decides whether RTS and CTS precede a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThresholdRule {
    /// Packet and all of ns-2's overhead: at the threshold and above it RTS is used (ns-2 `Mac802_11::sendRTS`).
    WithPreamble,
    /// MPDU: RTS is used above the threshold only (IEEE 802.11-1999 section 9.2).
    Mpdu,
}

/// Bytes that ns-2.35 adds to a packet before it compares: MAC header and FCS 34, PLCP preamble and header 24.
const NS2_OVERHEAD: u32 = 58;

impl DcfRules {
    /// ns-2.35.
    pub const NS2: DcfRules = DcfRules {
        draws_cw: false,
        skips_backoff_when_idle: false,
        eifs: EifsRule::Nav,
        eifs_has_long_preamble: false,
        captured_frame_sets_nav: true,
        cts_needs_idle_cca: true,
        granted_data_needs_idle: true,
        ignores_short_data_after_cts: true,
        backs_off_after_drop: false,
        counts_retries_per_msdu: false,
        duplicate_has_retry_bit: false,
        rts_threshold: ThresholdRule::WithPreamble,
        rounds_times_up: false,
        timeout: TimeoutRule::ResponseEnd,
    };

    /// IEEE 802.11-1999 and 2007, clause 9.
    pub const STD: DcfRules = DcfRules {
        draws_cw: true,
        skips_backoff_when_idle: true,
        eifs: EifsRule::Interval,
        eifs_has_long_preamble: true,
        captured_frame_sets_nav: false,
        cts_needs_idle_cca: false,
        granted_data_needs_idle: false,
        ignores_short_data_after_cts: false,
        backs_off_after_drop: true,
        counts_retries_per_msdu: true,
        duplicate_has_retry_bit: true,
        rts_threshold: ThresholdRule::Mpdu,
        rounds_times_up: true,
        timeout: TimeoutRule::ResponseStart,
    };

    /// Whether a frame that a station cannot use does no more to it than to set its NAV, for EIFS if it was not decoded.
    pub fn nav_is_all(&self) -> bool {
        self.eifs == EifsRule::Nav && self.captured_frame_sets_nav
    }
}

impl DcfRules {
    /// Air time of `bytes` behind the PLCP header.
    pub fn air_time(&self, rate: Rate, bytes: u32) -> Span {
        let exact = rate.time_for(u64::from(bytes) * 8);
        if self.rounds_times_up { Span::from_micros(exact.ceil_micros()) } else { exact }
    }

    /// A Duration field: whole microseconds, at most 65,535.
    pub fn duration(&self, span: Span) -> u16 {
        let micros = if self.rounds_times_up { span.ceil_micros() } else { span.round_micros() };
        micros.min(u64::from(u16::MAX)) as u16
    }
}

impl ThresholdRule {
    /// Whether RTS and CTS precede a packet of this length, whose MPDU has `mpdu` bytes.
    pub fn uses_rts(self, packet: u32, mpdu: u32, threshold: u32) -> bool {
        match self {
            ThresholdRule::WithPreamble => packet + NS2_OVERHEAD >= threshold,
            ThresholdRule::Mpdu => mpdu > threshold,
        }
    }

    /// Whether failures of a packet's data frame count as short retries.
    ///
    /// In ns-2 a packet of exactly the threshold is sent after an RTS and counts as short.
    pub fn is_short(self, packet: u32, mpdu: u32, threshold: u32) -> bool {
        match self {
            ThresholdRule::WithPreamble => packet + NS2_OVERHEAD <= threshold,
            ThresholdRule::Mpdu => mpdu <= threshold,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ns2_packet_at_threshold_uses_rts_and_is_short() {
        let rule = ThresholdRule::WithPreamble;
        assert_eq!([1557, 1558, 1559].map(|threshold| rule.uses_rts(1500, 1534, threshold)), [true, true, false]);
        assert_eq!([1557, 1558, 1559].map(|threshold| rule.is_short(1500, 1534, threshold)), [false, true, true]);
    }

    #[test]
    fn std_mpdu_above_threshold_uses_rts() {
        let rule = ThresholdRule::Mpdu;
        assert_eq!([1535, 1536].map(|threshold| rule.uses_rts(1500, 1536, threshold)), [true, false]);
        assert_eq!([1535, 1536].map(|threshold| rule.is_short(1500, 1536, threshold)), [false, true]);
    }
}
