//! The originator: MPDUs that a station has sent to one neighbor, or is about to, from the oldest unacknowledged one on.
//!
//! On its turn the station lays out an A-MPDU: those that were sent before go first, then packets that come down join. A
//! Block Ack releases what has arrived; the rest stays. It sets no timer.

use super::rules::AggregationRules;
use crate::kernel::{RadioId, Time};
use crate::packet::aggregate::{Aggregate, BlockAck, Sequence, room_behind, with_mpdu};
use crate::packet::{Modulation, PacketId};
use std::collections::VecDeque;

/// The window to one neighbor, and where the numbers of all neighbors stand.
#[derive(Debug)]
pub struct Originator {
    rules: AggregationRules,
    /// The neighbor in service.
    to: RadioId,
    /// MPDUs from the oldest unacknowledged one on.
    window: VecDeque<Pending>,
    /// Their packets, in the same order.
    members: VecDeque<Member>,
    neighbors: Vec<Neighbor>,
    /// Block Ack Requests in a row that were not answered.
    unanswered: u32,
    /// A Block Ack has not arrived: it is to be asked for.
    needs_request: bool,
    layout: Layout,
    /// Where the last packet was found that has arrived.
    cursor: usize,
    /// The neighbor holds MPDUs behind one that was discarded.
    has_held: bool,
    /// Modulation of its last PPDU; none before the first.
    pub last: Option<Modulation>,
}

/// One MPDU.
#[derive(Clone, Copy, Debug)]
struct Pending {
    seq: Sequence,
    /// Length of its A-MSDU, in bytes.
    body: u32,
    packets: u32,
    state: State,
    /// It belongs to the A-MPDU that is laid out.
    is_laid_out: bool,
    /// When it is discarded.
    expires: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not sent.
    New,
    /// Sent, and not acknowledged.
    Sent,
    /// Acknowledged, or discarded.
    Over,
}

/// A packet of the window.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Until it is released.
    packet: Option<PacketId>,
    /// The next hop has received it, whether or not the acknowledgment has arrived.
    has_arrived: bool,
}

#[derive(Clone, Copy, Debug)]
struct Neighbor {
    radio: RadioId,
    next: Sequence,
    gap: Gap,
}

/// What a neighbor may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// Nothing that was discarded.
    Closed,
    /// An MPDU was discarded: a request says so before more is sent.
    Open,
    /// The same, and requests were not answered: the next one follows an acknowledgment (Linux `ieee80211_set_bar_pending`).
    Postponed,
}

/// The A-MPDU that is laid out.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    bytes: u32,
    mpdus: u32,
    /// Longest A-MPDU, by bytes and time.
    limit: u32,
    /// Most MPDUs.
    most: u32,
}

/// What may join the A-MPDU that is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Next hop.
    pub to: RadioId,
    /// Longest packet.
    pub bytes: u32,
}

/// A packet that has left the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// Which.
    pub packet: PacketId,
    /// The next hop has received it.
    pub has_arrived: bool,
}

impl Originator {
    /// An empty window.
    pub fn new(rules: AggregationRules) -> Originator {
        Originator {
            window: VecDeque::with_capacity(usize::from(rules.window)),
            members: VecDeque::with_capacity(usize::from(rules.window)),
            rules,
            to: RadioId::BROADCAST,
            neighbors: Vec::new(),
            unanswered: 0,
            needs_request: false,
            layout: Layout::default(),
            cursor: 0,
            has_held: false,
            last: None,
        }
    }

    /// Limits and lengths.
    pub fn rules(&self) -> &AggregationRules {
        &self.rules
    }

    /// Whether nothing is in the window.
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// Packets in the window, and whether their next hop has received them.
    pub fn packets(&self) -> impl Iterator<Item = (PacketId, bool)> {
        self.members.iter().filter_map(|member| member.packet.map(|packet| (packet, member.has_arrived)))
    }

