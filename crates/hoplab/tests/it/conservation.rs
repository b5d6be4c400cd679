//! Conservation of packets: 200 random scenarios, audited while they run.

use crate::random::scenario;
use hoplab::kernel::Time;
use hoplab::scenario::Resolved;
use hoplab::world::World;

#[test]
fn packets_are_conserved_in_random_scenarios() {
    let mut delivered = 0;
    for number in 0..200 {
        let text = scenario(number);
        let resolved = match Resolved::parse(&text, "random.toml", &[]) {
            Ok(resolved) => resolved,
            Err(error) => panic!("scenario {number} is wrong: {error}\n{text}"),
        };
        let mut world = World::new(&resolved, number);
        for tenth in 1..=60 {
            let outcome = world.run_until(Time::from_secs(f64::from(tenth) * 0.1)).and_then(|()| world.audit());
            assert!(outcome.is_ok(), "scenario {number}: {outcome:?}\n{text}");
        }
        delivered += world.ctx().trace.counters.classes().iter().skip(1).map(|life| life.delivered).sum::<u64>();
    }
    assert!(delivered > 20_000, "the scenarios carry traffic: {delivered} packets delivered");
}
