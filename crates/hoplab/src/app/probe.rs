//! Constants that both kinds of probes share: AdHoc Probe (Chen 2005) and rt-Winf (Barreto 2015).

use crate::kernel::Span;

/// Time between two probes, or two pairs of them.
pub const INTERVAL: Span = Span::from_millis(250);

/// Payload of a probe: 1500 bytes with the header that routing adds.
pub const PROBE_BYTES: u32 = 1480;
