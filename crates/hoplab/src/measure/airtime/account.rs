//! The airtime account of one node: the uses of its time since the last update.
//!
//! Between two events at a node its radio and its station change by the clock alone: its transmission ends, or the NAV
//! expires. So each account is updated before an event at its node, with the first use that applies to each part of the
//! elapsed time. A signal start on an idle medium needs no update: the radio stores its time. No time is counted twice or
//! omitted: the sum of the uses is the elapsed time, exactly.

use super::state::NodeState;
use super::usage::{AirtimeUse, NodeAirtime};
use crate::kernel::{RadioId, Span, Time};
use crate::mac::observer::BusyTime;
use crate::mac::{Mac, Sent, StationActivity};
use crate::packet::{Frame, FrameKind};
use crate::phy::{ArrivalProbe, Radio};

/// Accounts of all nodes.
#[derive(Debug, Default)]
pub struct AirtimeAccounts {
    radios: Vec<AirtimeAccount>,
    /// When the medium at each radio was in use, with DIFS after each use; empty unless requested.
    in_use: Vec<UseRecord>,
}

/// When a node's air was in use: what free shares of a window are computed from.
#[derive(Clone, Debug)]
struct UseRecord {
    used: BusyTime,
    difs: Span,
}

/// Account of one node. Frames for other nodes touch two cache lines of it: the first, and the last uses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct AirtimeAccount {
    /// Time of the last update.
    since: Time,
    /// The station's activity, if read since the station last acted.
    activity: Option<StationActivity>,
    /// The part of the NAV that an undecodable frame has set.
    eifs: (Time, Time),
    /// Padding: the last uses begin a cache line.
    _padding: [u64; 4],
    airtime: NodeAirtime,
}

const _: () = assert!(
    std::mem::offset_of!(AirtimeAccount, airtime) + 8 * AirtimeUse::Collision as usize == 128,
    "a cache line begins with this use"
);

impl AirtimeAccounts {
    /// Accounts that begin now.
    pub fn new(radios: usize, now: Time) -> AirtimeAccounts {
        let account = AirtimeAccount { since: now, ..AirtimeAccount::default() };
        AirtimeAccounts { radios: vec![account; radios], in_use: Vec::new() }
    }

    /// Records from now on when each node's air is in use; `difs` are those of the nodes.
    pub fn record_use(&mut self, difs: impl Iterator<Item = Span>) {
        self.in_use = difs.map(|difs| UseRecord { used: BusyTime::default(), difs }).collect();
    }

    /// Airtime of a node up to now.
    pub fn of(&self, state: NodeState<'_>) -> NodeAirtime {
        let mut account = self.radios[state.at.index()];
        account.settle(&state, &mut ());
        account.airtime
    }

    /// Share of the last `window` in which a node's air was free: not in use, not reserved, not waited for, and no DIFS
    /// after any of these. `None` without [`AirtimeAccounts::record_use`].
    pub fn free_share(&self, state: NodeState<'_>, window: Span) -> Option<f64> {
        let mut in_use = self.in_use.get(state.at.index())?.clone();
        self.radios[state.at.index()].clone().settle(&state, &mut in_use);
        Some(1.0 - in_use.used.share(state.now, window))
    }

    /// Settles the account of a node up to now.
    #[inline]
    fn settle(&mut self, state: NodeState<'_>) {
        let account = &mut self.radios[state.at.index()];
        match self.in_use.get_mut(state.at.index()) {
            None => account.settle(&state, &mut ()),
            Some(in_use) => account.settle(&state, in_use),
        }
    }

    /// Updates the account of a node before its radio or station changes. Often the signal that causes the change has
    /// updated it already.
    #[inline]
    pub fn before_change<'a>(&mut self, now: Time, at: RadioId, state: impl FnOnce() -> NodeState<'a>) {
        if self.radios[at.index()].since < now {
            self.settle(state());
        }
        self.radios[at.index()].activity = None;
    }

    /// An undecodable frame has extended the NAV of a node, which would have expired at `before`.
    #[inline]
    pub fn on_unreadable(&mut self, now: Time, at: RadioId, radio: &Radio, before: Time) {
        let until = radio.nav_until;
        if until > before {
            self.radios[at.index()].eifs = (before.max(now), until);
        }
    }
}

/// The accounts while a signal reaches its receivers.
#[derive(Debug)]
pub struct AccountProbe<'a> {
    /// Accounts of all nodes.
    pub accounts: &'a mut AirtimeAccounts,
    /// Stations of all nodes.
    pub macs: &'a [Mac],
    /// Frames that collide.
    pub collisions: &'a mut Collisions,
}

/// Collided frames at their receivers within decoding range, since the last call.
#[derive(Debug, Default)]
pub struct Collisions {
    /// Minimum power of a signal that can be decoded, in watts.
    pub rx_threshold: f64,
    /// Time, radio, type and sender.
    pub found: Vec<(Time, RadioId, FrameKind, RadioId)>,
}