    /// The next hop has received a packet of the window. Whether it had received it before; `None` if it is not in the window.
    pub fn mark_received(&mut self, packet: PacketId) -> Option<bool> {
        let count = self.members.len();
        let order = (self.cursor.min(count)..count).chain(0..self.cursor.min(count));
        let place = order.into_iter().find(|place| self.members[*place].packet == Some(packet))?;
        self.cursor = place + 1;
        Some(std::mem::replace(&mut self.members[place].has_arrived, true))
    }

    /// A packet for a neighbor begins a window.
    pub fn open(&mut self, now: Time, to: RadioId, packet: PacketId, bytes: u32) {
        debug_assert!(self.is_empty(), "one window at a time");
        self.to = to;
        (self.unanswered, self.needs_request) = (0, false);
        self.append(now, packet, bytes);
    }

    /// Whether the neighbor is to be asked for its window before more is sent: its Block Ack has not arrived, or it may wait
    /// for an MPDU that was discarded.
    pub fn owes_request(&mut self) -> bool {
        self.rules.has_agreement() && (self.needs_request || self.neighbor().gap == Gap::Open)
    }

    /// A Block Ack has not arrived.
    pub fn await_request(&mut self) {
        self.needs_request = true;
    }

    /// A request was not answered. Whether that has happened `limit` times in a row.
    pub fn is_unanswered(&mut self, limit: u32) -> bool {
        self.unanswered += 1;
        self.unanswered >= limit
    }

    /// The oldest number that is not over.
    pub fn start(&mut self) -> Sequence {
        match self.window.front() {
            Some(first) => first.seq,
            None => self.neighbor().next,
        }
    }

    /// Begins an A-MPDU of `limit` bytes at most, or one MPDU alone: what was sent before goes first.
    pub fn lay_out(&mut self, limit: u32, is_alone: bool) {
        let most = if self.rules.has_agreement() && !is_alone { u32::from(self.rules.window) } else { 1 };
        self.layout = Layout { bytes: 0, mpdus: 0, limit: limit.min(self.rules.ampdu.max(1)), most };
        let mut is_open = true;
        for pending in &mut self.window {
            pending.is_laid_out = false;
            if pending.state == State::Over || !is_open {
                continue;
            }
            let bytes = with_mpdu(self.layout.bytes, self.rules.mpdu(pending.body, pending.packets));
            is_open = self.layout.mpdus == 0 || (self.layout.mpdus < most && bytes <= self.layout.limit);
            if is_open {
                pending.is_laid_out = true;
                self.layout.bytes = bytes;
                self.layout.mpdus += 1;
            }
        }
        if !self.rules.has_agreement() {
            self.layout.limit = limit;
        }
    }

    /// Length of what is laid out, in bytes; 0: nothing.
    pub fn laid_out(&self) -> u32 {
        let single = self.window.iter().find(|pending| pending.is_laid_out && self.layout.mpdus == 1);
        single.map_or(self.layout.bytes, |pending| self.rules.mpdu(pending.body, pending.packets))
    }

    /// What may join; `None` if nothing may.
    pub fn room(&self) -> Option<Room> {
        let bytes = self.subframe_room().max(self.mpdu_room());
        (bytes > 0).then_some(Room { to: self.to, bytes })
    }

    /// A packet joins, within [`Originator::room`].
    pub fn join(&mut self, now: Time, packet: PacketId, bytes: u32) {
        if bytes <= self.subframe_room() {
            let last = self.window.back_mut().expect("an MPDU that has room");
            let before = self.rules.mpdu(last.body, last.packets);
            last.body = AggregationRules::body_with(last.body, bytes);
            last.packets += 1;
            self.layout.bytes += self.rules.mpdu(last.body, last.packets) - before;
            self.members.push_back(Member { packet: Some(packet), has_arrived: false });
            return;
        }
        self.append(now, packet, bytes);
        let last = self.window.back_mut().expect("the MPDU that was appended");
        last.is_laid_out = true;
        self.layout.bytes = with_mpdu(self.layout.bytes, self.rules.mpdu(last.body, last.packets));
        self.layout.mpdus += 1;
    }

