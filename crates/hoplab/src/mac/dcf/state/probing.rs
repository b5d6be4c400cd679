//! Probes before the data of a new communication that has no RTS and CTS (Barreto 2015, section 3.2): data frames without a
//! packet, whose ACKs the observers of the station measure. It sets no timer.

use crate::kernel::{RadioId, Span, Time};

/// When a station sends probes, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRules {
    /// Number before a new communication.
    pub count: u32,
    /// Length of each as a packet, in bytes.
    pub bytes: u32,
    /// Time without data to a neighbor after which the next data are a new communication.
    pub pause: Span,
}

/// The neighbors that data are sent to.
#[derive(Debug)]
pub(in crate::mac::dcf) struct Probing {
    pub(in crate::mac::dcf) rules: ProbeRules,
    last: Vec<(RadioId, Time)>,
}

impl Probing {
    pub(in crate::mac::dcf) fn new(rules: ProbeRules) -> Probing {
        Probing { rules, last: Vec::new() }
    }

    /// Data for a neighbor come to the station. Returns the number of probes to be sent first.
    pub(in crate::mac::dcf) fn before(&mut self, now: Time, neighbor: RadioId) -> u32 {
        let pause = self.rules.pause;
        let found = self.last.iter_mut().find(|(known, _)| *known == neighbor);
        let before = found.map(|(_, at)| std::mem::replace(at, now));
        if before.is_none() {
            self.last.push((neighbor, now));
        }
        let is_known = before.is_some_and(|at| now.since(at) <= pause);
        if is_known { 0 } else { self.rules.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communication_is_new_after_a_pause() {
        let mut probing = Probing::new(ProbeRules { count: 4, bytes: 1500, pause: Span::from_millis(100) });
        let owed = [(0, 1), (100, 1), (150, 2), (201, 1), (250, 2)]
            .map(|(ms, neighbor)| probing.before(Time(ms * 1_000_000), RadioId(neighbor)));
        assert_eq!(owed, [4, 0, 4, 4, 0]);
    }
}
