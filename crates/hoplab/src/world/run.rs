//! The state of a run, and its event loop.

use super::deadline::DeadlineTimer;
use super::error::EngineError;
use super::proxy_station::ProxyControl;
use super::pull::Pulls;
use super::relays::Relays;
use super::sessions::Sessions;
use crate::kernel::{AnyRun, FlowId, NodeId, PlainRun, RadioId, RunKind, Time, TimerId};
use crate::mac::observer::Observer;
use crate::mac::{Mac, MacCtx, MacOut};
use crate::measure::Measures;
use crate::net::explicit_feedback::AnyRouter;
use crate::net::link::Discipline;
use crate::net::routing::{RouteOut, Routing};
use crate::net::wires::Wires;
use crate::net::{Net, NetCtx};
use crate::packet::{ChannelView, NewPacket, Unobserved};
use crate::phy::{CcaReporting, Medium, ReceptionKind, SignalEnd, SignalStart};
use crate::sim::{Ctx, Event, PhyTimer};
use crate::trace::{CaptureSink, Log, Record};
use crate::transport::proxy::AnyProxy;
use crate::transport::{Connection, Emit, Flow};
use std::marker::PhantomData;

/// One run of a scenario.
#[derive(Debug)]
pub struct World {
    pub(crate) ctx: Ctx,
    pub(crate) medium: Medium,
    /// By radio; hosts have none.
    pub(crate) macs: Vec<Mac>,
    pub(crate) nets: Vec<Net>,
    pub(crate) wires: Option<Box<Wires>>,
    /// By node; empty if no flow uses proxies.
    pub(super) proxies: Vec<Option<AnyProxy>>,
    pub(crate) flows: Vec<Flow>,
    /// Events of the deadlines of each flow's source and sink.
    pub(super) flow_timers: Vec<[DeadlineTimer; 2]>,
    pub(super) proxy_control: ProxyControl,
    pub(super) pulls: Pulls,
    /// Sessions of workloads, if there are any.
    pub(super) sessions: Option<Box<Sessions>>,
    /// Relays between connections, if there are any.
    pub(super) relays: Option<Box<Relays>>,
    pub(super) measures: Measures,
    pub(super) outbox: Outbox,
    pub(super) events: EventCount,
    /// Whether the run is a [`PlainRun`], once that is known.
    pub(super) is_plain: Option<bool>,
}

/// Outboxes of the layers; empty between events. Reused to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) mac: Vec<MacOut>,
    pub(super) routes: Vec<RouteOut>,
    pub(super) emits: Vec<Emit>,
}

/// Events handled, and the limit at which the run ends with an error.
#[derive(Debug)]
pub(super) struct EventCount {
    pub(super) handled: u64,
    limit: u64,
}

/// Number of events at one time from which on a run counts as a livelock.
pub(super) const LIVELOCK: u64 = 1_000_000;

impl World {
    /// Layers without flows and proxies.
    pub(super) fn assemble(ctx: Ctx, mut medium: Medium, mut macs: Vec<Mac>, nets: Vec<Net>) -> World {
        for mac in &mut macs {
            let radio = mac.radio();
            if nets[ctx.radios.owner(radio).index()].routing.overhears() {
                mac.listen();
            }
            medium.set_nav_rule(radio, mac.nav_rule());
            if !mac.observers().is_empty() {
                medium.radio_mut(radio).cca_reporting = CcaReporting::Immediate;
            }
        }
        let is_coupled = macs.iter().any(Mac::wants_backlog);
        let has_txops = macs.iter().any(Mac::has_txops);
        World {
            ctx,
            medium,
            macs,
            nets,
            wires: None,
            proxies: Vec::new(),
            flows: Vec::new(),
            flow_timers: Vec::new(),
            proxy_control: ProxyControl::default(),
            sessions: None,
            relays: None,
            pulls: Pulls { is_coupled, has_txops, ..Pulls::default() },
            measures: Measures::default(),
            outbox: Outbox::default(),
            events: EventCount { handled: 0, limit: u64::MAX },
            is_plain: None,
        }
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.ctx.now
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events.handled
    }

