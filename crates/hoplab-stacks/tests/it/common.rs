//! Runs of flows that stacks carry.

use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use hoplab_stacks::Stacks;

/// The run of a scenario before its first event.
pub fn world(text: &str, seed: u64) -> (Resolved, World) {
    let seeds = [("seed".to_owned(), seed.to_string())];
    let scenario = Resolved::parse(text, "stacks.toml", &seeds).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let world = World::build_with(&scenario, seed, &mut Stacks).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (scenario, world)
}

/// The report of a run, whose packets are all accounted for.
pub fn run(text: &str, seed: u64) -> RunReport {
    let (scenario, mut world) = world(text, seed);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}\n{text}"));
    world.report(&scenario, seed, 0.0)
}

/// A flow over a chain of static paths without ARP, for `duration` seconds; `rest` follows `transport` in its table.
pub fn chain(hops: u32, duration: u32, transport: &str, rest: &str) -> String {
    format!(
        "duration = \"{duration} s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[link]\narp = false\n\
         [[flow]]\ntransport = \"{transport}\"\n{rest}"
    )
}

/// Mean goodput over so many seeds from 10 to 110 s, in kb/s.
pub fn mean_goodput_of(seeds: u64, hops: u32, transport: &str, rest: &str) -> f64 {
    let text = format!("warmup = \"10 s\"\n{}", chain(hops, 110, transport, rest));
    (1..=seeds).map(|seed| run(&text, seed).flows[0].goodput_bps / 1e3).sum::<f64>() / seeds as f64
}

/// Checks that runs repeat to the byte, differ by seed, and have these fingerprints with seed 1 over 4 hops.
pub fn check_fingerprints(rows: &[(&str, u64)]) {
    for &(transport, fingerprint) in rows {
        let text = chain(4, 20, transport, "");
        let first = run(&text, 1);
        assert_eq!(first.to_json(), run(&text, 1).to_json(), "{transport}");
        assert_ne!(first.fingerprint, run(&text, 2).fingerprint, "{transport}");
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            assert_eq!(first.fingerprint, format!("{fingerprint:016x}"), "{transport}");
        }
    }
}

/// Checks that a transfer of 300 kB is complete though the queue, of four packets, drops some, and a relay is away for 2 s.
pub fn check_repair(transport: &str, rest: &str) {
    let text = chain(2, 60, transport, &format!("bytes = \"300 kB\"\n{rest}"))
        + "[queue]\nlimit = 4\n[[node]]\nid = 1\nradio_off = [[\"1 s\", \"3 s\"]]\n";
    let report = run(&text, 1);
    let flow = &report.flows[0];
    assert!(flow.dropped > 5, "{transport}: {} packets dropped", flow.dropped);
    assert!(flow.retransmissions > 0, "{transport}");
    let secs = flow.fct_s.flatten().unwrap_or_else(|| panic!("{transport} does not end"));
    assert!((5.0..40.0).contains(&secs), "{transport}: {secs} s");
    assert_eq!((flow.transfer_bytes, flow.is_aborted, flow.aborted_by.as_deref()), (Some(300_000), Some(false), None));
}
