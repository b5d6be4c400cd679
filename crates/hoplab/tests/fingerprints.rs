//! Trajectories that are known: a changed number needs a line in the changelog that says why the trajectory moved.
//!
//! The numbers come from an optimized build (`hoplab run --json`, seed 1); these tests run without, so that both agree.

use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Routing, transport, fingerprint of the whole run.
const KNOWN: [(&str, &str, &str); 3] = [
    ("static", "new_reno", "0c94cfa03a286146"),
    ("aodv", "sack", "5c90fa738383c6d9"),
    ("dsdv", "vegas", "064c87af872fa5f8"),
];

#[test]
fn trajectories_are_as_known() {
    for (routing, transport, known) in KNOWN {
        let text = format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 6\n[routing]\nprotocol = \"{routing}\"\n\
             [[flow]]\ntransport = \"{transport}\"\nstart = \"1 s\"\n"
        );
        let scenario = Resolved::parse(&text, "known.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 1);
        world.run_until(scenario.end()).expect("a run that goes on");
        let found = world.ctx().trace.fingerprint().to_string();
        assert_eq!(found, known, "{transport} over {routing} routes");
    }
}
