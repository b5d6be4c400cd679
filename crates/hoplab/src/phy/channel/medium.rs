//! The medium: the interface of the channel to MACs and event loop (ns-2.35 `WirelessChannel`).

use super::air::Air;
use super::arrivals::Passage;
use super::nav_expiry::expires;
use super::nav_lists::NavLists;
use super::probe::ArrivalProbe;
use super::signal::Edge;
use super::transmission::Transmissions;
use crate::kernel::{RadioId, RunKind, Span, Time, Watts};
use crate::mobility::Trajectory;
use crate::packet::aggregate::Aggregate;
use crate::packet::{Frame, FrameKind, Modulation};
use crate::phy::config::RadioConfig;
use crate::phy::neighbors::{Receiver, ReceiverIndex};
use crate::phy::receiver::{NavRule, PhyIndication, Radio};
use crate::phy::reception::{AnyReception, Compiled, ReceptionKind};
use crate::sim::{Ctx, PhyTimer};

/// What switching a radio off or on means to its MAC.
#[derive(Clone, Copy, Debug)]
pub enum Switched {
    /// The reception of this frame ends, on which the radio was locked.
    Released(Frame),
    /// The medium has become idle.
    Idle,
    /// The medium is busy.
    Busy,
    /// Nothing.
    Unnoticed,
}

/// Radios of all nodes, and frames on the air.
#[derive(Debug)]
pub struct Medium {
    air: Air,
    reception: AnyReception,
    rx_threshold: f64,
    link_threshold: f64,
    /// A frame that has just been sent: its signal may start at receivers before any other event.
    fresh: Option<u32>,
}

impl Medium {
    /// Minimum power of a signal that can be decoded, in watts.
    pub fn rx_threshold(&self) -> f64 {
        self.rx_threshold
    }

    /// Radios of nodes on these trajectories; `tx_powers` are those of the nodes; random draws come from `seed`.
    pub fn new(trajectories: Vec<Trajectory>, config: &RadioConfig, tx_powers: &[Watts], seed: u64) -> Medium {
        let nodes = trajectories.len();
        let least = RadioConfig { cs_threshold: Watts(AnyReception::least_power(config)), ..config.clone() };
        Medium {
            air: Air {
                radios: vec![Radio::default(); nodes],
                index: ReceiverIndex::new(trajectories, &least, tx_powers, seed),
                transmissions: Transmissions::new(nodes),
                nav_lists: NavLists::default(),
                indicated: None,
                is_paused: false,
            },
            reception: AnyReception::new(config, nodes, seed),
            rx_threshold: config.rx_threshold.0,
            link_threshold: config.link_threshold(),
            fresh: None,
        }
    }

    /// By node: the nodes that can decode its frames at the start of the run without interference; by mean power if each
    /// frame draws its own.
    pub fn neighbors_at_start(&mut self) -> Vec<Vec<RadioId>> {
        self.neighbors(Time::ZERO)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.air.radios.len()
    }

    /// The nodes that sense a frame that `node` sends at `now`, in order of delay; `now` never decreases.
    pub fn receivers(&mut self, radio: RadioId, now: Time) -> &[Receiver] {
        let list = self.air.index.find(radio, now);
        self.air.index.receivers(list)
    }

    /// Neighbors at `now`, which never decreases.
    pub fn neighbors(&mut self, now: Time) -> Vec<Vec<RadioId>> {
        let Medium { air, link_threshold, .. } = self;
        let mut list = |radio| {
            let list = air.index.find(radio, now);
            let receivers = air.index.receivers(list).iter();
            receivers.filter(|receiver| receiver.power >= *link_threshold).map(|receiver| receiver.radio).collect()
        };
        (0..air.radios.len() as u32).map(RadioId).map(&mut list).collect()
    }

    /// Whether every node is stationary.
    pub fn is_still(&self) -> bool {
        self.air.index.are_stationary()
    }

    /// Longest propagation delay from a node to a receiver.
    pub fn farthest_delay(&self, radio: RadioId) -> Span {
        self.air.index.farthest_delay(radio)
    }

    /// Sets what frames for other stations do to a node's station; `None`: all of them are indicated.
    pub fn set_nav_rule(&mut self, radio: RadioId, rule: Option<NavRule>) {
        self.air.radios[radio.index()].nav_rule = rule;
        self.air.nav_lists.set_rule(rule);
    }

