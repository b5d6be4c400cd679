//! The examples of a user's own parts, run as tests: none of them changes the engine.

#![allow(dead_code, reason = "each example has a main function")]

#[path = "../examples/toy_application.rs"]
mod toy_application;
#[path = "../examples/toy_controller.rs"]
mod toy_controller;

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
