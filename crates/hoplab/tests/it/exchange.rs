//! The times of a frame exchange between two stations, to the nanosecond.

use hoplab::kernel::{NodeId, Time};
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::{Record, What};
use hoplab::world::World;

fn records(text: &str, until: f64) -> Vec<Record> {
    let scenario = Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.run_until(Time::from_secs(until)).expect("a run that goes on");
    world.take_records()
}

fn frames(records: &[Record]) -> Vec<(u64, u32, FrameKind)> {
    let sent = |record: &Record| match record.what {
        What::FrameSent { kind, .. } => Some((record.time.0, record.node.0, kind)),
        _ => None,
    };
    records.iter().filter_map(sent).collect()
}

const TWO: &str = r#"
duration = "1 s"
[topology]
kind = "chain"
hops = 1
[link]
arp = false
[[flow]]
from = 0
to = 1
app = "cbr"
rate = "1 kb/s"
segment = 20
transport = "udp"
"#;

#[test]
fn rts_cts_data_ack() {
    // docs/specs/mac-80211.md section 9: IP 40 bytes at 2 and 1 Mb/s, 200 m (666.667 ns, rounded up to 667).
    let records = records(TWO, 0.1);
    let frames = frames(&records);
    let kinds: Vec<_> = frames.iter().map(|&(_, node, kind)| (node, kind)).collect();
    assert_eq!(kinds, [(0, FrameKind::Rts), (1, FrameKind::Cts), (0, FrameKind::Data), (1, FrameKind::Ack)]);
    let gaps: Vec<u64> = frames.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!(gaps, [352_000 + 667 + 10_000, 304_000 + 667 + 10_000, 488_000 + 667 + 10_000]);
    // 25 us to the queue, DIFS, then 0 to 30 slots, as ns-2 backs off even on an idle medium.
    let slots = frames[0].0 - 25_000 - 50_000;
    assert!(slots.is_multiple_of(20_000) && slots / 20_000 <= 30, "{slots}");
    let delivered = records.iter().find(|record| matches!(record.what, What::Delivered { .. })).expect("a delivery");
    let data_end = frames[2].0 + 488_000 + 667;
    assert_eq!((delivered.node, delivered.time.0), (NodeId(1), data_end + 25_000));
}

#[test]
fn basic_access_below_the_threshold() {
    let records = records(&format!("{TWO}\n[mac]\nrts_threshold = 3000\n"), 0.1);
    let kinds: Vec<_> = frames(&records).iter().map(|&(_, node, kind)| (node, kind)).collect();
    assert_eq!(kinds, [(0, FrameKind::Data), (1, FrameKind::Ack)]);
}

#[test]
fn std_sends_at_once_on_a_medium_idle_for_difs() {
    let start = |seconds: &str| {
        let records = records(&format!("profile = \"std\"\n{TWO}\nstart = \"{seconds}\"\n"), 0.1);
        frames(&records)[0].0
    };
    assert_eq!(start("1 ms"), 1_000_000 + 25_000);
    let slots = start("0 s") - 25_000 - 50_000;
    assert!(slots.is_multiple_of(20_000), "25 us of idle are less than DIFS: a backoff is drawn");
}

/// Senders and frame kinds, in order.
fn sequence(text: &str, until: f64) -> Vec<(u32, FrameKind)> {
    frames(&records(text, until)).into_iter().map(|(_, node, kind)| (node, kind)).collect()
}

#[test]
fn equal_hops_of_any_length_send_the_same_frames() {
    // Rounded to the nearest nanosecond, 2 * 633 < 1267 and 2 * 833 < 1667: at 190 and 250 m a station heard a neighbor 1 ns
    // before its own slot ended, and deferred in place of colliding; at 200 m (667, 1333) it did not.
    let chain = |metres: &str| {
        let text = format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 3\nspacing = \"{metres} m\"\n[link]\narp = false\n\
             [[flow]]\napp = \"cbr\"\nrate = \"2 Mb/s\"\nsegment = 1460\ntransport = \"udp\"\n"
        );
        sequence(&text, 10.0)
    };
    let known = chain("200");
    assert!(known.len() > 3_000, "{}", known.len());
    for metres in ["190", "199", "210", "225", "250"] {
        let frames = chain(metres);
        let same = known.iter().zip(&frames).take_while(|(a, b)| a == b).count();
        assert!(same == known.len().min(frames.len()) && known.len().abs_diff(frames.len()) < 5, "{metres} m: {same}");
    }
}

