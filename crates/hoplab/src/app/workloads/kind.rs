//! The trait of workloads, and the flows that they consist of.

use super::keys::WorkloadKeys;
use crate::kernel::{NodeId, Rate, Stream, Time};

/// A kind of workload.
pub(super) trait Workload {
    /// What it is, in one line.
    const SUMMARY: &'static str;
    /// Keys that it uses, of [`WorkloadKeys::NAMES`].
    const KEYS: &'static [&'static str];
    /// Groups of keys of which one is needed, each with an example.
    const NEEDS: &'static [(&'static [&'static str], &'static str)];
    /// Whether datagrams can carry it.
    const TAKES_DATAGRAMS: bool = false;

    /// Its flows in a run, in order of their start; at most one more than [`Setting::most`].
    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow>;
}

/// What flows are drawn from.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The keys, with those present that the kind needs.
    pub keys: &'a WorkloadKeys,
    /// Pairs of nodes: the sender of the data, and the receiver.
    pub pairs: &'a [(NodeId, NodeId)],
    /// Mean number of arrivals per second, if the kind has arrivals.
    pub arrivals: f64,
    /// Whether datagrams carry it.
    pub is_datagrams: bool,
    /// Payload of a packet, in bytes.
    pub segment: u32,
    /// When it starts.
    pub start: Time,
    /// When no more begins.
    pub stop: Time,
    /// Largest number of flows that a run may have.
    pub most: usize,
    /// Random numbers of arrivals and their ends.
    pub arrival: Stream,
    /// Random numbers of sizes.
    pub sizes: Stream,
}

/// A flow of a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnFlow {
    /// Sender of the data, and receiver.
    pub ends: (NodeId, NodeId),
    /// When it starts.
    pub start: Time,
    /// What it carries.
    pub content: Content,
}

/// What a flow of a workload carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// This many bytes.
    Transfer(u32),
    /// Packets at random times, with this mean rate in payload bits.
    Packets(Rate),
}
