//! How often the accounts are settled does not change them.

use super::{AirtimeUse, NodeAirtime};
use crate::kernel::{NodeId, Span};
use crate::scenario::Resolved;
use crate::world::World;

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
            nodes().for_each(|node| world.before_change(node));
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
