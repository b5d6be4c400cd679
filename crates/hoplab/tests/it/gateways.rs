//! Hosts behind several gateways: which one packets take, both ways, and what happens when its radio goes off.

use hoplab::kernel::{FlowId, NodeId};
use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;
use std::collections::BTreeSet;

fn world(text: &str) -> (Resolved, World) {
    let scenario = Resolved::parse(text, "gateways.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}\n{text}"));
    (scenario, world)
}

fn run(text: &str) -> RunReport {
    let (scenario, world) = world(text);
    world.report(&scenario, 1, 0.0)
}

/// Routing protocols that discover routes, with times by which they have done so.
const DISCOVERING: [(&str, u32); 4] = [
    ("protocol = \"aodv\"", 10),
    ("protocol = \"aodv\"\nprofile = \"ns2\"", 10),
    ("protocol = \"olsr\"", 20),
    ("protocol = \"dsdv\"\ndsdv = { settling_time = \"0 s\", use_mac = true }", 100),
];

/// A chain of 200 m per hop, whose first and last node have a wire to `server`; `gateway` is a line of the host's table.
fn chain(routing: &str, hops: u32, gateway: &str, more: &str) -> String {
    let wire = |node: u32| format!("[[wire]]\nbetween = [\"server\", {node}]\nrate = \"100 Mb/s\"\ndelay = \"1 ms\"\n");
    format!(
        "[topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n[routing]\n{routing}\n\
         [[node]]\nkind = \"host\"\nname = \"server\"\n{gateway}\n{}{}{more}",
        wire(0),
        wire(hops)
    )
}

/// Datagrams from one node to another between two times, ten per second.
fn cbr(from: &str, to: &str, start: u32, stop: u32) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"40 kb/s\"\nsegment = 500\n\
         start = \"{start} s\"\nstop = \"{stop} s\"\n"
    )
}

/// Gateways whose wires have carried packets, either way, after the warm-up.
fn used(text: &str, gateways: &[u32]) -> BTreeSet<u32> {
    let wires = run(text).wires;
    let passed = wires.iter().filter(|port| port.packets > 0).flat_map(|port| [port.from, port.to]);
    passed.filter(|node| gateways.contains(node)).collect()
}

#[test]
fn each_node_takes_the_nearest_gateway_both_ways() {
    let all = DISCOVERING.into_iter().chain([("protocol = \"static\"", 1)]);
    for (routing, start) in all {
        let end = start + 20;
        let flows = [("\"server\"", "1"), ("\"server\"", "4"), ("1", "\"server\""), ("4", "\"server\"")];
        let flows: String = flows.iter().map(|(from, to)| cbr(from, to, start, end)).collect();
        let of = |gateway: &str| run(&format!("duration = \"{end} s\"\n{}", chain(routing, 5, gateway, &flows)));
        let hops = |report: &RunReport| -> Vec<f64> {
            report.flows.iter().map(|flow| (flow.hops_mean.expect("packets") * 100.0).round() / 100.0).collect()
        };
        // A wire and a hop by radio each.
        for gateway in ["gateway = [0, 5]", "gateway = [5, 0]", ""] {
            let report = of(gateway);
            assert_eq!(hops(&report), [2.0; 4], "{routing}, {gateway}");
            assert!(
                report.flows.iter().all(|flow| flow.loss_ratio.is_some_and(|loss| loss < 0.05)),
                "{routing}: {:?}",
                report.flows
            );
        }
        // By one gateway, the other end of the chain is four hops away.
        assert_eq!(hops(&of("gateway = 0")), [2.0, 5.0, 2.0, 5.0], "{routing}");
        assert_eq!(hops(&of("gateway = 5")), [5.0, 2.0, 5.0, 2.0], "{routing}");
    }
}

#[test]
fn other_gateway_serves_while_the_nearest_is_off() {
    for (routing, start) in DISCOVERING {
        let (off, on, end) = (start + 20, start + 120, start + 220);
        let flows = [cbr("\"server\"", "1", start, end), cbr("1", "\"server\"", start, end)].concat();
        let away = format!("[[node]]\nid = 0\nradio_off = [[\"{off} s\", \"{on} s\"]]\n");
        let network =
            |gateway| format!("duration = \"{end} s\"\n{}", chain(routing, 3, gateway, &format!("{away}{flows}")));
        let delivered = |gateway| {
            let (scenario, world) = world(&network(gateway));
            let flows = (0..scenario.flows.len() as u32).map(FlowId);
            flows.map(|flow| world.ctx().trace.counters.data(flow).delivered).collect::<Vec<u64>>()
        };
        // Of 2,200 datagrams each way; without the other gateway nearly 1,000 of them are lost. DSDV needs new numbers of the gateway.
        let least = if routing.contains("dsdv") { 1_900 } else { 2_050 };
        let (several, one) = (delivered("gateway = [0, 3]"), delivered("gateway = 0"));
        assert!(several.iter().all(|count| *count > least), "{routing}: {several:?}");
        assert!(one.iter().all(|count| *count < 1_300), "{routing}: {one:?}");
    }
}

