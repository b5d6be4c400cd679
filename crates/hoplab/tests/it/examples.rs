//! The examples of a user's own parts, run as tests: none of them changes the engine.

#[allow(dead_code, reason = "each example has a main function")]
#[path = "../../examples/toy_application.rs"]
mod toy_application;
#[allow(dead_code, reason = "each example has a main function")]
#[path = "../../examples/toy_controller.rs"]
mod toy_controller;
#[allow(dead_code, reason = "each example has a main function")]
#[path = "../../examples/toy_queue.rs"]
mod toy_queue;
#[allow(dead_code, reason = "each example has a main function")]
#[path = "../../examples/toy_routing.rs"]
mod toy_routing;
#[allow(dead_code, reason = "each example has a main function")]
#[path = "../../examples/toy_standard.rs"]
mod toy_standard;

#[test]
fn toy_controller_delivers_data_over_four_hops() {
    let goodput = toy_controller::run(1).expect("a run");
    assert!((50e3..400e3).contains(&goodput), "{goodput}");
    assert_eq!(toy_controller::run(1), Ok(goodput), "one seed, one result");
}

#[test]
fn toy_application_delivers_its_rate() {
    // 3 packets of 512 bytes on average, five times a second.
    let rate = 3.0 * 512.0 * 8.0 * 5.0;
    for transport in ["new_reno", "udp"] {
        let goodput = toy_application::run(transport, 1).expect("a run");
        assert!((0.9 * rate..1.05 * rate).contains(&goodput), "{transport}: {goodput} of {rate}");
    }
}

#[test]
fn toy_queue_delivers_as_much_with_less_delay() {
    let (goodput, delay) = toy_queue::run("program:DropHead@1", 1).expect("a run");
    let (usual_goodput, usual_delay) = toy_queue::run("drop_tail", 1).expect("a run");
    assert!((goodput / usual_goodput - 1.0).abs() < 0.05, "{goodput} and {usual_goodput}");
    assert!(delay > 0.0 && delay < usual_delay, "{delay} and {usual_delay}");
}

#[test]
fn toy_routing_finds_a_route_over_four_hops() {
    let (goodput, messages) = toy_routing::run(1).expect("a run");
    assert!((50e3..400e3).contains(&goodput), "{goodput}");
    // One beacon per node and second, and the ARP requests and replies of four hops.
    assert_eq!(messages, 5 * 20 + 2 * 4);
}

#[test]
fn toy_standard_is_faster_by_its_modes() {
    let mbps = |mcs, streams| toy_standard::run(mcs, streams, 1).expect("a run") * 1e-6;
    let (old, new, two) = (mbps(None, 1), mbps(Some(8), 1), mbps(Some(8), 2));
    // Mb/s of MCS 7, and of 256-QAM 3/4 with one stream and two, less access and preambles.
    for (got, rate) in [(old, 65.0), (new, 78.0), (two, 156.0)] {
        assert!((0.75 * rate..rate).contains(&got), "{got} of {rate}");
    }
    assert!(new / old > 1.1 && two / new > 1.6, "{old}, {new} and {two}");
    assert!((mbps(Some(7), 1) / old - 1.0).abs() < 1e-9, "the modes of 802.11n are the same");
    assert!(toy_standard::run(Some(9), 1, 1).is_err(), "it has no MCS 9");
}

#[test]
fn part_that_no_program_supplies_is_refused() {
    use hoplab::scenario::Resolved;
    use hoplab::world::World;
    let text = "duration = \"1 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\n";
    for key in ["queue.kind", "routing.protocol", "flow.source"] {
        let named = [(key.to_owned(), "program:Mine@1".to_owned())];
        let scenario = Resolved::parse(text, "toy.toml", &named).expect("a scenario");
        let error = World::build(&scenario, 1).map(|_| ()).expect_err("not registered").to_string();
        assert!(error.contains("program:Mine@1"), "{key}: {error}");
    }
}
