//! Several channels, and several radios per node.

use hoplab::kernel::{FlowId, NodeId};
use hoplab::packet::Category;
use hoplab::scenario::Resolved;
use hoplab::trace::{DropReason, What};
use hoplab::world::World;
use std::collections::BTreeSet;

fn parse(text: &str) -> Resolved {
    Resolved::parse(text, "radios.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The end of a run, which is audited.
fn run(text: &str) -> World {
    let scenario = parse(text);
    let mut world = World::new(&scenario, 1);
    world.keep_records();
    world.account_airtime();
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world
}

fn delivered(world: &World, flow: u32) -> u64 {
    world.ctx().trace.counters.data(FlowId(flow)).delivered
}

/// `[[node]]` of a chain whose hop i is on channel `channels[i]`.
fn nodes(channels: &[u32]) -> String {
    let node = |node: usize| {
        // The way out first: it counts where both channels are common.
        let before = node.checked_sub(1).map(|hop| channels[hop]);
        let mut of: Vec<u32> = channels.get(node).copied().into_iter().chain(before).collect();
        of.dedup();
        let of: Vec<String> = of.iter().map(|channel| format!("{{ channel = {channel} }}")).collect();
        format!("[[node]]\nid = {node}\nradios = [{}]\n", of.join(", "))
    };
    (0..=channels.len()).map(node).collect()
}

/// A chain of 802.11a at 24 Mb/s with static routes, 25 m per hop.
fn chain(channels: &[u32], seconds: u32, flow: &str, more: &str) -> String {
    let tables = nodes(channels);
    format!(
        "profile = \"std\"\nduration = \"{seconds} s\"\n{more}\n\
         topology = {{ kind = \"chain\", hops = {}, spacing = \"25 m\" }}\n\
         radio = {{ standard = \"11a\", propagation = \"shadowing\", shadowing_deviation_db = 0, path_loss_exponent = 3, \
         frequency = \"5.15 GHz\", tx_power = \"40 mW\" }}\n\
         mac = {{ data_rate = \"24 Mb/s\", basic_rate = \"24 Mb/s\", rts_threshold = 4692480 }}\n\
         [routing]\nprotocol = \"static\"\n{tables}\n[[flow]]\nfrom = \"first\"\nto = \"last\"\n{flow}\n",
        channels.len()
    )
}

const CBR: &str = "transport = \"udp\"\napp = \"cbr\"\nsegment = 1472\nrate = \"24 Mb/s\"";
const BARE: &str = "link = { arp = false, delay = \"0 s\" }";

#[test]
fn chain_with_a_channel_per_hop_carries_what_one_hop_does() {
    let at = |channels: &[u32]| delivered(&run(&chain(channels, 4, CBR, BARE)), 0) as f64;
    let one = at(&[36]);
    for channels in [&[36, 40][..], &[36, 40, 44], &[36, 40, 44, 48, 52]] {
        let many = at(channels);
        assert!((many / one - 1.0).abs() < 0.01, "{channels:?}: {many} against {one}");
    }
    // Hops 0 and 2 of four share a channel: about half.
    let two = at(&[36, 40, 36, 40]);
    assert!((0.45..0.56).contains(&(two / one)), "{two} against {one}");
    let shared = at(&[36, 36, 36, 36]);
    assert!((0.2..0.35).contains(&(shared / one)), "{shared} against {one}");
}

#[test]
fn tcp_with_arp_crosses_radios_in_both_directions() {
    let flow = "transport = \"new_reno\"\n[[flow]]\nfrom = \"last\"\nto = \"first\"\ntransport = \"cubic\"";
    let mut world = run(&chain(&[1, 6, 11], 5, flow, ""));
    assert!(delivered(&world, 0) > 1000 && delivered(&world, 1) > 1000);
    assert_eq!(world.ctx().trace.counters.dropped(DropReason::MacRetry), 0);
    // Two further radios: records name nodes.
    let records = world.take_records();
    assert!(records.iter().all(|record| record.node.0 < 4));
    let hops: BTreeSet<(u32, u32)> = records
        .iter()
        .filter_map(|record| match record.what {
            What::FrameSent { to, .. } if !to.is_broadcast() => Some((record.node.0, to.0)),
            _ => None,
        })
        .collect();
    assert_eq!(hops, BTreeSet::from([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]));
}

#[test]
fn aggregates_and_rate_control_work_per_radio() {
    let text = chain(&[36, 44], 3, &CBR.replace("24 Mb/s", "200 Mb/s"), BARE)
        .replace("\"11a\"", "\"11n\"")
        .replace("data_rate = \"24 Mb/s\", basic_rate = \"24 Mb/s\", ", "rate_control = \"ideal\", ");
    let one = text.replace("hops = 2", "hops = 1");
    let one = &one[..one.find("[[node]]\nid = 2").expect("node 2")].to_owned();
    let flow = &text[text.find("[[flow]]").expect("a flow")..];
    let (many, one) = (delivered(&run(&text), 0) as f64, delivered(&run(&format!("{one}{flow}")), 0) as f64);
    assert!((many / one - 1.0).abs() < 0.03, "{many} against {one}");
}

#[test]
fn queues_that_share_airtime_work_per_radio() {
    let text = chain(&[36, 44], 3, CBR, BARE);
    let shared = text.replace("[routing]", "[queue]\nkind = \"airtime_fq\"\n[routing]");
    let (plain, shared) = (delivered(&run(&text), 0) as f64, delivered(&run(&shared), 0) as f64);
    assert!((shared / plain - 1.0).abs() < 0.03, "{shared} against {plain}");
}

#[test]
fn local_acknowledgments_of_proxies_return_over_radios() {
    let flow = "transport = \"split_tcp\"";
    let world = run(&chain(&[36, 40, 44, 48, 36, 40], 5, flow, ""));
    assert!(delivered(&world, 0) > 500);
}

#[test]
fn one_channel_everywhere_changes_nothing() {
    let text = "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 4\nspacing = \"200 m\"\n[[flow]]\ntransport = \"new_reno\"\n";
    let print = |text: &str| run(text).ctx().trace.fingerprint();
    let usual = print(text);
    assert_eq!(print(&format!("radio.channel = 11\n{text}")), usual);
    assert_eq!(print(&format!("{text}[[node]]\nid = 2\nradios = [{{ channel = 1 }}]\n")), usual);
    assert_ne!(print(&format!("{text}[[node]]\nid = 2\nradios = [{{ channel = 2 }}]\n")), usual);
}

/// Two saturated pairs side by side, the second on a channel.
fn pairs(channel: u32) -> World {
    run(&format!(
        "duration = \"5 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [100, 0], [0, 50], [100, 50]]\n\
         [[flow]]\nfrom = 0\nto = 1\n{flow}\n[[flow]]\nfrom = 2\nto = 3\n{flow}\n\
         [[node]]\nid = 2\nradios = [{{ channel = {channel} }}]\n[[node]]\nid = 3\nradios = [{{ channel = {channel} }}]\n",
        flow = "transport = \"udp\"\napp = \"cbr\"\nsegment = 1000\nrate = \"4 Mb/s\"",
    ))
}

#[test]
fn pairs_on_two_channels_do_not_hear_each_other() {
    let (apart, shared) = (pairs(6), pairs(1));
    for flow in 0..2 {
        let ratio = delivered(&apart, flow) as f64 / delivered(&shared, flow) as f64;
        assert!((1.8..2.2).contains(&ratio), "{ratio}");
    }
    let overheard = |world: &World| {
        let uses = world.airtime(NodeId(0)).expect("accounts");
        uses.of(hoplab::measure::AirtimeUse::Overheard)
    };
    assert_eq!(overheard(&apart), 0);
    assert!(overheard(&shared) > 1_000_000_000);
}

#[test]
fn mobile_nodes_hear_those_on_their_channel_only() {
    let far = |id: u32| format!("[[node]]\nid = {id}\nradios = [{{ channel = 6 }}]\n");
    let flow = |from: u32, to: u32| format!("[[flow]]\nfrom = {from}\nto = {to}\ntransport = \"new_reno\"\n");
    let text = format!(
        "duration = \"20 s\"\n[topology]\nkind = \"random\"\nnodes = 12\narea = [\"300 m\", \"300 m\"]\n\
         [mobility]\nkind = \"waypoint\"\nmin_speed = \"5 m/s\"\nmax_speed = \"15 m/s\"\n[routing]\nprotocol = \"aodv\"\n{}{}{}{}",
        (6..12).map(far).collect::<String>(),
        flow(0, 1),
        flow(6, 7),
        flow(2, 8),
    );
    let world = run(&text);
    assert!(delivered(&world, 0) > 100 && delivered(&world, 1) > 100);
    assert_eq!(delivered(&world, 2), 0);
}

#[test]
fn radio_off_switches_all_radios_of_a_node() {
    let text = chain(&[36, 40], 4, CBR, BARE);
    let off = text.replace("[[node]]\nid = 1\n", "[[node]]\nid = 1\nradio_off = [[\"1 s\", \"3 s\"]]\n");
    let (on, off) = (delivered(&run(&text), 0) as f64, delivered(&run(&off), 0) as f64);
    assert!((0.45..0.6).contains(&(off / on)), "{off} against {on}");
}

#[test]
fn each_radio_has_its_airtime() {
    let world = run(&chain(&[36, 40], 2, CBR, BARE));
    let text = chain(&[36, 40], 2, CBR, BARE);
    let report = world.report(&parse(&text), 1, 0.0);
    let rows: Vec<_> = report.airtime.iter().map(|row| (row.node, row.channel, row.airtime.total())).collect();
    let whole = 2_000_000_000;
    assert_eq!(rows, [(0, None, whole), (1, Some(40), whole), (1, Some(36), whole), (2, None, whole)]);
    assert_eq!(report.nodes.len(), 3);
    assert!(report.nodes[1].data > 1000 && report.nodes[1].ack > 1000);
}

#[test]
fn written_scenario_reads_as_an_equal_one() {
    let scenario = parse(
        &chain(&[36, 40, 36], 2, CBR, "radio.channel = 48")
            .replace("radio = {", "radio = { channel = 48,")
            .replace("radio.channel = 48\n", ""),
    );
    let again = parse(&scenario.to_toml());
    assert_eq!(again.radios(), scenario.radios());
    assert_eq!(again.canonical(), scenario.canonical());
    assert!(
        scenario.canonical().contains("\"radios\":[{\"channel\":40},{\"channel\":36}]"),
        "{}",
        scenario.canonical()
    );
}

#[test]
fn path_without_a_common_channel_is_warned_of() {
    let text = "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\n[[node]]\nid = 2\nradios = [{ channel = 6 }]\n";
    let warnings = parse(text).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("has no path from 0 to 2")), "{warnings:?}");
}