#[test]
fn line_of_eight_agrees_with_exact_delays() {
    // Hops of 30 m take 100 ns, so that every delay is exact; the others round.
    let line = |metres: &str| {
        let flows = ["0\nto = 1", "2\nto = 3", "4\nto = 5", "6\nto = 7"].map(|ends| {
            format!("[[flow]]\nfrom = {ends}\napp = \"cbr\"\nrate = \"2 Mb/s\"\nsegment = 1000\ntransport = \"udp\"\n")
        });
        let text = format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 7\nspacing = \"{metres} m\"\n\
             [radio]\npropagation = \"free_space\"\n[link]\narp = false\n{}",
            flows.concat()
        );
        sequence(&text, 10.0)
    };
    let exact = line("30");
    for metres in ["10", "17", "20", "25"] {
        let frames = line(metres);
        let same = exact.iter().zip(&frames).take_while(|(a, b)| a == b).count();
        let all = exact.len().min(frames.len());
        assert!(exact.len() > 4_000 && same == all, "{metres} m: {same} of {all} frames");
    }
}

#[test]
fn coverage_class_of_the_warning_makes_links_work() {
    for (profile, metres, class) in [
        ("ns2", 599.7, None),
        ("ns2", 600.0, Some(1)),
        ("ns2", 1_000.0, Some(1)),
        ("ns2", 5_000.0, Some(5)),
        ("ns2", 20_000.0, Some(22)),
        ("ns2", 28_499.0, Some(31)),
        ("std", 1_000.0, None),
        ("std", 2_999.0, None),
        ("std", 5_000.0, Some(5)),
        ("std", 16_949.0, Some(31)),
    ] {
        let run = |class: Option<u32>| {
            let text = format!(
                "duration = \"2 s\"\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nhops = 1\n\
                 spacing = \"{metres} m\"\n[radio]\nrx_model = \"ns2\"\nrx_range = \"30 km\"\ncs_range = \"60 km\"\n\
                 [mac]\ncoverage_class = {}\n[[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"100 kb/s\"\ntransport = \"udp\"\n",
                class.unwrap_or(0)
            );
            let scenario = Resolved::parse(&text, "w.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            let warning = scenario.warnings.iter().find(|warning| warning.contains("every frame exchange")).cloned();
            let mut world = World::new(&scenario, 1);
            world.run_until(scenario.end()).expect("a run that goes on");
            (warning, world.report(&scenario, 1, 0.0).flows[0].goodput_bps)
        };
        let (warning, delivered) = run(None);
        assert_eq!((warning.is_some(), delivered < 1.0), (class.is_some(), class.is_some()), "{profile} {metres}");
        if let Some(class) = class {
            let warning = warning.unwrap_or_default();
            assert!(warning.contains(&format!("nodes 0 and 1 are {metres:.0} m apart")), "{warning}");
            assert!(warning.ends_with(&format!("; set mac.coverage_class = {class}")), "{warning}");
            assert!(run(Some(class - 1)).0.is_some(), "a smaller class is not enough: {profile} {metres}");
            assert_eq!(run(Some(class)).0, None, "{profile} {metres}");
            assert!(run(Some(class)).1 > 80e3, "{profile} {metres}: {}", run(Some(class)).1);
        }
    }
    let too_far = "profile = \"std\"\n[topology]\nkind = \"chain\"\nhops = 1\nspacing = \"20 km\"\n[radio]\nrx_range = \"30 km\"\n\
                   cs_range = \"60 km\"\n[[flow]]\n";
    let scenario = Resolved::parse(too_far, "w.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.warnings[0].ends_with("mac.coverage_class reaches 16950 m at most; decrease the distance"));
}
