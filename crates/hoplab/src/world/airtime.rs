//! What each node's time goes into, to the nanosecond.
//!
//! Between two events at a node its radio and MAC do not change, but for what ends by the clock: a frame of its own, and
//! a reservation. So it is enough to look at a node before each event there, and to book the time since the last look.
//! Nothing is booked twice or left out: the sum is the time that has passed, exactly.
//!
//! Where it is asked for, what is booked is read a second time: [`World::free`] is the share of a window in which a
//! node's air was free, that is, nothing was on it, reserved or waited for, and no DIFS after any of these ran.

use super::World;
use crate::kernel::{NodeId, Span, Time};
use crate::mac::observer::BusyClock;
use crate::mac::{Duty, Mac, Sent};
use crate::packet::FrameKind;
use crate::phy::Medium;
use serde::Serialize;

/// What a node's time can go into. The first that applies counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Use {
    /// The radio is switched off.
    Off,
    /// Sending data to a neighbor.
    Data,
    /// Sending a broadcast.
    Broadcast,
    /// Sending a request to send.
    Rts,
    /// Sending a clear to send.
    Cts,
    /// Sending an acknowledgment of the MAC.
    Ack,
    /// Receiving a frame that is for this node, or for everybody.
    Received,
    /// Hearing two frames that have destroyed each other.
    Collision,
    /// Hearing a frame that is for others, or energy that is no frame.
    Overheard,
    /// In the gaps of an exchange of the node's own: SIFS, and waiting for an answer.
    Exchange,
    /// Waiting after a frame that could not be read (EIFS).
    Eifs,
    /// Others have reserved the medium (NAV).
    Reserved,
    /// A packet is to be sent: DIFS, and the slots of the backoff.
    Backoff,
    /// A packet is held back for a neighbor's congestion.
    Parked,
    /// Nothing is on the air, and nothing is to be sent.
    Idle,
}

/// How many uses there are.
const USES: usize = 15;

/// One node's time, in nanoseconds, by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent(pub [u64; USES]);

/// Books of all nodes.
#[derive(Debug, Default)]
pub(super) struct Airtime {
    nodes: Vec<Book>,
    /// When each node's air was in use, with DIFS after each use; empty unless asked for.
    air: Vec<Air>,
}

/// The second reading of a node's books.
#[derive(Clone, Debug)]
struct Air {
    used: BusyClock,
    difs: Span,
}

#[derive(Clone, Copy, Debug, Default)]
struct Book {
    spent: Spent,
    since: Time,
    /// The part of the reservation that is there for want of a frame that could be read.
    eifs: (Time, Time),
}

/// One node's time in the results, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AirtimeReport {
    /// The node.
    pub node: u32,
    /// Seconds by use; see `docs/reference/trace.md`.
    #[serde(flatten)]
    pub spent: Spent,
}

impl Use {
    /// Whether the node's air is free: nobody uses it, and the node does not wait for it.
    pub fn is_free(self) -> bool {
        matches!(self, Use::Parked | Use::Idle)
    }

    /// All uses, in the order of their numbers.
    pub const ALL: [Use; USES] = [
        Use::Off,
        Use::Data,
        Use::Broadcast,
        Use::Rts,
        Use::Cts,
        Use::Ack,
        Use::Received,
        Use::Collision,
        Use::Overheard,
        Use::Exchange,
        Use::Eifs,
        Use::Reserved,
        Use::Backoff,
        Use::Parked,
        Use::Idle,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Use::Off => "off",
            Use::Data => "data",
            Use::Broadcast => "broadcast",
            Use::Rts => "rts",
            Use::Cts => "cts",
            Use::Ack => "ack",
            Use::Received => "received",
            Use::Collision => "collision",
            Use::Overheard => "overheard",
            Use::Exchange => "exchange",
            Use::Eifs => "eifs",
            Use::Reserved => "reserved",
            Use::Backoff => "backoff",
            Use::Parked => "parked",
            Use::Idle => "idle",
        }
    }
}

impl Spent {
    /// Time spent so.
    pub fn of(&self, what: Use) -> u64 {
        self.0[what as usize]
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Serialize for Spent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Use::ALL.into_iter().map(|what| (what.name(), self.of(what) as f64 * 1e-9)))
    }
}

impl Airtime {
    pub(super) fn new(nodes: usize, now: Time) -> Airtime {
        Airtime { nodes: vec![Book { since: now, ..Book::default() }; nodes], air: Vec::new() }
    }

    /// Books a node's time up to now, during which nothing has changed there but by the clock.
    pub(super) fn settle(&mut self, now: Time, node: NodeId, mac: &Mac, medium: &Medium) {
        let air = self.air.get_mut(node.index());
        self.nodes[node.index()].settle(now, node, mac, medium, air);
    }

    /// A node's reservation has been extended from `before` to its present end, for want of a readable frame.
    pub(super) fn on_unreadable(&mut self, now: Time, node: NodeId, before: Time, medium: &Medium) {
        let until = medium.radio(node).reserved_until;
        if until > before {
            self.nodes[node.index()].eifs = (before.max(now), until);
        }
    }

    fn of(&self, node: NodeId, now: Time, mac: &Mac, medium: &Medium) -> Spent {
        let mut book = self.nodes[node.index()];
        book.settle(now, node, mac, medium, None);
        book.spent
    }

