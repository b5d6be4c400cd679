//! Inputs of bounds on what a network can carry, and the replay of schedules that prove them.

use crate::failure::Failure;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::scenarios::resolve;
use hoplab::kernel::{RadioId, Span, Time};
use hoplab::measure::Exchange;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use pyo3::prelude::*;

/// Sender, receiver, and bytes of the packet above the MAC.
type Sent = (u32, u32, u32);

/// Index of an exchange, place of a frame in it, index of the modulation, and a probability per node.
type FrameSurvival = (usize, usize, usize, Vec<f64>);

/// What bounds are computed from (`hoplab::measure::bound_inputs`), as JSON; the receivers of each node at each of `times_s`, which do not
/// decrease.
#[pyfunction]
pub(crate) fn bound_inputs(py: Python<'_>, job: &Job, times_s: Vec<f64>) -> PyResult<String> {
    on_world(py, job, move |world, scenario| {
        let times: Vec<Time> = times_s.iter().map(|&at| Time::ZERO + Span::from_secs(at)).collect();
        world.bound_inputs(scenario, &times).to_string()
    })
}

/// Survival of the frames of exchanges at a time under each single interferer (`hoplab::measure::Disturbed`): by frame, index of the
/// exchange, place of the frame in it, index of the modulation, and a probability per node.
#[pyfunction]
pub(crate) fn survival(py: Python<'_>, job: &Job, exchanges: Vec<Sent>, time_s: f64) -> PyResult<Vec<FrameSurvival>> {
    on_world(py, job, move |world, scenario| {
        let now = Time::ZERO + Span::from_secs(time_s);
        let each = exchanges.iter().map(exchange).enumerate();
        let found = each.flat_map(|(index, one)| {
            let frames = world.disturbed(scenario, &[one], now).into_iter();
            frames.map(move |frame| (index, frame.place, frame.choice, frame.survival)).collect::<Vec<_>>()
        });
        found.collect()
    })
}

/// Plays slots of exchanges on the radios of a scenario, without its stations. By slot: whether all frames of each exchange
/// arrived, and its seconds.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, job: &Job, slots: Vec<Vec<Sent>>) -> PyResult<Vec<(Vec<bool>, f64)>> {
    on_world(py, job, move |world, _| {
        let slots: Vec<Vec<Exchange>> = slots.iter().map(|slot| slot.iter().map(exchange).collect()).collect();
        world.replay(&slots).into_iter().map(|(arrived, length)| (arrived, length.secs())).collect()
    })
}

fn exchange(&(from, to, bytes): &Sent) -> Exchange {
    Exchange { from: RadioId(from), to: RadioId(to), bytes }
}

/// Calls `find` with the run of a job before its first event, without parts of the user: these send packets of the same lengths.
fn on_world<T: Send + 'static>(
    py: Python<'_>,
    job: &Job,
    find: impl FnOnce(&mut World, &Resolved) -> T + Send + 'static,
) -> PyResult<T> {
    let asked = job.clone();
    let begin = move || {
        let mut scenario = (*resolve(&asked)?).clone();
        scenario.rate_controller = None;
        for flow in &mut scenario.flows {
            flow.controller = None;
            flow.source = None;
        }
        let mut world = World::build_with(&scenario, asked.seed, &mut hoplab_stacks::Stacks).map_err(Failure::from)?;
        Ok(find(&mut world, &scenario))
    };
    interruptible(py, begin)?.map_err(|failure: Failure| failure.raised(py, job).expect("nothing cancels it"))
}
