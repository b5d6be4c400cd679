//! Route discovery of one node for one destination: its RREQs so far (RFC 3561 section 6.3).

use crate::kernel::{Span, Time, TimerId};

/// State of the RREQs for one destination.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Request {
    /// Network-wide RREQs in a row.
    pub(in super::super) count: u8,
    /// TTL of the last one (RFC).
    pub(in super::super) ttl: u8,
    /// Time before which no RREQ is sent (ns-2).
    pub(in super::super) timeout: Time,
    /// Timer of the wait for a RREP (RFC).
    pub(in super::super) timer: Option<TimerId>,
    latencies: [Span; HISTORY],
    newest: u8,
}

/// Discovery latencies whose mean ns-2 uses.
const HISTORY: usize = 3;

impl Request {
    /// Adds the latency of a discovery per hop, in both directions.
    pub(in super::super) fn record(&mut self, latency: Span) {
        self.latencies[self.newest as usize] = latency;
        self.newest = (self.newest + 1) % HISTORY as u8;
    }

    /// Mean latency per hop of the last discoveries.
    pub(in super::super) fn per_hop_time(&self) -> Option<Span> {
        let known = self.latencies.iter().filter(|latency| latency.0 > 0);
        let (count, total) = known.fold((0, 0), |(count, total), latency| (count + 1, total + latency.0));
        (count > 0).then(|| Span(total / count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_hop_time_is_the_mean_of_three_latencies() {
        let mut request = Request::default();
        assert_eq!(request.per_hop_time(), None);
        for millis in [100, 2, 4, 6] {
            request.record(Span::from_millis(millis));
        }
        assert_eq!(request.per_hop_time(), Some(Span::from_millis(4)));
    }
}
