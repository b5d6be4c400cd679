//! How often somebody looks changes nothing in the books.

use super::{Spent, Use, World};
use crate::kernel::{NodeId, Span};
use crate::scenario::Resolved;

fn scenario(profile: &str, radio: &str, topology: &str) -> Resolved {
    let text = format!(
        "profile = \"{profile}\"\nduration = \"6 s\"\n{topology}\n[radio]\n{radio}\n[routing]\nprotocol = \"aodv\"\n\
         [[flow]]\nfrom = 0\nto = 4\n[[flow]]\nfrom = 5\nto = 1\n[[flow]]\nfrom = 2\nto = 6\nstart = \"1 s\"\n"
    );
    Resolved::parse(&text, "airtime.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// What a run's nodes spent their time on, and the share of their air that was free at its end.
fn books(scenario: &Resolved, is_looked_at: bool) -> Vec<(Spent, Option<f64>)> {
    let nodes = || (0..scenario.positions.len() as u32).map(NodeId);
    let mut world = World::new(scenario, 1);
    world.keep_air();
    while !world.advance(scenario.end(), 1).expect("a run") {
        if is_looked_at {
            nodes().for_each(|node| world.book(node));
        }
    }
    nodes().map(|node| (world.spent(node).expect("books"), world.free(node, Span::from_millis(700)))).collect()
}

#[test]
fn who_looks_after_every_event_finds_the_same() {
    let chain = "[topology]\nkind = \"chain\"\nhops = 7\nspacing = \"200 m\"";
    let cell = "[topology]\nkind = \"random\"\nnodes = 24\narea = [\"200 m\", \"200 m\"]";
    let moving = "[topology]\nkind = \"random\"\nnodes = 30\narea = [\"900 m\", \"300 m\"]\n\
                  [mobility]\nkind = \"waypoint\"\nmax_speed = \"20 m/s\"";
    let mut seen = [false; Use::ALL.len()];
    for (profile, radio) in [("ns2", ""), ("ns2", "rx_model = \"sinr\""), ("std", "")] {
        for topology in [chain, cell, moving] {
            let scenario = scenario(profile, radio, topology);
            let found = books(&scenario, true);
            assert_eq!(books(&scenario, false), found, "{profile} {radio} {topology}");
            for (spent, _) in found {
                for what in Use::ALL {
                    seen[what as usize] |= spent.of(what) > 0;
                }
            }
        }
    }
    let unseen: Vec<Use> = Use::ALL.into_iter().filter(|what| !seen[*what as usize]).collect();
    assert_eq!(unseen, [Use::Off, Use::Parked]);
}