    /// The radio of a node.
    #[inline]
    pub fn radio(&self, radio: RadioId) -> &Radio {
        &self.air.radios[radio.index()]
    }

    /// The radio of a node, to be changed.
    #[inline]
    pub fn radio_mut(&mut self, radio: RadioId) -> &mut Radio {
        &mut self.air.radios[radio.index()]
    }

    /// The frame that a node's radio is locked on, if any.
    pub fn locked_frame(&self, radio: RadioId) -> Option<&Frame> {
        self.radio(radio).locked_on().map(|id| &self.air.transmissions.get(id).frame)
    }

    /// The frame of a transmission.
    #[inline]
    pub fn frame(&self, transmission: u32) -> Frame {
        self.air.transmissions.get(transmission).frame
    }

    /// Start, end and modulation of the frame that a node receives, if it is strong enough to be decoded and its header is not
    /// lost.
    pub fn frame_at(&self, radio: RadioId, now: Time) -> Option<(Time, Time, Modulation)> {
        let state = self.radio(radio);
        let id = state.locked_on().filter(|_| state.has_frame())?;
        if matches!(&self.reception, AnyReception::Ofdm(model) if !model.has_header(radio, now)) {
            return None;
        }
        let frame = self.frame(id);
        Some((state.rx_start(frame.airtime), state.lock().1, frame.modulation))
    }

    /// Ratio of the last frame for a node to noise and interference there; 0 without OFDM.
    pub fn last_ratio(&self, radio: RadioId) -> f64 {
        if let AnyReception::Ofdm(model) = &self.reception { model.last_ratio(radio) } else { 0.0 }
    }

    /// The MPDUs that a node has sent last, and its last Block Ack.
    pub fn aggregate(&self, radio: RadioId) -> &Aggregate {
        let AnyReception::Ofdm(model) = &self.reception else { unreachable!("802.11n is OFDM") };
        model.aggregate(radio)
    }

    /// The same, to be written before it is sent.
    pub fn aggregate_mut(&mut self, radio: RadioId) -> &mut Aggregate {
        let AnyReception::Ofdm(model) = &mut self.reception else { unreachable!("802.11n is OFDM") };
        model.aggregate_mut(radio)
    }

    /// Bit i: MPDU i of the last A-MPDU was decoded at a node.
    pub fn read_mpdus(&self, radio: RadioId) -> u64 {
        if let AnyReception::Ofdm(model) = &self.reception { model.read_mpdus(radio) } else { 0 }
    }

    /// Switches a node's radio off or on. A frame that it is transmitting is lost at all receivers.
    pub fn switch(&mut self, now: Time, radio: RadioId, is_on: bool) -> Switched {
        let state = &mut self.air.radios[radio.index()];
        state.switch(is_on);
        let was_busy = state.is_receiving();
        let locked_on = state.locked_on();
        self.reception.on_switch(state, radio, is_on);
        if is_on {
            return if state.is_receiving() && !was_busy { Switched::Busy } else { Switched::Unnoticed };
        }
        if let Some(id) = self.air.transmissions.cut(radio, now) {
            self.air.radios.iter_mut().for_each(|radio| radio.cut(id));
        }
        match locked_on {
            Some(id) => Switched::Released(self.frame(id)),
            None if was_busy => Switched::Idle,
            None => Switched::Unnoticed,
        }
    }

