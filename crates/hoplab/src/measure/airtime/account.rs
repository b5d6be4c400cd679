//! One book for each node: what its time has gone into since the last look.
//!
//! Between two events at a node its radio and MAC do not change, but for what ends by the clock: a frame of its own, and
//! a reservation. So it is enough to look at a node before each event there, and to book the time since the last look, by
//! the first use that applies; and a first bit that meets nothing else takes no look, as the receiver knows when that was
//! ([`AirtimeProbe`]). Nothing is booked twice or left out: the sum is the time that has passed, exactly.

use super::airtime::{Spent, Use};
use crate::kernel::{NodeId, Span, Time};
use crate::mac::observer::BusyTime;
use crate::mac::{Mac, Sent, StationActivity};
use crate::packet::{Frame, FrameKind};
use crate::phy::{AirtimeProbe, Radio};

/// AccountProbe of all nodes.
#[derive(Debug, Default)]
pub(super) struct Airtime {
    nodes: Vec<AirtimeAccount>,
    /// When each node's air was in use, with DIFS after each use; empty unless asked for.
    air: Vec<Air>,
}

/// The second reading of a node's books.
#[derive(Clone, Debug)]
struct Air {
    used: BusyTime,
    difs: Span,
}

/// One node's book. What frames for others need of it lies in two cache lines: the first one, and the last uses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct AirtimeAccount {
    since: Time,
    /// What the station is about, if that has been asked since it last did something.
    duty: Option<StationActivity>,
    /// The part of the reservation that is there for want of a frame that could be read.
    eifs: (Time, Time),
    /// Nothing: up to where the last uses begin a line.
    _rest: [u64; 4],
    spent: Spent,
}

const _: () =
    assert!(std::mem::offset_of!(AirtimeAccount, spent) + 8 * Use::Collision as usize == 128, "a line begins with it");

impl Airtime {
    pub(super) fn new(nodes: usize, now: Time) -> Airtime {
        Airtime { nodes: vec![AirtimeAccount { since: now, ..AirtimeAccount::default() }; nodes], air: Vec::new() }
    }

    /// Tells from now on when each node's air was in use, too; `difs` are those of the nodes.
    pub(super) fn keep_air(&mut self, difs: impl Iterator<Item = Span>) {
        self.air = difs.map(|difs| Air { used: BusyTime::default(), difs }).collect();
    }

    /// A node's time up to now.
    pub(super) fn of(&self, seen: Seen<'_>) -> Spent {
        let mut book = self.nodes[seen.node.index()];
        book.settle(&seen, &mut ());
        book.spent
    }

    /// Share of the last `window` in which a node's air was free; `None` without [`Airtime::keep_air`].
    pub(super) fn free(&self, seen: Seen<'_>, window: Span) -> Option<f64> {
        let mut air = self.air.get(seen.node.index())?.clone();
        self.nodes[seen.node.index()].clone().settle(&seen, &mut air);
        Some(1.0 - air.used.share(seen.now, window))
    }

    /// AccountProbe a node's time up to now.
    #[inline]
    fn settle(&mut self, seen: Seen<'_>) {
        let book = &mut self.nodes[seen.node.index()];
        match self.air.get_mut(seen.node.index()) {
            None => book.settle(&seen, &mut ()),
            Some(air) => book.settle(&seen, air),
        }
    }

    /// The same before a station does something; often a bit that has just come has been booked already.
    #[inline]
    pub(super) fn on_action<'a>(&mut self, now: Time, node: NodeId, seen: impl FnOnce() -> Seen<'a>) {
        if self.nodes[node.index()].since < now {
            self.settle(seen());
        }
        self.nodes[node.index()].duty = None;
    }

    /// A reservation that had ended at `before` has been extended to its present end, for want of a readable frame.
    #[inline]
    pub(super) fn on_unreadable(&mut self, now: Time, node: NodeId, radio: &Radio, before: Time) {
        let until = radio.nav_until;
        if until > before {
            self.nodes[node.index()].eifs = (before.max(now), until);
        }
    }
}

/// The books, while bits pass receivers.
pub(super) struct AccountProbe<'a> {
    pub(super) airtime: &'a mut Airtime,
    pub(super) macs: &'a [Mac],
}

impl AirtimeProbe for AccountProbe<'_> {
    const IS_KEPT: bool = true;

    #[inline]
    fn settle(&mut self, now: Time, node: NodeId, radio: &Radio, followed: Option<&Frame>) {
        self.airtime.settle(Seen { now, node, radio, followed, macs: self.macs });
    }

    #[inline]
    fn on_unreadable(&mut self, now: Time, node: NodeId, radio: &Radio, before: Time) {
        self.airtime.on_unreadable(now, node, radio, before);
    }
}

