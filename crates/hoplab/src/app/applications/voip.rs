//! A voice call, one way: G.711 in RTP, 160 bytes and a header every 20 ms, with or without talk spurts.
//!
//! # Model
//! Without talk spurts, packets at a constant rate. With them, bursts and off times as `on_off`, starting with a burst.
//!
//! # Source
//! ITU-T G.711; RFC 3550 and RFC 3551 (RTP); talk spurts and pauses of ITU-T P.59, 1.004 and 1.587 s.
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `flow.talk_spurts` (no); the payload is always 172 bytes.

use super::cbr::CbrSource;
use super::on_off::OnOffSource;
use crate::app::application::{Application, FixedSegment};
use crate::app::keys::AppKeys;
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Rate, Span, Time};

/// Bytes of a packet: 20 ms of voice at 64 kb/s, and 12 bytes of RTP header.
const PACKET: u32 = 160 + 12;

/// Interval of two packets.
const INTERVAL: Span = Span::from_millis(20);

/// Mean lengths of talk spurts and pauses.
const SPURT_AND_PAUSE: [Span; 2] = [Span::from_millis(1004), Span::from_millis(1587)];

/// A voice call, one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voip {
    /// Whether the speaker pauses.
    pub talk_spurts: bool,
}

/// A source of voice packets.
#[derive(Clone, Debug)]
pub enum VoipSource {
    /// Without pauses.
    Constant(CbrSource),
    /// With pauses.
    Spurts(OnOffSource),
}

impl Application for Voip {
    const SUMMARY: &'static str = "a voice call of G.711, one way: 160 bytes and an RTP header every 20 ms";
    const PAGE: &'static str = "voip";
    const KEYS: &'static [&'static str] = &["talk_spurts"];
    const SEGMENT: u32 = PACKET;
    const FIXED_SEGMENT: Option<FixedSegment> = Some(FixedSegment {
        bytes: PACKET,
        otherwise: "{} is not a G.711 packet size",
        expected: "172 bytes: 20 ms of voice and the RTP header; remove the key",
    });
    const IS_VOICE: bool = true;

    type Source = VoipSource;

    fn from_keys(keys: &AppKeys) -> Voip {
        Voip { talk_spurts: keys.talk_spurts == Some(true) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys { talk_spurts: Some(self.talk_spurts), ..AppKeys::default() }
    }

    fn source(&self, _: u32, stream: impl FnOnce() -> RandomStream) -> VoipSource {
        let rate = Rate(f64::from(PACKET) * 8.0 / INTERVAL.secs());
        if self.talk_spurts {
            VoipSource::Spurts(OnOffSource::new(rate, PACKET, SPURT_AND_PAUSE, stream()).talking())
        } else {
            VoipSource::Constant(CbrSource::new(rate, PACKET))
        }
    }
}

impl Traffic for VoipSource {
    fn on_start(&mut self, now: Time) -> Supply {
        match self {
            VoipSource::Constant(source) => source.on_start(now),
            VoipSource::Spurts(source) => source.on_start(now),
        }
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        match self {
            VoipSource::Constant(source) => source.on_deadline(now),
            VoipSource::Spurts(source) => source.on_deadline(now),
        }
    }

    fn on_stop(&mut self) {
        match self {
            VoipSource::Constant(source) => source.on_stop(),
            VoipSource::Spurts(source) => source.on_stop(),
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self {
            VoipSource::Constant(source) => source.deadline(),
            VoipSource::Spurts(source) => source.deadline(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Purpose, RandomStreams};

    fn call(talk_spurts: bool) -> VoipSource {
        Voip { talk_spurts }.source(PACKET, || RandomStreams::new(1).stream(Purpose::Traffic, 0))
    }

    #[test]
    fn talk_has_fifty_packets_a_second() {
        let mut constant = call(false);
        constant.on_start(Time::ZERO);
        assert_eq!(constant.deadline(), Some(Time(20_000_000)));
        let mut spurts = call(true);
        let (mut packets, mut now) = (0.0, Time::ZERO);
        spurts.on_start(now);
        while now.secs() < 20_000.0 {
            now = spurts.deadline().expect("a next packet");
            spurts.on_deadline(now);
            packets += 1.0;
        }
        // ITU-T P.59: 38.7 % activity; a spurt has a mean of some 50 packets, and 20 ms after its last one.
        let activity = packets * 0.02 / now.secs();
        assert!((activity - 0.387).abs() < 0.012, "{activity}");
    }
}
