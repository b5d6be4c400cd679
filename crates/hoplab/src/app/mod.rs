//! Traffic: how much there is to send, and when.
//!
//! An application only supplies; the transport below it decides when what it has been given is sent. Over a connection,
//! what is supplied faster than it can be sent waits in the sender without limit: a socket buffer that never blocks.

mod adhoc_probe;
mod cbr;
mod ftp;
mod on_off;
mod winf_probe;

pub use adhoc_probe::{PairMeter, Pairs};
pub use cbr::Cbr;
pub use ftp::Ftp;
pub use on_off::OnOff;
pub use winf_probe::{INTERVAL, PROBE_BYTES, PROBES};

use crate::kernel::{Rate, Span, Stream, Time};

/// What a flow has to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AppConfig {
    /// A file without end.
    Ftp,
    /// Packets at equal distances.
    Cbr {
        /// Payload bits per second.
        rate: Rate,
    },
    /// Packets at random distances around an equal one: `random_` of ns-2's CBR.
    JitteredCbr {
        /// Payload bits per second.
        rate: Rate,
    },
    /// OnOff and silence.
    OnOff {
        /// Payload bits per second during a burst.
        rate: Rate,
        /// Mean length of a burst.
        on_mean: Span,
        /// Mean length of silence.
        off_mean: Span,
    },
    /// A voice call, one way.
    Voip {
        /// Whether the speaker pauses.
        talk_spurts: bool,
    },
    /// Pairs of packets whose distance at arrival tells the capacity of the path.
    AdhocProbe {
        /// Time between two pairs.
        interval: Span,
        /// Pairs that a value is taken from.
        samples: u32,
    },
    /// Single packets for rt-Winf to measure.
    WinfProbe {
        /// Time between two of them.
        interval: Span,
    },
}

/// Bytes of a packet of G.711 in RTP: 20 ms of voice at 64 kb/s, and 12 bytes of header (RFC 3550, RFC 3551).
pub const VOICE_BYTES: u32 = 160 + 12;

/// Distance of two packets of a talk spurt.
const VOICE_GAP: Span = Span::from_millis(20);

/// Mean length of talk spurts and of pauses (ITU-T P.59).
const TALK: [Span; 2] = [Span::from_millis(1004), Span::from_millis(1587)];

/// Segments handed to the transport at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// This many more.
    Segments(u32),
    /// As many as can ever be sent.
    Endless,
}

/// A source of traffic.
pub trait Traffic {
    /// The flow's start time has come. Called once.
    fn on_start(&mut self, now: Time) -> Supply;

    /// The time of [`Traffic::deadline`] has come.
    fn on_deadline(&mut self, now: Time) -> Supply;

    /// Nothing more is to be supplied: from now on there is no deadline.
    fn on_stop(&mut self);

    /// When it will supply more, if that is already known.
    fn deadline(&self) -> Option<Time>;
}

/// Any of the sources, and how much it may still supply.
#[derive(Clone, Debug)]
pub struct App {
    source: Source,
    left: Option<u32>,
}

#[derive(Clone, Debug)]
enum Source {
    Ftp(Ftp),
    Cbr(Cbr),
    OnOff(OnOff),
    Pairs(Pairs),
}

impl App {
    /// The source that `config` describes, in packets of `segment` payload bytes; `chance` makes the stream that it
    /// draws from, if it does.
    pub fn new(config: &AppConfig, segment: u32, chance: impl FnOnce() -> Stream) -> App {
        let voice = Rate(f64::from(VOICE_BYTES) * 8.0 / VOICE_GAP.secs());
        let source = match *config {
            AppConfig::Ftp => Source::Ftp(Ftp),
            AppConfig::Cbr { rate } => Source::Cbr(Cbr::new(rate, segment)),
            AppConfig::JitteredCbr { rate } => Source::Cbr(Cbr::new(rate, segment).jittered(chance())),
            AppConfig::OnOff { rate, on_mean, off_mean } => {
                Source::OnOff(OnOff::new(rate, segment, [on_mean, off_mean], chance()))
            }
            AppConfig::Voip { talk_spurts: false } => Source::Cbr(Cbr::new(voice, VOICE_BYTES)),
            AppConfig::Voip { talk_spurts: true } => {
                Source::OnOff(OnOff::new(voice, VOICE_BYTES, TALK, chance()).talking())
            }
            AppConfig::AdhocProbe { interval, .. } => Source::Pairs(Pairs::new(interval)),
            AppConfig::WinfProbe { interval } => Source::Cbr(winf_probe::probes(interval)),
        };
        App { source, left: None }
    }

