//! Semi-TCP in whole networks: exchanges of Cai 2013 as scripts of frames, and the progress of every flow.

mod exchanges;
mod parking;
mod progress;
mod random;
mod today;

use super::frame_script::{frames, give, idle_world, run};
use crate::kernel::{FlowId, Time};
use crate::scenario::Resolved;
use crate::trace::Record;
use crate::world::World;

/// The world of the first seed whose frames begin with `start`, with all its frames and records.
fn script(start: &str, make: impl Fn(u64) -> World) -> (World, Vec<(Time, String)>, Vec<Record>) {
    for seed in 0..200 {
        let mut world = make(seed);
        let records = run(&mut world, 40);
        let frames = frames(&records);
        let words: Vec<&str> = frames.iter().map(|(_, frame)| frame.as_str()).collect();
        if words.join(", ").starts_with(start) {
            return (world, frames, records);
        }
    }
    panic!("no seed begins with {start}");
}

const LINE: [(f64, f64); 3] = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)];

fn line(given: &'static [(u32, u32)], more: &'static str) -> impl Fn(u64) -> World {
    move |seed| {
        let mut world = idle_world(&LINE, &[(0, 1), (1, 2), (1, 0)], more, seed);
        for &(flow, count) in given {
            give(&mut world, flow, count);
        }
        world
    }
}

/// Data packets of a flow delivered by each of these times, in seconds.
fn delivered_by(scenario: &Resolved, flow: u32, times: &[f64]) -> Vec<u64> {
    let mut world = World::new(scenario, scenario.seed);
    let mut count = |&secs: &f64| {
        world.run_until(Time::from_secs(secs)).and_then(|()| world.audit()).expect("a run without error");
        world.ctx().trace.counters.data(FlowId(flow)).delivered
    };
    times.iter().map(&mut count).collect()
}