    fn free(&self, node: NodeId, now: Time, window: Span, mac: &Mac, medium: &Medium) -> Option<f64> {
        let mut air = self.air.get(node.index())?.clone();
        self.nodes[node.index()].clone().settle(now, node, mac, medium, Some(&mut air));
        Some(1.0 - air.used.share(now, window))
    }
}

impl Book {
    /// Most time has one use alone, and several events at a node fall on one moment: what need not be asked is not.
    #[inline]
    fn settle(&mut self, now: Time, node: NodeId, mac: &Mac, medium: &Medium, mut air: Option<&mut Air>) {
        if now <= self.since {
            return;
        }
        let mut book = |book: &mut Book, what: Use, until: Time| book.book(what, until, now, air.as_deref_mut());
        let radio = medium.radio(node);
        if radio.is_off() {
            book(self, Use::Off, now);
            return;
        }
        if radio.sends_until() > self.since {
            book(self, own_frame(&mac.duty()), radio.sends_until());
        }
        if radio.is_receiving() {
            let what = match medium.followed(node) {
                Some((_, true)) => Use::Collision,
                Some((frame, false)) if frame.ra == node || frame.is_broadcast() => Use::Received,
                _ => Use::Overheard,
            };
            book(self, what, now);
        }
        if now <= self.since {
            return;
        }
        let duty = mac.duty();
        if duty.is_engaged {
            book(self, Use::Exchange, now);
        }
        if radio.reserved_until > self.since {
            let (eifs_from, eifs_until) = self.eifs;
            book(self, Use::Reserved, radio.reserved_until.min(eifs_from));
            book(self, Use::Eifs, radio.reserved_until.min(eifs_until));
            book(self, Use::Reserved, radio.reserved_until);
        }
        if duty.is_contending {
            book(self, Use::Eifs, duty.eifs_until);
            book(self, Use::Backoff, now);
        }
        book(self, if duty.is_parked { Use::Parked } else { Use::Idle }, now);
    }

    /// What is not booked yet of the time up to the earlier of `until` and `now` was spent so.
    #[inline]
    fn book(&mut self, what: Use, until: Time, now: Time, air: Option<&mut Air>) {
        let until = until.min(now);
        if until > self.since {
            if let Some(air) = air.filter(|_| !what.is_free()) {
                air.used.cover(self.since, until + air.difs);
            }
            self.spent.0[what as usize] += until.since(self.since).0;
            self.since = until;
        }
    }
}

/// What the frame is that a station sends.
fn own_frame(duty: &Duty) -> Use {
    match duty.sent {
        Some(Sent::To(FrameKind::Rts)) => Use::Rts,
        Some(Sent::To(FrameKind::Cts)) => Use::Cts,
        Some(Sent::To(FrameKind::Ack)) => Use::Ack,
        Some(Sent::Broadcast) => Use::Broadcast,
        Some(Sent::To(FrameKind::Data)) | None => Use::Data,
    }
}

impl World {
    /// Accounts for every node's time from now on.
    pub fn keep_airtime(&mut self) {
        let now = self.now();
        self.airtime.get_or_insert_with(|| Box::new(Airtime::new(self.macs.len(), now)));
    }

    /// The same, and when each node's air was in use ([`World::free`]); from the beginning of the run.
    pub fn keep_air(&mut self) {
        self.keep_airtime();
        let air = self.macs.iter().map(|mac| Air { used: BusyClock::default(), difs: mac.timing().difs }).collect();
        if let Some(airtime) = &mut self.airtime {
            airtime.air = air;
        }
    }

    /// Share of the last `window` in which a node's air was free; `None` without [`World::keep_air`].
    pub fn free(&self, node: NodeId, window: Span) -> Option<f64> {
        let books = self.airtime.as_ref()?;
        books.free(node, self.now(), window, &self.macs[node.index()], &self.medium)
    }

    /// What a node's time since [`World::keep_airtime`] went into.
    pub fn spent(&self, node: NodeId) -> Option<Spent> {
        let books = self.airtime.as_ref()?;
        Some(books.of(node, self.now(), &self.macs[node.index()], &self.medium))
    }

    /// The same of all nodes, for the results; nothing if it was not asked for.
    pub(super) fn airtime_reports(&self) -> Vec<AirtimeReport> {
        let nodes = (0..self.macs.len() as u32).map(NodeId);
        nodes.filter_map(|node| Some(AirtimeReport { node: node.0, spent: self.spent(node)? })).collect()
    }

    /// To be called before anything changes at a node's radio or MAC.
    #[inline]
    pub(super) fn book(&mut self, node: NodeId) {
        if self.airtime.is_some() {
            self.book_asked(node);
        }
    }

    /// Away from the path of runs that nobody accounts for: the test alone is to stand there.
    #[cold]
    #[inline(never)]
    fn book_asked(&mut self, node: NodeId) {
        if let Some(airtime) = &mut self.airtime {
            airtime.settle(self.ctx.now, node, &self.macs[node.index()], &self.medium);
        }
    }

    /// End of a node's reservation, if anybody accounts for time.
    #[inline]
    pub(super) fn reserved(&self, node: NodeId) -> Time {
        if self.airtime.is_some() { self.medium.radio(node).reserved_until } else { Time::ZERO }
    }

    /// A frame could not be read at a node whose reservation ended at `before` until then.
    #[inline]
    pub(super) fn book_unreadable(&mut self, node: NodeId, before: Time) {
        if let Some(airtime) = &mut self.airtime {
            airtime.on_unreadable(self.ctx.now, node, before, &self.medium);
        }
    }
}
