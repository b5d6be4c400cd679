//! Probes of rt-Winf, for networks without RTS and CTS: a few packets before a flow starts, whose exchanges the observer at
//! the sender's MAC measures (eq. 12).
//!
//! # Model
//! `max_packets` datagrams, one every `interval`, from the start of the flow. Every node treats them as data. The result is in
//! the nodes' observers.
//! # Source
//! Barreto 2015, section 3.2 (docs/specs/rt-winf.md section 7): 4 samples of 1500 bytes, read as 4 probes at 4 per
//! second.
//! # Deviations
//! The source marks probes with a reserved subtype of data frames; here no code depends on the mark. The scenario must
//! ensure that no other traffic is sent meanwhile.
//! # Parameters
//! `flow.interval` (0.25 s), `flow.max_packets` (4), `flow.segment` (1480 B, 1500 with the header).

use super::cbr::CbrSource;
use crate::app::application::{Application, Carrier};
use crate::app::keys::AppKeys;
use crate::app::probe::{INTERVAL, PROBE_BYTES};
use crate::kernel::{RandomStream, Span};

/// Single packets for rt-Winf to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinfProbe {
    /// Time between two of them.
    pub interval: Span,
}

impl Application for WinfProbe {
    const SUMMARY: &'static str = "a few packets for rt-Winf to measure, where there is no RTS and CTS";
    const PAGE: &'static str = "winf";
    const KEYS: &'static [&'static str] = &["interval"];
    const SEGMENT: u32 = PROBE_BYTES;
    const MAX_PACKETS: Option<u32> = Some(4);
    const CARRIER: Carrier = Carrier::Datagrams;

    type Source = CbrSource;

    fn from_keys(keys: &AppKeys) -> WinfProbe {
        WinfProbe { interval: keys.interval.unwrap_or(INTERVAL) }
    }

    fn keys(&self) -> AppKeys {
        AppKeys { interval: Some(self.interval), ..AppKeys::default() }
    }

    fn source(&self, _: u32, _: impl FnOnce() -> RandomStream) -> CbrSource {
        CbrSource::every(self.interval)
    }
}
