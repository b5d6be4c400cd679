//! Warnings: values that are valid but probably not intended.

use super::degrees;
use super::flow::FlowSpec;
use super::resolved::Resolved;
use crate::app::AppConfig;
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::mac::handshake::HandshakeKind;
use crate::mac::{EifsRule, MAX_COVERAGE_CLASS, MacConfig, Timing};
use crate::mobility::{Init, MobilityKind, Point};
use crate::net::routing::{Partitions, ReachGraph};
use crate::phy::Phy;
use crate::phy::propagation::{PathLoss, delay, distance_in};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::topology::TopologyKind;
use std::collections::BTreeMap;

/// Warnings that are listed; the rest is counted.
const MAX_WARNINGS: usize = 50;

/// Nodes of a partition that a warning lists.
const MAX_MEMBERS: usize = 6;

/// Adds the warnings about a scenario with its draws. `late`: flows that start after the end of the run.
pub(super) fn add(scenario: &mut Resolved, late: usize) {
    let mut warnings = std::mem::take(&mut scenario.warnings);
    if late > 0 {
        let (count, end) = (scenario.flows.len(), scenario.end().write());
        warnings.push(format!("{late} of {count} flows start at or after the end of the run ({end})"));
    }
    warnings.extend(short_measurement(scenario));
    warnings.extend(equal_instants(scenario));
    let is_drawing = scenario.topology.layout.links().is_some_and(|links| !links.is_placed());
    if !is_drawing {
        warnings.extend(equal_positions(&scenario.positions));
    }
    if scenario.replay.is_some() {
        let looks = degrees::looks_like(&scenario.positions);
        warnings.extend(looks.map(|looks| format!("{looks}; project the coordinates of mobility.file to meters")));
    } else if scenario.topology.layout.kind() == TopologyKind::Positions {
        warnings.extend(degrees::warning(&scenario.positions).or_else(|| adjacent(scenario)));
    }
    warnings.extend(unused_positions(scenario));
    warnings.extend(stale_routes(scenario));
    warnings.extend(partitions(scenario));
    warnings.extend(long_range_of_moving_nodes(scenario));
    warnings.extend(failing_refusals(scenario));
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("{more} more warnings"));
    }
    scenario.warnings = warnings;
}

/// Flows that are measured for less than a second and a tenth of the run: too short for a mean.
fn short_measurement(scenario: &Resolved) -> Option<String> {
    let (begin, end) = (Time::ZERO + scenario.warmup, scenario.end());
    let measured = |flow: &FlowSpec| flow.stop.map_or(end, |stop| stop.min(end)).since(begin.max(flow.start));
    let least = SHORT.min(Span(scenario.duration.0 / 10));
    // Flows that start after the end of the run have a warning of their own.
    let mut short = scenario.flows.iter().filter(|flow| flow.start < end && measured(flow) < least);
    let first = short.next()?;
    let (count, shown) = (1 + short.count(), measured(first).write());
    let (all, id, warmup) = (scenario.flows.len(), first.id.0, scenario.warmup.write());
    Some(format!(
        "{count} of {all} flows have a short measurement: flow {id} has {shown} after warmup ({warmup}); increase duration"
    ))
}

/// Measurements below this length are short, unless the whole run is.
const SHORT: Span = Span::from_millis(1000);

/// Light flows of different nodes whose datagrams leave at the same instants for the whole run: where they collide once, they
/// may collide each time. Heavy ones wait in queues, and lose the common phase.
fn equal_instants(scenario: &Resolved) -> Option<String> {
    let is_host = |node: NodeId| node.index() >= scenario.positions.len();
    let instants = |flow: &&FlowSpec| match &flow.app {
        AppConfig::Cbr(cbr) if !cbr.is_random && flow.start_spread == Span::ZERO && !is_host(flow.src) => {
            let is_light = cbr.rate.0 * LIGHT < scenario.mac_of(flow.src).data_rate.0;
            is_light.then(|| (cbr.rate.time_for(u64::from(flow.segment.0) * 8), flow.start))
        }
        _ => None,
    };
    let mut known = BTreeMap::new();
    let mut periodic = scenario.flows.iter().filter_map(|flow| instants(&flow).map(|when| (when, flow)));
    let (first, second) = periodic.find_map(|(when, flow)| {
        let other: &FlowSpec = known.entry(when).or_insert(flow);
        (other.src != flow.src).then_some((other.id.0, flow.id.0))
    })?;
    Some(format!(
        "flows {first} and {second} send datagrams at the same instants: they can collide each time; set start_spread, or \
         random = true"
    ))
}