impl ArrivalProbe for AccountProbe<'_> {
    const RECORDS: bool = true;

    #[inline]
    fn before_change(&mut self, now: Time, at: RadioId, radio: &Radio, locked_on: Option<&Frame>) {
        self.accounts.settle(NodeState { now, at, radio, locked_on, macs: self.macs });
    }

    #[inline]
    fn on_collision(&mut self, now: Time, at: RadioId, radio: &Radio, frame: &Frame, power: f64, start: Time) {
        let is_addressee = frame.ra == at || frame.is_broadcast();
        if is_addressee && power >= self.collisions.rx_threshold && radio.tx_end() <= start {
            self.collisions.found.push((now, at, frame.kind, frame.ta));
        }
    }

    #[inline]
    fn on_unreadable(&mut self, now: Time, at: RadioId, radio: &Radio, before: Time) {
        self.accounts.on_unreadable(now, at, radio, before);
    }
}

impl AirtimeAccount {
    /// Settles the time up to now, during which the node has changed by the clock alone.
    #[inline]
    fn settle(&mut self, state: &NodeState<'_>, observer: &mut impl UseObserver) {
        if state.radio.is_off() {
            self.add(AirtimeUse::Off, state.now, observer);
            return;
        }
        let busy_since = state.busy_since();
        if self.since < busy_since {
            self.settle_idle(state, busy_since, observer);
        }
        if self.since < state.radio.tx_end() {
            self.settle_transmission(state, state.now, observer);
        }
        self.add(state.reception(), state.now, observer);
    }

    /// Settles the station's own transmission up to `end`.
    #[cold]
    fn settle_transmission(&mut self, state: &NodeState<'_>, end: Time, observer: &mut impl UseObserver) {
        let own = transmission(&self.activity(state));
        self.add(own, state.radio.tx_end().min(end), observer);
    }

    /// Settles time up to `end` in which no other node's signal was on the air.
    fn settle_idle(&mut self, state: &NodeState<'_>, end: Time, observer: &mut impl UseObserver) {
        if self.since < state.radio.tx_end() {
            self.settle_transmission(state, end, observer);
        }
        let activity = self.activity(state);
        if activity.is_engaged {
            self.add(AirtimeUse::Exchange, end, observer);
            return;
        }
        let nav_until = state.radio.nav_until.min(end);
        if nav_until > self.since {
            let (eifs_from, eifs_until) = self.eifs;
            self.add(AirtimeUse::Reserved, nav_until.min(eifs_from), observer);
            self.add(AirtimeUse::Eifs, nav_until.min(eifs_until), observer);
            self.add(AirtimeUse::Reserved, nav_until, observer);
        }
        if activity.is_contending {
            self.add(AirtimeUse::Eifs, activity.eifs_until.min(end), observer);
            self.add(AirtimeUse::Backoff, end, observer);
        }
        self.add(if activity.is_parked { AirtimeUse::Parked } else { AirtimeUse::Idle }, end, observer);
    }

    /// The station's activity since it last acted.
    #[inline]
    fn activity(&mut self, state: &NodeState<'_>) -> StationActivity {
        *self.activity.get_or_insert_with(|| state.macs[state.at.index()].activity())
    }

    /// Adds the time from the last update to `until` to a use.
    #[inline]
    fn add(&mut self, what: AirtimeUse, until: Time, observer: &mut impl UseObserver) {
        if until > self.since {
            observer.on_use(what, self.since, until);
            self.airtime.0[what as usize] += until.since(self.since).0;
            self.since = until;
        }
    }
}

/// Receives each interval of use at the update that adds it.
trait UseObserver {
    fn on_use(&mut self, what: AirtimeUse, from: Time, until: Time);
}

/// No observer: disabled at compile time.
impl UseObserver for () {
    #[inline]
    fn on_use(&mut self, _: AirtimeUse, _: Time, _: Time) {}
}

impl UseObserver for UseRecord {
    fn on_use(&mut self, what: AirtimeUse, from: Time, until: Time) {
        if !what.is_free() {
            self.used.cover(from, until + self.difs);
        }
    }
}

/// The use of a station's own transmission.
fn transmission(activity: &StationActivity) -> AirtimeUse {
    match activity.sent {
        Some(Sent::To(FrameKind::Rts)) => AirtimeUse::Rts,
        Some(Sent::To(FrameKind::Cts)) => AirtimeUse::Cts,
        Some(Sent::To(FrameKind::Ack | FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::CfEnd)) => {
            AirtimeUse::Ack
        }
        Some(Sent::Broadcast) => AirtimeUse::Broadcast,
        Some(Sent::To(FrameKind::Data | FrameKind::Aggregate)) | None => AirtimeUse::Data,
    }
}
