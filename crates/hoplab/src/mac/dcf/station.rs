//! DCF, one station: what it holds, and what frames, packets and timers start.
//!
//! # Model
//! A packet waits for an idle medium and a random number of slots, then goes out as RTS-CTS-DATA-ACK or DATA-ACK;
//! each failure doubles the contention window until a retry limit drops the packet.
//! # Source
//! IEEE 802.11-1999 section 9.2; ns-2.35 `Mac/802_11` in profile `ns2`.
//! # Deviations
//! Times are integers; ns-2 truncates a floating quotient and may credit one slot less exactly at a slot's boundary.
//! A station whose CTS was cancelled by a busy medium while a packet waits draws a backoff at once; ns-2 lets the packet
//! wait until the next frame wakes the station. See `docs/protocols/dcf.md` for the two profiles.
//! # Parameters
//! Table `[mac]`.

use super::backoff::Backoff;
use super::parking::Parked;
use crate::kernel::{NodeId, Purpose, Stream, Streams, Time, TimerId};
use crate::mac::handshake::Handshake;
use crate::mac::observer::{Observer, Observers};
use crate::mac::timing::Timing;
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Frame, FrameKind, PacketId};
use crate::phy::NavRule;
use crate::sim::{Event, MacTimer};
use std::sync::Arc;

/// One station.
#[derive(Debug)]
pub struct Mac {
    pub(super) node: NodeId,
    pub(super) state: TxState,
    pub(super) timing: Arc<Timing>,
    /// Reservation that is forgotten unless a frame follows soon (`nav_reset_after_rts`).
    pub(super) nav_reset: Option<TimerId>,
    pub(super) backoff: Backoff,
    /// When the answer that is awaited is overdue, or the own CTS, ACK or broadcast over.
    pub(super) response_timer: Option<TimerId>,
    pub(super) sifs_timer: Option<TimerId>,
    /// CTS or ACK to be sent after SIFS.
    pub(super) response: Option<Frame>,
    /// The RTS that a CTS in `response` would answer.
    pub(super) asked: Option<Frame>,
    pub(super) rts: Option<Frame>,
    pub(super) service: Option<Service>,
    /// A data packet that does not contend for now.
    pub(super) parked: Option<Parked>,
    /// The layer above is owed a [`MacOut::Ready`].
    pub(super) owes_ready: bool,
    pub(super) cw: u32,
    pub(super) ssrc: u32,
    pub(super) slrc: u32,
    sequence: u16,
    /// Since when the medium could be idle, but for the NAV (profile `std`).
    pub(super) idle_since: Time,
    /// Until when EIFS runs: from the end of a frame that could not be read, unless one that is read ends it (profile
    /// `std`; IEEE 802.11-1999 section 9.2.3.4).
    pub(super) eifs_until: Time,
    pub(super) duplicate_cache: Vec<(NodeId, u16)>,
    pub(super) handshake: Handshake,
    pub(super) observers: Observers,
    /// Whether the node was congested when that was last looked at.
    pub(super) was_congested: bool,
    pub(super) slots: Stream,
}

/// What the station is on the air for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TxState {
    Idle,
    /// RTS sent, CTS awaited.
    Rts,
    /// CTS sent, data awaited.
    Cts,
    /// Data sent, ACK awaited (or broadcast on the air).
    Data,
    /// ACK on the air.
    Ack,
}

/// The packet that the MAC is working on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service {
    pub(super) frame: Frame,
    pub(super) packet: PacketId,
    pub(super) uses_rts: bool,
    /// It carries a routing message or address resolution.
    pub(super) is_control: bool,
    pub(super) is_short: bool,
    pub(super) reached_next_hop: bool,
}

impl Mac {
    /// A station with nothing to do.
    pub fn new(node: NodeId, timing: Arc<Timing>, handshake: Handshake, streams: &Streams) -> Mac {
        Mac {
            node,
            state: TxState::Idle,
            nav_reset: None,
            backoff: Backoff::default(),
            response_timer: None,
            sifs_timer: None,
            response: None,
            asked: None,
            rts: None,
            service: None,
            parked: None,
            owes_ready: false,
            cw: timing.config.cw_min,
            ssrc: 0,
            slrc: 0,
            sequence: 0,
            idle_since: Time::ZERO,
            eifs_until: Time::ZERO,
            duplicate_cache: Vec::new(),
            handshake,
            observers: Observers::default(),
            was_congested: false,
            slots: streams.stream(Purpose::Backoff, node.0),
            timing,
        }
    }

