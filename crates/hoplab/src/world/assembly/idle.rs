//! Runs finite transfers alone, for the slowdown of those among others.

use crate::kernel::{Bytes, FlowId, Span, Time};
use crate::measure::{IdlePath, IdleTimes};
use crate::metrics::Completion;
use crate::net::wires::{WireLoss, WireSpec};
use crate::phy::ErrorKind;
use crate::scenario::{FlowSpec, Resolved};
use crate::world::error::EngineError;
use crate::world::externals::Externals;
use crate::world::run::World;
use std::collections::{BTreeMap, BTreeSet};

/// Most sizes of a path that are run; a size between takes the progress of the next larger one.
const SIZES: usize = 4;
/// Most paths. With more, there is no slowdown.
const PATHS: usize = 64;
/// Runs of each size: backoffs differ by what precedes the measured transfer.
const RUNS: u32 = 4;
/// Time from the start of a first short transfer, which finds route and addresses, to that of the measured one.
const LEAD: Span = Span::from_millis(2_000);
/// Longest time of a transfer alone.
const LONGEST: Span = Span::from_millis(600_000);

impl World {
    /// Times of the transfers that have ended, alone on their paths, if nodes are stationary and the channel is not random: the
    /// luck of one transfer is no reference. `seed` is that of this run; `externals` are those that it was built with; `run_to`
    /// runs another world to a time, so that its caller can limit or interrupt it.
    ///
    /// # Errors
    /// Those of `run_to`, and of building networks.
    pub fn idle_times<E: From<EngineError>>(
        &self,
        scenario: &Resolved,
        seed: u64,
        externals: &mut dyn Externals,
        run_to: &mut dyn FnMut(&mut World, Time) -> Result<(), E>,
    ) -> Result<Option<IdleTimes>, E> {
        let mut paths: BTreeMap<IdlePath, (&FlowSpec, BTreeSet<u32>)> = BTreeMap::new();
        let has_ended = |flow: &&FlowSpec| {
            let transfer = self.flows[flow.id.index()].connection.completion();
            transfer.is_some_and(|transfer| transfer.secs().is_some())
        };
        for flow in scenario.flows.iter().filter(has_ended) {
            if let (Some(path), Some(bytes)) = (IdleTimes::path_of(flow), flow.bytes) {
                paths.entry(path).or_insert_with(|| (flow, BTreeSet::new())).1.insert(bytes.0);
            }
        }
        if paths.is_empty() || paths.len() > PATHS || !self.view().medium.is_still() || is_random(scenario) {
            return Ok(None);
        }
        let mut alone =
            Resolved { goodput_interval: None, workloads: Vec::new(), traffic: None, live: None, ..scenario.clone() };
        let mut times = IdleTimes::default();
        for (path, (flow, sizes)) in paths {
            let sizes: Vec<u32> = sizes.into_iter().collect();
            let runs = sizes.len().min(SIZES);
            for i in 1..=runs {
                let bytes = Bytes(sizes[sizes.len() * i / runs - 1]);
                let mut transfers = Vec::new();
                for run in 0..RUNS {
                    alone.flows = flows_alone(flow, bytes, run);
                    let world = World::build_with(&alone, seed, externals)?;
                    transfers.extend(transfer_alone(world, flow.start + LEAD, run_to)?);
                }
                if transfers.len() == RUNS as usize {
                    times.add(path.clone(), transfers);
                }
            }
        }
        Ok(Some(times))
    }

    /// Reports have slowdowns by these times from now on.
    pub fn set_idle_times(&mut self, times: IdleTimes) {
        self.measures.idle = Some(Box::new(times));
    }
}

/// Whether frames or packets are lost by chance without interference.
fn is_random(scenario: &Resolved) -> bool {
    let is_lossy = |wire: &WireSpec| wire.ports.iter().any(|port| port.loss != WireLoss::Independent(0.0));
    scenario.radio.is_random()
        || scenario.radio.errors.model != ErrorKind::None
        || scenario.radio.links.as_ref().is_some_and(|links| links.has_deliveries())
        || scenario.wires.iter().any(is_lossy)
}

/// A transfer of `bytes`, and one before it that sends one more segment than in the run before.
fn flows_alone(flow: &FlowSpec, bytes: Bytes, run: u32) -> Vec<FlowSpec> {
    let of = |id, start, bytes| FlowSpec {
        id: FlowId(id),
        start,
        bytes: Some(bytes),
        start_spread: Span::ZERO,
        stop: None,
        workload: None,
        session: None,
        ..flow.clone()
    };
    vec![of(0, flow.start, Bytes(1 + run * flow.segment.0)), of(1, flow.start + LEAD, bytes)]
}

/// The second transfer of a network where nothing else is sent, from `start` on; `None` if it does not end.
fn transfer_alone<E: From<EngineError>>(
    mut world: World,
    start: Time,
    run_to: &mut dyn FnMut(&mut World, Time) -> Result<(), E>,
) -> Result<Option<Completion>, E> {
    world.flows[1].connection.keep_progress();
    let (mut until, mut step) = (start, Span::from_millis(250));
    let end = start + LONGEST;
    while until < end {
        until = (until + step).min(end);
        step = step * 2;
        run_to(&mut world, Time(until.0))?;
        let transfer = world.flows[1].connection.completion();
        if let Some(transfer) = transfer.filter(|transfer| transfer.secs().is_some()) {
            return Ok(Some(transfer.clone()));
        }
    }
    Ok(None)
}
