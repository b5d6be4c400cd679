//! DCF, one station: its parts, and what frames, packets and timers start.
//!
//! # Model
//! A packet waits for an idle medium and a random number of slots, and is sent as RTS-CTS-DATA-ACK or DATA-ACK;
//! each failure doubles the contention window until a retry limit drops the packet.
//! # Source
//! IEEE 802.11-1999 section 9.2; ns-2.35 `Mac/802_11` in profile `ns2`.
//! # Deviations
//! Times are integers; ns-2 truncates a floating quotient and may credit one slot less exactly at a slot's boundary.
//! A station whose CTS was cancelled by a busy medium while a packet waits draws a backoff at once; ns-2 lets the packet
//! wait until the next frame arrives at the station. See `docs/protocols/dcf.md` for the two profiles.
//! # Parameters
//! Table `[mac]`.

use super::state::{
    Access, AccessLimits, DuplicateCache, Exchange, Functions, NavReset, NextFrame, Outgoing, Parking, Probing,
    Retries, Service, Txop,
};
use crate::kernel::{Purpose, RadioId, RandomStreams, RunKind, Span, Time};
use crate::mac::MacCtx;
use crate::mac::aggregation::Aggregation;
use crate::mac::handshake::{Handshake, HandshakePolicy, Turn};
use crate::mac::observer::{Observer, Observers};
use crate::mac::rate::AnyRateControl;
use crate::mac::timing::Timing;
use crate::packet::{Category, Frame, FrameKind, PacketId};
use crate::phy::NavRule;
use crate::sim::MacTimer;
use std::sync::Arc;

/// One station.
#[derive(Debug)]
pub struct Mac {
    pub(super) radio: RadioId,
    pub(super) timing: Arc<Timing>,
    /// When it may send.
    pub(super) access: Access,
    /// What it has sent last and awaits, and what it responds.
    pub(super) exchange: Exchange,
    /// What it has to send.
    pub(super) outgoing: Outgoing,
    /// The time for which it keeps the medium.
    pub(super) txop: Txop,
    /// Packets that wait above, by category; kept for stations with TXOPs.
    pub(super) pending: [u32; Category::COUNT],
    /// The access functions of the categories that are not selected; none if all packets are of one.
    pub(super) functions: Option<Box<Functions>>,
    /// Data that do not contend.
    pub(super) parking: Parking,
    /// What one grant lets through, where a handshake policy decides on grants.
    pub(super) turn: Turn,
    /// Hops that are left for the packet that comes down next, where a handshake policy asks for them.
    pub(super) hops_left: Option<u16>,
    /// Whether the node was congested when its congestion was last recorded.
    pub(super) was_congested: bool,
    pub(super) nav_reset: NavReset,
    /// RA of the RTS that alone has set the NAV, and when it has ended, until the next frame.
    pub(super) refusable: Option<(RadioId, Time)>,
    pub(super) duplicates: DuplicateCache,
    /// Last frames that neighbors with aggregation have sent outside of their windows.
    pub(super) single_duplicates: DuplicateCache,
    /// Probes before data, if it sends any.
    pub(super) probing: Option<Box<Probing>>,
    pub(super) handshake: Handshake,
    pub(super) observers: Observers,
    /// Whether packets for other stations are indicated.
    pub(super) listens: bool,
    /// What chooses the modulations of unicast data; none if all have the same.
    pub(super) rates: Option<Box<AnyRateControl>>,
    /// Windows of MPDUs; none if packets are sent singly.
    pub(super) aggregation: Option<Box<Aggregation>>,
}

impl Mac {
    /// An idle station.
    pub fn new(radio: RadioId, timing: Arc<Timing>, handshake: Handshake, streams: &RandomStreams) -> Mac {
        Mac {
            radio,
            access: Access::new(AccessLimits::of(&timing), streams.stream(Purpose::Backoff, radio.0)),
            exchange: Exchange::new(),
            outgoing: Outgoing::default(),
            txop: Txop::Off,
            pending: [0; Category::COUNT],
            functions: None,
            parking: Parking::default(),
            turn: Turn::default(),
            hops_left: None,
            was_congested: false,
            nav_reset: NavReset::Standing,
            refusable: None,
            duplicates: DuplicateCache::default(),
            single_duplicates: DuplicateCache::default(),
            probing: None,
            handshake,
            observers: Observers::default(),
            listens: false,
            rates: None,
            aggregation: None,
            timing,
        }
    }

    /// Adds a channel observer. From now on the radio is to report a busy medium at once (`CcaReporting::Immediate`).
    pub fn observe(&mut self, observer: Observer) {
        self.observers.push(observer);
    }

    /// Indicates packets for other stations from now on ([`MacOut::Overheard`]): promiscuous reception.
    pub fn listen(&mut self) {
        self.listens = true;
    }

    /// Its channel observers.
    pub fn observers(&self) -> &Observers {
        &self.observers
    }

