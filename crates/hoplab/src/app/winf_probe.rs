//! Probes of rt-Winf, for networks without RTS and CTS: a few packets before a flow begins, whose exchanges the
//! observer at the sender's MAC measures (eq. 12).
//!
//! # Model
//! `max_packets` datagrams, one every `interval`, from the start of the flow. They are ordinary data to every node on
//! the way. What they find out is read at the nodes' observers, not here.
//! # Source
//! Barreto 2015, section 3.2 (rt-winf.md section 7): 4 samples of 1500 bytes, read as 4 probes at 4 per second.
//! # Deviations
//! The source marks probes with a reserved subtype of data frames; nothing here needs to tell them apart. That there is
//! no other traffic while they are sent is for the scenario to see to.
//! # Parameters
//! `flow.interval` (0.25 s), `flow.max_packets` (4), `flow.segment` (1480 B, 1500 with the header).

use super::Cbr;
use crate::kernel::Span;

/// Probes of a measurement.
pub const PROBES: u32 = 4;

/// Time between two probes, and between two pairs of AdHoc Probe.
pub const INTERVAL: Span = Span::from_millis(250);

/// Payload of a probe: 1500 bytes with the header that routing adds.
pub const PROBE_BYTES: u32 = 1480;

/// Probes without end; their number is the application's limit.
pub fn probes(interval: Span) -> Cbr {
    Cbr::every(interval)
}

#[cfg(test)]
mod tests {
    use crate::app::{App, AppConfig, Supply, Traffic};
    use crate::kernel::{Span, Time};

    #[test]
    fn four_probes_in_a_second() {
        let config = AppConfig::WinfProbe { interval: Span::from_millis(250) };
        let mut app = App::new(&config, super::PROBE_BYTES, || unreachable!("nothing is left to chance"));
        app.limit(super::PROBES);
        let mut sent = vec![Time::ZERO];
        assert_eq!(app.on_start(Time::ZERO), Supply::Segments(1));
        while let Some(at) = app.deadline() {
            assert_eq!(app.on_deadline(at), Supply::Segments(1));
            sent.push(at);
        }
        assert_eq!(sent, [0, 250, 500, 750].map(|ms| Time(ms * 1_000_000)));
    }
}
