//! One run: every layer of every node, and the staircase between them.
//!
//! An event is taken out of the queue and handed to its layer. What a layer asks for comes back in its outbox and is
//! carried one layer up or down in `stairs`, and nowhere else. Nothing is global: two worlds share nothing.

mod air;
mod airtime;
#[cfg(test)]
mod airtime_tests;
mod audit;
#[cfg(test)]
mod audit_tests;
mod books;
mod build;
#[cfg(test)]
mod drop_tests;
#[cfg(test)]
mod estimate_tests;
mod estimates;
#[cfg(test)]
mod feedback_tests;
mod flows;
#[cfg(test)]
mod frame_script;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod nav_tests;
mod node_report;
mod progress;
mod proxies;
mod pull;
mod report;
mod sample;
#[cfg(test)]
mod semi_tcp_tests;
mod stairs;
mod survey;

pub use airtime::{AirtimeReport, Spent, Use};
pub use build::ForeignControl;
pub use estimates::PathProbe;
pub use node_report::NodeReport;
pub use progress::Estimate;
pub use proxies::{ProxyReport, SplitReport};
pub use report::RunReport;
pub use sample::{Sample, Sampler};
pub use survey::NetworkReport;

use crate::kernel::{FlowId, NodeId, Time, TimerId};
use crate::mac::{Mac, MacCtx, MacOut};
use crate::mobility::RadioSchedule;
use crate::net::routing::RouteOut;
use crate::net::{Net, NetCtx};
use crate::packet::Packet;
use crate::phy::{CcaReporting, Medium, SIGNAL_STARTS};
use crate::sim::{AppTimer, Ctx, Event, MeasureTimer, PhyTimer};
use crate::trace::PacketCounters;
use crate::transport::{Connection, Emit, End};
use pull::PullPoint;
use survey::Surveys;
use thiserror::Error;

/// One run of a scenario.
#[derive(Debug)]
pub struct World {
    pub(crate) ctx: Ctx,
    pub(crate) medium: Medium,
    pub(crate) macs: Vec<Mac>,
    pub(crate) nets: Vec<Net>,
    pub(crate) flows: Vec<Flow>,
    proxies: proxies::Proxies,
    events: u64,
    max_events: u64,
    surveys: Surveys,
    /// What nodes' time goes into, if anybody wants to know.
    airtime: Option<Box<books::Airtime>>,
    progress: progress::Progress,
    mac_out: Vec<MacOut>,
    routes: Vec<RouteOut>,
    emits: Vec<Emit>,
    /// Where transport waits to be asked for packets, by node.
    pulls: Vec<PullPoint>,
    /// A layer wants to know of the queues of another: transport that is pulled, or a handshake.
    is_coupled: bool,
}

/// A flow and where its ends are.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) connection: Connection,
    pub(crate) src: NodeId,
    pub(crate) dst: NodeId,
    /// Whether the source is told of its node's links.
    wants_link: bool,
    /// Bytes of a packet of AdHoc Probe, with the header that routing adds.
    probe_bytes: u32,
    /// When its traffic begins.
    pub(crate) start: Time,
    armed: [Option<(Time, TimerId)>; 2],
    /// What the network had done with its data when the measurement began.
    unmeasured: PacketCounters,
    /// The same of its acknowledgments.
    unmeasured_acks: PacketCounters,
}

/// When a flow acts by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agenda {
    pub(crate) start: Time,
    pub(crate) probe_bytes: u32,
    pub(crate) stop: Option<Time>,
    pub(crate) measure_from: Time,
}

/// A run that could not go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// Time stands still.
    #[error("no progress: {events} events at {at}, the last for {last:?}")]
    Livelock {
        /// When.
        at: Time,
        /// How many in a row.
        events: u64,
        /// The last one.
        last: Event,
    },
    /// More events than allowed.
    #[error("the limit of {limit} events was reached at {at}")]
    TooManyEvents {
        /// The limit.
        limit: u64,
        /// When.
        at: Time,
    },
    /// A controller from outside the engine cannot be made.
    #[error("{what}")]
    Controller {
        /// Why.
        what: String,
    },
    /// Nodes have no place to stand, for this seed.
    #[error("{what}")]
    Placement {
        /// Why.
        what: String,
    },
    /// A station counts no slots although its medium is idle, and nothing would make it go on.
    #[error("a station waits for nothing: {what}")]
    Stalled {
        /// Which.
        what: String,
    },
    /// Packets have appeared or disappeared without a cause.
    #[error("packets are not conserved: {what}")]
    NotConserved {
        /// Which, and by how much.
        what: String,
    },
}

/// Events at one moment of time from which on a run counts as stuck.
const LIVELOCK: u64 = 1_000_000;

