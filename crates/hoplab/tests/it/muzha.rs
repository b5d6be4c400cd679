//! TCP Muzha in networks: levels along the path, bytes of packets, corrupted frames, competing flows, golden windows.

use hoplab::kernel::{FlowId, NodeId, Time};
use hoplab::metrics::FlowReport;
use hoplab::packet::explicit::Feedback;
use hoplab::scenario::Resolved;
use hoplab::trace::{Record, What};
use hoplab::world::World;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

fn scenario(more: &str) -> Resolved {
    let text = format!("duration = \"21 s\"\n{more}\n[[flow]]\ntransport = \"muzha\"\nstart = \"1 s\"\n");
    Resolved::parse(&text, "muzha.toml", &[]).expect("a scenario")
}

fn chain(hops: u32, more: &str) -> Resolved {
    scenario(&format!("[topology]\nkind = \"chain\"\nhops = {hops}\n{more}"))
}

fn run(scenario: &Resolved, seed: u64) -> (World, Vec<Record>) {
    let mut world = World::new(scenario, seed);
    world.keep_records();
    world.run_until(scenario.end()).expect("a valid run");
    let records = world.take_records();
    (world, records)
}

fn flows(scenario: &Resolved, seed: u64) -> Vec<FlowReport> {
    run(scenario, seed).0.report(scenario, seed, 0.0).flows
}

/// Levels in packets as they leave nodes, by packet and in order of time.
fn stamps(records: &[Record]) -> BTreeMap<u64, Vec<(NodeId, u8)>> {
    let mut found: BTreeMap<u64, Vec<(NodeId, u8)>> = BTreeMap::new();
    for record in records {
        if let What::Stamped { uid, feedback: Feedback::Mrai(level), .. } = record.what {
            found.entry(uid).or_default().push((record.node, level));
        }
    }
    found
}

