//! The subscribers of one run, and the events at which each is called. A run without subscribers does no measuring.

use super::airtime::{AirtimeAccounts, Collisions, NodeAirtime};
use super::connectivity::Connectivity;
use super::estimates::EstimateSeries;
use super::goodput::GoodputSeries;
use super::idle::IdleTimes;
use super::report::FlowBaseline;
use super::view::RunView;
use crate::kernel::{FlowId, RadioId, Span};

/// What is measured of one run.
#[derive(Debug, Default)]
pub struct Measures {
    /// Airtime of all nodes, if it is accounted for. Called before anything changes at a node.
    pub airtime: Option<Box<AirtimeAccounts>>,
    /// Frames that collide, for the log; while airtime is accounted for.
    pub collisions: Collisions,
    /// Connectivity samples: at the end of the warm-up, then periodically if nodes move.
    pub connectivity: Connectivity,
    /// Goodput of each flow, if the scenario has intervals. Called at the end of each interval.
    pub goodput: Option<GoodputSeries>,
    /// Bandwidth estimates at the ends of the goodput intervals.
    pub estimates: EstimateSeries,
    /// Times of transfers alone, if they were measured.
    pub idle: Option<Box<IdleTimes>>,
    /// What flows had done when their measurement started, by flow.
    pub baselines: Vec<FlowBaseline>,
}

impl Measures {
    /// Counts goodput in intervals from now on; `probe_bytes` are the packet lengths of the flows.
    pub fn begin_intervals(&mut self, interval: Span, probe_bytes: Vec<u32>) {
        self.goodput = Some(GoodputSeries::new(interval, probe_bytes.len()));
        self.estimates = EstimateSeries::new(probe_bytes);
    }

    /// The end of a goodput interval. Returns the length of the next.
    pub fn on_interval(&mut self, run: &RunView<'_>) -> Option<Span> {
        let goodput = self.goodput.as_mut()?;
        goodput.on_interval(run);
        self.estimates.on_interval(run);
        Some(goodput.interval())
    }

    /// The warm-up of a flow is over.
    pub fn begin_flow(&mut self, flow: FlowId, run: &RunView<'_>) {
        self.baselines[flow.index()] = FlowBaseline::now(flow, run);
    }

    /// Airtime of a radio since its account began; `None` if airtime is not accounted for.
    pub fn airtime_of(&self, run: &RunView<'_>, radio: RadioId) -> Option<NodeAirtime> {
        Some(self.airtime.as_ref()?.of(run.state(radio)))
    }
}
