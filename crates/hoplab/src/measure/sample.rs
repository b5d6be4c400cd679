//! Samples: windows, queue lengths and other state at regular times, for figures over time.

use super::airtime::AirtimeUse;
use super::measures::Measures;
use super::view::RunView;
use crate::kernel::{NodeId, Span, Time};
use crate::mac::Mac;
use crate::net::link::Discipline;
use crate::packet::ChannelView;
use crate::scenario::Resolved;
use crate::transport::proxy::Proxy;

/// One value at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub time: Time,
    /// The node; `None` if the value belongs to a flow as a whole.
    pub node: Option<u32>,
    /// The flow; `None` if the value belongs to a node as a whole.
    pub flow: Option<u32>,
    /// Name of the value; see `docs/use/reference/trace.md`. It ends with the unit, except for counts and shares.
    pub metric: &'static str,
    /// The value.
    pub value: f64,
}

/// Reads the values of a run.
#[derive(Debug)]
pub struct Sampler {
    /// Payload of each flow's segments, in bytes.
    payloads: Vec<u32>,
    /// Idle time of each node at the last sample, in nanoseconds.
    idle: Vec<u64>,
    last: Time,
}

/// Window of bandwidth estimates.
const WINDOW: Span = Span::from_millis(1000);

impl Sampler {
    /// For runs of this scenario.
    pub fn new(scenario: &Resolved) -> Sampler {
        Sampler {
            payloads: scenario.flows.iter().map(|flow| flow.segment.0).collect(),
            idle: vec![0; scenario.positions.len()],
            last: Time::ZERO,
        }
    }

    /// Reads all values now.
    pub fn read(&mut self, run: &RunView<'_>, measures: &Measures, out: &mut Vec<Sample>) {
        let time = run.now();
        for flow in 0..run.flows.len() {
            read_flow(run, flow, &mut |metric, value| {
                out.push(Sample { time, node: None, flow: Some(flow as u32), metric, value });
            });
        }
        for node in run.nodes() {
            let mut put = |metric, value| out.push(Sample { time, node: Some(node.0), flow: None, metric, value });
            read_node(run, node, &mut put);
            if measures.airtime.is_some() {
                // With several radios, the mean over them.
                let of_radios = run.ctx.radios.of(node).filter_map(|radio| measures.airtime_of(run, radio));
                let (sum, count) =
                    of_radios.fold((0, 0), |(sum, count), airtime| (sum + airtime.of(AirtimeUse::Idle), count + 1));
                let idle = sum / count;
                let before = std::mem::replace(&mut self.idle[node.index()], idle);
                let elapsed = time.since(self.last).0;
                if elapsed > 0 {
                    put("idle_share", (idle - before) as f64 / elapsed as f64);
                }
            }
            self.read_proxy(run, node, out);
        }
        self.last = time;
    }

    /// Segments that the proxy of a node stores, by flow.
    fn read_proxy(&self, run: &RunView<'_>, node: NodeId, out: &mut Vec<Sample>) {
        let time = run.now();
        let Some(proxy) = run.proxy(node) else { return };
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

fn read_flow(run: &RunView<'_>, flow: usize, put: &mut dyn FnMut(&'static str, f64)) {
    let connection = &run.flows[flow].connection;
    let values = [
        ("cwnd", connection.cwnd()),
        ("ssthresh", connection.ssthresh()),
        ("srtt_s", connection.srtt().map(Span::secs)),
        ("rate_bps", connection.rate().map(|rate| rate * 8.0)),
        ("delivered_bytes", Some(connection.meter().total().in_order as f64)),
    ];
    for (metric, value) in values {
        // A threshold that has not been set is larger than any window.
        if let Some(value) = value.filter(|value| value.is_finite() && *value < 1e9 || metric == "delivered_bytes") {
            put(metric, value);
        }
    }
}

/// The state of a node; what each of its radios has, as the mean over them.
fn read_node(run: &RunView<'_>, node: NodeId, put: &mut dyn FnMut(&'static str, f64)) {
    let (mac, net) = (run.mac(node), &run.nets[node.index()]);
    put("queue_len", net.links().map(|link| link.queue.len()).sum::<usize>() as f64);
    if mac.wants_backlog() {
        put("congested", f64::from(u8::from(mac.was_congested())));
        put("parked", f64::from(u8::from(mac.has_parked())));
    }
    if run.macs_of(node).count() == 1 {
        read_observers(run, mac, put);
        net.read_feedback(run.now(), put);
        return;
    }
    let mut means: Vec<(&'static str, f64, u32)> = Vec::new();
    let mut add = |metric, value| match means.iter_mut().find(|(known, ..)| *known == metric) {
        Some((_, sum, count)) => (*sum, *count) = (*sum + value, *count + 1),
        None => means.push((metric, value, 1)),
    };
    for mac in run.macs_of(node) {
        read_observers(run, mac, &mut add);
    }
    net.read_feedback(run.now(), &mut add);
    for (metric, sum, count) in means {
        put(metric, sum / f64::from(count));
    }
}

fn read_observers(run: &RunView<'_>, mac: &Mac, put: &mut dyn FnMut(&'static str, f64)) {
    for (observer, link) in mac.observers().links(run.now(), WINDOW) {
        let (capacity, available) = match observer {
            "winf" => ("winf_capacity_bps", "winf_available_bps"),
            "idle_gap" => ("idle_gap_capacity_bps", "idle_gap_available_bps"),
            _ => ("capacity_bps", "available_bps"),
        };
        put(capacity, link.capacity * 8.0);
        put(available, link.available * 8.0);
    }
    if let Some(busy) = mac.observers().busy(run.now(), WINDOW) {
        put("busy_share", busy);
    }
}