    /// Lets one more listen to this station's frames. It is to be told when the medium becomes busy (`CcaReporting::Immediate`) from now on.
    pub fn observe(&mut self, observer: Observer) {
        self.observers.push(observer);
    }

    /// What those who listen have found out.
    pub fn hop(&self) -> &Observers {
        &self.observers
    }

    /// What frames for others need of this station, if they need no more than that.
    pub fn nav_rule(&self) -> Option<NavRule> {
        let obeys_ns2 = self.timing.rules.nav_is_all() && !self.timing.config.nav_reset_after_rts;
        let is_simple = obeys_ns2 && self.handshake.is_plain() && self.observers.is_empty();
        NavRule::new(self.timing.eifs).filter(|_| is_simple)
    }

    /// The packets in service and parked, and whether their next hops have already taken them over.
    pub fn in_service(&self) -> impl Iterator<Item = (PacketId, bool)> {
        let parked = self.parked.as_ref().map(|parked| &parked.service);
        self.service.iter().chain(parked).map(|service| (service.packet, service.reached_next_hop))
    }

    /// Times of its frames.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The next hop of the packet in service has taken it over, whether or not its ACK arrives. Whether it had done so
    /// before: behind a control packet sent meanwhile, a packet that was parked after its ACK was lost is not told from
    /// a new one, as in ns-2, which remembers one sequence number per neighbor.
    pub fn mark_received(&mut self) -> bool {
        self.service.as_mut().is_some_and(|service| std::mem::replace(&mut service.reached_next_hop, true))
    }

    /// Takes a packet over, to be sent to its next hop. The MAC must be free (see [`MacOut::Ready`]).
    pub fn send(&mut self, cx: &mut MacCtx<'_>, packet: PacketId) {
        debug_assert!(self.service.is_none(), "the MAC holds one packet at a time");
        let (bytes, next_hop, is_control) = {
            let packet = cx.ctx.packet(packet);
            (packet.bytes, packet.hop.next, packet.is_control())
        };
        debug_assert!(self.parked.is_none() || is_control, "behind a parked packet only control packets are served");
        let is_broadcast = next_hop.is_broadcast();
        self.sequence = self.sequence.wrapping_add(1);
        let frame = Frame {
            bytes: self.timing.data_bytes(bytes),
            airtime: self.timing.data(bytes, is_broadcast),
            modulation: self.timing.modulation(is_broadcast),
            duration: if is_broadcast { 0 } else { self.timing.data_duration() },
            seq: self.sequence,
            packet: Some(packet),
            ..Frame::blank(FrameKind::Data, self.node, next_hop)
        };
        let uses_rts = !is_broadcast && self.timing.uses_rts(bytes);
        let is_short = self.timing.is_short(bytes);
        self.service = Some(Service { frame, packet, uses_rts, is_control, is_short, reached_next_hop: false });
        self.observers.on_contending(cx.ctx.now, true);
        self.owes_ready = true;
        if self.timing.rules.counts_retries_per_msdu {
            (self.ssrc, self.slrc) = (0, 0);
        }
        if uses_rts {
            if self.parks(cx, true) {
                self.offer(cx);
                return;
            }
            self.rts = Some(self.new_rts());
        }
        if self.backoff.is_on() {
            return;
        }
        if self.is_idle(cx) {
            if self.sifs_timer.is_some() {
                return;
            }
            let idle_since = self.idle_since.max(self.nav(cx));
            if self.timing.rules.skips_backoff_when_idle && cx.ctx.now >= idle_since + self.space(idle_since) {
                self.contend_now(cx);
                return;
            }
        }
        self.draw(cx);
    }

    /// The medium has become busy.
    pub fn on_busy(&mut self, cx: &mut MacCtx<'_>) {
        self.observers.on_carrier(cx.ctx.now);
        // Energy that is no frame to this station (no PHY-RXSTART.indication) leaves the wait for one as it is.
        if self.nav_reset.is_some() && cx.medium.radio(self.node).has_frame() {
            self.keep_nav(cx);
        }
        self.backoff.pause(cx.ctx, self.timing.slot);
        self.watch(cx);
    }

    /// The medium had become busy at `at`, while slots were counted.
    pub fn on_pause(&mut self, at: Time) {
        self.backoff.pause_at(at, self.timing.slot);
    }

    /// A reservation that this station waits for may be over.
    pub fn on_release(&mut self, cx: &mut MacCtx<'_>) {
        self.check_access(cx);
    }

