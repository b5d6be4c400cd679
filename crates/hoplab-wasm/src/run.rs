//! One run, advanced in slices.

use crate::rows;
use hoplab::kernel::{Span, Time};
use hoplab::measure::{Sample, Sampler};
use hoplab::mobility::Trajectory;
use hoplab::scenario::{NamedFile, ParsedScenario, Resolved, ScenarioError, files_named};
use hoplab::world::{EngineError, NoExternals, World};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Memory that a run may need, in bytes: a browser gives a page not much more.
const MEMORY: f64 = 512e6;

/// What a caller asks for.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    /// The scenario file.
    text: String,
    /// Its name in messages.
    path: String,
    /// Keys and values that replace those of the file.
    #[serde(default)]
    overrides: Vec<(String, String)>,
    /// By default the scenario's own.
    seed: Option<u64>,
    /// Events after which the run ends with an error.
    max_events: Option<u64>,
    /// Interval of samples; with it the run keeps its log.
    interval_s: Option<f64>,
    /// Whether airtime is accounted for.
    #[serde(default)]
    airtime: bool,
}

/// A run in progress.
pub(crate) struct Run {
    scenario: Arc<Resolved>,
    seed: u64,
    world: World,
    interval: Span,
    sample_at: Time,
    sampler: Sampler,
    samples: Vec<Sample>,
}

impl Run {
    pub(crate) fn begin(request: &Request) -> Result<Run, Value> {
        let parsed = parse(request)?;
        let seed = request.seed.unwrap_or(parsed.seed());
        let scenario = parsed.at_seed_within(seed, MEMORY).map_err(|error| refusal(&error))?;
        let mut world = World::build(&scenario, seed).map_err(|error| broken(&error))?;
        if let Some(most) = request.max_events {
            world.limit_events(most);
        }
        let interval = request.interval_s.map_or(Span::ZERO, Span::from_secs);
        if interval > Span::ZERO {
            world.keep_log();
        }
        if request.airtime || interval > Span::ZERO {
            world.account_airtime();
        }
        let sampler = Sampler::new(&scenario);
        let sample_at = if interval == Span::ZERO { Time::NEVER } else { Time::ZERO };
        Ok(Run { scenario, seed, world, interval, sample_at, sampler, samples: Vec::new() })
    }

    pub(crate) fn end_s(&self) -> f64 {
        self.scenario.end().secs()
    }

    /// Whether the run has ended after about `events` more events, and its progress.
    pub(crate) fn advance(&mut self, events: u64) -> Result<(bool, Value), Value> {
        let (end, most) = (self.scenario.end(), self.world.events().saturating_add(events));
        let is_done = loop {
            let until = end.min(self.sample_at);
            let left = most.saturating_sub(self.world.events()).max(1);
            if !self.world.advance(until, left).map_err(|error| broken(&error))? {
                break false;
            }
            if until == self.sample_at {
                self.world.sample(&mut self.sampler, &mut self.samples);
                self.sample_at += self.interval;
            }
            if until == end {
                break true;
            }
            if self.world.events() >= most {
                break false;
            }
        };
        Ok((is_done, json!({ "t_s": self.world.now().secs(), "events": self.world.events() })))
    }

    /// The report; transfers alone are run for it, if the scenario has a workload.
    pub(crate) fn report(&mut self) -> Result<String, Value> {
        self.world.audit().map_err(|error| broken(&error))?;
        let mut run_to = |alone: &mut World, until: Time| alone.run_until(until);
        let times = self.world.idle_times::<EngineError>(&self.scenario, self.seed, &mut NoExternals, &mut run_to);
        if let Some(times) = times.map_err(|error| broken(&error))? {
            self.world.set_idle_times(times);
        }
        Ok(self.world.report(&self.scenario, self.seed, 0.0).to_json())
    }

    pub(crate) fn rows(&mut self) -> Vec<u8> {
        self.world.log_mut().map(rows::take).unwrap_or_default()
    }

    pub(crate) fn names(&mut self) -> Value {
        self.world.log_mut().map(|log| rows::names(log)).unwrap_or_default()
    }

    pub(crate) fn recording(&mut self) -> Result<Value, Value> {
        let trajectories = self.scenario.trajectories(self.seed).map_err(|error| failure(&error.to_string()))?;
        let samples = self
            .samples
            .iter()
            .map(|sample| json!([sample.time.0 as f64, sample.metric, sample.node, sample.flow, sample.value]));
        Ok(json!({
            "trajectories": trajectories.iter().map(movements).collect::<Value>(),
            "samples": samples.collect::<Value>(),
        }))
    }
}

/// A scenario with the draws of its own seed.
pub(crate) fn resolve(request: &Request) -> Result<Value, Value> {
    let parsed = parse(request)?;
    let seed = request.seed.unwrap_or(parsed.seed());
    let resolved = parsed.at_seed_within(seed, MEMORY).map_err(|error| refusal(&error))?;
    let positions = resolved.trajectories(seed).map_err(|error| failure(&error.to_string()))?;
    Ok(json!({
        "scenario": resolved.to_json(),
        "flow_tables": resolved.flow_tables(),
        "warnings": resolved.warnings,
        "facts": resolved.facts().to_json(),
        "links": resolved.links_at_start().iter().map(|(a, b)| json!([a.0, b.0])).collect::<Value>(),
        "positions": positions.iter().map(Trajectory::start).map(|(x, y)| json!([x, y])).collect::<Value>(),
    }))
}

fn parse(request: &Request) -> Result<ParsedScenario, Value> {
    let Request { text, path, overrides, .. } = request;
    let absent = |name: String| NamedFile {
        path: name.clone(),
        name,
        text: Err("{}: not supported in a browser, which reads no files: run hoplab on your machine".to_owned()),
    };
    let files: Vec<NamedFile> = files_named(text, path, overrides).into_iter().map(absent).collect();
    ParsedScenario::parse(text, path, overrides, &files).map_err(|error| refusal(&error))
}

/// Start and legs of a node, as the binding for Python has them.
fn movements(trajectory: &Trajectory) -> Value {
    let legs = trajectory.legs().iter();
    let legs = legs.map(|leg| json!([leg.t0.secs(), leg.x0, leg.y0, leg.t1.secs(), leg.x1, leg.y1]));
    let (x, y) = trajectory.start();
    json!({ "start": [x, y], "legs": legs.collect::<Vec<_>>() })
}

fn refusal(error: &ScenarioError) -> Value {
    let problems = error.diagnostics().iter();
    let lines = problems.map(|problem| json!({ "line": problem.line, "key": problem.key, "message": problem.message }));
    json!({ "error": error.to_string(), "problems": lines.collect::<Value>() })
}

fn broken(error: &EngineError) -> Value {
    failure(&error.to_string())
}

pub(crate) fn failure(what: &str) -> Value {
    json!({ "error": what, "problems": [] })
}
