//! A-MPDUs with queue disciplines, error models, measured links, HWMP, and airtime fairness by category.

use hoplab::kernel::FlowId;
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::DropReason;
use hoplab::world::World;

/// Payload of a datagram, in bits.
const BITS: f64 = 1472.0 * 8.0;

fn run(text: &str, seed: u64) -> World {
    let scenario = Resolved::parse(text, "ampdu.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().unwrap_or_else(|error| panic!("{error}\n{text}"));
    world
}

fn delivered(world: &World, flow: u32) -> f64 {
    world.ctx().trace.counters.data(FlowId(flow)).delivered as f64
}

/// Mean time of a flow's packets since they first entered a queue, in ms.
fn delay_ms(world: &World, flow: u32) -> f64 {
    let counters = world.ctx().trace.counters.data(FlowId(flow));
    counters.since_queue as f64 / counters.delivered as f64 / 1e6
}

fn frames(world: &World, kind: FrameKind) -> f64 {
    world.ctx().trace.counters.frames(kind) as f64
}

fn udp(from: u32, to: u32, rate: &str, more: &str) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\ntransport = \"udp\"\napp = \"cbr\"\nsegment = 1472\nrate = \"{rate}\"\n{more}\n"
    )
}

/// A lone link of 10 m.
fn link(seconds: f64, tables: &str) -> String {
    format!(
        "profile = \"std\"\nduration = \"{seconds} s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [10, 0]]\n\
         [radio]\nstandard = \"11n\"\n[link]\narp = false\ndelay = \"0 s\"\n{tables}"
    )
}

const MCS4: &str = "[mac]\nmcs = 4\nbasic_rate = \"24 Mb/s\"\nrts_threshold = 65535\n";
/// Mb/s of a lone sender at MCS 4, A-MPDUs of 17 MPDUs (docs/protocols/wifi.md).
const ALONE: f64 = 35.860;

#[test]
fn goodput_follows_the_share_of_mpdus_that_arrive() {
    // Two seconds of 20 are of the bad state on average, in about 60 pieces.
    let gilbert = "model = \"gilbert\"\ngood_mean = \"270 ms\"\nbad_mean = \"30 ms\"\nbad_loss = 0.5";
    // 1538 bytes.
    let bits = libm::pow(1.0 - 1e-5, 1538.0 * 8.0);
    for (errors, arrives, seconds, tolerance) in [
        ("model = \"uniform_packet\"\nframe_error_rate = 0.05", 0.95, 4.0, 0.01),
        ("model = \"uniform_packet\"\nframe_error_rate = 0.2", 0.8, 4.0, 0.01),
        ("model = \"uniform_bit\"\nbit_error_rate = 1e-5", bits, 4.0, 0.01),
        (gilbert, 0.95, 20.0, 0.02),
    ] {
        let errors = format!("[radio.errors]\nscope = \"data_only\"\n{errors}\n");
        let world = run(&link(seconds, &format!("{MCS4}{errors}{}", udp(0, 1, "60 Mb/s", ""))), 1);
        let got = delivered(&world, 0) * BITS * 1e-6 / seconds / ALONE;
        assert!((got / arrives - 1.0).abs() < tolerance, "{errors}: {got} instead of {arrives}");
        assert_eq!(frames(&world, FrameKind::BlockAckRequest), 0.0, "{errors}: each A-MPDU is answered");
    }
}

#[test]
fn block_acks_and_requests_are_corrupted_as_single_frames() {
    let errors = "[radio.errors]\nmodel = \"uniform_packet\"\nframe_error_rate = 0.2\n";
    let world = run(&link(10.0, &format!("{MCS4}{errors}{}", udp(0, 1, "60 Mb/s", ""))), 1);
    // A Block Ack is missing after 1 of 5 A-MPDUs, none of whose MPDUs fails to arrive with all others; a request fails if it or its
    // answer does.
    let [sent, requests] = [FrameKind::Aggregate, FrameKind::BlockAckRequest].map(|kind| frames(&world, kind));
    let expected = 0.2 / (0.8 * 0.8);
    assert!((requests / sent / expected - 1.0).abs() < 0.1, "{requests} requests, {sent} A-MPDUs");
    let data_only = errors.replace("model", "scope = \"data_only\"\nmodel");
    let spared = run(&link(10.0, &format!("{MCS4}{data_only}{}", udp(0, 1, "60 Mb/s", ""))), 1);
    assert!(delivered(&world, 0) < 0.995 * delivered(&spared, 0));
}

/// Nodes 0 and 1 with a measured link of this delivery ratio each way.
fn measured(delivery: &str, mac: &str) -> String {
    format!(
        "profile = \"std\"\nduration = \"5 s\"\n[topology]\nkind = \"links\"\nlinks = [\n\
         {{ from = \"a\", to = \"b\", snr_db = 40, {delivery}, way = \"both\" }},\n]\n\
         [radio]\nstandard = \"11n\"\n[link]\narp = false\ndelay = \"0 s\"\n{mac}{}",
        udp(0, 1, "60 Mb/s", "")
    )
}