#[test]
fn conflicts_name_key_and_alternative() {
    let base = "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\n[[node]]\nid = 1\n";
    let two = "radios = [{ channel = 1 }, { channel = 6 }]\n";
    let refused = |more: String| {
        let error = Resolved::parse(&format!("{base}{more}"), "radios.toml", &[]).expect_err("a conflict");
        error.to_string()
    };
    for (more, expected) in [
        ("radios = [{ channel = 6 }, { channel = 6 }]".to_owned(), "node.1.radios.1: two radios on channel 6"),
        ("radios = []".to_owned(), "node.1.radios: expected 1 to 8 radios, found 0"),
        ("radios = 6".to_owned(), "node.1.radios: expected array"),
        ("radios = [{ channel = 0 }]".to_owned(), "node.1.radios.0.channel"),
        ("radios = [{ standard = \"11a\" }]".to_owned(), "node.1.radios.0.standard: unknown key"),
        (
            format!("{two}[routing]\nprotocol = \"program:mine@1\""),
            "routing.protocol: not supported with several radios per node",
        ),
        (format!("{two}[radio]\nadjacent_rejection_db = 20"), "radio.adjacent_rejection_db: not supported"),
        ("[mac]\nchannel = 6".to_owned(), "mac.channel: not supported"),
    ] {
        let error = refused(more);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn categories_of_a_further_radio_are_its_own_and_count_at_its_node() {
    // The further radio of node 1 is that to node 0.
    let flow = |to: u32, priority: &str| format!("[[flow]]\nfrom = 1\nto = {to}\npriority = \"{priority}\"\n{CBR}\n");
    let only = |to: u32| [flow(to, "voice"), flow(to, "best_effort")].concat();
    let text = |flows: &str| {
        let chain = chain(&[36, 44], 1, CBR, BARE);
        let head = chain
            .split("[[flow]]")
            .next()
            .expect("a chain")
            .replace("rts_threshold", "qos = true, edca = {}, rts_threshold");
        format!("{head}{flows}")
    };
    let collisions = |world: &World, node: usize| {
        let counters = world.ctx().trace.counters.categories(node).expect("categories");
        counters[Category::BestEffort as usize].internal_collisions
    };
    let there = run(&text(&only(0)));
    let onward = run(&text(&only(2)));
    assert!(
        collisions(&there, 1) > 10 && collisions(&onward, 1) > 10,
        "{} {}",
        collisions(&there, 1),
        collisions(&onward, 1)
    );
    // Each radio carries what it carries alone.
    let both = run(&text(&[only(0), only(2)].concat()));
    for (flow, alone) in [(0, &there), (1, &there), (2, &onward), (3, &onward)] {
        let (found, alone) = (delivered(&both, flow) as f64, delivered(alone, flow % 2) as f64);
        assert!((found / alone - 1.0).abs() < 0.1, "flow {flow}: {found} of {alone}");
    }
    assert!(collisions(&both, 1) > collisions(&there, 1) + 10);
}

/// Transports with routers of explicit feedback.
const EXPLICIT: [&str; 8] = ["muzha", "xcp", "xcp_b", "rcp", "xcp_winf", "rcp_winf", "atp", "wcp"];

#[test]
fn feedback_is_that_of_the_radio_that_packets_leave_by() {
    // From node 1, whose first radio is that to node 2: datagrams over one radio leave a flow over the other as it is alone.
    let text = |flows: &str| {
        let chain = chain(&[36, 44], 4, CBR, BARE);
        format!("{}{flows}", chain.split("[[flow]]").next().expect("a chain"))
    };
    let flow = |to: u32, what: &str| format!("[[flow]]\nfrom = 1\nto = {to}\n{what}\n");
    for (transport, (to, beside)) in EXPLICIT.into_iter().flat_map(|name| [(name, (2, 0)), (name, (0, 2))]) {
        let own = flow(to, &format!("transport = \"{transport}\"\nwindow = 100"));
        let alone = delivered(&run(&text(&own)), 0) as f64;
        let both = run(&text(&format!("{own}{}", flow(beside, CBR))));
        let (found, load) = (delivered(&both, 0) as f64, delivered(&both, 1));
        assert!((found / alone - 1.0).abs() < 0.05, "{transport} to {to}: {found} of {alone}");
        assert!(load > 5000, "{transport}: {load} datagrams");
    }
}

#[test]
fn observers_are_by_radio() {
    // A load over one radio of node 1: its channel has no room, that of the other has all.
    let more = format!("{BARE}\ngoodput_interval = \"1 s\"\nwinf.everywhere = true\nidle_gap.everywhere = true");
    let chain = chain(&[36, 44], 3, CBR, &more);
    let head = chain.split("[[flow]]").next().expect("a chain");
    let text = format!("{head}[[flow]]\nfrom = 1\nto = 0\n{CBR}\n");
    let report = run(&text).report(&parse(&text), 1, 0.0);
    let share = |at: &str, name: &str| {
        let found = &report.estimates[at][name];
        let available = found.available_bps.last().expect("an estimate");
        available / found.capacity_bps.last().copied().flatten().expect("a capacity")
    };
    assert!(share("1.36", "winf") < 0.03 && share("1.44", "winf") > 0.97);
    assert!(share("0", "winf") < 0.2, "{}", share("0", "winf"));
    let available = |at: &str| *report.estimates[at]["idle_gap"].available_bps.last().expect("an estimate");
    assert!(available("1.36") < 0.3 * available("1.44"), "{} {}", available("1.36"), available("1.44"));
}