    /// A timer of this station has ended.
    pub fn on_timer(&mut self, cx: &mut MacCtx<'_>, timer: MacTimer) {
        match timer {
            MacTimer::Backoff => {
                let event = self.event(MacTimer::Backoff);
                if self.backoff.on_event(cx.ctx, event) {
                    self.on_backoff(cx);
                }
            }
            MacTimer::Response => {
                self.response_timer = None;
                self.on_response_timeout(cx);
            }
            MacTimer::Sifs => {
                self.sifs_timer = None;
                self.on_sifs_over(cx);
            }
            MacTimer::Nav => {
                if cx.medium.is_released(cx.ctx.now, self.node) {
                    self.on_release(cx);
                }
            }
            MacTimer::NavReset => {
                self.nav_reset = None;
                if cx.medium.radio(self.node).has_frame() {
                    return;
                }
                cx.medium.radio_mut(self.node).forget_reservation(cx.ctx.now);
                self.observers.on_reserved(cx.ctx.now, cx.ctx.now);
                self.check_access(cx);
            }
            MacTimer::Park => self.on_park_over(cx),
        }
    }

    /// Where it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Until when the medium is reserved.
    pub(super) fn nav(&self, cx: &MacCtx<'_>) -> Time {
        cx.medium.radio(self.node).nav_until
    }

    /// The medium is reserved for `micros` from now, unless it is for longer already.
    pub(super) fn reserve(&mut self, cx: &mut MacCtx<'_>, micros: u64) {
        cx.medium.radio_mut(self.node).reserve(cx.ctx.now, micros);
        if !self.observers.is_empty() {
            let until = self.nav(cx);
            self.observers.on_reserved(cx.ctx.now, until);
        }
    }

    /// Decides what comes next after an exchange, or part of one: a response, the RTS, the data, or another packet.
    pub(super) fn resume(&mut self, cx: &mut MacCtx<'_>) {
        debug_assert!(self.response_timer.is_none() && self.sifs_timer.is_none());
        if self.parked.is_some() {
            self.take_up_parked(cx);
        }
        if self.response.is_some() {
            self.start_sifs(cx);
        } else if self.rts.is_some() {
            self.draw_if_off(cx);
        } else if let Some(service) = &self.service {
            if service.uses_rts {
                if !self.backoff.is_on() {
                    self.start_sifs(cx);
                }
            } else {
                self.draw_if_off(cx);
            }
        } else if self.owes_ready {
            self.owes_ready = false;
            cx.out.push(if self.parked.is_some() { MacOut::Parked } else { MacOut::Ready });
        }
        self.state = TxState::Idle;
        self.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    /// Stops waiting for an answer and for a gap.
    pub(super) fn stop_timers(&mut self, cx: &mut MacCtx<'_>) {
        for timer in [self.response_timer.take(), self.sifs_timer.take()].into_iter().flatten() {
            cx.ctx.events.cancel(timer);
        }
    }

    /// Stops waiting for a gap.
    pub(super) fn stop_sifs(&mut self, cx: &mut MacCtx<'_>) {
        if let Some(timer) = self.sifs_timer.take() {
            cx.ctx.events.cancel(timer);
        }
    }

    pub(super) fn schedule_nav_reset(&mut self, cx: &mut MacCtx<'_>) {
        let at = cx.ctx.now + self.timing.nav_reset();
        if let Some(timer) = self.nav_reset.replace(cx.ctx.events.schedule(at, self.event(MacTimer::NavReset))) {
            cx.ctx.events.cancel(timer);
        }
    }

    /// A frame has followed: the reservation stands.
    pub(super) fn keep_nav(&mut self, cx: &mut MacCtx<'_>) {
        if let Some(timer) = self.nav_reset.take() {
            cx.ctx.events.cancel(timer);
        }
    }

    pub(super) fn event(&self, timer: MacTimer) -> Event {
        Event::Mac { node: self.node, timer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, Station};
    use crate::mac::observer::Busy;

    #[test]
    fn a_station_of_ns2_whose_frames_nobody_watches_needs_its_reservation_alone() {
        for (config, is_simple) in [
            (MacConfig::default(), true),
            (MacConfig { nav_reset_after_rts: true, ..MacConfig::default() }, false),
            (MacConfig::std(), false),
            (MacConfig { nav_reset_after_rts: false, ..MacConfig::std() }, false),
        ] {
            let mut mac = Station::plain(&config).mac;
            assert_eq!(mac.nav_rule(), NavRule::new(mac.timing().eifs).filter(|_| is_simple), "{config:?}");
            mac.observe(Observer::Busy(Box::new(Busy::new(ME))));
            assert_eq!(mac.nav_rule(), None);
        }
    }
}
