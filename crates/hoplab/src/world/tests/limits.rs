//! What ends a run that would not end by itself: event limit and livelock.

use crate::kernel::{NodeId, Time};
use crate::scenario::Resolved;
use crate::sim::Event;
use crate::world::{EngineError, World};

fn world() -> (World, Time) {
    let text = "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\n";
    let scenario = Resolved::parse(text, "limits.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    (World::new(&scenario, 1), scenario.end())
}

#[test]
fn event_limit_ends_run_with_its_time() {
    let (mut world, end) = world();
    world.limit_events(10_000);
    let error = world.run_until(end).expect_err("more events than the limit");
    let EngineError::TooManyEvents { limit, at } = error else { panic!("{error}") };
    assert_eq!(limit, 10_000);
    assert!(at > Time::ZERO && at < end);
    assert_eq!(error.to_string(), format!("the limit of 10000 events was reached at {at}"));
}

#[test]
fn unreached_event_limit_changes_no_event() {
    let (mut alone, end) = world();
    alone.run_until(end).expect("a run");
    let (mut limited, _) = world();
    limited.limit_events(alone.events());
    limited.run_until(end).expect("exactly as many events as the limit");
    assert_eq!(limited.ctx().trace.fingerprint(), alone.ctx().trace.fingerprint());
}

#[test]
fn limited_run_continues_with_higher_limit() {
    let (mut alone, end) = world();
    alone.run_until(end).expect("a run");
    let (mut limited, _) = world();
    for limit in (1..alone.events()).step_by(97) {
        limited.limit_events(limit);
        let error = limited.run_until(end).expect_err("fewer events than the run has");
        assert!(matches!(error, EngineError::TooManyEvents { .. }), "{error}");
        assert!(limited.events() <= limit + 1, "a signal start may follow its cause in one step");
        limited.audit().unwrap_or_else(|error| panic!("after {limit} events: {error}"));
    }
    limited.limit_events(u64::MAX);
    limited.run_until(end).expect("the rest of the run");
    assert_eq!(limited.ctx().trace.fingerprint(), alone.ctx().trace.fingerprint());
}

#[test]
fn million_events_at_one_time_are_livelock() {
    let (mut world, end) = world();
    let stuck = Time(1_500_000_000);
    // A radio that is on is switched on again and again, without effect and without time passing.
    let event = Event::RadioSwitch { node: NodeId(1), is_on: true };
    for _ in 0..=crate::world::run::LIVELOCK + 1 {
        world.ctx.events.schedule(stuck, event);
    }
    let error = world.run_until(end).expect_err("time does not advance");
    let EngineError::Livelock { at, events, last } = error else { panic!("{error}") };
    assert_eq!((at, events, last), (stuck, 1_000_001, event));
    assert!(error.to_string().contains("no progress: 1000001 events at"), "{error}");
    world.audit().expect("packets are conserved");
}