    /// What overheard frames change at this station, if that is no more than its NAV.
    pub fn nav_rule(&self) -> Option<NavRule> {
        let obeys_ns2 = self.timing.rules.nav_is_all() && !self.timing.config.nav_reset_after_rts;
        let is_simple = obeys_ns2 && self.handshake.is_plain() && self.observers.is_empty() && !self.listens;
        NavRule::new(self.timing.eifs).filter(|_| is_simple)
    }

    /// Whether it has no more than the stations of a [`PlainRun`](crate::kernel::PlainRun).
    pub fn is_plain(&self) -> bool {
        let is_one = self.functions.is_none() && self.aggregation.is_none() && self.access.limits.txop == Span::ZERO;
        let sends_data = self.rates.is_none() && self.probing.is_none() && !self.timing.uses_self_cts();
        let is_alone = self.handshake.is_plain() && self.observers.is_empty() && !self.listens;
        is_one && sends_data && is_alone && !self.timing.config.nav_reset_after_rts
    }

    /// The packets in service and parked, and whether their next hops have received them.
    pub fn in_service(&self) -> impl Iterator<Item = (PacketId, bool)> {
        let own = self.outgoing.service.iter().chain(self.parking.service());
        let single = own.filter(|service| !self.is_windowed(service));
        let services = single.map(|service| (service.packet, service.reached_next_hop));
        let others = self.functions.iter().flat_map(|all| all.in_service(|service| self.is_windowed(service)));
        services.chain(others).chain(self.aggregation.iter().flat_map(|aggregation| aggregation.originator.packets()))
    }

    /// Times of its frames.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The radio of the station.
    pub fn radio(&self) -> RadioId {
        self.radio
    }

    /// The next hop has received the packet in service, whether or not its ACK arrives. Returns whether it had received it
    /// before. A packet that was parked after its ACK was lost counts as new behind a control packet sent meanwhile, as in
    /// ns-2, which stores one sequence number for each neighbor.
    pub fn mark_received(&mut self, packet: PacketId) -> bool {
        if let Some(aggregation) = &mut self.aggregation
            && let Some(had) = aggregation.originator.mark_received(packet)
        {
            return had;
        }
        let service = self.outgoing.service.as_mut();
        service.is_some_and(|service| std::mem::replace(&mut service.reached_next_hop, true))
    }