impl World {
    pub(crate) fn assemble(ctx: Ctx, mut medium: Medium, macs: Vec<Mac>, nets: Vec<Net>) -> World {
        for (node, mac) in macs.iter().enumerate() {
            let node = NodeId(node as u32);
            medium.set_nav_rule(node, mac.nav_rule());
            if !mac.hop().is_empty() {
                medium.radio_mut(node).watch = CcaReporting::Immediate;
            }
        }
        let is_coupled = macs.iter().any(Mac::wants_backlog);
        World {
            ctx,
            medium,
            macs,
            nets,
            flows: Vec::new(),
            proxies: proxies::Proxies::default(),
            events: 0,
            max_events: u64::MAX,
            surveys: Surveys::default(),
            airtime: None,
            progress: progress::Progress::default(),
            mac_out: Vec::new(),
            routes: Vec::new(),
            emits: Vec::new(),
            pulls: Vec::new(),
            is_coupled,
        }
    }

    pub(crate) fn add_flow(&mut self, connection: Connection, src: NodeId, dst: NodeId, agenda: Agenda) {
        let flow = FlowId(self.flows.len() as u32);
        let wants_link = connection.wants_link();
        if connection.is_pulled() {
            self.is_coupled = true;
            self.add_pull(src, flow, End::Source);
            self.add_pull(dst, flow, End::Sink);
        }
        self.flows.push(Flow {
            connection,
            src,
            dst,
            wants_link,
            probe_bytes: agenda.probe_bytes,
            start: agenda.start,
            armed: [None, None],
            unmeasured: PacketCounters::default(),
            unmeasured_acks: PacketCounters::default(),
        });
        let event = |timer| Event::App { flow, timer };
        // Measuring begins before anything else that happens at the same moment.
        self.ctx.events.schedule(agenda.measure_from, event(AppTimer::Measure));
        self.ctx.events.schedule(agenda.start, event(AppTimer::Start));
        if let Some(stop) = agenda.stop {
            self.ctx.events.schedule(stop, event(AppTimer::Stop));
        }
    }

    /// Switches a node's radio off and on at these times, the first of which may be now.
    pub(crate) fn add_presence(&mut self, node: NodeId, radio_schedule: &RadioSchedule) {
        for (at, is_on) in radio_schedule.switches() {
            self.ctx.events.schedule(at, Event::RadioSwitch { node, is_on });
        }
    }