/// Part of the data rate below which the rate of a flow is light.
const LIGHT: f64 = 20.0;

/// Nodes at one position.
fn equal_positions(positions: &[Point]) -> Option<String> {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let place = |node: u32| positions[node as usize];
    order.sort_by(|&a, &b| {
        let ((ax, ay), (bx, by)) = (place(a), place(b));
        ax.total_cmp(&bx).then(ay.total_cmp(&by)).then(a.cmp(&b))
    });
    let twins: Vec<(u32, u32)> =
        order.windows(2).map(|pair| (pair[0], pair[1])).filter(|&(a, b)| place(a) == place(b)).collect();
    let (a, b) = *twins.iter().min()?;
    let (x, y) = place(a);
    let more = if twins.len() > 1 { format!(", and {} more", twins.len() - 1) } else { String::new() };
    Some(format!("nodes {a} and {b} have equal positions ({x}, {y}){more}"))
}

/// All nodes side by side: kilometers or degrees in place of meters. Rooms with a few nodes are networks, too.
fn adjacent(scenario: &Resolved) -> Option<String> {
    let positions = &scenario.positions;
    let extent = |of: fn(&Point) -> f64| {
        let low = positions.iter().map(of).fold(f64::INFINITY, f64::min);
        positions.iter().map(of).fold(f64::NEG_INFINITY, f64::max) - low
    };
    let (width, height) = (extent(|place| place.0), extent(|place| place.1));
    let is_one_place = width <= 0.0 && height <= 0.0;
    let is_whole = positions.iter().all(|place| place.0.fract() == 0.0 && place.1.fract() == 0.0);
    let is_tiny = positions.len() >= 3 && width.max(height) < ADJACENT && !is_one_place && !is_whole;
    is_tiny.then(|| {
        format!(
            "positions of all {} nodes lie within {width:.3} m x {height:.3} m: positions are in meters; for degrees of latitude \
             and longitude set topology.kind = \"places\" and topology.geo",
            positions.len()
        )
    })
}

/// Extent of positions that are hardly meters.
const ADJACENT: f64 = 10.0;

/// Keys of positions at which mobile nodes do not start.
fn unused_positions(scenario: &Resolved) -> Vec<String> {
    let (mobility, topology) = (&scenario.mobility, &scenario.topology);
    let is_model = mobility.kind == MobilityKind::Waypoint && mobility.init != Init::Topology;
    let mut warnings = Vec::new();
    if !is_model || topology.mobile_nodes > 0 {
        return warnings;
    }
    if topology.layout.random().is_none() && mobility.stationary_nodes.len() < scenario.positions.len() {
        warnings.push(format!(
            "topology.kind: positions of \"{}\" have no effect on mobile nodes; set mobility.init = \"topology\" to start there",
            topology.layout.kind().name()
        ));
    }
    if topology.layout.random().is_some_and(|random| random.connected) {
        warnings.push(
            "topology.connected: no effect on mobile nodes; set mobility.init = \"topology\" to start connected"
                .to_owned(),
        );
    }
    warnings
}

/// Static routes between moving nodes.
fn stale_routes(scenario: &Resolved) -> Option<String> {
    let is_stale = scenario.is_moving() && !scenario.routing.discovers_routes();
    let protocol = scenario.routing.protocol.name();
    is_stale.then(|| format!(
            "routing.protocol: \"{protocol}\" does not update routes while nodes move; use a protocol that discovers routes"
        ))
}