#[test]
fn measured_links_deliver_each_mpdu_by_itself() {
    let share = |delivery: &str| {
        let world = run(&measured(delivery, MCS4), 1);
        let retries = frames(&world, FrameKind::BlockAckRequest) / frames(&world, FrameKind::Aggregate);
        (delivered(&world, 0) * BITS * 1e-6 / 5.0 / ALONE, retries)
    };
    let (all, none) = share("delivery = 1");
    assert!((all - 1.0).abs() < 0.003 && none == 0.0, "{all} {none}");
    // Block Acks are lost as well, 1 of 10: less than the share of MPDUs, and much more than if A-MPDUs were lost as a whole. There are 0.1 / 0.81
    // requests per A-MPDU; four standard deviations of 900.
    let (most, some) = share("delivery = 0.9");
    assert!((0.8..0.9).contains(&most) && (0.07..0.18).contains(&some), "{most} {some}");
    // Ratios that were measured with probes of 100 bytes: an MPDU of 1538 bytes arrives with 0.99^15.38 = 0.857.
    let (long, few) = share("delivery = 0.99, delivery_bytes = 100");
    assert!((long / 0.857 - 1.0).abs() < 0.015 && few < 0.01, "{long} {few}");
}

#[test]
fn runs_with_errors_repeat_by_seed() {
    let fingerprint = |seed| run(&measured("delivery = 0.8", MCS4), seed).ctx().trace.fingerprint().to_string();
    assert_eq!(fingerprint(3), fingerprint(3));
    assert_ne!(fingerprint(3), fingerprint(4));
}