#[test]
fn reply_takes_the_gateway_of_the_request() {
    // Nodes 2 and 3 of a chain of five are equally near to both gateways, or nearer to one: replies follow requests.
    for (routing, start) in DISCOVERING {
        let end = start + 20;
        let flow = format!(
            "[[flow]]\nfrom = 2\nto = \"server\"\ntransport = \"new_reno\"\nwindow = 4\nstart = \"{start} s\"\n"
        );
        let network = chain(routing, 4, "gateway = [4, 0]", &flow);
        let gateways = used(&format!("duration = \"{end} s\"\nwarmup = \"{} s\"\n{network}", start + 5), &[0, 4]);
        assert_eq!(gateways.len(), 1, "{routing}: {gateways:?}");
    }
}

#[test]
fn router_sends_by_the_gateway_of_the_host() {
    // Both gateways are behind one router; the server names one of them, the other host the other.
    let wires = "[[wire]]\nbetween = [\"server\", \"router\"]\nrate = \"100 Mb/s\"\n\
                 [[wire]]\nbetween = [\"other\", \"router\"]\nrate = \"100 Mb/s\"\n\
                 [[wire]]\nbetween = [\"router\", 0]\nrate = \"100 Mb/s\"\n[[wire]]\nbetween = [\"router\", 4]\nrate = \"100 Mb/s\"\n";
    for (routing, start) in DISCOVERING.into_iter().chain([("protocol = \"static\"", 1)]) {
        let end = start + 10;
        let flows = [("\"server\"", "2", 4), ("\"other\"", "2", 0), ("2", "\"server\"", 4), ("2", "\"other\"", 0)];
        for (from, to, gateway) in flows {
            let flow = cbr(from, to, start, end);
            let text = format!(
                "duration = \"{end} s\"\n[topology]\nkind = \"chain\"\nhops = 4\nspacing = \"200 m\"\n[routing]\n{routing}\n\
                 [[node]]\nkind = \"host\"\nname = \"server\"\ngateway = 4\n[[node]]\nkind = \"host\"\nname = \"other\"\n\
                 gateway = 0\n[[node]]\nkind = \"host\"\nname = \"router\"\n{wires}{flow}"
            );
            assert_eq!(used(&text, &[0, 4]), BTreeSet::from([gateway]), "{routing}: {from} to {to}");
        }
    }
}

#[test]
fn nearest_gateway_by_etx_has_the_best_links() {
    // Gateway 0 is one hop away with many losses, gateway 3 two hops with none.
    let links = "[topology]\nkind = \"links\"\nnames = [\"near\", \"client\", \"relay\", \"far\"]\nlinks = [\n\
                 { from = \"near\", to = \"client\", snr_db = 40, delivery = 0.5, way = \"both\" },\n\
                 { from = \"client\", to = \"relay\", snr_db = 40, delivery = 1.0, way = \"both\" },\n\
                 { from = \"relay\", to = \"far\", snr_db = 40, delivery = 1.0, way = \"both\" },\n]\n";
    // Flows out of phase: ARP requests at one instant collide again and again.
    let wires = "[[wire]]\nbetween = [\"server\", \"near\"]\nrate = \"100 Mb/s\"\ndelay = \"33 ms\"\n\
                 [[wire]]\nbetween = [\"server\", \"far\"]\nrate = \"100 Mb/s\"\ndelay = \"33 ms\"\n";
    let host = "[[node]]\nkind = \"host\"\nname = \"server\"\ngateway = [\"near\", \"far\"]\n";
    for (routing, etx) in
        [("protocol = \"static\"", "metric = \"etx\""), ("protocol = \"olsr\"", "olsr = { metric = \"etx\" }")]
    {
        let flows = [cbr("\"server\"", "\"client\"", 30, 60), cbr("\"client\"", "\"server\"", 30, 60)].concat();
        let of =
            |metric| run(&format!("duration = \"60 s\"\n{links}[routing]\n{routing}\n{metric}\n{host}{wires}{flows}"));
        let hops = |report: &RunReport| report.flows[1].hops_mean.expect("packets");
        // OLSR measures: without ETX it loses the near link now and then, with half of its messages; with ETX ratios scatter.
        let (fewest, best) = (hops(&of("")), hops(&of(etx)));
        assert!(fewest < 2.5 && best > 2.7, "{routing}: {fewest} and {best} hops");
    }
}