    /// Transmits a frame now, unless its sender's radio is switched off.
    #[expect(clippy::inline_always, reason = "one frequent caller; the other one is a replay")]
    #[inline(always)]
    pub fn send<R: RunKind>(&mut self, ctx: &mut Ctx, frame: Frame) {
        let Air { radios, index, transmissions, nav_lists, .. } = &mut self.air;
        let sender = &mut radios[frame.ta.index()];
        if sender.is_off() {
            return;
        }
        ctx.frame_sent::<R>(&frame);
        if let AnyReception::Ofdm(model) = &mut self.reception
            && !R::IS_PLAIN
        {
            model.on_transmit(sender, frame.ta);
            if matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck) {
                ctx.parts_sent(&frame, model.aggregate(frame.ta));
            }
        }
        sender.transmit(ctx.now + frame.airtime);
        let count = transmissions.count(frame.ta);
        let receivers = index.find(frame.ta, ctx.now);
        let Some(nearest) = index.receivers(receivers).first() else { return };
        let first = ctx.now + nearest.delay();
        let last = first + frame.airtime;
        index.begin(receivers);
        let start = ctx.events.reserve_key(first);
        let (id, sent) = transmissions.start(frame, ctx.now, count, receivers);
        let end = ctx.events.reserve_key(last);
        sent.keys[usize::from(PhyTimer::SignalStart)] = start;
        sent.keys[usize::from(PhyTimer::SignalEnd)] = end;
        // Reserved now: where two signals alternate, stations may ignore a frame in another order than event by event.
        sent.keys[usize::from(PhyTimer::NavExpirySuppressed)] = ctx.events.reserve_key(last);
        ctx.events.schedule_reserved(end, last, sent.event(PhyTimer::SignalEnd, id));
        if let AnyReception::Ofdm(model) = &self.reception
            && !R::IS_PLAIN
        {
            let window = model.window();
            let (key, at) = (ctx.events.reserve_key(first + window), first + window);
            (sent.window, sent.keys[usize::from(PhyTimer::Detection)]) = (window, key);
            ctx.events.schedule_reserved(key, at, sent.event(PhyTimer::Detection, id));
        }
        nav_lists.reserve(id);
        debug_assert!(self.fresh.is_none(), "an event starts one transmission at most");
        self.fresh = Some(id);
    }

    /// The transmission that the last event has started, and when its signal reaches the first receiver, if that is by
    /// `until` and before everything else; otherwise the signal start has been scheduled. To be called after every event.
    #[expect(clippy::inline_always, reason = "part of the event loop; the other caller is a replay")]
    #[inline(always)]
    pub fn take_fresh(&mut self, ctx: &mut Ctx, until: Time) -> Option<(Time, u32)> {
        let id = self.fresh.take()?;
        let sent = self.air.transmissions.get(id);
        let first = sent.start + self.air.receivers(id)[0].delay();
        let key = sent.keys[usize::from(PhyTimer::SignalStart)];
        if key.moved(first) < ctx.events.bound(until) {
            return Some((first, id));
        }
        ctx.events.schedule_reserved(key, first, sent.event(PhyTimer::SignalStart, id));
        None
    }

    /// A signal start or end begins or continues to reach its receivers, up to `until`.
    #[inline]
    pub fn begin_passage<E: Edge>(&self, transmission: u32, until: Time) -> Passage {
        self.air.begin_passage::<E>(transmission, until)
    }

    /// Delivers a signal to receivers, each at its time, up to one whose MAC is to be called; to be called until there is
    /// none. `M` is the run's reception model.
    #[expect(clippy::inline_always, reason = "one frequent caller, whose passage stays in registers")]
    #[inline(always)]
    pub fn advance<E: Edge, M: Compiled, P: ArrivalProbe>(
        &mut self,
        ctx: &mut Ctx,
        passage: &mut Passage,
        probe: &mut P,
    ) -> Option<(RadioId, PhyIndication)> {
        let model = M::of(&mut self.reception)?;
        self.air.advance::<E, M, P>(model, ctx, passage, probe)
    }

    /// The reception model of the run.
    #[inline]
    pub fn reception(&self) -> ReceptionKind {
        self.reception.kind()
    }

    /// Whether a station to which a signal end is being indicated will be called when its NAV expires; if not, it has to
    /// set a timer.
    pub fn reports_nav_expiry(&mut self, ctx: &mut Ctx, radio: RadioId) -> bool {
        self.air.lists_nav_expiry(ctx, radio)
    }

    /// Whether a station that has set a timer for its NAV is to act on it now.
    pub fn is_nav_expiry_due(&mut self, now: Time, radio: RadioId) -> bool {
        expires(&mut self.air.radios[radio.index()], now)
    }

    /// The next station on a list whose NAV expires by `until` and before all other events; to be called until there is
    /// none.
    pub fn expire_nav(&mut self, ctx: &mut Ctx, id: u32, timer: PhyTimer, until: Time) -> Option<RadioId> {
        self.air.expire_nav(ctx, id, timer, until)
    }

    /// Whether the next event continues the last one, which stopped only because a time limit was reached. The caller is
    /// informed once.
    pub fn take_pause(&mut self) -> bool {
        std::mem::take(&mut self.air.is_paused)
    }
}

#[cfg(test)]
mod tests;