/// Flows between parts of the network that have no path between them. Where positions change with time or seed, this is
/// no information, and is left out.
fn partitions(scenario: &Resolved) -> Vec<String> {
    if scenario.is_moving() || scenario.is_drawn() {
        return Vec::new();
    }
    let Some(graph) = scenario.graph() else {
        return vec!["paths not checked: the network is too dense".to_owned()];
    };
    let long = long_links(scenario, &graph);
    let parts = graph.partitions();
    let label = |node: NodeId| scenario.topology.label(node.0);
    let describe = |node: NodeId| {
        let part = parts.part_of(node);
        match parts.size(part) {
            1 => format!("node {} has no neighbor", label(node)),
            size => {
                let members = parts.members(part).take(MAX_MEMBERS).map(label);
                let listed: Vec<String> = members.collect();
                let more = if size > MAX_MEMBERS { ", ..." } else { "" };
                format!("node {} is in partition {part} ({size} nodes: {}{more})", label(node), listed.join(", "))
            }
        }
    };
    let apart = scenario.flows.iter().filter(|flow| !parts.are_connected(flow.src, flow.dst));
    let warnings = apart.enumerate().map(|(k, flow)| {
        let (FlowId(id), src, dst) = (flow.id, label(flow.src), label(flow.dst));
        let remedy = if k == 0 { gap(scenario, &parts, flow.src) } else { None };
        let ends = format!("{}, {}", describe(flow.src), describe(flow.dst));
        format!("flow {id} has no path from {src} to {dst}: {ends}{}", remedy.unwrap_or_default())
    });
    warnings.chain(long).collect()
}

/// Pairs of nodes whose distances a warning compares.
const MAX_PAIRS: usize = 1_000_000;

/// The remedy where only distance separates the partition of a node from all others.
fn gap(scenario: &Resolved, parts: &Partitions, node: NodeId) -> Option<String> {
    let own = parts.part_of(node);
    let placed = scenario.positions.len();
    if scenario.radio.links.is_some() || parts.size(own) * placed > MAX_PAIRS {
        return None;
    }
    let mut nearest = f64::INFINITY;
    for member in parts.members(own).filter(|member| member.index() < placed) {
        let (ax, ay) = scenario.positions[member.index()];
        for (other, &(bx, by)) in scenario.positions.iter().enumerate() {
            if parts.part_of(NodeId(other as u32)) != own {
                nearest = nearest.min(libm::hypot(ax - bx, ay - by));
            }
        }
    }
    let range = PathLoss::new(&scenario.radio).range(scenario.radio.tx_power, scenario.radio.rx_threshold).0;
    let is_beyond = nearest.is_finite() && nearest > range;
    is_beyond.then(|| {
        format!(
            "; the nearest node of another partition is {nearest:.1} m away, beyond the reception range of {range:.1} m: \
             place nodes nearer, or raise radio.tx_power"
        )
    })
}