    /// MPDUs that are laid out.
    pub fn mpdus_laid_out(&self) -> u32 {
        self.layout.mpdus
    }

    /// Packets of the MPDUs that are laid out.
    pub fn packets_laid_out(&self) -> u32 {
        self.window.iter().filter(|pending| pending.is_laid_out).map(|pending| pending.packets).sum()
    }

    /// Writes what is laid out, which counts as sent from now on.
    pub fn write(&mut self, aggregate: &mut Aggregate) {
        aggregate.clear();
        let mut first = 0;
        for pending in &mut self.window {
            let members = first..first + pending.packets as usize;
            first = members.end;
            if !pending.is_laid_out {
                continue;
            }
            let is_retry = pending.state == State::Sent;
            pending.state = State::Sent;
            let packets = self.members.range(members).filter_map(|member| member.packet);
            aggregate.push(pending.seq, self.rules.mpdu(pending.body, pending.packets), is_retry, packets);
        }
    }

    /// An acknowledgment has arrived. Number of MPDUs that it acknowledges.
    pub fn on_block_ack(&mut self, ack: &BlockAck, release: &mut dyn FnMut(Released)) -> u32 {
        self.unanswered = 0;
        self.resume_request();
        let mut acked = 0;
        let is_acked = |pending: &Pending| {
            let is_acked = pending.state == State::Sent && ack.has(pending.seq);
            acked += u32::from(is_acked);
            is_acked
        };
        self.end(is_acked, release);
        acked
    }

    /// The neighbor has answered a request: it waits for nothing that was discarded.
    pub fn close_gap(&mut self) {
        self.neighbor().gap = Gap::Closed;
        (self.has_held, self.needs_request) = (false, false);
    }

    /// What is laid out was acknowledged.
    pub fn on_ack(&mut self, release: &mut dyn FnMut(Released)) {
        self.resume_request();
        self.end(|pending| pending.is_laid_out, release);
    }

    /// Gives up MPDUs that were sent and have reached the end of their lives.
    pub fn expire(&mut self, now: Time, release: &mut dyn FnMut(Released)) {
        if self.window.iter().any(|pending| pending.state == State::Sent && pending.expires <= now) {
            self.give_up(|pending| pending.state == State::Sent && pending.expires <= now, release);
        }
    }

    /// Gives up what is laid out.
    pub fn give_up_laid_out(&mut self, release: &mut dyn FnMut(Released)) {
        self.give_up(|pending| pending.is_laid_out, release);
    }

    /// Gives up the oldest MPDU, before it is laid out: its turn has gone to another access category too often.
    pub fn give_up_first(&mut self, release: &mut dyn FnMut(Released)) {
        let first = self.window.front().map(|pending| pending.seq);
        self.give_up(|pending| Some(pending.seq) == first, release);
    }

    /// Gives up MPDUs that were sent: requests for their Block Ack have reached their limit. What was not sent stays, and goes
    /// before the next request.
    pub fn give_up_sent(&mut self, release: &mut dyn FnMut(Released)) {
        self.give_up(|pending| pending.state == State::Sent, release);
        self.neighbor().gap = Gap::Postponed;
        self.unanswered = 0;
        (self.has_held, self.needs_request) = (false, false);
    }

    /// Gives up everything.
    pub fn give_up_all(&mut self, release: &mut dyn FnMut(Released)) {
        self.give_up(|_| true, release);
        self.unanswered = 0;
        (self.has_held, self.needs_request) = (false, false);
    }

    /// Whether the station has more to send to this neighbor: MPDUs, or a request that frees what the neighbor holds.
    pub fn has_more(&self) -> bool {
        !self.window.is_empty() || self.has_held
    }

