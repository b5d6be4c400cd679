//! Protocols with explicit feedback in whole runs: the results that their specifications require.

use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// A chain of 11 Mb/s links with files over it, each from the first node to the last.
fn run(hops: u32, duration_s: u32, flows: &[(&str, u32)], set: &[(&str, &str)]) -> RunReport {
    let mut text = format!(
        "duration = \"{duration_s} s\"\nwarmup = \"{} s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[mac]\n\
         data_rate = \"11 Mb/s\"\nbasic_rate = \"1 Mb/s\"\n[routing]\nprotocol = \"static\"\n",
        duration_s / 2
    );
    for (transport, start_s) in flows {
        text += &format!(
            "[[flow]]\nfrom = 0\nto = {hops}\ntransport = \"{transport}\"\nsegment = \"1460 B\"\nwindow = 200\n\
             start = \"{start_s} s\"\n"
        );
    }
    let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Resolved::parse(&text, "explicit.toml", &set).expect("a scenario");
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run");
    world.audit().expect("every packet accounted for");
    world.report(&scenario, 1, 0.0)
}

fn jain(report: &RunReport) -> f64 {
    let rates: Vec<f64> = report.flows.iter().map(|flow| flow.goodput_bps).collect();
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

#[test]
fn xcp_winf_is_fair_unless_in_its_literal_form() {
    // docs/specs/xcp-winf.md section 6, test 4: two flows through one router, five seconds apart.
    let flows = [("xcp_winf", 1), ("xcp_winf", 6)];
    let consistent = jain(&run(2, 40, &flows, &[]));
    assert!(consistent >= 0.95, "{consistent}");
    let literal = jain(&run(2, 40, &flows, &[("xcp_winf.mode", "literal")]));
    assert!(literal < 0.8, "{literal}");
    // Of the printed equations, eq. 16 alone would make feedback proportional to throughput; the equal deduction from both
    // flows still equalizes them here.
    let proportional = jain(&run(2, 40, &flows, &[("xcp_winf.eq16", "literal")]));
    assert!(proportional >= 0.95, "{proportional}");
}

#[test]
fn xcp_needs_estimated_capacity_over_one_hop() {
    // docs/specs/xcp-winf.md section 6, test 5.
    let [new_reno, xcp, winf] = ["new_reno", "xcp", "xcp_winf"].map(|transport| run(1, 20, &[(transport, 1)], &[]));
    let goodput = |report: &RunReport| report.flows[0].goodput_bps;
    assert!(goodput(&winf) >= 0.95 * goodput(&new_reno), "{} of {}", goodput(&winf), goodput(&new_reno));
    assert!(goodput(&xcp) < 0.8 * goodput(&new_reno), "an assumed capacity of 11 Mb/s is too much");
    assert!(winf.flows[0].retransmissions * 5 < xcp.flows[0].retransmissions);
}

#[test]
fn rcp_overflows_its_queue_unless_winf() {
    // docs/specs/rcp.md section 5; docs/specs/rcp-winf.md section 2, test 4.
    let [new_reno, rcp, winf] = ["new_reno", "rcp", "rcp_winf"].map(|transport| run(1, 20, &[(transport, 1)], &[]));
    let full = |report: &RunReport| report.drops.get("queue_full").copied().unwrap_or(0) as f64;
    let sent: f64 = rcp.frames.data as f64 / 2.0 + full(&rcp);
    assert!(full(&rcp) > 0.2 * sent, "{} of {sent}", full(&rcp));
    assert!(full(&winf) < 0.02 * sent, "{}", full(&winf));
    assert!(winf.flows[0].goodput_bps >= 0.9 * new_reno.flows[0].goodput_bps);
    // Ten queued packets would add 34 ms to the 3 ms of an idle link.
    let wait = winf.nodes[0].queue_wait_mean_s.expect("packets waited");
    assert!(wait < 10.0 * 0.0034, "{wait} s in the queue");
}

#[test]
fn tcp_ap_loses_less_than_new_reno_on_a_long_chain() {
    let [new_reno, tcp_ap] =
        ["new_reno", "tcp_ap"].map(|transport| run(7, 40, &[(transport, 1)], &[("flow.window", "20")]));
    assert!(tcp_ap.flows[0].retransmissions < new_reno.flows[0].retransmissions);
    assert!(tcp_ap.flows[0].goodput_bps > 0.9 * new_reno.flows[0].goodput_bps);
}

#[test]
fn window_of_xcp_grows_without_feedback_routers() {
    let with = run(2, 20, &[("xcp", 1)], &[]);
    let without = run(2, 20, &[("xcp", 1)], &[("node.1.feedback_router", "none"), ("node.0.feedback_router", "none")]);
    // No router lowers the requested change: it is unbounded, and so is the window.
    assert!(without.flows[0].cwnd_mean > with.flows[0].cwnd_mean);
}

#[test]
fn rwnd_limits_an_unbounded_cwnd_in_every_profile() {
    for profile in ["ns2_oneway", "ns2_linux", "rfc"] {
        let text = format!(
            "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[tcp]\nprofile = \"{profile}\"\n\
             [[node]]\nid = 0\nfeedback_router = \"none\"\n[[node]]\nid = 1\nfeedback_router = \"none\"\n\
             [[flow]]\ntransport = \"xcp\"\nwindow = 8\n"
        );
        let scenario = Resolved::parse(&text, "beyond.toml", &[]).expect("a scenario");
        let mut world = World::new(&scenario, 1);
        for tenth in 1..=20 {
            world.run_until(hoplab::kernel::Time(tenth * 100_000_000)).expect("a valid run");
            let sender = world.connection(hoplab::kernel::FlowId(0)).sender().expect("a sender");
            assert!(sender.tcb().in_flight() <= 8, "{profile}: {} in flight", sender.tcb().in_flight());
        }
        let sender = world.connection(hoplab::kernel::FlowId(0)).sender().expect("a sender");
        assert!(sender.cwnd() > 1e6, "{profile}: the controller's own window is {}", sender.cwnd());
    }
}

/// Transports with routers of explicit feedback.
const EXPLICIT: [&str; 8] = ["muzha", "xcp", "xcp_b", "rcp", "xcp_winf", "rcp_winf", "atp", "wcp"];

/// A file over a chain of 802.11n, MCS 3, 25 m per hop, with these keys of the MAC.
fn ht(hops: u32, mac: &str, transport: &str, more: &str) -> RunReport {
    let text = format!(
        "profile = \"std\"\nduration = \"6 s\"\nwarmup = \"2 s\"\ngoodput_interval = \"1 s\"\n\
         topology = {{ kind = \"chain\", hops = {hops}, spacing = \"25 m\" }}\n\
         radio = {{ standard = \"11n\", propagation = \"shadowing\", shadowing_deviation_db = 0, path_loss_exponent = 3, \
         tx_power = \"40 mW\" }}\n[mac]\nmcs = 3\nbasic_rate = \"24 Mb/s\"\n{mac}\n[routing]\nprotocol = \"static\"\n\
         [[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"{transport}\"\nsegment = 1460\nwindow = 100\n{more}"
    );
    let scenario = Resolved::parse(&text, "explicit.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run");
    world.audit().expect("every packet accounted for");
    world.report(&scenario, 1, 0.0)
}

fn mbps(report: &RunReport) -> f64 {
    report.flows[0].goodput_bps * 1e-6
}

#[test]
fn feedback_uses_aggregates_over_one_hop() {
    // A full A-MPDU of MCS 3 has 11 MPDUs: 11680 x 11 bits in 110.5 + 5264 + 16 + 32 us; a single frame 17.5 Mb/s.
    for transport in EXPLICIT {
        let [single, full] = ["ampdu = \"0 B\"", ""].map(|mac| mbps(&ht(1, mac, transport, "")));
        assert!(single < 17.53 && full < 23.69, "{transport}: {single}, {full}");
        // ATP's rate is the inverse of a packet's delay, which is that of a single frame (docs/protocols/atp.md).
        let least = if transport == "atp" { 0.98 } else { 1.2 };
        assert!(full > least * single, "{transport}: {full} with A-MPDUs, {single} without");
    }
}

#[test]
fn feedback_of_best_effort_yields_to_video() {
    let video = "[[flow]]\nfrom = \"first\"\nto = \"last\"\ntransport = \"udp\"\napp = \"cbr\"\nsegment = 1000\nrate = \"2 Mb/s\"\n\
                 priority = \"video\"\n";
    for transport in EXPLICIT {
        let [alone, beside] = ["", video].map(|more| ht(2, "", transport, more));
        assert!(beside.flows[1].goodput_bps > 1.98e6, "{transport}: video has {}", beside.flows[1].goodput_bps);
        // ATP's delay holds the wait for video.
        let least = if transport == "atp" { 0.1 } else { 0.4 };
        assert!(mbps(&beside) > least * mbps(&alone), "{transport}: {} of {}", mbps(&beside), mbps(&alone));
    }
}