    /// Ends the run with an error once it has handled this many events and more are due. With a higher limit it continues
    /// from there.
    pub fn limit_events(&mut self, limit: u64) {
        self.events.limit = limit;
    }

    /// Clock, events, packets and trace.
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Stores every record from now on, for [`World::take_records`].
    pub fn keep_records(&mut self) {
        self.ctx.trace.keep_records();
    }

    /// Records stored since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.ctx.trace.take_records()
    }

    /// Writes every record into a log from now on. The caller drains its rows regularly.
    pub fn keep_log(&mut self) {
        self.ctx.trace.keep_log();
    }

    /// Shows frames and packets to `capture` from now on.
    pub fn set_capture(&mut self, capture: Box<dyn CaptureSink>) {
        self.ctx.trace.set_capture(capture);
    }

    /// The log, if there is one.
    pub fn log_mut(&mut self) -> Option<&mut Log> {
        self.ctx.trace.log_mut()
    }

    /// The connection of a flow.
    pub fn connection(&self, flow: FlowId) -> &Connection {
        &self.flows[flow.index()].connection
    }

    /// Queue length of a node, in packets, over all radios.
    pub fn queue_len(&self, node: NodeId) -> usize {
        self.nets[node.index()].links().map(|link| link.queue.len()).sum()
    }

    /// Adds a channel observer to the first radio of a node.
    pub fn observe(&mut self, node: NodeId, observer: Observer) {
        self.is_plain = None;
        let radio = self.ctx.radios.first(node);
        let (mac, cx) = self.mac(radio);
        mac.observe(observer);
        cx.medium.set_nav_rule(radio, mac.nav_rule());
        cx.medium.radio_mut(radio).cca_reporting = CcaReporting::Immediate;
    }

    /// Adds a feedback router to the queue of the first radio of a node.
    pub fn add_feedback_router(&mut self, node: NodeId, router: AnyRouter) {
        self.is_plain = None;
        self.nets[node.index()].add_feedback_router(0, router);
    }

    /// Starts feedback routers that were added after the world was built.
    #[cfg(test)]
    pub(crate) fn start_added_feedback_routers(&mut self) {
        for (net, mac) in self.nets.iter_mut().zip(&self.macs) {
            net.start_feedback(&mut NetCtx {
                ctx: &mut self.ctx,
                routes: &mut self.outbox.routes,
                radio: mac.radio(),
                hop: mac.observers(),
                wires: None,
                kind: PhantomData::<AnyRun>,
            });
        }
    }

    /// Sends a packet at a node, as if that node's transport had created it.
    pub fn inject(&mut self, node: NodeId, packet: NewPacket) {
        let (net, mut cx) = self.net(node);
        net.send(&mut cx, packet);
    }

    /// Handles all events up to and including `until`.
    ///
    /// # Errors
    /// As for [`World::advance`].
    pub fn run_until(&mut self, until: Time) -> Result<(), EngineError> {
        while !self.advance(until, u64::MAX)? {}
        Ok(())
    }

    /// Handles events up to `until`, but stops after about `events` of them. Returns whether `until` has been reached.
    ///
    /// # Errors
    /// If the limit of events is reached, or time stops advancing. The world is then between two events: it can be audited and
    /// reported on.
    pub fn advance(&mut self, until: Time, events: u64) -> Result<bool, EngineError> {
        if self.ctx.live.is_some() {
            self.advance_recorded(until, events)
        } else if self.is_plain() {
            self.advance_events::<PlainRun>(until, events)
        } else {
            self.advance_events::<AnyRun>(until, events)
        }
    }

    /// Whether the run is a [`PlainRun`].
    pub(super) fn is_plain(&mut self) -> bool {
        if let Some(is_plain) = self.is_plain {
            return is_plain;
        }
        let World { ctx, medium, macs, nets, measures, .. } = self;
        let has_parts =
            self.wires.is_some() || self.sessions.is_some() || self.relays.is_some() || !self.proxies.is_empty();
        let is_told = ctx.new_routes.is_some() || ctx.unreachable.is_some() || ctx.live.is_some();
        let is_compared = medium.reception() == ReceptionKind::Pairwise && measures.airtime.is_none();
        let has_options = self.pulls.is_coupled || ctx.radios.has_several() || !ctx.categories.is_empty();
        let is_plain = !(has_parts || is_told || has_options)
            && is_compared
            && macs.iter().all(Mac::is_plain)
            && nets.iter().all(Net::is_plain);
        *self.is_plain.insert(is_plain)
    }

    pub(super) fn advance_events<R: RunKind>(&mut self, until: Time, events: u64) -> Result<bool, EngineError> {
        let mut at_this_time = 0;
        // The event that continues a passage which an earlier limit has cut was counted when that began.
        if self.ctx.events.next_time().is_some_and(|at| at <= until) && self.medium.take_pause() {
            self.events.handled -= 1;
        }
        let pause = self.events.handled.saturating_add(events).min(self.events.limit);
        while self.ctx.events.next_time().is_some_and(|at| at <= until) {
            if self.events.handled >= pause {
                let is_over = self.events.handled >= self.events.limit;
                let over = EngineError::TooManyEvents { limit: self.events.limit, at: self.ctx.now };
                return if is_over { Err(over) } else { Ok(false) };
            }
            let Some((key, fired)) = self.ctx.events.fire() else { break };
            let at = key.time();
            debug_assert!(at >= self.ctx.now, "time runs forward");
            at_this_time = if at > self.ctx.now { 0 } else { at_this_time + 1 };
            self.ctx.now = at;
            self.events.handled += 1;
            if at_this_time > LIVELOCK {
                let last = *self.ctx.events.event(fired);
                return Err(EngineError::Livelock { at, events: at_this_time, last });
            }
            self.handle::<R>(fired, until);
            if !R::IS_PLAIN {
                self.report_new_routes();
            }
            if let Some((first, id)) = self.medium.take_fresh(&mut self.ctx, until) {
                self.ctx.now = first;
                self.events.handled += 1;
                self.pass_signal::<SignalStart, R>(id, until);
            }
        }
        self.ctx.now = until;
        Ok(true)
    }

    /// Handles the event that has fired: read where it is, since a copy of it in parts and as a whole stalls processors.
    #[inline]
    fn handle<R: RunKind>(&mut self, fired: TimerId, until: Time) {
        match *self.ctx.events.event(fired) {
            Event::Phy { timer: PhyTimer::SignalStart, transmission, .. } => {
                self.pass_signal::<SignalStart, R>(transmission, until);
            }
            Event::Phy { timer: PhyTimer::SignalEnd, transmission, .. } => {
                self.pass_signal::<SignalEnd, R>(transmission, until);
            }
            Event::Phy { timer: PhyTimer::Detection, transmission, .. } => self.pass_detection(transmission, until),
            Event::Phy { timer, transmission, .. } => self.expire_nav::<R>(transmission, timer, until),
            Event::RadioSwitch { node, is_on } => self.switch(node, is_on),
            Event::BroadcastEnd { packet, .. } => self.ctx.consume(packet),
            Event::Mac { radio, timer } => {
                let (mac, mut cx) = self.mac_in::<R>(radio);
                mac.on_timer(&mut cx, timer);
                self.carry_up::<R>(radio);
            }
            Event::Link { radio, timer, packet } => {
                if !R::IS_PLAIN {
                    self.share_withheld(radio);
                }
                let (net, mut cx) = self.net_above::<R>(radio);
                let out = net.on_link_timer(&mut cx, timer, packet);
                let node = self.ctx.radios.owner_in::<R>(radio);
                self.carry::<R>((node, radio), out);
                self.carry_up::<R>(radio);
                self.settle::<R>(node);
            }
            Event::Wire { port, timer, packet } => self.on_wire(port, timer, packet),
            Event::Unreachable { .. } => self.report_unreachable(),
            Event::ArpOverdue { node } => self.settle::<R>(node),
            Event::Routing { node, timer } => {
                let (net, mut cx) = self.net_in::<R>(node);
                net.on_routing_timer(&mut cx, timer);
                self.settle::<R>(node);
            }
            Event::Feedback { node, timer } => {
                let radio = self.ctx.radios.at(node, timer.place);
                let (net, mut cx) = self.net_of::<AnyRun>(node, radio);
                net.on_feedback_timer(&mut cx, timer);
                self.settle::<R>(node);
            }
            Event::PortFeedback { port, timer } => {
                let Some(wires) = &mut self.wires else { unreachable!("an event of a wire without wires") };
                wires.on_feedback_timer(&mut self.ctx, port, timer);
            }
            Event::Proxy { node, timer } => {
                self.on_proxy_timer(node, timer);
                self.settle::<R>(node);
            }
            Event::Transport { flow, end } => {
                self.on_deadline::<R>(flow, end);
                self.settle_ends::<R>(flow);
            }
            Event::App { flow, timer } => {
                self.on_agenda(flow, timer);
                self.settle_ends::<R>(flow);
            }
            Event::Measure(timer) => {
                self.on_measure_timer(timer);
                // A measure changes nothing, but fingerprints of pulled flows depend on this call.
                if !self.flows.is_empty() {
                    self.settle_ends::<R>(FlowId(0));
                }
            }
        }
    }

    /// The MAC of a radio and its context; to be called for whatever may change the MAC.
    #[inline]
    pub(super) fn mac(&mut self, radio: RadioId) -> (&mut Mac, MacCtx<'_>) {
        self.mac_in(radio)
    }

    /// The MAC of a radio and its context, in a run of this kind.
    #[expect(clippy::inline_always, reason = "called for each indication of the medium")]
    #[inline(always)]
    pub(super) fn mac_in<R: RunKind>(&mut self, radio: RadioId) -> (&mut Mac, MacCtx<'_, R>) {
        if !R::IS_PLAIN {
            self.before_change(radio);
        }
        let mac = &mut self.macs[radio.index()];
        if let Some(at) = self.medium.radio_mut(radio).take_freeze() {
            mac.on_freeze::<R>(at);
        }
        let World { ctx, medium, outbox, .. } = self;
        (mac, MacCtx { ctx, medium, out: &mut outbox.mac, kind: PhantomData })
    }

    /// The network layer of a node and its context, for what is at none of its radios.
    #[inline]
    pub(super) fn net(&mut self, node: NodeId) -> (&mut Net, NetCtx<'_>) {
        self.net_in(node)
    }

    /// The network layer of a node and its context, in a run of this kind.
    #[inline]
    pub(super) fn net_in<R: RunKind>(&mut self, node: NodeId) -> (&mut Net, NetCtx<'_, R>) {
        self.net_of(node, self.ctx.radios.first_in::<R>(node))
    }

    /// The network layer above a radio and its context.
    #[inline]
    pub(super) fn net_above<R: RunKind>(&mut self, radio: RadioId) -> (&mut Net, NetCtx<'_, R>) {
        self.net_of(self.ctx.radios.owner_in::<R>(radio), radio)
    }

    #[inline]
    fn net_of<R: RunKind>(&mut self, node: NodeId, radio: RadioId) -> (&mut Net, NetCtx<'_, R>) {
        let hop: &dyn ChannelView = match self.macs.get(radio.index()) {
            Some(mac) if !R::IS_PLAIN => mac.observers(),
            _ => &Unobserved,
        };
        let wires = if R::IS_PLAIN { None } else { self.wires.as_deref_mut() };
        let cx = NetCtx { ctx: &mut self.ctx, routes: &mut self.outbox.routes, radio, hop, wires, kind: PhantomData };
        (&mut self.nets[node.index()], cx)
    }
}