    /// The neighbor is reached again.
    fn resume_request(&mut self) {
        let neighbor = self.neighbor();
        if neighbor.gap == Gap::Postponed {
            neighbor.gap = Gap::Open;
        }
    }

    fn give_up(&mut self, is_it: impl Fn(&Pending) -> bool, release: &mut dyn FnMut(Released)) {
        self.neighbor().gap = Gap::Open;
        let is_over = |pending: &Pending| pending.state == State::Over;
        let first = self.window.iter().position(|pending| is_it(pending) && !is_over(pending));
        let is_behind = first.is_some_and(|first| self.window.range(first..).any(is_over));
        self.has_held |= (is_behind || self.needs_request) && self.rules.has_agreement();
        self.end(is_it, release);
    }

    /// MPDUs that `is_it` selects are over, and leave the window with those before them.
    fn end(&mut self, is_it: impl FnMut(&Pending) -> bool, release: &mut dyn FnMut(Released)) {
        self.over(is_it, release);
        while self.window.front().is_some_and(|pending| pending.state == State::Over) {
            let pending = self.window.pop_front().expect("the first");
            self.members.drain(..pending.packets as usize);
            self.cursor = self.cursor.saturating_sub(pending.packets as usize);
        }
    }

    fn over(&mut self, mut is_it: impl FnMut(&Pending) -> bool, release: &mut dyn FnMut(Released)) {
        let mut first = 0;
        for pending in &mut self.window {
            let members = first..first + pending.packets as usize;
            first = members.end;
            if pending.state != State::Over && is_it(pending) {
                pending.state = State::Over;
                for member in self.members.range_mut(members) {
                    if let Some(packet) = member.packet.take() {
                        release(Released { packet, has_arrived: member.has_arrived });
                    }
                }
            }
        }
    }

    fn append(&mut self, now: Time, packet: PacketId, bytes: u32) {
        let neighbor = self.neighbor();
        let seq = neighbor.next;
        neighbor.next = seq.after(1);
        self.window.push_back(Pending {
            seq,
            body: AggregationRules::body_with(0, bytes),
            packets: 1,
            state: State::New,
            is_laid_out: false,
            expires: now + self.rules.life,
        });
        self.members.push_back(Member { packet: Some(packet), has_arrived: false });
    }

    /// Longest packet that can join the last MPDU, which has not been sent.
    fn subframe_room(&self) -> u32 {
        let Some(last) = self.window.back().filter(|last| last.state == State::New && last.is_laid_out) else {
            return 0;
        };
        let empty = self.rules.mpdu(AggregationRules::body_with(last.body, 0), last.packets + 1);
        let now = self.rules.mpdu(last.body, last.packets);
        self.rules
            .body_room(last.body)
            .min(self.layout.limit.saturating_add(now).saturating_sub(self.layout.bytes + empty))
    }

    /// Longest packet that can have an MPDU of its own.
    fn mpdu_room(&self) -> u32 {
        let has_window = |first: &Pending| {
            let next = self.window.back().map_or(first.seq, |last| last.seq.after(1));
            next.distance(first.seq) < self.rules.window
        };
        let is_open = self.rules.has_agreement()
            && self.layout.mpdus < self.layout.most
            && self.window.front().is_none_or(has_window);
        if !is_open {
            return 0;
        }
        room_behind(self.layout.bytes, self.layout.limit).saturating_sub(self.rules.overhead)
    }

    fn neighbor(&mut self) -> &mut Neighbor {
        let place = self.neighbors.iter().position(|neighbor| neighbor.radio == self.to).unwrap_or_else(|| {
            self.neighbors.push(Neighbor { radio: self.to, next: Sequence(0), gap: Gap::Closed });
            self.neighbors.len() - 1
        });
        &mut self.neighbors[place]
    }
}

#[cfg(test)]
mod tests;
