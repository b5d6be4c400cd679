//! Calls of the subscribers of a run (`measure`): which data they read, and when.

use super::assembly::routing_graph;
use super::error::EngineError;
use super::run::World;
use crate::kernel::{FlowId, NodeId, RadioId, Span, Time};
use crate::mac::observer::{ObserverKind, ObserverSetup, ObserverTables};
use crate::measure::{
    AirtimeAccounts, Connectivity, Disturbed, Exchange, Measures, NodeAirtime, NodeState, RunFacts, RunReport, RunView,
    Sample, Sampler, bound_inputs, disturbed, losses, played, sensed,
};
use crate::net::routing::ReachGraph;
use crate::phy::{Receiver, play};
use crate::scenario::Resolved;
use crate::sim::{Event, MeasureTimer};
use serde_json::Value as Json;
use std::sync::Arc;

impl World {
    /// The run as measures read it.
    pub fn view(&self) -> RunView<'_> {
        let World { ctx, medium, macs, nets, wires, proxies, flows, .. } = self;
        RunView { ctx, medium, macs, nets, wires: wires.as_deref(), proxies, flows }
    }

    fn view_and_measures(&mut self) -> (RunView<'_>, &mut Measures) {
        let World { ctx, medium, macs, nets, wires, proxies, flows, measures, .. } = self;
        (RunView { ctx, medium, macs, nets, wires: wires.as_deref(), proxies, flows }, measures)
    }

    /// Links at the start of the run, before its first event, with wires.
    pub fn reach_graph(&mut self, scenario: &Resolved) -> ReachGraph {
        routing_graph(scenario, &self.ctx.radios, &mut self.medium)
    }

    /// Inputs of bounds on what this run can deliver, before its first event, as JSON. `sensed` and `losses` have one list per
    /// time of `times`, which do not decrease.
    pub fn bound_inputs(&mut self, scenario: &Resolved, times: &[Time]) -> Json {
        let graph = self.reach_graph(scenario);
        let mut inputs = bound_inputs(&self.view(), scenario, &graph);
        let lengths = inputs["lengths"].as_array().into_iter().flatten();
        let lengths = lengths.filter_map(|bytes| bytes.as_u64()?.try_into().ok()).collect();
        let World { medium, macs, .. } = self;
        inputs["sensed"] = times.iter().map(|&at| sensed(medium, at)).collect();
        inputs["losses"] = times.iter().map(|&at| losses(macs, medium, scenario, &lengths, at)).collect();
        inputs
    }

    /// Survival of the frames of exchanges under each single interferer at `now`, before the first event of the run.
    pub fn disturbed(&mut self, scenario: &Resolved, exchanges: &[Exchange], now: Time) -> Vec<Disturbed> {
        disturbed(&self.macs, &mut self.medium, scenario, exchanges, now)
    }

    /// Plays slots one after the other on this run's radios, before its first event, without its stations: the exchanges of
    /// a slot begin together. By slot: whether all frames of each exchange arrived, and its length until no signal is on the air.
    pub fn replay(&mut self, slots: &[Vec<Exchange>]) -> Vec<(Vec<bool>, Span)> {
        let World { medium, macs, .. } = self;
        let (mut frames, mut ends) = (Vec::new(), vec![(0, Time::ZERO)]);
        for slot in slots {
            let begin = ends.last().map_or(Time::ZERO, |&(_, end)| end);
            let delay = |from, to| {
                let mut receivers = medium.receivers(from, Time::ZERO).iter();
                receivers.find(|one| one.radio == to).map(Receiver::delay).unwrap_or_default()
            };
            let (sent, end) = played(macs, slot, begin, delay);
            let far = sent.iter().map(|(_, frame)| medium.farthest_delay(frame.ta)).max().unwrap_or_default();
            frames.extend(sent);
            ends.push((frames.len(), end + far + Span(1)));
        }
        let arrived = play(medium, &frames);
        let outcome = |slot: &Vec<Exchange>, pair: &[(usize, Time)]| {
            let range = pair[0].0..pair[1].0;
            let is_whole = |exchange: &Exchange| {
                let mut own = range.clone().filter(|&index| exchange.has(&frames[index].1));
                own.all(|index| arrived[index])
            };
            (slot.iter().map(is_whole).collect(), pair[1].1.since(pair[0].1))
        };
        slots.iter().zip(ends.windows(2)).map(|(slot, pair)| outcome(slot, pair)).collect()
    }

    /// The report of this run up to now.
    pub fn report(&self, scenario: &Resolved, seed: u64, cpu_s: f64) -> RunReport {
        let facts = RunFacts { seed, events: self.events(), cpu_s };
        let mut report = RunReport::new(&self.view(), &self.measures, scenario, facts);
        let mut all = Vec::new();
        for workload in &mut report.workloads {
            let own: Vec<_> = self.session_reports(workload.id).collect();
            workload.sessions.add(&own);
            all.extend(own);
        }
        report.sessions.add(&all);
        report
    }

    /// Checks that packets are conserved, and that no station is stalled.
    ///
    /// # Errors
    /// The first fault found.
    pub fn audit(&self) -> Result<(), EngineError> {
        Ok(self.view().audit()?)
    }

    /// Reads all values of a sample now.
    pub fn sample(&self, sampler: &mut Sampler, out: &mut Vec<Sample>) {
        sampler.read(&self.view(), &self.measures, out);
    }

    /// Accounts for the airtime of all nodes from now on.
    pub fn account_airtime(&mut self) {
        let (radios, now) = (self.macs.len(), self.now());
        self.measures.airtime.get_or_insert_with(|| Box::new(AirtimeAccounts::new(radios, now)));
        self.measures.collisions.rx_threshold = self.medium.rx_threshold();
    }

    /// Accounts for airtime, and records when each node's air is free ([`World::free_share`]), from the start of the run.
    pub fn account_free_air(&mut self) {
        self.account_airtime();
        if let Some(accounts) = &mut self.measures.airtime {
            accounts.record_use(self.macs.iter().map(|mac| mac.timing().difs));
        }
    }

    /// Airtime of the first radio of a node since [`World::account_airtime`].
    pub fn airtime(&self, node: NodeId) -> Option<NodeAirtime> {
        self.measures.airtime_of(&self.view(), self.ctx.radios.first(node))
    }

    /// Share of the last `window` in which a node's air was free; `None` without [`World::account_free_air`].
    pub fn free_share(&self, node: NodeId, window: Span) -> Option<f64> {
        self.measures.airtime.as_ref()?.free_share(self.view().state(self.ctx.radios.first(node)), window)
    }

    /// Adds the observers rt-Winf and IdleGap to every node without them.
    pub fn observe_everywhere(&mut self, scenario: &Resolved) {
        let tables = ObserverTables { winf: &scenario.winf, idle_gap: &scenario.idle_gap };
        for node in self.view().nodes() {
            for kind in [ObserverKind::Winf, ObserverKind::IdleGap] {
                let radio = self.ctx.radios.first(node);
                let mac = &self.macs[radio.index()];
                if mac.observers().iter().all(|observer| observer.name() != kind.name()) {
                    let timing = Arc::new(mac.timing().clone());
                    self.observe(node, kind.build(&tables, &ObserverSetup { radio, timing: &timing }));
                }
            }
        }
    }

    /// Takes connectivity samples from `first` on.
    pub(super) fn begin_connectivity(&mut self, first: Time) {
        self.ctx.events.schedule(first, Event::Measure(MeasureTimer::Connectivity));
    }

    /// Counts goodput in intervals from now on; `probe_bytes` are the packet lengths of the flows.
    pub(super) fn begin_intervals(&mut self, interval: Span, probe_bytes: Vec<u32>) {
        self.measures.begin_intervals(interval, probe_bytes);
        self.ctx.events.schedule(self.ctx.now + interval, Event::Measure(MeasureTimer::Goodput));
    }

    /// The warm-up of a flow is over.
    pub(super) fn begin_flow_measures(&mut self, flow: FlowId) {
        let (view, measures) = self.view_and_measures();
        measures.begin_flow(flow, &view);
    }

    pub(super) fn on_measure_timer(&mut self, timer: MeasureTimer) {
        let next = match timer {
            MeasureTimer::Connectivity => {
                let receivers = self.ctx.radios.neighbors_of_nodes(self.medium.neighbors(self.ctx.now));
                let (view, measures) = self.view_and_measures();
                measures.connectivity.sample(&view, receivers);
                (!self.medium.is_still()).then_some(Connectivity::INTERVAL)
            }
            MeasureTimer::Goodput => {
                let (view, measures) = self.view_and_measures();
                measures.on_interval(&view)
            }
        };
        if let Some(interval) = next {
            self.ctx.events.schedule(self.ctx.now + interval, Event::Measure(timer));
        }
    }

    /// To be called before anything changes at a node's radio or MAC.
    #[inline]
    pub(crate) fn before_change(&mut self, radio: RadioId) {
        if self.measures.airtime.is_some() {
            self.settle_airtime(radio);
        }
    }

    /// Apart from the path of runs without accounts, which pays for the test alone.
    #[cold]
    #[inline(never)]
    fn settle_airtime(&mut self, radio: RadioId) {
        let World { ctx, medium, macs, measures, .. } = self;
        if let Some(accounts) = &mut measures.airtime {
            accounts.before_change(ctx.now, radio, || NodeState::new(ctx.now, radio, medium, macs));
        }
    }

    /// A radio could not decode a frame; its NAV would have expired at `before`.
    pub(super) fn on_unreadable(&mut self, radio: RadioId, before: Time) {
        if let Some(accounts) = &mut self.measures.airtime {
            accounts.on_unreadable(self.ctx.now, radio, self.medium.radio(radio), before);
        }
    }
}
