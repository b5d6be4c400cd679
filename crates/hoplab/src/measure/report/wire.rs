//! The report of one direction of a wire.

use crate::kernel::Time;
use crate::measure::view::RunView;
use crate::net::wires::Port;
use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of one direction of a wire: drops and losses over the whole run, all others from the end of the warm-up on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WireReport {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
    /// Packets sent.
    pub packets: u64,
    /// Bytes sent, overhead of the wire included.
    pub bytes: u64,
    /// Share of the time in which it sent.
    pub utilization: Option<f64>,
    /// Mean time from the arrival of a sent packet to the start of its transmission, in seconds.
    pub queue_delay_mean_s: Option<f64>,
    /// 95th percentile of such times, in seconds.
    pub queue_delay_p95_s: Option<f64>,
    /// Longest such time, in seconds.
    pub queue_delay_max_s: Option<f64>,
    /// Mean number of packets that waited, without the one that was sent.
    pub queue_mean_packets: Option<f64>,
    /// Packets dropped by queue overflow.
    pub queue_full: u64,
    /// Packets dropped by the queue discipline before the queue was full.
    pub early_drops: u64,
    /// Packets marked by the queue discipline.
    pub marks: u64,
    /// Packets lost after their transmission.
    pub lost: u64,
}

impl WireReport {
    /// All directions, in the order of the scenario.
    pub(super) fn all(run: &RunView<'_>) -> Vec<WireReport> {
        let ports = run.wires.iter().flat_map(|wires| wires.ports());
        ports.map(|port| WireReport::of(port, run.now())).collect()
    }

    fn of(port: &Port, now: Time) -> WireReport {
        let counts = port.counts_until(now);
        let measured = if now > counts.since { now.since(counts.since).0 } else { 0 };
        let of_time = |sum: f64| (measured > 0).then(|| sum / measured as f64);
        // A transmission that has begun may end later.
        let busy = counts.busy.min(measured) as f64;
        WireReport {
            from: port.from.0,
            to: port.to.0,
            packets: counts.packets,
            bytes: counts.bytes,
            utilization: of_time(busy),
            queue_delay_mean_s: (counts.packets > 0).then(|| counts.wait as f64 * 1e-9 / counts.packets as f64),
            queue_delay_p95_s: port.waits.quantile(0.95),
            queue_delay_max_s: (counts.packets > 0).then_some(counts.longest_wait as f64 * 1e-9),
            queue_mean_packets: of_time(counts.area as f64),
            queue_full: counts.queue_full,
            early_drops: counts.early,
            marks: counts.marks,
            lost: counts.lost,
        }
    }
}
