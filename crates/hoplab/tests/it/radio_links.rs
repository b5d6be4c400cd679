//! Links that must carry what they can, whatever happened before: moves and pauses with A-MPDUs, relays in one slot, TXOPs.

use hoplab::kernel::FlowId;
use hoplab::scenario::{NamedFile, Resolved};
use hoplab::trace::Loss;
use hoplab::world::World;

fn run_with(text: &str, files: &[NamedFile], seed: u64) -> World {
    let scenario = Resolved::parse_with(text, "links.toml", &[], files).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world
}

fn run(text: &str, seed: u64) -> World {
    run_with(text, &[], seed)
}

fn delivered(world: &World, flow: u32) -> u64 {
    world.ctx().trace.counters.data(FlowId(flow)).delivered
}

/// Packets of a flow of 5 Mb/s from 30 s on, after node 1 has gone from 5 to 40 m between 4 s and `arrives`.
fn after_a_walk(control: &str, ampdu: &str, arrives: f64) -> u64 {
    let text = format!(
        "profile = \"std\"\nduration = \"34 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [5, 0]]\n\
         [mobility]\nkind = \"csv\"\nfile = \"walk.csv\"\nedge = \"allow\"\n\
         [radio]\nstandard = \"11n\"\ntx_power = \"1 mW\"\nnoise_figure_db = 13\n\
         [mac]\nrate_control = \"{control}\"\nampdu = \"{ampdu}\"\nrts_threshold = 65535\n\
         [[flow]]\nfrom = 0\nto = 1\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"20 Mb/s\"\nstop = \"4 s\"\n\
         [[flow]]\nfrom = 0\nto = 1\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"5 Mb/s\"\nstart = \"30 s\"\n"
    );
    let walk = format!("t,node,x,y\n0,0,0,0\n34,0,0,0\n0,1,5,0\n4,1,5,0\n{arrives},1,40,0\n34,1,40,0\n");
    let world = run_with(&text, &[NamedFile { name: "walk.csv".into(), path: "walk.csv".into(), text: Ok(walk) }], 1);
    delivered(&world, 1)
}

#[test]
fn link_that_carries_single_frames_carries_aggregates() {
    for control in ["minstrel_ht", "arf", "aarf", "ideal"] {
        for arrives in [21.5, 4.5] {
            let single = after_a_walk(control, "0 B", arrives);
            let aggregated = after_a_walk(control, "65535 B", arrives);
            assert!(single > 500, "{control}: {single} packets singly");
            assert!(aggregated * 10 >= single * 9, "{control}, {arrives} s: {aggregated} packets, singly {single}");
        }
    }
}

/// Places of a mesh, and its first and last node: two relays forward each request at once.
const MESHES: [(&str, u32); 2] = [
    ("[[0, 0], [20, 18], [20, -18], [40, 0]]", 3),
    ("[[0, 0], [27, 0], [54, 0], [0, 27], [27, 27], [54, 27], [0, 54], [27, 54], [54, 54]]", 8),
];

fn mesh((radio, mac): (&str, &str), routing: &str, (places, last): (&str, u32)) -> String {
    format!(
        "profile = \"std\"\nduration = \"60 s\"\n[topology]\nkind = \"positions\"\npositions = {places}\n[radio]\n{radio}\n\
         propagation = \"shadowing\"\npath_loss_exponent = 3\nshadowing_deviation_db = 0\ntx_power = \"10 mW\"\n\
         [mac]\n{mac}\n[routing]\nprotocol = \"{routing}\"\n\
         [[flow]]\nfrom = 0\nto = {last}\ntransport = \"new_reno\"\nstart = \"45 s\"\n"
    )
}

#[test]
fn every_routing_protocol_finds_paths_behind_two_relays_on_every_standard() {
    let (legacy, ht) =
        ("data_rate = \"24 Mb/s\"\nbasic_rate = \"24 Mb/s\"", "mcs = 3\nbasic_rate = \"24 Mb/s\"\nampdu = \"0 B\"");
    for (radio, mac) in [
        ("standard = \"11a\"", legacy),
        ("standard = \"11g\"", legacy),
        ("standard = \"11n\"\nband = \"5 GHz\"", ht),
        ("standard = \"11n\"\nband = \"2.4 GHz\"", ht),
    ] {
        for routing in ["aodv", "dsdv", "dsr", "olsr", "hwmp"] {
            for places in MESHES {
                // DSDV takes a diagonal of the grid for a link as soon as an update has crossed it; data seldom do.
                if routing == "dsdv" && places.1 == 8 {
                    continue;
                }
                let packets = delivered(&run(&mesh((radio, mac), routing, places), 1), 0);
                assert!(packets > 100, "{radio}, {routing}, node {}: {packets} packets", places.1);
            }
        }
    }
}

#[test]
fn frames_that_begin_in_one_slot_are_a_collision() {
    let text = "profile = \"std\"\nduration = \"5 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [0, 20], [10, 10]]\n\
         [radio]\nstandard = \"11a\"\n[mac]\nrts_threshold = 65535\n\
         [[flow]]\nfrom = 0\nto = 2\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"40 Mb/s\"\n\
         [[flow]]\nfrom = 1\nto = 2\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"40 Mb/s\"\n";
    let world = run(text, 1);
    let counters = &world.ctx().trace.counters;
    let (collided, busy) = (counters.lost(Loss::Collision), counters.lost(Loss::Busy));
    assert!(collided > 200 && busy * 20 < collided, "{collided} collisions, {busy} at busy receivers");
}

#[test]
fn second_hop_answers_while_the_txop_of_the_first_has_ended() {
    for priority in ["video", "voice", "best_effort"] {
        for rts_threshold in [0, 65535] {
            let text = format!(
                "profile = \"std\"\nduration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 2\nspacing = \"30 m\"\n\
                 [radio]\nstandard = \"11a\"\n[mac]\ndata_rate = \"24 Mb/s\"\nrts_threshold = {rts_threshold}\nqos = true\nedca = {{}}\n\
                 [[flow]]\ntransport = \"new_reno\"\npriority = \"{priority}\"\n"
            );
            let packets = delivered(&run(&text, 1), 0);
            assert!(packets > 2000, "{priority}, threshold {rts_threshold}: {packets} packets in 10 s");
        }
    }
}
