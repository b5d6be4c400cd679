//! Duration fields and timeouts, from the air times of the frames of an exchange.
//!
//! IEEE 802.11-1999 section 9.2.5.4 (Duration), 9.2.5.7 and 9.2.8 (timeouts). The rules of the profile say which times are
//! whole microseconds.

use super::frame_times::Timing;
use crate::kernel::Span;
use crate::mac::rules::TimeoutRule;
use crate::packet::{Frame, FrameKind, Modulation};

impl Timing {
    /// Air time of what answers a frame: an ACK, or a Block Ack.
    pub fn answer_to(&self, frame: &Frame) -> Span {
        match frame.kind {
            FrameKind::Aggregate | FrameKind::BlockAckRequest => {
                self.airtime(self.response_mode(frame.modulation), self.block_ack_bytes)
            }
            _ => self.ack_to(frame.modulation),
        }
    }

    /// Duration field of a unicast frame that is answered.
    pub fn answered_duration(&self, frame: &Frame) -> u16 {
        self.rules.duration(self.sifs + self.answer_to(frame))
    }

    /// Air time from the start of data to the end of their answer, without SIFS, as far as it exceeds that with an ACK.
    pub fn data_beyond_ack(&self, data: &Frame) -> Span {
        if data.kind != FrameKind::Aggregate {
            return data.airtime;
        }
        data.airtime + self.answer_to(data).saturating_sub(self.ack_to(data.modulation))
    }

    /// Duration field of an RTS for data of this air time and modulation.
    pub fn rts_duration(&self, data: Span, mode: Modulation) -> u16 {
        self.rules.duration(self.sifs * 3 + self.cts + data + self.ack_to(mode))
    }

    /// Duration field of a CTS to the station itself, before data of this air time and modulation.
    pub fn self_cts_duration(&self, data: Span, mode: Modulation) -> u16 {
        self.rules.duration(self.sifs * 2 + data + self.ack_to(mode))
    }

    /// Duration field of the CTS with air time `cts` that responds to an RTS with Duration `rts` (microseconds).
    pub fn cts_duration(&self, rts: u16, cts: Span) -> u16 {
        self.rules.duration(Span::from_micros(u64::from(rts)).saturating_sub(self.sifs + cts))
    }

    /// Duration field of a response with this air time to a frame with Duration `answered` (microseconds): what that leaves. Only
    /// with QoS is it more than zero, within a TXOP (IEEE 802.11-2016 section 9.2.5.7).
    pub fn ack_duration(&self, answered: u16, air: Span) -> u16 {
        if self.config.has_qos() { self.cts_duration(answered, air) } else { 0 }
    }

    /// Duration field of unicast data.
    pub fn data_duration(&self, mode: Modulation) -> u16 {
        self.rules.duration(self.sifs + self.ack_to(mode))
    }

    /// Timeout of an RTS from its start, if the longest response to it has this air time.
    pub fn rts_timeout(&self, response: Span) -> Span {
        self.rts + self.response_wait(response, self.basic)
    }

    /// Timeout of unicast data of this air time and modulation, from its start.
    pub fn data_timeout(&self, data: Span, mode: Modulation) -> Span {
        data + self.response_wait(self.ack, mode)
    }

    /// From the end of a frame to the timeout of its response.
    fn response_wait(&self, response: Span, answered: Modulation) -> Span {
        let awaited = match self.rules.timeout {
            TimeoutRule::ResponseEnd => response,
            TimeoutRule::ResponseStart => self.header(self.response_mode(answered)),
        };
        self.sifs + awaited + self.round_trip
    }

    /// Longest propagation delay of a link on which responses arrive in time.
    pub fn longest_delay(&self) -> Span {
        // A timeout precedes other events of the same nanosecond.
        Span((self.round_trip.0 - 1) / 2)
    }

    /// Timeout of a CTS of this air time and Duration field, from its start: the data must have arrived by then.
    pub fn cts_timeout(&self, cts: Span, duration: u16) -> Span {
        let exchange = cts + Span::from_micros(u64::from(duration)) + self.round_trip;
        exchange.saturating_sub(self.sifs + self.ack)
    }

    /// Time from the end of an overheard RTS after which a station may reset the NAV that the RTS has set, unless a frame
    /// has followed (IEEE 802.11-2007 section 9.2.5.4, 802.11-2012 section 9.3.2.4: 2 SIFS, CTS,
    /// PHY-RX-START-Delay, 2 slots; that delay is zero here without OFDM).
    pub fn nav_reset(&self) -> Span {
        let header = self.ofdm.as_ref().map_or(Span::ZERO, |ofdm| ofdm.phy.header());
        self.sifs * 2 + self.cts + header + self.slot * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::config::MacConfig;
    use crate::mac::timing::frame_times::tests::timing;

    #[test]
    fn duration_fields_cover_the_rest_of_the_exchange() {
        // docs/specs/mac-80211.md section 2: (data rate, basic rate, IP bytes) -> RTS, CTS, DATA.
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
            let got = timing.rts_duration(timing.data(bytes, false), timing.unicast);
            let rest_of = (timing.cts_duration(got, timing.cts), timing.data_duration(timing.unicast));
            assert_eq!((got, rest_of.0, rest_of.1), (rts, cts, rest), "{bytes} bytes");
        }
    }

    #[test]
    fn timeouts_span_frame_sifs_response_and_propagation() {
        let timing = timing(2e6, 1e6);
        assert_eq!(timing.rts_timeout(timing.cts), Span::from_micros(670));
        assert_eq!(timing.data_timeout(timing.data(1500, false), timing.unicast), Span::from_micros(6646));
    }

    #[test]
    fn std_timeouts_await_the_start_of_a_response() {
        // IEEE 802.11-2016 section 10.3.2.9: SIFS, slot and PHY-RX-START-Delay after the frame.
        let timing = Timing::new(&MacConfig::std());
        assert_eq!(timing.rts_timeout(timing.cts), timing.rts + Span::from_micros(10 + 20 + 192));
        let data = timing.data(1500, false);
        assert_eq!(timing.data_timeout(data, timing.unicast), data + Span::from_micros(10 + 20 + 192));
        assert_eq!(timing.longest_delay(), Span(9_999));
    }
}