/// Links on which frames arrive and every exchange fails, as responses arrive after the timeout.
fn long_links(scenario: &Resolved, graph: &ReachGraph) -> Option<String> {
    let (heights, radios) = (scenario.radio.heights.as_deref(), scenario.radios());
    let metres = |a: NodeId, b: NodeId| {
        if let Some(table) = &scenario.radio.links {
            let (own, other) = radios.link(a, b);
            let listed = table.at_start(own).iter().find(|receiver| receiver.radio == other);
            return listed.map_or(0.0, |receiver| distance_in(Span(u64::from(receiver.delay))));
        }
        let ((ax, ay), (bx, by)) = (scenario.positions[a.index()], scenario.positions[b.index()]);
        let flat = libm::hypot(ax - bx, ay - by);
        heights.map_or(flat, |heights| libm::hypot(flat, heights[a.index()] - heights[b.index()]))
    };
    let fails = |a: NodeId, b: NodeId| {
        let delay = delay(metres(a, b));
        [a, b].into_iter().any(|node| delay > Timing::on(scenario.mac_of(node), scenario.radio.phy()).longest_delay())
    };
    let nodes = (0..scenario.positions.len() as u32).map(NodeId);
    let is_wire = |a: NodeId, b: NodeId| scenario.wires.iter().any(|wire| wire.ends == [a, b] || wire.ends == [b, a]);
    let is_link = |a: NodeId, b: NodeId| a < b && b.index() < scenario.positions.len() && !is_wire(a, b);
    let links = nodes.flat_map(|a| graph.neighbors(a).iter().filter(move |&&b| is_link(a, b)).map(move |&b| (a, b)));
    let long: Vec<(NodeId, NodeId)> = links.filter(|&(a, b)| fails(a, b)).collect();
    let &(a, b) = long.iter().max_by(|(a, b), (c, d)| metres(*a, *b).total_cmp(&metres(*c, *d)).then(c.cmp(a)))?;
    let more = if long.len() > 1 { format!(" (and {} more links)", long.len() - 1) } else { String::new() };
    let macs = long.iter().flat_map(|&(a, b)| [a, b]).map(|node| scenario.mac_of(node)).collect::<Vec<_>>();
    let remedy = coverage_remedy(&macs, scenario.radio.phy(), metres(a, b));
    let (first, second) = (scenario.topology.label(a.0), scenario.topology.label(b.0));
    Some(format!("nodes {first} and {second} are {:.0} m apart{more}: {remedy}", metres(a, b)))
}

/// A reception range with such links, where distances are not known in advance.
fn long_range_of_moving_nodes(scenario: &Resolved) -> Option<String> {
    let range = PathLoss::new(&scenario.radio).range(scenario.radio.tx_power, scenario.radio.rx_threshold).0;
    let is_long = delay(range) > Timing::on(&scenario.mac, scenario.radio.phy()).longest_delay();
    (is_long && (scenario.is_moving() || scenario.is_drawn())).then(|| {
        format!("radio.rx_range: {range:.0} m: {}", coverage_remedy(&[&scenario.mac], scenario.radio.phy(), range))
    })
}

/// The problem of links of this length between stations of these MACs, and the coverage class that is the remedy.
fn coverage_remedy(macs: &[&MacConfig], phy: Phy, metres: f64) -> String {
    let longest = |class: Option<u32>| {
        let delays = macs.iter().map(|&mac| {
            let coverage_class = class.unwrap_or(mac.coverage_class);
            Timing::on(&MacConfig { coverage_class, ..mac.clone() }, phy).longest_delay()
        });
        delays.min().unwrap_or(Span::ZERO)
    };
    let limit = distance_in(longest(None));
    let fails =
        format!("every frame exchange beyond {limit:.0} m fails, because responses arrive after the MAC's timeouts");
    if let Some(class) = (0..=MAX_COVERAGE_CLASS).find(|&class| delay(metres) <= longest(Some(class))) {
        return format!("{fails}; set mac.coverage_class = {class}");
    }
    let most = distance_in(longest(Some(MAX_COVERAGE_CLASS)));
    format!("{fails}; mac.coverage_class reaches {most:.0} m at most; decrease the distance")
}

