//! When a node's own data enter beside what it forwards: in turn with each flow in transit.
//!
//! # Model
//! An own packet enters when no other own one waits, and each flow whose packets the node has forwarded lately was forwarded since the
//! last own packet; at the latest after a time. So a source on the path of others takes one share, as each of them does.
//!
//! # Source
//! Ours: `docs/protocols/hop_release.md`, rule 7.

use crate::kernel::{FlowId, Span, Time};

/// The flows in transit at a node, and whose turn it is.
#[derive(Debug)]
pub struct OwnTurns {
    /// Flows that were forwarded, when last, and whether since the last own packet.
    transit: Vec<(FlowId, Time, bool)>,
    last_own: Time,
    /// A flow that was not forwarded for so long has ended; an own packet waits no longer.
    wait: Span,
    /// Time of the scheduled event for an own packet that waits.
    pub check_at: Option<Time>,
}

impl OwnTurns {
    /// No flow in transit.
    pub fn new(wait: Span) -> OwnTurns {
        OwnTurns { transit: Vec::new(), last_own: Time::ZERO, wait, check_at: None }
    }

    /// A long packet of a flow leaves the queue.
    pub fn on_taken(&mut self, now: Time, flow: FlowId, is_own: bool) {
        if is_own {
            self.last_own = now;
            let wait = self.wait;
            self.transit.retain(|entry| now.since(entry.1) <= wait);
            self.transit.iter_mut().for_each(|entry| entry.2 = false);
        } else if let Some(entry) = self.transit.iter_mut().find(|entry| entry.0 == flow) {
            *entry = (flow, now, true);
        } else {
            self.transit.push((flow, now, true));
        }
    }

    /// When the next own packet may enter at the latest; `None`: now.
    pub fn until(&self, now: Time) -> Option<Time> {
        let latest = self.last_own + self.wait;
        let is_awaited = |entry: &(FlowId, Time, bool)| !entry.2 && now.since(entry.1) <= self.wait;
        (now < latest && self.transit.iter().any(is_awaited)).then_some(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_packets_alternate_with_each_flow_in_transit() {
        let ms = |ms: u64| Time(ms * 1_000_000);
        let mut turns = OwnTurns::new(Span::from_millis(1000));
        assert_eq!(turns.until(ms(1)), None, "nothing in transit");
        turns.on_taken(ms(10), FlowId(1), false);
        turns.on_taken(ms(20), FlowId(2), false);
        assert_eq!(turns.until(ms(20)), None);
        turns.on_taken(ms(30), FlowId(0), true);
        turns.on_taken(ms(40), FlowId(1), false);
        assert_eq!(turns.until(ms(40)), Some(ms(1030)), "flow 2 is due");
        turns.on_taken(ms(50), FlowId(2), false);
        assert_eq!(turns.until(ms(50)), None);
        turns.on_taken(ms(60), FlowId(0), true);
        assert_eq!(turns.until(ms(100)), Some(ms(1060)));
        assert_eq!(turns.until(ms(1060)), None, "flows that stop are waited for no longer");
        turns.on_taken(ms(1100), FlowId(0), true);
        assert_eq!(turns.until(ms(1101)), None);
    }
}
