//! When a packet that was made at this node may enter its interface queue.
//!
//! # Model
//! Transport that is not pulled pushes: its packets enter at once, and a full queue drops them. For transport that is
//! pulled, a packet is let in when the MAC asks for one and the queue is empty, as long as fewer than `t_c` packets
//! wait here (rule 3 of Cai 2013); a source that stands still is let in likewise, as soon as nothing of it is left.
//! # Source
//! Cai 2013, section 3.1; its published program for the moment of asking.
//! # Deviations
//! What is on its way to the queue counts as waiting, and behind a packet without an address no data follows until that
//! is overdue or a timer ends; the program does not see either.
//! # Parameters
//! `semi_tcp.t_c`, `semi_tcp.n_src_counts`, `semi_tcp.source_fill`.

use crate::packet::Backlog;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rule for a node's own packets, of transport that is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Packets that may wait: T_c.
    pub t_c: u32,
    /// What counts as waiting.
    pub n_src_counts: SourceCount,
    /// How far a source is filled at once.
    pub source_fill: SourceFill,
}

/// What counts as held by a node when its own transport wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceCount {
    /// The interface queue, and what waits for a route.
    IfqAndWaiting,
    /// The interface queue.
    Ifq,
    /// The interface queue, and the data packet in service.
    IfqAndService,
}

/// How far a source is filled when the MAC asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceFill {
    /// By one packet.
    PullWhenEmpty,
    /// Up to T_c packets.
    #[serde(rename = "fill_to_tc")]
    FillToTc,
}

impl Default for Admission {
    fn default() -> Self {
        Admission { t_c: 1, n_src_counts: SourceCount::IfqAndWaiting, source_fill: SourceFill::PullWhenEmpty }
    }
}

impl Admission {
    /// Rule 3: whether one more packet may come, if the MAC holds a data packet or not (`in_service`).
    pub fn has_room(&self, backlog: &Backlog, in_service: bool) -> bool {
        let held = match self.n_src_counts {
            SourceCount::IfqAndWaiting => backlog.queued() + backlog.waiting,
            SourceCount::Ifq => backlog.queued(),
            SourceCount::IfqAndService => backlog.queued() + u32::from(in_service),
        };
        held + backlog.coming < self.t_c
    }

    /// Whether this is the moment to let a packet of the node in: nothing of it is left in queue or MAC. ARP holds one
    /// packet and drops it for the next, so that none follows one without an address, unless a timer has ended
    /// meanwhile (`is_overdue`): who asks for the address again is the next packet.
    pub fn is_slot(&self, backlog: &Backlog, in_service: bool, is_overdue: bool) -> bool {
        let is_empty = backlog.queued() + backlog.coming == 0 && (backlog.unresolved == 0 || is_overdue);
        is_empty && !in_service && self.has_room(backlog, false)
    }

    /// Whether more than one packet is let in at such a moment.
    pub fn fills(&self) -> bool {
        self.source_fill == SourceFill::FillToTc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(control: u32, data: u32, waiting: u32) -> Backlog {
        Backlog { control, data, waiting, ..Backlog::default() }
    }

    #[test]
    fn rule_3_counts_what_it_is_told_to() {
        let with = |n_src_counts, t_c| Admission { t_c, n_src_counts, ..Admission::default() };
        let all = with(SourceCount::IfqAndWaiting, 2);
        assert!(all.has_room(&backlog(1, 0, 0), true) && all.has_room(&backlog(0, 0, 1), true));
        assert!(!all.has_room(&backlog(1, 1, 0), false) && !all.has_room(&backlog(0, 1, 1), false));
        assert!(with(SourceCount::Ifq, 1).has_room(&backlog(0, 0, 5), true));
        let service = with(SourceCount::IfqAndService, 1);
        assert!(service.has_room(&backlog(0, 0, 3), false) && !service.has_room(&backlog(0, 0, 0), true));
    }

    #[test]
    fn a_slot_needs_an_empty_queue_and_an_idle_mac() {
        let rule = Admission { t_c: 4, ..Admission::default() };
        assert!(rule.is_slot(&backlog(0, 0, 3), false, false));
        assert!(!rule.is_slot(&backlog(0, 0, 0), true, false));
        assert!(!rule.is_slot(&backlog(1, 0, 0), false, false) && !rule.is_slot(&backlog(0, 1, 0), false, false));
        assert!(!rule.is_slot(&backlog(0, 0, 4), false, false));
        assert!(!rule.is_slot(&Backlog { coming: 1, ..Backlog::default() }, false, false));
        let unresolved = Backlog { unresolved: 1, ..Backlog::default() };
        assert!(!rule.is_slot(&unresolved, false, false) && rule.is_slot(&unresolved, false, true));
        assert!(rule.has_room(&unresolved, false), "acknowledgments do not wait for an address");
    }
}