    /// What the receiver is to make of what comes, if the source says so.
    pub fn meter(config: &AppConfig) -> Option<PairMeter> {
        match *config {
            AppConfig::AdhocProbe { samples, .. } => Some(PairMeter::new(samples)),
            _ => None,
        }
    }

    /// Lets it supply no more than this many packets.
    pub fn limit(&mut self, packets: u32) {
        self.left = Some(packets);
    }

    /// Whether it has supplied all that it may.
    pub fn is_exhausted(&self) -> bool {
        self.left == Some(0)
    }

    /// Cuts a supply to what is left, and stops the source with it.
    fn cut(&mut self, supply: Supply) -> Supply {
        let Some(left) = &mut self.left else { return supply };
        let count = match supply {
            Supply::Segments(count) => count.min(*left),
            Supply::Endless => *left,
        };
        *left -= count;
        if *left == 0 {
            self.on_stop();
        }
        Supply::Segments(count)
    }
}

impl Traffic for App {
    fn on_start(&mut self, now: Time) -> Supply {
        let supply = match &mut self.source {
            Source::Ftp(app) => app.on_start(now),
            Source::Cbr(app) => app.on_start(now),
            Source::OnOff(app) => app.on_start(now),
            Source::Pairs(app) => app.on_start(now),
        };
        self.cut(supply)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        let supply = match &mut self.source {
            Source::Ftp(app) => app.on_deadline(now),
            Source::Cbr(app) => app.on_deadline(now),
            Source::OnOff(app) => app.on_deadline(now),
            Source::Pairs(app) => app.on_deadline(now),
        };
        self.cut(supply)
    }

    fn on_stop(&mut self) {
        match &mut self.source {
            Source::Ftp(app) => app.on_stop(),
            Source::Cbr(app) => app.on_stop(),
            Source::OnOff(app) => app.on_stop(),
            Source::Pairs(app) => app.on_stop(),
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        match &self.source {
            Source::Ftp(app) => app.deadline(),
            Source::Cbr(app) => app.deadline(),
            Source::OnOff(app) => app.deadline(),
            Source::Pairs(app) => app.deadline(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Purpose, Streams};

    fn app(config: AppConfig) -> App {
        App::new(&config, VOICE_BYTES, || Streams::new(1).stream(Purpose::Traffic, 0))
    }

    #[test]
    fn supplies_end_with_their_limit() {
        let mut file = app(AppConfig::Ftp);
        file.limit(7);
        assert_eq!((file.on_start(Time::ZERO), file.is_exhausted()), (Supply::Segments(7), true));
        let mut cbr = app(AppConfig::Cbr { rate: Rate(64e3) });
        cbr.limit(2);
        assert_eq!(cbr.on_start(Time::ZERO), Supply::Segments(1));
        let next = cbr.deadline().expect("a second packet");
        assert_eq!((cbr.on_deadline(next), cbr.deadline()), (Supply::Segments(1), None));
    }

    #[test]
    fn a_call_has_fifty_packets_a_second_while_somebody_talks() {
        let mut call = app(AppConfig::Voip { talk_spurts: false });
        call.on_start(Time::ZERO);
        assert_eq!(call.deadline(), Some(Time(20_000_000)));
        let mut call = app(AppConfig::Voip { talk_spurts: true });
        let (mut packets, mut now) = (0.0, Time::ZERO);
        call.on_start(now);
        while now.secs() < 20_000.0 {
            now = call.deadline().expect("a next packet");
            call.on_deadline(now);
            packets += 1.0;
        }
        // ITU-T P.59: 38.7 % activity; a spurt has a mean of some 50 packets, and 20 ms after its last one.
        let activity = packets * 0.02 / now.secs();
        assert!((activity - 0.387).abs() < 0.012, "{activity}");
    }
}
