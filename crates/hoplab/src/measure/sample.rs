//! Values that change between events, read at regular times: what a figure over time is drawn from.

use super::{Use, World};
use crate::kernel::{NodeId, Span, Time};
use crate::packet::ChannelView;
use crate::scenario::Resolved;
use crate::transport::proxy::Proxy;

/// One value at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// At which node, unless it belongs to a flow as a whole.
    pub node: Option<u32>,
    /// Of which flow, unless it belongs to a node as a whole.
    pub flow: Option<u32>,
    /// Which; see `docs/use/reference/trace.md`. The name ends with the unit, unless it is a count or a share.
    pub metric: &'static str,
    /// The value.
    pub value: f64,
}

/// Reads the values of a world.
#[derive(Debug)]
pub struct Sampler {
    /// Payload of each flow's segments, in bytes.
    payloads: Vec<u32>,
    /// Nanoseconds in which each node was idle, as of the last time.
    idle: Vec<u64>,
    last: Time,
}

/// Time over which estimators are asked for the available bandwidth.
const WINDOW: Span = Span::from_millis(1000);

impl Sampler {
    /// For worlds of this scenario.
    pub fn new(scenario: &Resolved) -> Sampler {
        Sampler {
            payloads: scenario.flows.iter().map(|flow| flow.segment.0).collect(),
            idle: vec![0; scenario.positions.len()],
            last: Time::ZERO,
        }
    }

    /// Reads everything as of now.
    pub fn read(&mut self, world: &World, out: &mut Vec<Sample>) {
        let time = world.now();
        for flow in 0..world.flows.len() {
            read_flow(world, flow, &mut |metric, value| {
                out.push(Sample { time, node: None, flow: Some(flow as u32), metric, value });
            });
        }
        for node in 0..world.macs.len() as u32 {
            let mut put = |metric, value| out.push(Sample { time, node: Some(node), flow: None, metric, value });
            read_node(world, NodeId(node), &mut put);
            if let Some(spent) = world.spent(NodeId(node)) {
                let before = std::mem::replace(&mut self.idle[node as usize], spent.of(Use::Idle));
                let elapsed = time.since(self.last).0;
                if elapsed > 0 {
                    put("idle_share", (spent.of(Use::Idle) - before) as f64 / elapsed as f64);
                }
            }
            self.read_store(world, NodeId(node), time, out);
        }
        self.last = time;
    }

    /// What a node's proxy holds, by flow.
    fn read_store(&self, world: &World, node: NodeId, time: Time, out: &mut Vec<Sample>) {
        let Some(proxy) = world.proxy(node) else { return };
        let mut held = vec![0u32; self.payloads.len()];
        for (flow, _) in proxy.held() {
            held[flow.index()] += 1;
        }
        for (flow, (&segments, &payload)) in held.iter().zip(&self.payloads).enumerate() {
            let mut put =
                |metric, value| out.push(Sample { time, node: Some(node.0), flow: Some(flow as u32), metric, value });
            put("store_segments", f64::from(segments));
            put("store_bytes", f64::from(segments) * f64::from(payload));
        }
    }
}

fn read_flow(world: &World, flow: usize, put: &mut dyn FnMut(&'static str, f64)) {
    let connection = &world.flows[flow].connection;
    let values = [
        ("cwnd", connection.cwnd()),
        ("ssthresh", connection.ssthresh()),
        ("srtt_s", connection.srtt().map(Span::secs)),
        ("rate_bps", connection.rate().map(|rate| rate * 8.0)),
        ("delivered_bytes", Some(connection.meter().total().in_order as f64)),
    ];
    for (metric, value) in values {
        // A threshold that has not been set yet is beyond every window.
        if let Some(value) = value.filter(|value| value.is_finite() && *value < 1e9 || metric == "delivered_bytes") {
            put(metric, value);
        }
    }
}

fn read_node(world: &World, node: NodeId, put: &mut dyn FnMut(&'static str, f64)) {
    let (mac, net) = (&world.macs[node.index()], &world.nets[node.index()]);
    put("queue_len", net.link.queue.len() as f64);
    if mac.wants_backlog() {
        put("congested", f64::from(u8::from(mac.was_congested())));
        put("parked", f64::from(u8::from(mac.has_parked())));
    }
    for (observer, link) in mac.hop().links(world.now(), WINDOW) {
        let (capacity, available) = match observer {
            "winf" => ("winf_capacity_bps", "winf_available_bps"),
            "idle_gap" => ("idle_gap_capacity_bps", "idle_gap_available_bps"),
            _ => ("capacity_bps", "available_bps"),
        };
        put(capacity, link.capacity * 8.0);
        put(available, link.available * 8.0);
    }
    if let Some(busy) = mac.hop().busy(world.now(), WINDOW) {
        put("busy_share", busy);
    }
    net.read_assists(world.now(), put);
}