/// Semi-TCP refuses by a CTS to another node. That node has sensed the refused RTS, and by ns-2's rule its EIFS may last
/// beyond the time at which its CTS is due.
fn failing_refusals(scenario: &Resolved) -> Option<String> {
    let mut nodes = (0..scenario.positions.len() as u32).map(NodeId);
    let is_used = nodes.any(|node| scenario.handshake_of(node) == HandshakeKind::SemiTcp);
    let timing = Timing::on(&scenario.mac, scenario.radio.phy());
    let due = timing.sifs * 2 + timing.rts;
    let fails = is_used && timing.rules.eifs == EifsRule::Nav && timing.eifs >= due;
    fails.then(|| {
        format!(
            "semi_tcp: rejection by reused CTS fails if the third node senses the rejected RTS: its EIFS ({} us) exceeds the \
             time to its CTS ({} us) with mac.profile = \"ns2\"; set mac.profile = \"std\", or a basic rate of 1 Mb/s with the \
             long preamble",
            timing.eifs.round_micros(),
            due.round_micros(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_whose_exchanges_time_out_warn() {
        let warnings = |metres: f64, extra: &str| {
            let text = format!(
                "[topology]\nkind = \"chain\"\nhops = 3\nspacing = \"{metres} m\"\n[radio]\nrx_range = \"700 m\"\n\
                 cs_range = \"1500 m\"\n{extra}\n[[flow]]\n"
            );
            let scenario = Resolved::parse(&text, "w.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            scenario.warnings.into_iter().filter(|warning| warning.contains("every frame exchange")).collect::<Vec<_>>()
        };
        assert!(warnings(599.7, "").is_empty());
        let long = warnings(600.0, "");
        assert!(long.len() == 1 && long[0].starts_with("nodes 0 and 1 are 600 m apart (and 2 more links)"), "{long:?}");
        assert!(warnings(600.0, "[mac]\nprofile = \"std\"").is_empty());
        assert_eq!(warnings(600.0, "[mac]\nprofile = \"std\"\n[[node]]\nid = 1\nmac.profile = \"ns2\"").len(), 1);
        let area = "[mobility]\nkind = \"waypoint\"\narea = [\"1 km\", \"1 km\"]";
        let moving = warnings(200.0, area);
        assert!(moving.len() == 1 && moving[0].starts_with("radio.rx_range: 700 m"), "{moving:?}");
    }

    #[test]
    fn light_flows_at_equal_instants_warn() {
        let two = |more: &str| {
            let flow = |from: u32| {
                format!(
                    "[[flow]]\nfrom = {from}\nto = 1\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"64 kb/s\"\n{more}\n"
                )
            };
            let text = format!("topology = {{ kind = \"chain\", hops = 2 }}\n{}{}", flow(0), flow(2));
            Resolved::parse(&text, "w.toml", &[]).expect("a scenario").warnings
        };
        let warnings = two("");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with("flows 0 and 1 send datagrams at the same instants"), "{warnings:?}");
        for remedy in ["random = true", "start_spread = \"1 s\""] {
            assert_eq!(two(remedy), Vec::<String>::new(), "{remedy}");
        }
    }

    #[test]
    fn flows_with_short_measurement_warn() {
        let warnings = |keys: &str, flow: &str| {
            let text = format!("{keys}\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\n{flow}\n");
            let scenario = Resolved::parse(&text, "w.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            scenario.warnings.iter().find(|warning| warning.contains("short measurement")).cloned()
        };
        assert_eq!(
            warnings("duration = \"10 s\"\nwarmup = \"9.999 s\"", "").as_deref(),
            Some("1 of 1 flows have a short measurement: flow 0 has 1 ms after warmup (9.999 s); increase duration")
        );
        assert!(warnings("duration = \"100 s\"\nwarmup = \"99.1 s\"", "").is_some());
        assert!(warnings("duration = \"10 s\"", "start = \"9.5 s\"").is_some());
        assert!(warnings("duration = \"10 s\"\nwarmup = \"5 s\"", "stop = \"5.1 s\"").is_some());
        for keys in
            ["duration = \"100 s\"\nwarmup = \"90 s\"", "duration = \"100 ms\"", "duration = \"2 s\"\nwarmup = \"1 s\""]
        {
            assert_eq!(warnings(keys, ""), None, "{keys}");
        }
    }

    #[test]
    fn refusals_that_cannot_succeed_warn() {
        let warnings = |mac: &str| {
            let text = format!(
                "[topology]\nkind = \"chain\"\nhops = 3\n[mac]\n{mac}\n[[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\n"
            );
            let scenario = Resolved::parse(&text, "w.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            scenario.warnings.iter().filter(|warning| warning.contains("EIFS")).count()
        };
        assert_eq!(warnings(""), 0);
        assert_eq!(warnings("preamble = \"short\"\nbasic_rate = \"2 Mb/s\""), 1);
        assert_eq!(warnings("profile = \"std\"\npreamble = \"short\"\nbasic_rate = \"2 Mb/s\""), 0);
    }
}