#[test]
fn wires_of_static_paths_cost_a_tenth_of_a_transmission() {
    // By radio 2 perfect hops, by wires 19 times 0.1, or 21 times.
    let of = |routers: u32| {
        let names: Vec<String> = (0..routers).map(|i| format!("r{i}")).collect();
        let hosts = names.iter().map(|name| format!("[[node]]\nkind = \"host\"\nname = \"{name}\"\n"));
        let hosts = hosts.collect::<Vec<_>>().concat();
        let ends = ["a".to_owned()].into_iter().chain(names).chain(["c".to_owned()]).collect::<Vec<_>>();
        let wire =
            |pair: &[String]| format!("[[wire]]\nbetween = [\"{}\", \"{}\"]\nrate = \"100 Mb/s\"\n", pair[0], pair[1]);
        let wires: String = ends.windows(2).map(wire).collect();
        let links = "[topology]\nkind = \"links\"\nnames = [\"a\", \"b\", \"c\"]\nlinks = [\n\
                     { from = \"a\", to = \"b\", snr_db = 40, delivery = 1.0, way = \"both\" },\n\
                     { from = \"b\", to = \"c\", snr_db = 40, delivery = 1.0, way = \"both\" },\n]\n";
        let flow = cbr("\"a\"", "\"c\"", 1, 9);
        run(&format!("duration = \"9 s\"\n{links}[routing]\nmetric = \"etx\"\n{hosts}{wires}{flow}")).flows[0].hops_mean
    };
    assert_eq!((of(18), of(20)), (Some(19.0), Some(2.0)));
}

