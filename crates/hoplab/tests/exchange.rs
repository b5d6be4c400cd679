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
    // mac-80211.md section 11: IP 40 bytes at 2 and 1 Mb/s, 200 m (666.667 ns, rounded to 667).
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
