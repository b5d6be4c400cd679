//! One run of a batch: builds the world, advances it in slices, and returns its report.

use crate::controller::{Failures, Maker};
use crate::failure::Failure;
use crate::job::Job;
use crate::limits::memory::Memory;
use crate::limits::watch;
use crate::limits::{self, Limit, LimitReached, Limits};
use crate::recording::Recording;
use crate::recording::rows::PIECE;
use crate::scenarios::Scenarios;
use cpu_time::ThreadTime;
use hoplab::kernel::{FlowId, Span, Time};
use hoplab::world::World;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Samples of each flow's window over time.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) t_s: Vec<f64>,
    pub(crate) flow: Vec<i32>,
    pub(crate) cwnd: Vec<f64>,
}

/// Events between two checks of limits and cancellation: about 20 ms.
const SLICE: u64 = 50_000;

/// Events between two checks of a traced run: its rows are written while they are still in the cache.
const TRACED_SLICE: u64 = 4_000;

/// Executes a job. Its name is part of a contract: instructions are counted while it is on the stack
/// (`evidence/hoplab_validation/bench/instructions.py`).
#[inline(never)]
pub(crate) fn run(
    index: usize,
    job: &Job,
    scenarios: &Scenarios,
    memory: &Memory,
    cancelled: &AtomicBool,
) -> Result<(String, Series), Failure> {
    let started = ThreadTime::now();
    let began = limits::now();
    let resolved = scenarios.resolve(index, job, memory.all())?;
    let Some(_portion) = memory.take(resolved.memory_bytes(), cancelled) else { return Err(Failure::Cancelled) };
    let failures = Failures::default();
    let failed = || failures.lock().unwrap_or_else(PoisonError::into_inner).take();
    let is_cancelled = || cancelled.load(Ordering::Relaxed);
    let mut maker = Maker { tcp: &resolved.tcp, stream: &resolved.stream, failures: &failures };
    let built = World::build_with(&resolved, job.seed, &mut maker);
    let mut world = built.map_err(|error| match failed() {
        Some(failed) if failed.is_interrupted && is_cancelled() => Failure::Cancelled,
        Some(failed) if failed.is_interrupted => {
            let limit = Limit::Wall(job.max_wall_s.unwrap_or(0.0));
            let call = Some(failed.describe());
            Failure::Limit(Box::new(LimitReached { limit, at: Time::ZERO, end: None, events: None, call }))
        }
        Some(failed) => Failure::Controller(Box::new(failed)),
        None => error.into(),
    })?;
    watch::begin_run();
    let mut recording = Recording::new(job, &resolved, &mut world)?;
    let slice = if job.trace.is_some() { TRACED_SLICE } else { SLICE };
    let end = resolved.end();
    let limits = Limits::begin(job, began, end, &mut world);
    let controllers = |world: &World| match failed() {
        Some(failed) if failed.is_interrupted => Err(Failure::Limit(Box::new(limits.of_call(&failed, world)))),
        Some(failed) => Err(Failure::Controller(Box::new(failed))),
        None => Ok(()),
    };
    let go_on = |world: &World| {
        if is_cancelled() {
            return Err(Failure::Cancelled);
        }
        controllers(world)?;
        limits.wall_limit(world).map_or(Ok(()), |reached| Err(Failure::Limit(Box::new(reached))))
    };
    let interval = job.series_interval_s.map_or(Span::ZERO, Span::from_secs);
    let mut series = Series::default();
    let mut sample_at = if interval == Span::ZERO { Time::NEVER } else { Time::ZERO };
    loop {
        let until = end.min(sample_at);
        loop {
            let is_there = match world.advance(until, slice) {
                Ok(is_there) => is_there,
                Err(error) => {
                    let reached = limits.of(&error, &world);
                    return Err(reached.map_or_else(|| error.into(), |reached| Failure::Limit(Box::new(reached))));
                }
            };
            if is_there {
                break;
            }
            go_on(&world)?;
            recording.write(&mut world, PIECE)?;
        }
        if until == sample_at {
            sample(&world, resolved.flows.len(), &mut series);
            recording.sample(&world);
            // Between two samples there may be less to do than a slice of work.
            go_on(&world)?;
            recording.write(&mut world, PIECE)?;
            sample_at += interval;
        }
        if until == end {
            break;
        }
    }
    go_on(&world)?;
    recording.write(&mut world, 0)?;
    recording.finish()?;
    world.audit()?;
    let cpu_s = started.elapsed().as_secs_f64();
    // Interrupts and the limit of time hold for transfers alone, too.
    let mut run_to = |alone: &mut World, until: Time| -> Result<(), Failure> {
        while !alone.advance(until, SLICE)? {
            go_on(&world)?;
        }
        go_on(&world)
    };
    let times = world.idle_times(&resolved, job.seed, &mut maker, &mut run_to);
    if let Some(times) = times.map_err(|error| go_on(&world).err().unwrap_or(error))? {
        world.set_idle_times(times);
    }
    let report = world.report(&resolved, job.seed, cpu_s);
    Ok((report.to_json(), series))
}

fn sample(world: &World, flows: usize, series: &mut Series) {
    for flow in 0..flows as u32 {
        if let Some(cwnd) = world.connection(FlowId(flow)).cwnd() {
            series.t_s.push(world.now().secs());
            series.flow.push(flow as i32);
            series.cwnd.push(cwnd);
        }
    }
}