/// A bulk flow of CUBIC, and 100 datagrams per second beside it: Mb/s of the first, mean delay of the others.
fn bulk_and_sparse(queue: &str) -> (f64, f64) {
    let bulk = "[[flow]]\nfrom = 0\nto = 1\ntransport = \"tcp_cubic\"\n";
    let sparse = udp(0, 1, "1.1776 Mb/s", "");
    let mac = "[mac]\nmcs = 4\nrts_threshold = 65535\n";
    let text = format!("warmup = \"5 s\"\n{}", link(20.0, &format!("[queue]\n{queue}\n{mac}{bulk}{sparse}")));
    let scenario = Resolved::parse(&text, "ampdu.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let world = run(&text, 1);
    (world.report(&scenario, 1, 0.0).flows[0].goodput_bps * 1e-6, delay_ms(&world, 1))
}

#[test]
fn flow_queues_keep_goodput_and_cut_delay_of_a_link_with_ampdus() {
    let (plain, waits) = bulk_and_sparse("limit = 1000");
    for (queue, least) in [("fq_codel", 20.0), ("airtime_fq", 20.0), ("codel", 5.0), ("pie", 5.0)] {
        let (goodput, delay) = bulk_and_sparse(&format!("kind = \"{queue}\""));
        println!("{queue}: {goodput} Mb/s, {delay} ms; drop_tail {plain} Mb/s, {waits} ms");
        assert!((0.97 * plain..ALONE).contains(&goodput), "{queue}: {goodput} and {plain} Mb/s");
        assert!(least * delay < waits, "{queue}: {delay} and {waits} ms");
    }
}

#[test]
fn codel_drops_by_time_however_many_packets_leave_at_once() {
    // Packets leave too late from 12 ms on, and are dropped from 112 ms on, one interval / sqrt(n) after another: the sum of n such times is
    // (2 sqrt(n) - 1.46) intervals.
    let drops = |mac: &str, offered: &str, seconds: f64| {
        let tables = format!("[queue]\nkind = \"codel\"\nlimit = 100000\n{mac}{}", udp(0, 1, offered, ""));
        run(&link(seconds, &tables), 1).ctx().trace.counters.dropped(DropReason::Early) as f64
    };
    for seconds in [2.0, 4.0] {
        let root = (seconds - 0.112 + 0.146) / 0.2;
        let expected = root * root;
        let aggregated = drops(MCS4, "60 Mb/s", seconds);
        let single = drops(&format!("{MCS4}ampdu = \"0 B\"\n"), "60 Mb/s", seconds);
        assert!((aggregated / expected - 1.0).abs() < 0.1, "{seconds} s: {aggregated} drops, {expected} by the law");
        assert!((aggregated / single - 1.0).abs() < 0.1, "{seconds} s: {aggregated} drops, {single} of single frames");
    }
}

#[test]
fn every_queue_carries_ampdus_and_amsdus_under_every_routing_protocol() {
    let queues = ["drop_tail", "red", "codel", "pie", "fq_codel", "airtime_fq", "lred"];
    let protocols = ["static", "aodv", "olsr", "dsdv", "hwmp", "dsr"];
    for queue in queues {
        for protocol in protocols {
            for mac in ["mcs = 2", "mcs = 2\nampdu = \"0 B\"\namsdu = \"7935 B\""] {
                // 40 s for DSDV and OLSR to converge.
                let text = format!(
                    "profile = \"std\"\nduration = \"42 s\"\n[queue]\nkind = \"{queue}\"\nlimit = 60\n\
                     [topology]\nkind = \"grid\"\ncolumns = 3\nspacing = \"25 m\"\n[radio]\nstandard = \"11n\"\n\
                     propagation = \"shadowing\"\nshadowing_deviation_db = 0\npath_loss_exponent = 3.5\ntx_power = \"40 mW\"\n\
                     [routing]\nprotocol = \"{protocol}\"\n[mac]\n{mac}\n{}{}",
                    udp(0, 8, "3 Mb/s", "start = \"40 s\""),
                    udp(6, 1, "3 Mb/s", "start = \"40 s\"")
                );
                let world = run(&text, 2);
                let got = delivered(&world, 0) + delivered(&world, 1);
                assert!(got > 100.0, "{queue}, {protocol}, {mac}: {got} packets");
            }
        }
    }
}

/// Shares of the data frames of two relays between nodes 0 and 3, of which node 1 has the worse links.
fn relayed(mac: &str) -> [f64; 2] {
    let text = format!(
        "profile = \"std\"\nduration = \"40 s\"\n[topology]\nkind = \"links\"\nlinks = [\n\
         {{ from = \"a\", to = \"bad\", snr_db = 30, delivery = 0.6, way = \"both\" }},\n\
         {{ from = \"a\", to = \"good\", snr_db = 30, delivery = 1, way = \"both\" }},\n\
         {{ from = \"bad\", to = \"z\", snr_db = 30, delivery = 0.6, way = \"both\" }},\n\
         {{ from = \"good\", to = \"z\", snr_db = 30, delivery = 1, way = \"both\" }},\n\
         {{ from = \"bad\", to = \"good\", sense_only = true, way = \"both\" }},\n\
         {{ from = \"a\", to = \"z\", sense_only = true, way = \"both\" }},\n]\n\
         [radio]\nstandard = \"11n\"\n[routing]\nprotocol = \"hwmp\"\n[mac]\nmcs = 3\n{mac}\n{}",
        udp(0, 3, "4 Mb/s", "start = \"1 s\"")
    );
    let world = run(&text, 1);
    [1, 2].map(|node: usize| world.ctx().trace.counters.nodes()[node].relayed as f64)
}

#[test]
fn hwmp_finds_the_links_whose_mpdus_arrive() {
    for mac in ["", "ampdu = \"0 B\""] {
        let [bad, good] = relayed(mac);
        assert!(good > 5.0 * bad && good > 5000.0, "{mac}: {bad} packets over the bad relay, {good} over the good one");
    }
}

/// An access point that sends saturated flows of best effort to a near and a far station, and video to the near one alone.
fn categories(mac: &str, video: &str) -> [f64; 2] {
    let flows = [1, 2].map(|to| udp(0, to, "60 Mb/s", "start_spread = \"20 ms\"")).concat();
    let text = format!(
        "profile = \"std\"\nduration = \"8 s\"\n[queue]\nkind = \"airtime_fq\"\n\
         [topology]\nkind = \"positions\"\npositions = [[0, 0], [2, 0], [-27, 0]]\n\
         [radio]\nstandard = \"11n\"\nnoise_figure_db = 20\ntx_power = \"1 mW\"\npropagation = \"free_space\"\nlink_threshold = \"-82 dBm\"\n\
         [link]\narp = false\ndelay = \"0 s\"\n[mac]\nrts_threshold = 65535\nrate_control = \"ideal\"\n{mac}\n{flows}{}",
        udp(0, 1, video, "priority = \"video\"\nstart_spread = \"20 ms\"")
    );
    let world = run(&text, 1);
    [0, 1].map(|flow| delivered(&world, flow))
}

#[test]
fn airtime_is_shared_within_each_category() {
    // Airtimes per packet of A-MPDU and Block Ack, or of data and ACK, at MCS 0 by those at MCS 7, as in `airtime_fq.rs`.
    let single = (1936.0 + 44.0) / (228.0 + 28.0);
    for (mac, expected) in [("", (3908.0 / 2.0) / (5392.0 / 28.0)), ("ampdu = \"0 B\"", single)] {
        for video in ["20 kb/s", "10 Mb/s"] {
            let [near, far] = categories(mac, video);
            println!("{mac} {video}: {near} {far} {}", near / far);
            assert!((near / far / expected - 1.0).abs() < 0.05, "{mac}, {video}: {near} {far}, expected {expected}");
        }
    }
}
