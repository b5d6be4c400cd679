//! Estimate of the memory of a run from its settings. A run above its limit is refused before it starts, at the key that
//! contributes most.
//!
//! The estimate is an upper bound for parts that grow with a setting, from measured sizes. The actual use is often less:
//! queues are seldom full.

use crate::app::AppConfig;
use crate::kernel::{Part, Span, Watts};
use crate::net::wires::PortConfig;
use crate::phy::{Grid, sensing_range};
use crate::scenario::model::flow::FlowSpec;
use crate::scenario::model::resolved::Resolved;
use crate::scenario::syntax::quantity::Quantity;

/// Bytes in a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// Maximum memory of a run, in bytes.
pub const MAX_BYTES: f64 = 16.0 * GIB;

/// A node with its layers.
const NODE_BYTES: f64 = 2048.0;
/// A receiver on the list of a node.
const RECEIVER_BYTES: f64 = 32.0;
/// A flow with its connection, its histogram of delays, and its results in JSON and in Python.
const FLOW_BYTES: f64 = 16_384.0;
/// A packet that waits.
const PACKET_BYTES: f64 = 192.0;
/// A segment that its sender and its receiver remember.
const SEGMENT_BYTES: f64 = 64.0;
/// A value of a goodput series: in the engine, in JSON twice, and as a number of Python.
const VALUE_BYTES: f64 = 80.0;

/// Headers of a segment on the air, in bytes: TCP, IP, and those of the MAC.
const FRAME_HEADERS: f64 = 74.0;

/// Nodes that a packet may wait at: ns-2's time to live.
const MAX_HOPS: f64 = 32.0;

/// Nodes whose receivers are counted; the others are assumed to have as many.
const SAMPLED: usize = 256;
/// A prime that scatters indices: 2^32 over the golden ratio (Knuth, The Art of Computer Programming, section 6.4).
const SCATTER: u64 = 2_654_435_761;

/// What one setting contributes.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario::model) struct Need {
    /// The key to blame, within its table.
    pub(in crate::scenario::model) key: Blamed,
    pub(in crate::scenario::model) bytes: f64,
}

/// A key that decides memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario::model) enum Blamed {
    /// The number of nodes.
    Nodes,
    /// How many nodes sense each other.
    Density,
    Flows,
    Queue,
    Wire,
    Window,
    GoodputInterval,
    Routes,
}

/// A run that needs more memory than it may have.
#[derive(Clone, Debug)]
pub(in crate::scenario::model) struct TooLarge {
    /// The largest contribution.
    pub(in crate::scenario::model) most: Need,
    /// What all contribute.
    pub(in crate::scenario::model) total: f64,
    /// What there may be.
    pub(in crate::scenario::model) limit: f64,
    /// The shortest goodput interval with the other settings, if there is one.
    pub(in crate::scenario::model) interval: Option<Span>,
}

impl Resolved {
    /// Bytes that a run of this scenario, with its draws, is estimated to need at most.
    pub fn memory_bytes(&self) -> f64 {
        needs(self).iter().map(|need| need.bytes).sum()
    }

    /// Refuses a run that needs more than `limit` bytes.
    pub(in crate::scenario::model) fn check_memory(&self, limit: f64) -> Result<(), Box<TooLarge>> {
        let needs = needs(self);
        let total = needs.iter().map(|need| need.bytes).sum::<f64>();
        if total <= limit {
            return Ok(());
        }
        let most = needs.into_iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        let Some(most) = most else { return Ok(()) };
        let interval = shortest_interval(self, total - most.bytes, limit);
        Err(Box::new(TooLarge { most, total, limit, interval }))
    }
}

fn needs(scenario: &Resolved) -> Vec<Need> {
    let (nodes, flows) = (f64::from(scenario.nodes_and_hosts()), scenario.flows.len() as f64);
    let values = scenario.goodput_interval.map_or(0.0, |interval| flows * scenario.duration.secs() / interval.secs());
    let route = match scenario.routing.protocol {
        Part::Engine(kind) => f64::from(kind.bytes_per_node()),
        Part::Program(_) => 0.0,
    };
    let offered = scenario.flows.iter().map(|flow| waiting(scenario, flow)).sum::<f64>();
    let waiting = offered.min(capacity(scenario));
    let segments = scenario.flows.iter().map(|flow| outstanding(scenario, flow)).sum::<f64>();
    vec![
        Need { key: Blamed::Nodes, bytes: nodes * NODE_BYTES },
        Need { key: Blamed::Density, bytes: receivers(scenario) * RECEIVER_BYTES },
        Need { key: Blamed::Flows, bytes: flows * FLOW_BYTES },
        Need { key: Blamed::Queue, bytes: waiting * PACKET_BYTES },
        Need { key: Blamed::Wire, bytes: offered.min(on_wires(scenario)) * PACKET_BYTES },
        Need { key: Blamed::Window, bytes: segments * SEGMENT_BYTES },
        Need { key: Blamed::GoodputInterval, bytes: values * VALUE_BYTES },
        Need { key: Blamed::Routes, bytes: nodes * nodes * route },
    ]
}

