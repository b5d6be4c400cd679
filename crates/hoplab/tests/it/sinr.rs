//! Reception by signal-to-interference ratio, in whole networks.

use hoplab::kernel::{FlowId, Time};
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::Loss;
use hoplab::world::World;

fn run(text: &str) -> World {
    let scenario = Resolved::parse(text, "sinr.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    for tenth in 1..=10 {
        world.run_until(Time(scenario.end().0 / 10 * tenth)).expect("a run that goes on");
        world.audit().expect("packets are conserved");
    }
    world
}

#[test]
fn models_agree_without_interference() {
    for mac in ["ns2", "std"] {
        let print = |model: &str| {
            let text = format!(
                "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[radio]\nrx_model = \"{model}\"\n\
                 [mac]\nprofile = \"{mac}\"\n[[flow]]\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"1 Mb/s\"\n"
            );
            run(&text).ctx().trace.fingerprint()
        };
        assert_eq!(print("ns2"), print("sinr"), "{mac}");
    }
}

/// Two saturated senders on both sides of a receiver, without RTS: frames of 1000 bytes.
fn two_senders(rate: &str, cs_range: &str, model: &str) -> World {
    let flow = "transport = \"udp\"\napp = \"cbr\"\nrate = \"20 Mb/s\"\nsegment = 1000\n";
    let text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[radio]\nrx_model = \"{model}\"\n\
         cs_range = \"{cs_range}\"\n[mac]\nprofile = \"std\"\nrts_threshold = 3000\ndata_rate = \"{rate}\"\n\
         [link]\narp = false\n[routing]\nlink_failure_feedback = false\n\
         [[flow]]\nfrom = 0\nto = 1\n{flow}[[flow]]\nfrom = 2\nto = 1\n{flow}start = \"3 ms\"\n"
    );
    run(&text)
}

fn collisions(world: &World) -> u64 {
    world.ctx().trace.counters.lost(Loss::Collision)
}

fn delivered(world: &World) -> u64 {
    (0..2).map(|flow| world.ctx().trace.counters.data(FlowId(flow)).delivered).sum()
}

#[test]
fn hidden_senders_destroy_fast_frames_but_not_slow_ones() {
    // They are equally strong at the receiver: 0 dB. DBPSK at 1 Mb/s has 13 dB of gain from its wider channel.
    let slow = two_senders("1 Mb/s", "300 m", "sinr");
    let sent = slow.ctx().trace.counters.frames(FrameKind::Data);
    // Those that begin in one slot: the receiver locks on one.
    assert!(collisions(&slow) < sent / 50, "{} of {sent}", collisions(&slow));
    let fast = two_senders("11 Mb/s", "300 m", "sinr");
    let sent = fast.ctx().trace.counters.frames(FrameKind::Data);
    assert!(collisions(&fast) > sent / 20, "{} of {sent}", collisions(&fast));
    // Stations within sensing range share the medium.
    let seen = two_senders("11 Mb/s", "550 m", "sinr");
    assert!(delivered(&seen) * 4 > 5 * delivered(&fast), "{} and {}", delivered(&seen), delivered(&fast));
    // By pairs of frames, the slow ones are lost as well.
    assert!(collisions(&two_senders("1 Mb/s", "300 m", "ns2")) > 100);
}

#[test]
fn packets_are_conserved_while_frames_overlap() {
    for (routing, profile) in [("static", "ns2"), ("static", "std"), ("aodv", "std")] {
        let text = format!(
            "profile = \"{profile}\"\nduration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 7\n[routing]\n\
             protocol = \"{routing}\"\n[radio]\nrx_model = \"sinr\"\nsinr.frame_capture = true\n\
             errors.model = \"gilbert\"\npropagation = \"shadowing\"\nshadowing_deviation_db = 1.5\n\
             rx_range = \"250 m\"\ncs_range = \"550 m\"\n[[flow]]\n[[flow]]\nfrom = 6\nto = 1\ntransport = \"sack\"\n"
        );
        let world = run(&text);
        let frames = world.ctx().trace.counters.frames(FrameKind::Data);
        assert!(frames > 1000, "{routing}: {frames} frames");
    }
}

#[test]
fn a_silent_node_changes_nothing() {
    let print = |extra: &str| {
        let text = format!(
            "profile = \"std\"\nduration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 5\n{extra}\n[[flow]]\n"
        );
        run(&text).ctx().trace.fingerprint()
    };
    assert_eq!(print(""), print("extra = [[90000.0, 0.0]]"));
}
