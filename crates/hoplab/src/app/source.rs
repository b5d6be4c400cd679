//! The application of a flow during a run: its source, and the number of packets that it may still supply.

use super::list::{AppConfig, Source};
use super::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Time};

/// A source of any kind with a limit of packets.
#[derive(Debug)]
pub struct App {
    source: Source,
    /// Packets left, if they are limited.
    left: Option<u32>,
}

impl App {
    /// The source of an application, in packets of `segment` payload bytes; `stream` provides random numbers, if it needs
    /// them.
    pub fn new(config: &AppConfig, segment: u32, stream: impl FnOnce() -> RandomStream) -> App {
        App { source: config.source(segment, stream), left: None }
    }

    /// A source that the calling program supplies.
    pub fn custom(source: Box<dyn Traffic + Send>) -> App {
        App { source: Source::Custom(source), left: None }
    }

    /// Limits the packets that it supplies.
    pub fn limit(&mut self, packets: u32) {
        self.left = Some(packets);
    }

    /// Whether it has supplied all packets of its limit.
    pub fn is_exhausted(&self) -> bool {
        self.left == Some(0)
    }

    /// Cuts a supply to what is left, and stops the source with the last packet.
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
        let supply = self.source.on_start(now);
        self.cut(supply)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        let supply = self.source.on_deadline(now);
        self.cut(supply)
    }

    fn on_stop(&mut self) {
        self.source.on_stop();
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        self.source.deadline()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppKeys, AppKind, Cbr, Ftp, WinfProbe};
    use crate::kernel::{Purpose, RandomStreams, Rate, Span};

    fn app(config: AppConfig) -> App {
        App::new(&config, 172, || RandomStreams::new(1).stream(Purpose::Traffic, 0))
    }

    #[test]
    fn supply_ends_with_the_limit() {
        let mut file = app(AppConfig::Ftp(Ftp));
        file.limit(7);
        assert_eq!((file.on_start(Time::ZERO), file.is_exhausted()), (Supply::Segments(7), true));
        let mut cbr = app(AppConfig::Cbr(Cbr::at(Rate(64e3))));
        cbr.limit(2);
        assert_eq!(cbr.on_start(Time::ZERO), Supply::Segments(1));
        let next = cbr.deadline().expect("a second packet");
        assert_eq!((cbr.on_deadline(next), cbr.deadline()), (Supply::Segments(1), None));
    }

    #[test]
    fn four_probes_of_winf_leave_in_a_second() {
        let config = AppConfig::WinfProbe(WinfProbe { interval: Span::from_millis(250) });
        let mut app = App::new(&config, 1480, || unreachable!("nothing is random"));
        app.limit(AppKind::WinfProbe.max_packets().expect("a limit"));
        let mut sent = vec![Time::ZERO];
        assert_eq!(app.on_start(Time::ZERO), Supply::Segments(1));
        while let Some(at) = app.deadline() {
            assert_eq!(app.on_deadline(at), Supply::Segments(1));
            sent.push(at);
        }
        assert_eq!(sent, [0, 250, 500, 750].map(|ms| Time(ms * 1_000_000)));
    }

    #[test]
    fn keys_describe_each_application() {
        for &kind in AppKind::ALL {
            let keys = AppKeys { rate: Some(Rate(64e3)), ..AppKeys::default() };
            let config = kind.with_keys(&keys);
            assert_eq!((config.kind(), kind.with_keys(&config.keys())), (kind, config));
            assert!(kind.keys().iter().all(|key| AppKeys::NAMES.contains(key)), "{}", kind.name());
        }
    }
}