/// Receivers of all nodes, estimated from some of them.
fn receivers(scenario: &Resolved) -> f64 {
    let positions = &scenario.positions;
    if positions.is_empty() {
        return 0.0;
    }
    if let Some(table) = &scenario.radio.links {
        return table.rows().iter().map(|row| row.len() as f64).sum();
    }
    let powers = scenario.nodes.iter().map(|node| node.tx_power.0);
    let strongest = powers.fold(scenario.radio.tx_power.0, f64::max);
    let range = sensing_range(&scenario.radio, Watts(strongest)).0;
    let grid = Grid::new(positions, range);
    let count = positions.len().min(SAMPLED);
    let mut found = 0_u64;
    for index in 0..count {
        // Scattered, so that no pattern of the topology repeats in the sample.
        let at = if count < SAMPLED { index } else { (index as u64 * SCATTER % positions.len() as u64) as usize };
        let (x, y) = positions[at];
        grid.near((x, y), |other| {
            let (ox, oy) = positions[other as usize];
            found += u64::from(libm::hypot(ox - x, oy - y) <= range);
        });
    }
    // The search includes the node itself.
    (found as f64 / count as f64 - 1.0) * positions.len() as f64
}

/// Maximum number of packets of a flow that wait at a time.
fn waiting(scenario: &Resolved, flow: &FlowSpec) -> f64 {
    let offered = if flow.transport.is_udp() { datagrams(scenario, flow) } else { f64::from(flow.window) };
    offered.min(flow.max_packets.map_or(f64::INFINITY, f64::from))
}

/// Maximum number of datagrams of a flow; infinite where no rate limits its application.
fn datagrams(scenario: &Resolved, flow: &FlowSpec) -> f64 {
    let active = flow.stop.unwrap_or(scenario.end()).min(scenario.end()).since(flow.start.min(scenario.end()));
    let bits = 8.0 * f64::from(flow.segment.0);
    match flow.app {
        AppConfig::Cbr(cbr) => cbr.rate.0 * active.secs() / bits,
        AppConfig::Poisson(poisson) => poisson.rate.0 * active.secs() / bits,
        AppConfig::OnOff(on_off) => on_off.rate.0 * active.secs() / bits,
        _ => f64::INFINITY,
    }
}

/// Maximum number of packets in the queues of all nodes on paths of flows.
fn capacity(scenario: &Resolved) -> f64 {
    let limits = scenario.nodes.iter().map(|node| node.queue.limit);
    let longest = f64::from(limits.fold(scenario.queue.limit, u32::max));
    let nodes = (scenario.positions.len() as f64).min(MAX_HOPS * scenario.flows.len() as f64);
    nodes * longest
}

/// Packets that wait at all ports and are on all wires, at most.
fn on_wires(scenario: &Resolved) -> f64 {
    let ports = scenario.wires.iter().flat_map(|wire| &wire.ports);
    let held = |port: &PortConfig| {
        let bits = 8.0 * (SMALLEST_PACKET + f64::from(port.overhead.0));
        f64::from(port.queue.limit) + port.rate.0 * (port.delay + port.jitter).secs() / bits
    };
    ports.map(held).sum()
}

/// Headers of IP and TCP, in bytes: an acknowledgment.
const SMALLEST_PACKET: f64 = 40.0;

/// Maximum flight size of a flow: its window, as far as the channel carries it.
fn outstanding(scenario: &Resolved, flow: &FlowSpec) -> f64 {
    if flow.transport.is_udp() {
        return 0.0;
    }
    let bits = 8.0 * (f64::from(flow.segment.0) + FRAME_HEADERS);
    let carried = scenario.end().since(flow.start.min(scenario.end())).secs() * scenario.mac.data_rate.0 / bits;
    f64::from(flow.window).min(carried + INITIAL_WINDOW)
}

/// Maximum number of segments before the first acknowledgment.
const INITIAL_WINDOW: f64 = 1000.0;

/// The shortest goodput interval, in whole milliseconds, if other settings need `others` bytes.
fn shortest_interval(scenario: &Resolved, others: f64, limit: f64) -> Option<Span> {
    let flows = scenario.flows.len() as f64;
    let ms = libm::ceil(flows * scenario.duration.secs() * VALUE_BYTES / (limit - others) * 1e3);
    let interval = Span::from_millis(ms as u64);
    (ms > 0.0 && interval <= scenario.duration).then_some(interval)
}

