//! Known fingerprints: a changed number needs a line in the changelog with the reason.
//!
//! The numbers come from an optimized build (`hoplab run --json`, seed 1), the tests from an unoptimized one: both agree.

use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Routing, transport, fingerprint of the whole run.
const KNOWN: [(&str, &str, &str); 3] = [
    ("static", "new_reno", "0c94cfa03a286146"),
    ("aodv", "sack", "5c90fa738383c6d9"),
    ("dsdv", "vegas", "064c87af872fa5f8"),
];

/// Dense networks, stationary and mobile; fingerprint of the whole run.
const DENSE: [(&str, &str); 2] = [
    (
        "duration = \"5 s\"\n[topology]\nkind = \"random\"\nnodes = 40\narea = [\"400 m\", \"400 m\"]\n\
         [routing]\nprotocol = \"aodv\"\n[traffic]\nkind = \"cbr\"\ntransport = \"udp\"\npairs = \"cbrgen\"\n\
         per_node = 0.5\nrate = \"64 kb/s\"\nstart_window = \"1 s\"\n",
        "019b7f438d0c0cb4",
    ),
    (
        "duration = \"5 s\"\n[topology]\nkind = \"random\"\nnodes = 60\narea = [\"1000 m\", \"1000 m\"]\n\
         [mobility]\nkind = \"waypoint\"\nmin_speed = \"1 m/s\"\nmax_speed = \"20 m/s\"\n\
         [routing]\nprotocol = \"aodv\"\n[traffic]\nkind = \"tcp\"\nconnections = 10\n\
         transport = \"new_reno\"\nstart_window = \"1 s\"\n",
        "0323f60580cd8c39",
    ),
];

#[test]
fn fingerprints_equal_known_values() {
    for (routing, transport, known) in KNOWN {
        let text = format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 6\n[routing]\nprotocol = \"{routing}\"\n\
             [[flow]]\ntransport = \"{transport}\"\nstart = \"1 s\"\n"
        );
        assert_eq!(fingerprint(&text), known, "{transport} over {routing} routes");
    }
    for (text, known) in DENSE {
        assert_eq!(fingerprint(text), known, "{text}");
    }
}

fn fingerprint(text: &str) -> String {
    let scenario = Resolved::parse(text, "known.toml", &[]).expect("a scenario");
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.ctx().trace.fingerprint().to_string()
}