/// A node at a moment: all that says what its time since the last look went into.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) now: Time,
    pub(super) node: NodeId,
    pub(super) radio: &'a Radio,
    /// The frame that its receiver follows.
    pub(super) followed: Option<&'a Frame>,
    /// Those of all nodes.
    pub(super) macs: &'a [Mac],
}

impl Seen<'_> {
    /// Since when the medium has been busy; now, if it is not. Unknown where interference adds up, and after a collision:
    /// then whoever brought it about has looked.
    #[inline]
    fn busy_since(&self) -> Time {
        match self.followed {
            Some(frame) if !self.radio.has_collided() => self.radio.begun(frame.airtime),
            None if !self.radio.is_receiving() => self.now,
            _ => Time::ZERO,
        }
    }

    /// What the time goes into while the medium is busy.
    #[inline]
    fn reception(&self) -> Use {
        match self.followed {
            _ if self.radio.has_collided() => Use::Collision,
            Some(frame) if frame.ra == self.node || frame.is_broadcast() => Use::Received,
            _ => Use::Overheard,
        }
    }
}

impl AirtimeAccount {
    /// AccountProbe a node's time up to now, during which nothing has changed there but by the clock.
    #[inline]
    fn settle(&mut self, seen: &Seen<'_>, reader: &mut impl Reader) {
        if seen.radio.is_off() {
            self.book(Use::Off, seen.now, reader);
            return;
        }
        let busy_since = seen.busy_since();
        if self.since < busy_since {
            self.settle_quiet(seen, busy_since, reader);
        }
        if self.since < seen.radio.sends_until() {
            self.settle_own(seen, seen.now, reader);
        }
        self.book(seen.reception(), seen.now, reader);
    }

    /// AccountProbe what the station itself has sent up to `end`.
    #[cold]
    fn settle_own(&mut self, seen: &Seen<'_>, end: Time, reader: &mut impl Reader) {
        let own = own_frame(&self.duty(seen));
        self.book(own, seen.radio.sends_until().min(end), reader);
    }

    /// AccountProbe time up to `end`, later than the last look, in which nothing from others was on the air.
    fn settle_quiet(&mut self, seen: &Seen<'_>, end: Time, reader: &mut impl Reader) {
        if self.since < seen.radio.sends_until() {
            self.settle_own(seen, end, reader);
        }
        let duty = self.duty(seen);
        if duty.is_engaged {
            self.book(Use::Exchange, end, reader);
            return;
        }
        let nav_until = seen.radio.nav_until.min(end);
        if nav_until > self.since {
            let (eifs_from, eifs_until) = self.eifs;
            self.book(Use::Reserved, nav_until.min(eifs_from), reader);
            self.book(Use::Eifs, nav_until.min(eifs_until), reader);
            self.book(Use::Reserved, nav_until, reader);
        }
        if duty.is_contending {
            self.book(Use::Eifs, duty.eifs_until.min(end), reader);
            self.book(Use::Backoff, end, reader);
        }
        self.book(if duty.is_parked { Use::Parked } else { Use::Idle }, end, reader);
    }

    /// What the station is about, as it has been since it last did something.
    #[inline]
    fn duty(&mut self, seen: &Seen<'_>) -> StationActivity {
        *self.duty.get_or_insert_with(|| seen.macs[seen.node.index()].activity())
    }

    /// What is not booked yet of the time up to `until` was spent so.
    #[inline]
    fn book(&mut self, what: Use, until: Time, reader: &mut impl Reader) {
        if until > self.since {
            reader.read(what, self.since, until);
            self.spent.0[what as usize] += until.since(self.since).0;
            self.since = until;
        }
    }
}

/// Who reads what is booked.
trait Reader {
    fn read(&mut self, what: Use, from: Time, until: Time);
}

/// Nobody does.
impl Reader for () {
    #[inline]
    fn read(&mut self, _: Use, _: Time, _: Time) {}
}

impl Reader for Air {
    fn read(&mut self, what: Use, from: Time, until: Time) {
        if !what.is_free() {
            self.used.cover(from, until + self.difs);
        }
    }
}

/// What the frame is that a station sends.
fn own_frame(duty: &StationActivity) -> Use {
    match duty.sent {
        Some(Sent::To(FrameKind::Rts)) => Use::Rts,
        Some(Sent::To(FrameKind::Cts)) => Use::Cts,
        Some(Sent::To(FrameKind::Ack)) => Use::Ack,
        Some(Sent::Broadcast) => Use::Broadcast,
        Some(Sent::To(FrameKind::Data)) | None => Use::Data,
    }
}
