//! Pull admission: when a packet of this node may enter its interface queue.
//!
//! # Model
//! Packets of other transports enter at once, and a full queue drops them. A packet of a pulled transport is admitted when
//! the MAC is free and the queue is empty, while fewer than `t_c` packets are queued (rule 3 of Cai 2013). An idle source is
//! admitted likewise, once none of its packets is left. Where one grant lets several packets through (an A-MPDU, a TXOP), `t_c`
//! counts such turns, and a source that is admitted fills one.
//! # Source
//! Cai 2013, section 3.1; its published program for the time of admission.
//! # Deviations
//! Packets in the delay before the queue count as queued. No data follows a packet with pending ARP resolution until its
//! timeout or a timer fires. The program has neither rule.
//! # Parameters
//! `semi_tcp.t_c`, `semi_tcp.n_src_counts`, `semi_tcp.source_fill`.

use crate::packet::Backlog;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The admission rule for packets of pulled transport at their source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Maximum of queued packets: T_c.
    pub t_c: u32,
    /// What counts as waiting.
    pub n_src_counts: SourceCount,
    /// Limit up to which a source fills the queue at once.
    pub source_fill: SourceFill,
}

/// Packets that count towards the limit when the node's own transport sends.
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

/// How far a source is filled when the MAC is free.
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
    /// Rule 3: whether one more packet is admitted, where one grant lets `turn` packets through. `in_service`: the MAC holds a
    /// data packet.
    pub fn has_room(&self, backlog: &Backlog, in_service: bool, turn: u32) -> bool {
        self.held(backlog, in_service) < self.t_c.saturating_mul(turn)
    }

    /// Whether one more packet follows those that were just admitted.
    pub fn may_follow(&self, backlog: &Backlog, in_service: bool, turn: u32) -> bool {
        let has_room = if self.fills() {
            self.has_room(backlog, in_service, turn)
        } else {
            self.is_slot(backlog, in_service, false) || self.held(backlog, in_service) < turn
        };
        backlog.unresolved == 0 && has_room
    }

    /// Packets that are admitted at a time, unless routing drops some at once.
    pub fn most_at_once(&self, turn: u32) -> u32 {
        if self.fills() { self.t_c.saturating_mul(turn) } else { turn }
    }

    fn held(self, backlog: &Backlog, in_service: bool) -> u32 {
        let held = match self.n_src_counts {
            SourceCount::IfqAndWaiting => backlog.queued() + backlog.waiting,
            SourceCount::Ifq => backlog.queued(),
            SourceCount::IfqAndService => backlog.queued() + u32::from(in_service),
        };
        held + backlog.coming
    }

    /// Whether a packet of the node may be admitted now: queue and MAC have none of its data. ARP holds one packet and drops it
    /// for the next. So none follows a packet with pending resolution, unless a timer has fired (`is_overdue`): only the next
    /// packet repeats the request.
    pub fn is_slot(&self, backlog: &Backlog, in_service: bool, is_overdue: bool) -> bool {
        let is_empty = backlog.queued() + backlog.coming == 0 && (backlog.unresolved == 0 || is_overdue);
        is_empty && !in_service && self.held(backlog, false) < self.t_c
    }

    /// Whether more than one turn is admitted at a time.
    fn fills(self) -> bool {
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
    fn rule_3_counts_the_configured_packets() {
        let with = |n_src_counts, t_c| Admission { t_c, n_src_counts, ..Admission::default() };
        let all = with(SourceCount::IfqAndWaiting, 2);
        assert!(all.has_room(&backlog(1, 0, 0), true, 1) && all.has_room(&backlog(0, 0, 1), true, 1));
        assert!(!all.has_room(&backlog(1, 1, 0), false, 1) && !all.has_room(&backlog(0, 1, 1), false, 1));
        assert!(with(SourceCount::Ifq, 1).has_room(&backlog(0, 0, 5), true, 1));
        let service = with(SourceCount::IfqAndService, 1);
        assert!(service.has_room(&backlog(0, 0, 3), false, 1) && !service.has_room(&backlog(0, 0, 0), true, 1));
    }

    #[test]
    fn admission_requires_empty_queue_and_free_mac() {
        let rule = Admission { t_c: 4, ..Admission::default() };
        assert!(rule.is_slot(&backlog(0, 0, 3), false, false));
        assert!(!rule.is_slot(&backlog(0, 0, 0), true, false));
        assert!(!rule.is_slot(&backlog(1, 0, 0), false, false) && !rule.is_slot(&backlog(0, 1, 0), false, false));
        assert!(!rule.is_slot(&backlog(0, 0, 4), false, false));
        assert!(!rule.is_slot(&Backlog { coming: 1, ..Backlog::default() }, false, false));
        let unresolved = Backlog { unresolved: 1, ..Backlog::default() };
        assert!(!rule.is_slot(&unresolved, false, false) && rule.is_slot(&unresolved, false, true));
        assert!(rule.has_room(&unresolved, false, 1), "acknowledgments do not wait for an address");
    }
}
