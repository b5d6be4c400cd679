//! The number of updates does not change the accounts.

use super::{AirtimeUse, NodeAirtime};
use crate::kernel::{NodeId, Span};
use crate::scenario::Resolved;
use crate::trace::{EVENTS, Row, reasons};
use crate::world::World;
use std::collections::BTreeSet;

fn scenario(profile: &str, radio: &str, topology: &str) -> Resolved {
    let text = format!(
        "profile = \"{profile}\"\nduration = \"6 s\"\n{topology}\n[radio]\n{radio}\n[routing]\nprotocol = \"aodv\"\n\
         [[flow]]\nfrom = 0\nto = 4\n[[flow]]\nfrom = 5\nto = 1\n[[flow]]\nfrom = 2\nto = 6\nstart = \"1 s\"\n"
    );
    Resolved::parse(&text, "airtime.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Airtime of a run's nodes, and the share of their air that was free at its end.
fn accounts(scenario: &Resolved, is_settled_often: bool) -> Vec<(NodeAirtime, Option<f64>)> {
    let nodes = || (0..scenario.positions.len() as u32).map(NodeId);
    let mut world = World::new(scenario, 1);
    world.account_free_air();
    while !world.advance(scenario.end(), 1).expect("a run") {
        if is_settled_often {
            world.ctx().radios.all().for_each(|radio| world.before_change(radio));
        }
    }
    let window = Span::from_millis(700);
    nodes().map(|node| (world.airtime(node).expect("accounts"), world.free_share(node, window))).collect()
}

#[test]
fn settling_after_every_event_gives_the_same_accounts() {
    let chain = "[topology]\nkind = \"chain\"\nhops = 7\nspacing = \"200 m\"";
    let cell = "[topology]\nkind = \"random\"\nnodes = 24\narea = [\"200 m\", \"200 m\"]";
    let moving = "[topology]\nkind = \"random\"\nnodes = 30\narea = [\"900 m\", \"300 m\"]\n\
                  [mobility]\nkind = \"waypoint\"\nmax_speed = \"20 m/s\"";
    let mut seen = [false; AirtimeUse::ALL.len()];
    for (profile, radio) in [("ns2", ""), ("ns2", "rx_model = \"sinr\""), ("std", "")] {
        for topology in [chain, cell, moving] {
            let scenario = scenario(profile, radio, topology);
            let found = accounts(&scenario, true);
            assert_eq!(accounts(&scenario, false), found, "{profile} {radio} {topology}");
            for (airtime, _) in found {
                for what in AirtimeUse::ALL {
                    seen[what as usize] |= airtime.of(what) > 0;
                }
            }
        }
    }
    let unseen: Vec<AirtimeUse> = AirtimeUse::ALL.into_iter().filter(|what| !seen[*what as usize]).collect();
    assert_eq!(unseen, [AirtimeUse::Off, AirtimeUse::Parked]);
}

#[test]
fn log_has_every_frame_that_collides() {
    // docs/use/reference/trace.md: `frame_collided`.
    let cell = "[topology]\nkind = \"random\"\nnodes = 24\narea = [\"200 m\", \"200 m\"]";
    let scenario = scenario("ns2", "", cell);
    let mut world = World::new(&scenario, 1);
    world.keep_log();
    world.account_airtime();
    world.run_until(scenario.end()).expect("a run");
    let fingerprint = world.ctx().trace.fingerprint();
    let rows = world.log_mut().expect("a log").rows().to_vec();
    let named = |name: &'static str| rows.iter().filter(move |row| EVENTS[usize::from(row.event)] == name);
    let what = |row: &Row| (row.time, row.node, row.frame, row.peer);
    let collided: BTreeSet<_> = named("frame_collided").map(what).collect();
    let is_collision = |row: &&Row| reasons()[usize::from(row.reason)] == "collision";
    let lost: BTreeSet<_> = named("frame_lost").filter(is_collision).map(what).collect();
    // All nodes are in range of each other: only their own transmissions prevent decoding, which is rare.
    let shared = lost.intersection(&collided).count();
    assert!(shared * 10 > lost.len() * 9, "{shared} of {}", lost.len());
    assert!(collided.len() > lost.len(), "the frame that ends first, and broadcasts, are no losses");
    let mut plain = World::new(&scenario, 1);
    plain.run_until(scenario.end()).expect("a run");
    assert_eq!(plain.ctx().trace.fingerprint(), fingerprint);
}
