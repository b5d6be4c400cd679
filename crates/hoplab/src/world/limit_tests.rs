//! What ends a run that would not end by itself.

use super::{EngineError, World};
use crate::kernel::{NodeId, Time};
use crate::scenario::Resolved;
use crate::sim::Event;

fn world() -> (World, Time) {
    let text = "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\n";
    let scenario = Resolved::parse(text, "limits.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    (World::new(&scenario, 1), scenario.end())
}

#[test]
fn a_run_ends_at_its_most_events_and_says_when() {
    let (mut world, end) = world();
    world.limit_events(10_000);
    let error = world.run_until(end).expect_err("more events than that");
    let EngineError::TooManyEvents { limit, at } = error else { panic!("{error}") };
    assert_eq!(limit, 10_000);
    assert!(at > Time::ZERO && at < end);
    assert_eq!(error.to_string(), format!("the limit of 10000 events was reached at {at}"));
}

#[test]
fn a_run_within_its_most_events_is_the_same_run() {
    let (mut alone, end) = world();
    alone.run_until(end).expect("a run");
    let (mut limited, _) = world();
    limited.limit_events(alone.events());
    limited.run_until(end).expect("just as many events as are allowed");
    assert_eq!(limited.ctx().trace.fingerprint(), alone.ctx().trace.fingerprint());
}

#[test]
fn a_run_that_met_its_limit_is_whole_and_goes_on_with_a_higher_one() {
    let (mut alone, end) = world();
    alone.run_until(end).expect("a run");
    let (mut limited, _) = world();
    for limit in (1..alone.events()).step_by(97) {
        limited.limit_events(limit);
        let error = limited.run_until(end).expect_err("fewer events than the run has");
        assert!(matches!(error, EngineError::TooManyEvents { .. }), "{error}");
        assert!(limited.events() <= limit + 1, "an arrival may come along with what caused it");
        limited.audit().unwrap_or_else(|error| panic!("after {limit} events: {error}"));
    }
    limited.limit_events(u64::MAX);
    limited.run_until(end).expect("the rest of the run");
    assert_eq!(limited.ctx().trace.fingerprint(), alone.ctx().trace.fingerprint());
}

#[test]
fn a_million_events_at_one_moment_are_a_livelock_with_its_event() {
    let (mut world, end) = world();
    let stuck = Time(1_500_000_000);
    // A radio that is on is switched on again and again: nothing comes of it, and no time passes.
    let event = Event::RadioSwitch { node: NodeId(1), is_on: true };
    for _ in 0..=super::run::LIVELOCK + 1 {
        world.ctx.events.schedule(stuck, event);
    }
    let error = world.run_until(end).expect_err("time stands still");
    let EngineError::Livelock { at, events, last } = error else { panic!("{error}") };
    assert_eq!((at, events, last), (stuck, 1_000_001, event));
    assert!(error.to_string().contains("no progress: 1000001 events at"), "{error}");
    world.audit().expect("nothing is lost with the event that was one too many");
}