    pub(crate) fn start(&mut self) {
        for (net, mac) in self.nets.iter_mut().zip(&self.macs) {
            net.start(&mut NetCtx { ctx: &mut self.ctx, routes: &mut self.routes, hop: mac.hop() });
        }
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.ctx.now
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Ends the run with an error once it has handled this many events and more are due. With a higher limit it goes on
    /// from there.
    pub fn limit_events(&mut self, limit: u64) {
        self.max_events = limit;
    }

    /// Counts, fingerprints and records.
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Keeps every record of what happens from now on; [`World::take_records`] hands them out.
    pub fn keep_records(&mut self) {
        self.ctx.trace.keep_records();
    }

    /// Records kept since the last call.
    pub fn take_records(&mut self) -> Vec<crate::trace::Record> {
        self.ctx.trace.take_records()
    }

    /// Writes every record into a log from now on, whose rows are to be taken away from time to time.
    pub fn keep_log(&mut self) {
        self.ctx.trace.keep_log();
    }

    /// Shows frames and packets to `tap` from now on.
    pub fn set_tap(&mut self, tap: Box<dyn crate::trace::CaptureSink>) {
        self.ctx.trace.set_tap(tap);
    }

    /// The log, if there is one.
    pub fn log_mut(&mut self) -> Option<&mut crate::trace::Log> {
        self.ctx.trace.log_mut()
    }

    /// The connection of a flow.
    pub fn connection(&self, flow: FlowId) -> &Connection {
        &self.flows[flow.index()].connection
    }

    /// How many packets wait at a node for the MAC.
    pub fn queue_len(&self, node: NodeId) -> usize {
        self.nets[node.index()].link.queue.len()
    }

    /// Lets somebody listen to a node's frames.
    pub fn observe(&mut self, node: NodeId, observer: crate::mac::observer::Observer) {
        let (mac, cx) = self.mac(node);
        mac.observe(observer);
        cx.medium.set_nav_rule(node, mac.nav_rule());
        cx.medium.radio_mut(node).watch = CcaReporting::Immediate;
    }

    /// Lets a router assist see the packets that pass a node's queue.
    pub fn assist(&mut self, node: NodeId, assist: crate::net::explicit_feedback::ExplicitFeedback) {
        self.nets[node.index()].assist(assist);
    }

    /// Starts assists that were put in after the world was built.
    #[cfg(test)]
    pub(crate) fn restart_assists(&mut self) {
        for (net, mac) in self.nets.iter_mut().zip(&self.macs) {
            net.start_assists(&mut NetCtx { ctx: &mut self.ctx, routes: &mut self.routes, hop: mac.hop() });
        }
    }

    /// Puts a packet into the network at a node, as if that node had created it.
    pub fn inject(&mut self, node: NodeId, packet: Packet) {
        let (net, mut cx) = self.net(node);
        net.send(&mut cx, packet);
    }

    /// Lets everything happen that is due up to and including `until`.
    pub fn run_until(&mut self, until: Time) -> Result<(), EngineError> {
        while !self.advance(until, u64::MAX)? {}
        Ok(())
    }

    /// Like [`World::run_until`], but stops after about `events` of them. Whether `until` has been reached.
    ///
    /// An error leaves a world between two events: what it holds can be audited, and reported on.
    pub fn advance(&mut self, until: Time, events: u64) -> Result<bool, EngineError> {
        let mut at_this_moment = 0;
        let pause = self.events.saturating_add(events).min(self.max_events);
        while self.ctx.events.next_time().is_some_and(|at| at <= until) {
            if self.events >= pause {
                let is_over = self.events >= self.max_events;
                let over = EngineError::TooManyEvents { limit: self.max_events, at: self.ctx.now };
                return if is_over { Err(over) } else { Ok(false) };
            }
            let Some((key, event)) = self.ctx.events.pop() else { break };
            let at = key.time();
            debug_assert!(at >= self.ctx.now, "time runs forward");
            at_this_moment = if at > self.ctx.now { 0 } else { at_this_moment + 1 };
            self.ctx.now = at;
            self.events += 1;
            self.handle(event, until);
            self.tell_of_routes();
            if let Some((first, id)) = self.medium.take_fresh(&mut self.ctx, until) {
                self.ctx.now = first;
                self.events += 1;
                self.walk(id, SIGNAL_STARTS, until);
            }
            if at_this_moment > LIVELOCK {
                return Err(EngineError::Livelock { at, events: at_this_moment, last: event });
            }
        }
        self.ctx.now = until;
        Ok(true)
    }

    #[inline]
    fn handle(&mut self, event: Event, until: Time) {
        match event {
            Event::Phy { timer: timer @ (PhyTimer::SignalStart | PhyTimer::SignalEnd), transmission, .. } => {
                self.walk(transmission, timer, until);
            }
            Event::Phy { timer, transmission, .. } => self.release(transmission, timer, until),
            Event::RadioSwitch { node, is_on } => self.switch(node, is_on),
            Event::BroadcastEnd { packet, .. } => self.ctx.consume(packet),
            Event::Mac { node, timer } => {
                let (mac, mut cx) = self.mac(node);
                mac.on_timer(&mut cx, timer);
                self.carry_up(node);
            }
            Event::Link { node, timer, packet } => {
                let (net, mut cx) = self.net(node);
                let out = net.on_link_timer(&mut cx, timer, packet);
                self.carry(node, out);
                self.carry_up(node);
                self.settle(node);
            }
            Event::ArpOverdue { node } => self.settle(node),
            Event::Routing { node, timer } => {
                let (net, mut cx) = self.net(node);
                net.on_routing_timer(&mut cx, timer);
                self.settle(node);
            }
            Event::Feedback { node, timer } => {
                let (net, mut cx) = self.net(node);
                net.on_assist_timer(&mut cx, timer);
                self.settle(node);
            }
            Event::Proxy { node, timer } => {
                self.on_proxy_timer(node, timer);
                self.settle(node);
            }
            Event::Transport { flow, end } => {
                self.on_deadline(flow, end);
                self.settle_ends(flow);
            }
            Event::App { flow, timer } => {
                self.on_agenda(flow, timer);
                self.settle_ends(flow);
            }
            Event::Measure(timer) => self.measure(timer),
        }
    }

    fn measure(&mut self, timer: MeasureTimer) {
        match timer {
            MeasureTimer::Connectivity => self.survey(),
            MeasureTimer::Goodput => self.count_progress(),
        }
        self.settle_ends(FlowId(0));
    }

    #[inline]
    fn mac(&mut self, node: NodeId) -> (&mut Mac, MacCtx<'_>) {
        self.book(node);
        let mac = &mut self.macs[node.index()];
        if let Some(at) = self.medium.radio_mut(node).take_pause() {
            mac.on_pause(at);
        }
        let cx = MacCtx { ctx: &mut self.ctx, medium: &mut self.medium, out: &mut self.mac_out };
        (mac, cx)
    }

    #[inline]
    fn net(&mut self, node: NodeId) -> (&mut Net, NetCtx<'_>) {
        let hop = self.macs[node.index()].hop();
        (&mut self.nets[node.index()], NetCtx { ctx: &mut self.ctx, routes: &mut self.routes, hop })
    }
}