    /// Takes a packet for its next hop into service. The MAC must be ready (see [`MacOut::Ready`]).
    pub fn send<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, packet: PacketId) {
        match cx.any() {
            Some(mut cx) if self.functions.is_some() => self.send_in_category(&mut cx, packet),
            _ => self.take(cx, packet),
        }
    }

    /// Takes a packet into service of the selected category.
    pub(super) fn take<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, packet: PacketId) {
        debug_assert!(self.outgoing.service.is_none(), "the MAC serves one packet at a time");
        let (bytes, next_hop, category, mut is_control, note) = {
            let packet = cx.ctx.packet(packet);
            (packet.bytes, packet.hop.next, packet.category, packet.is_control(), packet.record())
        };
        if let Some(mut cx) = cx.any()
            && !self.handshake.is_plain()
        {
            is_control |= self.handshake.passes(bytes);
            self.note_taken(&mut cx, packet, is_control);
        }
        debug_assert!(
            !self.parking.is_parked() || is_control,
            "behind a parked packet only control packets are served"
        );
        let is_broadcast = next_hop.is_broadcast();
        let frame = Frame {
            bytes: self.timing.data_bytes(bytes),
            airtime: self.timing.data(bytes, is_broadcast),
            modulation: self.timing.modulation(is_broadcast),
            duration: if is_broadcast { 0 } else { self.timing.data_duration(self.timing.unicast) },
            seq: self.outgoing.next_sequence(),
            category,
            note,
            packet: Some(packet),
            ..Frame::blank(FrameKind::Data, self.radio, next_hop)
        };
        let uses_rts = !is_broadcast && self.timing.uses_rts(bytes);
        let uses_self_cts = !R::IS_PLAIN && !is_broadcast && !uses_rts && self.timing.uses_self_cts();
        let is_short = self.timing.is_short(bytes);
        let probes = match cx.any() {
            Some(cx) if !uses_rts && !is_broadcast && !is_control => self.probes_before(&cx, next_hop),
            _ => 0,
        };
        let mut service = Service {
            frame,
            packet,
            next: NextFrame::Data,
            is_control,
            uses_rts,
            uses_self_cts,
            is_short,
            attempts: 0,
            reached_next_hop: false,
            probes,
        };
        service.next = service.first();
        self.outgoing.service = Some(service);
        if !R::IS_PLAIN {
            if self.has_window() {
                self.originator().open(cx.ctx.now, next_hop, packet, bytes);
            }
            self.note_service(cx.ctx.now, true);
        }
        self.outgoing.owes_ready = true;
        if self.timing.rules.counts_retries_per_msdu {
            self.outgoing.retries = Retries::default();
        }
        if let Some(mut cx) = cx.any() {
            if self.is_asked(service.next) && self.parks(&mut cx, true) {
                self.offer(&mut cx);
                return;
            }
            if self.txop.goes_on() {
                return;
            }
        }
        if self.access.backoff.is_pending() {
            return;
        }
        if self.is_idle(cx) && (R::IS_PLAIN || !self.is_in_turn()) {
            if self.exchange.is_in_sifs() {
                return;
            }
            let idle_since = self.access.idle_since.max(self.nav(cx));
            let ifs = self.access.ifs(idle_since) + self.timing.slot * u64::from(self.timing.extra_slots);
            if self.timing.rules.skips_backoff_when_idle && cx.ctx.now >= idle_since + ifs {
                self.contend_now(cx);
                return;
            }
        }
        self.draw(cx);
    }

    /// The medium has become busy.
    pub fn on_busy<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if let Some(mut cx) = cx.any() {
            self.observers.on_carrier(cx.ctx.now);
            // Energy without a frame that this station locks on (no PHY-RXSTART.indication) does not prevent the reset.
            if self.nav_reset.is_pending() && cx.medium.radio(self.radio).has_frame() {
                self.nav_reset.stop(cx.ctx);
            }
            if self.functions.is_some() {
                self.freeze_others(&mut cx);
            }
        }
        self.access.backoff.freeze(cx.ctx, self.timing.slot);
        self.update_cca_reporting(cx);
    }

    /// The medium has been busy since `at`, while slots were counted; reported afterwards.
    pub fn on_freeze<R: RunKind>(&mut self, at: Time) {
        self.access.backoff.freeze_at(at, self.timing.slot);
        if !R::IS_PLAIN && self.functions.is_some() {
            self.freeze_others_at(at);
        }
    }

    /// The NAV that this station defers to may have expired.
    pub fn on_nav_expired<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        self.check_access(cx);
    }

    /// A timer of this station has fired.
    pub fn on_timer<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>, timer: MacTimer) {
        match timer {
            MacTimer::Backoff(category) => {
                if let Some(mut cx) = cx.any()
                    && self.functions.is_some()
                {
                    self.on_function_timer(&mut cx, category);
                } else if self.access.backoff.on_timer(cx.ctx, self.radio) {
                    self.on_backoff_over(cx);
                }
            }
            MacTimer::Response => self.on_response_timeout(cx),
            MacTimer::Sifs => self.on_sifs_over(cx),
            MacTimer::Nav => {
                if cx.medium.is_nav_expiry_due(cx.ctx.now, self.radio) {
                    self.on_nav_expired(cx);
                }
            }
            MacTimer::NavReset => {
                if let Some(mut cx) = cx.any() {
                    self.on_nav_reset(&mut cx);
                }
            }
            MacTimer::Park(category) => {
                if let Some(mut cx) = cx.any() {
                    self.on_park_over(&mut cx, category);
                }
            }
        }
    }

    /// Chooses what follows an exchange, or part of one: a response, the RTS, the data, or another packet.
    pub(super) fn resume<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        debug_assert!(!self.exchange.has_timer(), "the station chooses when no timer of the exchange runs");
        if let Some(mut cx) = cx.any()
            && !self.handshake.is_plain()
        {
            self.take_up_due(&mut cx);
        }
        let goes_on = !R::IS_PLAIN && self.txop.goes_on();
        if self.exchange.owes_response() {
            if goes_on {
                self.draw_if_off(cx);
            }
            self.exchange.start_sifs(cx.ctx, self.radio, self.timing.sifs);
        } else if goes_on {
            self.start_gap(cx);
            self.offer_room(cx);
        } else if let Some(service) = &self.outgoing.service {
            if service.contends() {
                self.draw_if_off(cx);
            } else if !self.access.backoff.is_pending() {
                self.exchange.start_sifs(cx.ctx, self.radio, self.timing.sifs);
            }
        } else {
            self.offer_room(cx);
        }
        self.exchange.settle();
        if !R::IS_PLAIN && self.functions.is_some() {
            self.draw_others();
        }
        self.access.idle_since = cx.ctx.now;
        self.check_access(cx);
    }

    /// Reports to the layer above that the MAC can take a packet, if it has none.
    #[inline]
    pub(super) fn offer_room<R: RunKind>(&mut self, cx: &mut MacCtx<'_, R>) {
        if self.outgoing.service.is_none() && self.outgoing.owes_ready {
            self.outgoing.owes_ready = false;
            let is_parked = !R::IS_PLAIN && self.parking.is_parked();
            cx.out.push(if is_parked { self.parked() } else { self.ready::<R>() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, Station};
    use crate::mac::observer::Busy;

    #[test]
    fn nav_rule_suffices_in_ns2_without_nav_reset_and_observers() {
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