impl TooLarge {
    /// What needs how much, as the end of a sentence that starts with the key.
    pub(in crate::scenario::model) fn what(&self) -> String {
        let all = if self.total > self.most.bytes * 1.05 { format!(" of {}", gib(self.total)) } else { String::new() };
        format!("needs about {}{all} of memory", gib(self.most.bytes))
    }

    /// What there may be.
    pub(in crate::scenario::model) fn expected(&self) -> String {
        let whose = if self.limit < MAX_BYTES { "that this process may take" } else { "for a run" };
        format!("at most {} {whose}", gib(self.limit))
    }

    /// The change of settings that reduces it.
    pub(in crate::scenario::model) fn remedy(&self) -> String {
        match self.most.key {
            Blamed::Nodes => "use fewer nodes".to_owned(),
            Blamed::Density => "use fewer nodes, a larger area or spacing, or a shorter radio.cs_range".to_owned(),
            Blamed::Flows => "use fewer flows".to_owned(),
            Blamed::Queue => "use a lower queue.limit, or fewer packets".to_owned(),
            Blamed::Wire => "use a lower limit in queue of [[wire]], or a lower rate or delay".to_owned(),
            Blamed::Window => "use smaller windows, or fewer flows".to_owned(),
            Blamed::GoodputInterval => match self.interval {
                Some(interval) => format!("set goodput_interval to \"{}\" or more", interval.write()),
                None => "use fewer flows or a shorter duration".to_owned(),
            },
            Blamed::Routes => "use fewer nodes, or routing.protocol = \"aodv\"".to_owned(),
        }
    }
}

fn gib(bytes: f64) -> String {
    let gib = bytes / GIB;
    if gib < 10.0 { format!("{gib:.1} GiB") } else { format!("{gib:.0} GiB") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Resolved::parse(text, "m.toml", &[]).expect_err("more than a run may have").to_string()
    }

    #[test]
    fn every_setting_that_decides_memory_is_refused_by_its_name() {
        let chain = "[topology]\nkind = \"chain\"\nhops = 3\n";
        for (text, key) in [
            (format!("duration = \"10000000 s\"\ngoodput_interval = \"1 ms\"\n{chain}[[flow]]"), "goodput_interval"),
            (
                "[topology]\nkind = \"random\"\nnodes = 30000\narea = [\"100 m\", \"100 m\"]\n[[flow]]".into(),
                "topology",
            ),
            (
                "[topology]\nkind = \"grid\"\ncolumns = 200\n[routing]\nprotocol = \"dsdv\"\n[[flow]]".to_owned(),
                "routing.protocol",
            ),
            (
                format!("[topology]\nkind = \"chain\"\nhops = 200\n[queue]\nlimit = 1000000\n{}", UDP.repeat(20)),
                "queue.limit",
            ),
            (format!("duration = \"100000 s\"\n{chain}{}", WINDOW.repeat(300)), "flow.0.window"),
        ] {
            let message = refused(&text);
            assert!(message.contains(key) && message.contains("GiB"), "{key}: {message}");
        }
    }

    const UDP: &str =
        "[[flow]]\nfrom = 0\nto = 1\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"1000 Mb/s\"\nsegment = 100\n";
    const WINDOW: &str = "[[flow]]\nfrom = 0\nto = 1\nwindow = 1000000\nsegment = 1\n";

    #[test]
    fn the_hint_of_an_interval_is_accepted() {
        let text = |interval: &str| {
            format!(
                "duration = \"10000000 s\"\ngoodput_interval = {interval}\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]"
            )
        };
        let message = refused(&text("\"1 ms\""));
        let hint = message.split("set goodput_interval to ").nth(1).and_then(|rest| rest.split(" or more").next());
        let hint = hint.unwrap_or_else(|| panic!("{message}"));
        assert!(Resolved::parse(&text(hint), "m.toml", &[]).is_ok(), "{hint}");
    }

    #[test]
    fn receivers_are_estimated_from_a_sample() {
        let text = "[topology]\nkind = \"grid\"\ncolumns = 60\nspacing = \"100 m\"\n[[flow]]";
        let scenario = Resolved::parse(text, "m.toml", &[]).expect("a scenario");
        let range = sensing_range(&scenario.radio, scenario.radio.tx_power).0;
        let at = &scenario.positions;
        let within = |a: usize, b: usize| a != b && libm::hypot(at[a].0 - at[b].0, at[a].1 - at[b].1) <= range;
        let exact: usize = (0..at.len()).map(|a| (0..at.len()).filter(|&b| within(a, b)).count()).sum();
        let estimated = receivers(&scenario);
        assert!((estimated / exact as f64 - 1.0).abs() < 0.06, "{estimated} of {exact}");
    }
}
