//! Channel observers over A-MPDUs, TXOP bursts, access categories and several radios, against closed forms.

use hoplab::measure::{RunReport, Sampler};
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Nodes 0 and 1, 5 m from each other, and 2 beside them; datagrams of 1500 bytes with headers from 0 to 1 at this rate in Mb/s.
fn text(mac: &str, radio: &str, rate: f64, more: &str) -> String {
    format!(
        "profile = \"std\"\nduration = \"4 s\"\nwarmup = \"1 s\"\ngoodput_interval = \"1 s\"\n\
         [topology]\nkind = \"positions\"\npositions = [[0, 0], [5, 0], [2.5, 4]]\n[radio]\n{radio}\n\
         [link]\narp = false\ndelay = \"0 s\"\n[routing]\nprotocol = \"static\"\n[mac]\n{mac}\n{more}\n\
         [[flow]]\nfrom = 0\nto = 1\ntransport = \"udp\"\napp = \"cbr\"\nsegment = 1472\nrate = \"{rate} Mb/s\"\n"
    )
}

fn parse(text: &str) -> Resolved {
    Resolved::parse(text, "observed.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn link(mac: &str, radio: &str, rate: f64, more: &str) -> Resolved {
    parse(&text(mac, radio, rate, more))
}

fn run(scenario: &Resolved) -> (World, RunReport) {
    let mut world = World::new(scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    let report = world.report(scenario, 1, 0.0);
    (world, report)
}

/// Last capacity and available bandwidth at a node, in Mb/s of payload.
fn estimate(report: &RunReport, node: &str, name: &str) -> (f64, f64) {
    let found = &report.estimates[node][name];
    let capacity = found.capacity_bps.last().copied().flatten().expect("a capacity");
    let payload = 1472.0 / 1500.0 * 1e-6;
    (capacity * payload, found.available_bps.last().expect("available bandwidth") * payload)
}

const WINF: &str = "[winf]\neverywhere = true";
const HT: &str = "standard = \"11n\"";

/// Exchanges of a lone saturated link in 802.11n with MCS 7: keys of the MAC, and the closed form in Mb/s of payload.
const SATURATED: [(&str, f64); 10] = [
    ("ampdu = \"0 B\"\nrts_threshold = 65535", 30.782),
    ("rts_threshold = 65535", 59.749),
    ("rts_threshold = 0", 58.810),
    ("rts_threshold = 65535\nampdu = \"0 B\"\namsdu = \"7935 B\"", 51.896),
    ("rts_threshold = 65535\namsdu = \"3839 B\"", 59.923),
    ("ampdu = \"0 B\"\nrts_threshold = 65535\ntxop_limit = \"2528 us\"", 38.187),
    // 11776 x 8 bits in 43 + 67.5 + 88 + 8 x 288 - 16 + 68 us.
    ("ampdu = \"0 B\"\nrts_threshold = 0\ntxop_limit = \"2528 us\"", 36.870),
    // 11776 x 20 bits in 43 + 67.5 + 2 x 2004 - 16 + 68 us; behind RTS and CTS no CF-End fits.
    ("ampdu = \"15438 B\"\nrts_threshold = 65535\ntxop_limit = \"4096 us\"", 56.461),
    ("ampdu = \"15438 B\"\nrts_threshold = 0\ntxop_limit = \"4096 us\"", 56.203),
    // 11776 x 10 bits in 43 + 67.5 + 1988 + 68 us.
    ("rts_threshold = 65535\ntxop_limit = \"2080 us\"", 54.359),
];

#[test]
fn capacity_of_a_saturated_link_is_its_closed_form() {
    for (mac, expected) in SATURATED {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\n{mac}");
        let (_, report) = run(&link(&keys, HT, 200.0, WINF));
        let goodput = report.flows[0].goodput_bps * 1e-6;
        assert!((goodput / expected - 1.0).abs() < 0.004, "{mac}: {goodput} Mb/s");
        // Without RTS and CTS, who does not send measures nothing.
        let nodes: &[&str] = if mac.contains("rts_threshold = 0") { &["0", "1", "2"] } else { &["0"] };
        for node in nodes {
            let (capacity, available) = estimate(&report, node, "winf");
            assert!((capacity / expected - 1.0).abs() < 0.01, "{mac}, node {node}: {capacity} of {expected}");
            // Who does not send sees the backoff as idle.
            let most = if *node == "0" { 0.01 } else { 0.04 };
            assert!(available < most * capacity, "{mac}, node {node}: {available} is available");
        }
    }
}

#[test]
fn idle_link_has_the_capacity_of_its_closed_form() {
    for (mac, expected) in SATURATED {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\n{mac}");
        let (_, report) =
            run(&link(&keys, HT, 0.001, &format!("{WINF}\n[[node]]\nid = 0\nradio_off = [[\"0 s\", \"9 s\"]]")));
        let (capacity, available) = estimate(&report, "1", "winf");
        assert!((capacity / expected - 1.0).abs() < 0.004, "{mac}: {capacity} of {expected}");
        assert!(available > 0.999 * capacity);
    }
}

#[test]
fn capacity_of_a_light_load_is_that_of_full_aggregates() {
    // Single frames at a tenth and two fifths of the capacity; at nine tenths the queue fills A-MPDUs by itself.
    for (rate, handshake) in [(6.0, "65535"), (24.0, "65535"), (54.0, "65535"), (6.0, "0"), (24.0, "0")] {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = {handshake}");
        let of = |more: &str| estimate(&run(&link(&keys, HT, rate, more)).1, "0", "winf");
        let (capacity, available) = of(WINF);
        let full = if handshake == "0" { 58.81 } else { 59.75 };
        assert!((capacity / full - 1.0).abs() < 0.012, "{rate} Mb/s: {capacity}");
        assert!((available - (full - rate)).abs() < 0.06 * full, "{rate} Mb/s: {available} available");
        // As they are sent, single frames carry half of it; RTS, CTS and two SIFS take 88 us more.
        let (sent, _) = of(&format!("{WINF}\naggregates = \"sent\""));
        let single = if handshake == "0" { 25.03 } else { 30.78 };
        assert!(rate > 10.0 || (sent / single - 1.0).abs() < 0.01, "{rate} Mb/s: {sent} of {single}");
    }
}

#[test]
fn categories_have_the_capacity_of_their_access() {
    // docs/protocols/wifi.md: 10 MPDUs and a CF-End, 21 and 28 MPDUs.
    for (category, expected) in [("voice", 55.983), ("video", 59.712), ("background", 59.362)] {
        let keys = "mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = 65535";
        let text = text(keys, HT, 200.0, WINF) + &format!("priority = \"{category}\"\n");
        let (_, report) = run(&parse(&text));
        let (capacity, available) = estimate(&report, "0", "winf");
        let goodput = report.flows[0].goodput_bps * 1e-6;
        assert!((goodput / expected - 1.0).abs() < 0.004, "{category}: {goodput}");
        assert!((capacity / expected - 1.0).abs() < 0.01, "{category}: {capacity}");
        assert!(available < 0.03 * capacity, "{category}: {available} is available");
    }
}

#[test]
fn lost_mpdus_reduce_the_capacity() {
    // About half of the MPDUs are lost at 23.2 dB: the capacity is what arrives.
    let radio = "standard = \"11n\"\nnoise_figure_db = 17.1\ntx_power = \"1 mW\"\npropagation = \"free_space\"\n\
                 link_threshold = \"-82 dBm\"";
    for handshake in ["65535", "0"] {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = {handshake}");
        let (_, report) = run(&link(&keys, radio, 200.0, WINF));
        let goodput = report.flows[0].goodput_bps * 1e-6;
        assert!((15.0..50.0).contains(&goodput), "{goodput}");
        let (capacity, _) = estimate(&report, "0", "winf");
        assert!((capacity / goodput - 1.0).abs() < 0.1, "{handshake}: {capacity} against {goodput}");
    }
}

/// Means of the samples of a metric, by node, over the last two seconds.
fn sampled(scenario: &Resolved, metric: &str) -> Vec<f64> {
    let mut world = World::new(scenario, 1);
    let mut sampler = Sampler::new(scenario);
    let mut out = Vec::new();
    for tenth in 20..=40u64 {
        world.run_until(hoplab::kernel::Time(tenth * 100_000_000)).expect("a run that goes on");
        world.sample(&mut sampler, &mut out);
    }
    let mean = |node: u32| {
        let found = out.iter().filter(|sample| sample.node == Some(node) && sample.metric == metric);
        let (sum, count) = found.fold((0.0, 0), |(sum, count), sample| (sum + sample.value, count + 1));
        sum / f64::from(count)
    };
    (0..3).map(mean).collect()
}

#[test]
fn busy_share_of_a_saturated_link_is_its_closed_form() {
    // A period is AIFS and 7.5 slots, the PPDU of 28 MPDUs, SIFS and Block Ack; who overhears has the NAV during SIFS. The same
    // with a single frame and its ACK, and with 8 of them and a CF-End in a TXOP, whose Durations cover the SIFS between them.
    let observed = [0, 1, 2].map(|id| format!("[[node]]\nid = {id}\nobserver = \"busy\"\n")).concat();
    for (mac, sent, nav, period) in [
        ("", 5360.0 + 32.0, 16.0, 110.5 + 5360.0 + 16.0 + 32.0),
        ("ampdu = \"0 B\"", 228.0 + 28.0, 16.0, 110.5 + 228.0 + 16.0 + 28.0),
        ("ampdu = \"0 B\"\ntxop_limit = \"2528 us\"", 8.0 * 256.0 + 52.0, 16.0 * 16.0, 110.5 + 8.0 * 288.0 + 52.0),
    ] {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = 65535\n{mac}");
        let shares = sampled(&link(&keys, HT, 200.0, &observed), "busy_share");
        for (share, busy) in shares.into_iter().zip([sent, sent, sent + nav]) {
            assert!((share - busy / period).abs() < 0.016, "{mac}: {share} where {} is right", busy / period);
        }
    }
}

#[test]
fn idle_gap_of_a_saturated_link_is_its_closed_form() {
    let observed = "[idle_gap]\neverywhere = true";
    for (mac, busy, period) in [
        ("", 5360.0 + 16.0 + 32.0, 110.5 + 5360.0 + 16.0 + 32.0),
        ("ampdu = \"0 B\"", 228.0 + 16.0 + 28.0, 110.5 + 228.0 + 16.0 + 28.0),
        ("ampdu = \"0 B\"\ntxop_limit = \"2528 us\"", 8.0 * 288.0 + 52.0, 110.5 + 8.0 * 288.0 + 52.0),
    ] {
        let keys = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = 65535\n{mac}");
        let (_, report) = run(&link(&keys, HT, 200.0, observed));
        for node in ["0", "1"] {
            let (_, available) = estimate(&report, node, "idle_gap");
            let share = available / (65.0 * 1472.0 / 1500.0);
            assert!((share - (1.0 - busy / period)).abs() < 0.01, "{mac}, node {node}: {share}");
        }
    }
}

#[test]
fn atp_knows_the_service_of_one_packet() {
    // That of an A-MPDU, divided by its packets.
    let node = |id: u32| format!("[[node]]\nid = {id}\nfeedback_router = \"atp\"\nobserver = \"service\"\n");
    let routers: String = (0..3).map(node).collect();
    let keys = "mcs = 7\nbasic_rate = \"24 Mb/s\"\nrts_threshold = 65535";
    let service = sampled(&link(keys, HT, 200.0, &routers), "atp_service_s")[0] * 1e6;
    let expected = (110.5 + 5360.0 + 16.0 + 32.0) / 28.0;
    assert!((service / expected - 1.0).abs() < 0.03, "{service} us where {expected} are right");
}
