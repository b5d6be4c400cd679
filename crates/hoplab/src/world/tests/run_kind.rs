//! Plain runs: which runs are, and that code of their own changes no event.

use crate::kernel::{NodeId, RadioId, Time};
use crate::mac::observer::{Busy, Observer};
use crate::scenario::Resolved;
use crate::world::World;

const CHAIN: &str = "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[[flow]]\ntransport = \"new_reno\"\n";

/// A run of `CHAIN` with further tables, and its end.
fn world(tables: &str) -> (World, Time) {
    let text = format!("{CHAIN}{tables}");
    let scenario = Resolved::parse(&text, "kind.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    (World::new(&scenario, 1), scenario.end())
}

#[test]
fn plain_run_has_the_events_of_any_run() {
    for tables in [
        "[routing]\nprotocol = \"static\"",
        "[routing]\nprotocol = \"aodv\"",
        "[mac]\nrts_threshold = 3000",
        "[link]\narp = false",
    ] {
        let (mut plain, end) = world(tables);
        assert!(plain.is_plain(), "{tables}");
        plain.run_until(end).expect("a run");
        let (mut any, _) = world(tables);
        any.is_plain = Some(false);
        any.run_until(end).expect("a run");
        assert!(plain.events() > 1000, "{tables}");
        assert_eq!(plain.events(), any.events(), "{tables}");
        assert_eq!(plain.ctx().trace.fingerprints(), any.ctx().trace.fingerprints(), "{tables}");
    }
}

#[test]
fn options_make_a_run_no_plain_one() {
    for tables in ["[mac]\nnav_reset_after_rts = true", "[radio]\nrx_model = \"sinr\""] {
        assert!(!world(tables).0.is_plain(), "{tables}");
    }
    let (mut watched, _) = world("");
    assert!(watched.is_plain());
    watched.observe(NodeId(1), Observer::Busy(Box::new(Busy::new(RadioId(1)))));
    assert!(!watched.is_plain());
}