#[test]
fn gateways_are_set_by_name() {
    let text = "duration = \"5 s\"\n[topology]\nkind = \"links\"\nnames = [\"east\", \"client\", \"west\"]\nlinks = [\n\
                { from = \"east\", to = \"client\", snr_db = 40, way = \"both\" },\n\
                { from = \"client\", to = \"west\", snr_db = 40, way = \"both\" },\n]\n\
                [routing]\nprotocol = \"aodv\"\n[[node]]\nkind = \"host\"\nname = \"server\"\ngateway = \"east\"\n\
                [[node]]\nid = \"west\"\nqueue.limit = 9\n\
                [[wire]]\nbetween = [\"server\", \"east\"]\nrate = \"1 Mb/s\"\n\
                [[wire]]\nbetween = [\"server\", \"west\"]\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n[[flow]]\nfrom = \"server\"\nto = \"client\"\n";
    let of = |set: &[(&str, &str)]| {
        let set: Vec<(String, String)> = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Resolved::parse(text, "gateways.toml", &set)
    };
    let gateways = |value: &str| {
        let scenario = of(&[("node.server.gateway", value)]).unwrap_or_else(|error| panic!("{error}"));
        let again =
            Resolved::parse(&scenario.to_toml(), "gateways.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.hosts, scenario.hosts);
        scenario.hosts[0].gateways.iter().map(|gateway| gateway.0).collect::<Vec<_>>()
    };
    assert_eq!([gateways("east"), gateways("west"), gateways("2")], [vec![0], vec![2], vec![2]]);
    assert_eq!([gateways("[\"west\", \"east\"]"), gateways("[2, 0]")], [[2, 0], [2, 0]]);
    // One table for a node by name and by number.
    let set = [("node.west.queue.kind", "red"), ("node.2.proxy", "false"), ("node.east.queue.limit", "3")];
    let scenario = of(&set).unwrap_or_else(|error| panic!("{error}"));
    let limit = |node| scenario.queue_of(NodeId(node)).limit;
    assert_eq!((scenario.nodes.len(), limit(2), limit(0)), (2, 9, 3));
    let wrong = |key: &str, value: &str| of(&[(key, value)]).map(|_| ()).unwrap_err().to_string();
    assert!(wrong("node.sever.gateway", "east").contains("did you mean node.server?"));
    assert!(wrong("node.server.gateway", "north").contains("is no node with a radio"));
    assert!(wrong("node.server.gateway", "client").contains("no wires lead to client"));
    assert!(wrong("node.server.gateway", "[0, \"east\"]").contains("is listed twice"));
}

/// A measured mesh of 25 nodes with two radios each, 802.11n with Minstrel-HT, gateways at two corners, and users of pages and
/// videos. Links are a grid of five by five with ratios by channel, and weaker diagonals.
fn engineers(routing: &str, gateway: &str, more: &str) -> String {
    let mut state = 7_u32;
    let mut draw = |low: f64, high: f64| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((low + (high - low) * f64::from(state >> 8) / f64::from(1 << 24)) * 100.0).round() / 100.0
    };
    let mut links = String::new();
    for (x, y) in (0..5_i32).flat_map(|y| (0..5_i32).map(move |x| (x, y))) {
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1), (2, 0), (0, 2)] {
            let (i, j) = (x + dx, y + dy);
            if !(0..5).contains(&i) || !(0..5).contains(&j) {
                continue;
            }
            let ends = format!("from = \"n{}\", to = \"n{}\", way = \"both\"", 5 * y + x, 5 * j + i);
            if dx == 2 || dy == 2 {
                links += &format!("{{ {ends}, sense_only = true }},\n");
                continue;
            }
            let is_near = dx * dy == 0;
            for channel in [36, 44] {
                let snr = if is_near { draw(26.0, 34.0) } else { draw(14.0, 20.0) };
                let delivery = if is_near { draw(0.85, 1.0) } else { draw(0.4, 0.7) };
                links += &format!("{{ {ends}, channel = {channel}, snr_db = {snr}, delivery = {delivery} }},\n");
            }
        }
    }
    let names: Vec<String> = (0..25).map(|node| format!("\"n{node}\"")).collect();
    let radios = |node: u32| format!("[[node]]\nid = \"n{node}\"\nradios = [{{ channel = 36 }}, {{ channel = 44 }}]\n");
    let nodes: String = (1..25).map(radios).collect();
    let first = format!("{}{more}", radios(0));
    let wire = |node: &str| {
        format!(
            "[[wire]]\nbetween = [\"server\", \"{node}\"]\nrate = \"100 Mb/s\"\ndelay = \"10 ms\"\nqueue.kind = \"fq_codel\"\n"
        )
    };
    let users = |kind: &str, to: &[u32], keys: &str| {
        let to: Vec<String> = to.iter().map(|node| format!("\"n{node}\"")).collect();
        format!(
            "[[workload]]\nkind = \"{kind}\"\nfrom = \"server\"\nto = [{}]\ntransport = \"tcp_cubic\"\nstart = \"20 s\"\n{keys}\n",
            to.join(", ")
        )
    };
    format!(
        "profile = \"std\"\nduration = \"50 s\"\nwarmup = \"25 s\"\n[topology]\nkind = \"links\"\nnames = [{}]\nlinks = [\n{links}]\n\
         [radio]\nstandard = \"11n\"\nchannel = 36\nrx_threshold = \"-90 dBm\"\ncs_threshold = \"-100 dBm\"\n\
         [mac]\nrate_control = \"minstrel_ht\"\nampdu = \"0 B\"\n[routing]\n{routing}\n{first}{nodes}\
         [[node]]\nkind = \"host\"\nname = \"server\"\ngateway = {gateway}\n{}{}{}{}",
        names.join(", "),
        wire("n0"),
        wire("n24"),
        users("web", &[2, 6, 12, 18, 22], "objects = 8\nconnections = 6\nreading = \"3 s\""),
        users("video", &[8, 11, 16, 23], "ladder = [\"1 Mb/s\", \"2 Mb/s\"]"),
    )
}

#[test]
fn measured_mesh_with_two_radios_and_two_gateways_serves_its_users() {
    let static_etx = "metric = \"etx\"";
    let both = "[\"n0\", \"n24\"]";
    // Bytes from the server to each gateway after the warm-up.
    let bytes = |report: &RunReport| {
        let to = |gateway| {
            report.wires.iter().find(|port| port.from == 25 && port.to == gateway).map_or(0, |port| port.bytes)
        };
        [to(0), to(24)]
    };
    let of = |routing: &str, gateway: &str, more: &str| run(&engineers(routing, gateway, more));
    let two = of(static_etx, both, "");
    let one = of(static_etx, "\"n0\"", "");
    let [near, far] = bytes(&two);
    assert!(near > 1_000_000 && far > 1_000_000, "{near} {far}");
    assert_eq!(bytes(&one)[1], 0);
    let hops = |report: &RunReport| {
        let found: Vec<f64> = report.flows.iter().filter_map(|flow| flow.hops_mean).collect();
        found.iter().sum::<f64>() / found.len() as f64
    };
    assert!(hops(&two) + 1.0 < hops(&one), "{} {}", hops(&two), hops(&one));
    // Without its radios at 36 s the first gateway passes its users to the second.
    let off = "radio_off = [[\"36 s\", \"50 s\"]]\n";
    let olsr = "protocol = \"olsr\"\nolsr = { metric = \"etx\" }";
    let (on, off) = (bytes(&of(olsr, both, "")), bytes(&of(olsr, both, off)));
    assert!(off[0] < on[0] && off[1] > on[1], "{on:?} {off:?}");
}
