//! Determinism: scenario and seed fix the event sequence, whatever else exists or records.

use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::trace::What;
use hoplab::world::World;

fn run(text: &str, seed: u64) -> RunReport {
    let scenario = Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world.report(&scenario, seed, 0.0)
}

const CHAIN: &str = r#"
duration = "20 s"
[topology]
kind = "chain"
hops = 6
EXTRA
[routing]
protocol = "ROUTING"
[[flow]]
from = 0
to = 6
transport = "new_reno"
start = "1 s"
[[flow]]
from = 4
to = 1
app = "cbr"
rate = "100 kb/s"
segment = 512
transport = "udp"
start = "2 s"
"#;

fn chain(routing: &str, extra: &str) -> String {
    CHAIN.replace("ROUTING", routing).replace("EXTRA", extra)
}

#[test]
fn runs_repeat_and_seeds_differ() {
    for routing in ["static", "aodv"] {
        let first = run(&chain(routing, ""), 7);
        let second = run(&chain(routing, ""), 7);
        assert_eq!(first.to_json(), second.to_json());
        assert_ne!(first.fingerprint, run(&chain(routing, ""), 8).fingerprint);
    }
}

const MOBILE: &str = r#"
duration = "15 s"
[topology]
kind = "random"
nodes = 20
area = ["600 m", "600 m"]
connected = true
[mobility]
kind = "waypoint"
init = "topology"
max_speed = "20 m/s"
[[node]]
id = 3
radio_off = [["4 s", "9 s"]]
[routing]
protocol = "aodv"
[[flow]]
from = 0
to = 7
[[flow]]
from = 3
to = 9
app = "cbr"
rate = "50 kb/s"
transport = "udp"
"#;

#[test]
fn mobile_runs_repeat_on_any_number_of_threads() {
    let scenario = Resolved::parse(MOBILE, "test.toml", &[]).expect("a scenario");
    let alone: Vec<_> = (1..=4).map(|seed| (scenario.trajectories(seed), run(MOBILE, seed).fingerprint)).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..=4)
            .map(|seed| {
                let scenario = &scenario;
                scope.spawn(move || (scenario.trajectories(seed), run(MOBILE, seed).fingerprint))
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a run")).collect()
    });
    assert_eq!(alone, together);
    assert_ne!(alone[0].0, alone[1].0, "seeds differ in placement");
}

#[test]
fn trajectories_do_not_depend_on_protocols() {
    let trajectories = |text: &str| Resolved::parse(text, "test.toml", &[]).expect("a scenario").trajectories(5);
    assert_eq!(trajectories(MOBILE), trajectories(&MOBILE.replace("aodv", "dsdv").replace("to = 7", "to = 8")));
}

#[test]
fn radio_off_neither_transmits_nor_receives() {
    let text = "duration = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[node]]\nid = 1\nradio_off = [[\"3 s\", \"6 s\"]]\n\
                [[flow]]\napp = \"cbr\"\nrate = \"80 kb/s\"\nsegment = 1000\ntransport = \"udp\"\n";
    let scenario = Resolved::parse(text, "test.toml", &[]).expect("a scenario");
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let (off, on) = (hoplab::kernel::Time::from_secs(3.0), hoplab::kernel::Time::from_secs(6.0));
    let mut received = [0, 0, 0];
    for record in world.take_records() {
        let is_during = record.time >= off && record.time < on;
        if record.node.0 == 1 && is_during {
            let is_allowed = matches!(record.what, What::Switched { .. } | What::Dropped { .. });
            assert!(is_allowed || record.time == off, "{record:?}");
        }
        if matches!(record.what, What::SegmentReceived { .. }) {
            received[usize::from(record.time >= off) + usize::from(record.time >= on)] += 1;
        }
    }
    // Ten packets per second; with the relay off, each costs the source seven RTS.
    assert!(received[0] >= 28 && received[1] == 0 && received[2] >= 38, "{received:?}");
    let report = world.report(&scenario, 1, 0.0);
    assert!(report.drops.get("mac_retry").is_some_and(|&drops| drops >= 20), "{:?}", report.drops);
}

#[test]
fn frame_cut_by_radio_off_is_lost() {
    // Without RTS, a segment of 1460 bytes takes 6.5 ms of airtime: radios are switched off within it.
    let text = |off: &str| {
        format!(
            "duration = \"1 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[mac]\nrts_threshold = 3000\n[link]\narp = false\n\
             {off}[[flow]]\napp = \"cbr\"\nrate = \"1 kb/s\"\nsegment = 1460\ntransport = \"udp\"\n"
        )
    };
    let received = |text: &str| {
        let scenario = Resolved::parse(text, "test.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 1);
        world.keep_records();
        world.run_until(scenario.end()).expect("a run that goes on");
        world.audit().expect("packets are conserved");
        world.take_records().iter().filter(|record| matches!(record.what, What::SegmentReceived { .. })).count()
    };
    let off = |node: u32| format!("[[node]]\nid = {node}\nradio_off = [[\"4 ms\", \"2 s\"]]\n");
    assert_eq!([received(&text("")), received(&text(&off(0))), received(&text(&off(1)))], [1, 0, 0]);
}

#[test]
fn silent_distant_node_changes_no_event() {
    for routing in ["static", "aodv"] {
        let alone = run(&chain(routing, ""), 3);
        let beside = run(&chain(routing, "extra = [[90000.0, 90000.0]]"), 3);
        assert_eq!(alone.fingerprints, beside.fingerprints, "{routing}");
    }
}

#[test]
fn pausing_and_recording_change_no_event() {
    let text = chain("aodv", "");
    let scenario = Resolved::parse(&text, "test.toml", &[]).expect("a scenario");
    let whole = run(&text, 5);
    let mut world = World::new(&scenario, 5);
    world.keep_records();
    let mut records = 0;
    while !world.advance(scenario.end(), 1_000).expect("a run that goes on") {
        records += world.take_records().len();
    }
    assert!(records > 10_000);
    assert_eq!(world.report(&scenario, 5, 0.0).to_json(), whole.to_json());
}

#[test]
fn later_flow_shifts_no_random_draw() {
    // Until the second flow starts, records do not depend on it.
    let text = chain("static", "");
    let alone = text.split("[[flow]]").take(2).collect::<Vec<_>>().join("[[flow]]");
    let records_until = |text: &str, seconds: f64| {
        let scenario = Resolved::parse(text, "test.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 1);
        world.keep_records();
        world.run_until(hoplab::kernel::Time::from_secs(seconds)).expect("a run that goes on");
        world.take_records()
    };
    assert_eq!(records_until(&text, 1.999), records_until(&alone, 1.999));
    assert_ne!(records_until(&text, 5.0), records_until(&alone, 5.0));
}