fn sizes(records: &[Record], node: u32) -> Vec<u32> {
    let mut found: Vec<u32> = records
        .iter()
        .filter(|record| record.node == NodeId(node))
        .filter_map(|record| match record.what {
            What::Originated { bytes, .. } if bytes != 28 => Some(bytes),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn ack_echoes_the_minimum_level_of_the_path() {
    // docs/specs/muzha.md section 9, T6. Tables that apply to any queue length fix the levels of nodes 0, 1, 2 at 5, 3,
    // 4.
    let level = |four: &str| format!("[muzha.drai]\nmode = \"table\"\n[muzha.drai.table]\nqueue = {four}\n");
    for (four, steady) in [("[0.0, 0.0, 1e9, 1e9]", 3), ("[0.0, 1e9, 1e9, 1e9]", 4), ("[0.0, 0.0, 0.0, 1e9]", 2)] {
        let (_, records) = run(&chain(3, &level(four)), 1);
        let stamped = stamps(&records);
        // Every node starts with 5 and drops to its level with the first packet.
        assert!(stamped.len() > 50);
        let late = stamped.values().skip(5);
        assert!(late.flatten().all(|(_, found)| *found == steady), "{four}");
    }
    // A loaded chain: along a path the level never rises, and every transmitter but the destination stamps.
    let (_, records) = run(&chain(8, ""), 1);
    let mut whole = 0;
    for path in stamps(&records).values() {
        assert!(path.windows(2).all(|pair| pair[1].1 <= pair[0].1), "{path:?}");
        assert!(path.iter().all(|(node, _)| *node < NodeId(8)));
        whole += u32::from(path.len() == 8);
    }
    assert!(whole > 200, "{whole} packets with eight stamps");
}

#[test]
fn only_nodes_of_the_configured_path_stamp() {
    let first_nodes = |more: &str| -> Vec<NodeId> {
        let (_, records) = run(&chain(3, more), 1);
        let mut nodes: Vec<_> =
            stamps(&records).into_values().flatten().filter(|(_, l)| *l < 5).map(|(n, _)| n).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    let low = "[muzha.drai]\nmode = \"table\"\n[muzha.drai.table]\nqueue = [0.0, 0.0, 1e9, 1e9]\n";
    // A node that does not lower the level forwards it: only the source is distinguishable.
    assert_eq!(first_nodes(low), [NodeId(0), NodeId(1), NodeId(2)]);
    assert_eq!(first_nodes(&format!("[muzha]\nsource_stamps = false\n{low}")), [NodeId(1), NodeId(2)]);
    assert_eq!(first_nodes(&format!("[muzha]\nstamp_at = \"enqueue\"\n{low}")), [NodeId(0), NodeId(1), NodeId(2)]);
    // Acknowledgments are stamped on the reverse path with `ack_path`.
    let without = |nodes: std::ops::Range<u32>| -> String {
        nodes.map(|id| format!("[[node]]\nid = {id}\nfeedback_router = \"none\"\n")).collect::<Vec<_>>().concat()
    };
    let first = without(0..3);
    assert_eq!(first_nodes(&format!("[muzha]\nack_path = true\n{low}{first}")), [NodeId(3)]);
    assert!(first_nodes(&format!("{low}{first}")).is_empty(), "the destination sends acknowledgments only");
    let routers = without(0..4);
    let (_, records) = run(&chain(3, &routers), 1);
    assert!(stamps(&records).is_empty(), "no router, no stamp");
}

#[test]
fn options_add_their_bytes_to_packets() {
    // T10: 1460 bytes of payload, 40 of headers, 4 of the option.
    let (_, records) = run(&chain(3, ""), 1);
    assert_eq!((sizes(&records, 0), sizes(&records, 3)), (vec![44, 1504], vec![44]));
    let (_, records) = run(&chain(3, "[muzha]\noption_bytes = 0\necho_bytes = 0\n"), 1);
    assert_eq!((sizes(&records, 0), sizes(&records, 3)), (vec![40, 1500], vec![40]));
}

#[test]
fn corrupted_frames_keep_the_window_of_muzha() {
    // T11: four hops, a window below their congestion, 2 % of frames corrupted, no retries.
    let lossy = "[mac]\nssrl = 2\nslrl = 2\n[muzha]\nw_max = 4\n[radio.errors]\nmodel = \"uniform_packet\"\nframe_error_rate = 0.02\n";
    let (mut kept, mut all) = (0, 0);
    for seed in 1..=8 {
        let flow = &flows(&chain(4, lossy), seed)[0];
        (kept, all) = (kept + flow.unreduced_fast_retransmits, all + flow.fast_retransmits);
    }
    assert!(all >= 20, "only {all} fast retransmits");
    assert!(kept * 10 >= all * 9, "{kept} of {all}");
}

#[test]
fn muzha_routers_leave_new_reno_unchanged() {
    // NewReno beside Muzha over one chain carries no option, and both deliver data.
    let text = "duration = \"41 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"muzha\"\nstart = \"1 s\"\n\
                [[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"new_reno\"\nstart = \"1 s\"\n";
    let scenario = Resolved::parse(text, "both.toml", &[]).expect("a scenario");
    let (world, records) = run(&scenario, 2);
    assert_eq!(sizes(&records, 0), [40, 44, 1500, 1504]);
    let flows = world.report(&scenario, 2, 0.0).flows;
    assert!(flows.iter().all(|flow| flow.goodput_bps > 20e3), "{} {}", flows[0].goodput_bps, flows[1].goodput_bps);
    // A feedback router without Muzha flows has no effect: NewReno's event sequence is unchanged.
    let alone = |more: &str| {
        let text =
            format!("duration = \"11 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n{more}\n[[flow]]\nstart = \"1 s\"\n");
        let scenario = Resolved::parse(&text, "alone.toml", &[]).expect("a scenario");
        run(&scenario, 1).0.ctx().trace.fingerprint().to_string()
    };
    let routed: String = (0..5)
        .map(|id| format!("[[node]]\nid = {id}\nfeedback_router = \"muzha\"\nobserver = \"busy\"\n"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(alone(""), alone(&routed));
}

#[test]
fn dithering_draws_from_its_own_stream() {
    // Two pairs of neighbors, one per direction: half of the fives become fours, equal in every run.
    let print = |more: &str| run(&chain(4, more), 1).0.ctx().trace.fingerprint().to_string();
    assert_ne!(print(""), print("[muzha]\ndither = true\n"));
    assert_eq!(print("[muzha]\ndither = true\n"), print("[muzha]\ndither = true\n"));
}

/// Mean window per second of the golden runs, in `tests/golden/muzha_windows.txt`; `BLESS=1` rewrites them.
#[test]
fn windows_match_golden_curves() {
    let mut found =
        String::from("# hops: window of TCP Muzha, seed 1, averaged over each second from the flow's start\n");
    for hops in [4, 8, 16] {
        let scenario = chain(hops, "");
        let mut world = World::new(&scenario, 1);
        write!(found, "{hops}:").expect("a string");
        for second in 1..21u32 {
            let mut sum = 0.0;
            for part in 1..=20u32 {
                let at = f64::from(second) + f64::from(part) * 0.05;
                world.run_until(Time::from_secs(at)).expect("a valid run");
                sum += world.connection(FlowId(0)).cwnd().expect("a window");
            }
            write!(found, " {:.2}", sum / 20.0).expect("a string");
        }
        found.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/muzha_windows.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &found).expect("a file");
    }
    let known = fs::read_to_string(&path).expect("golden windows; BLESS=1 writes them");
    assert_eq!(found, known);
}
