//! The trait of workloads, and the flows that they consist of.

use super::keys::WorkloadKeys;
use super::session::Session;
use crate::kernel::{Bytes, NodeId, RandomStream, Rate, Span, Time};

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

    /// One of its sessions, if it has them.
    fn session(_plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
        None
    }
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
    pub arrival: RandomStream,
    /// Random numbers of sizes.
    pub sizes: RandomStream,
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
    /// Bytes without end.
    Endless,
    /// What a session supplies.
    Session {
        /// Number of the session in its workload.
        session: u32,
        /// Number of the flow in its session.
        member: u32,
        /// Whether it carries datagrams, whatever the transport of the workload is.
        is_datagrams: bool,
    },
}

/// What a session is built from.
#[derive(Debug)]
pub struct SessionPlan<'a> {
    /// The keys of its workload.
    pub keys: &'a WorkloadKeys,
    /// When it starts.
    pub start: Time,
    /// When nothing more begins.
    pub stop: Time,
    /// Its random numbers.
    pub sizes: RandomStream,
}

/// Bytes of a request where none are given: those of an HTTP header.
pub(super) const ASK: Bytes = Bytes(400);

/// Range of random delays of the starts of sessions.
const SPREAD: Span = Span::from_millis(1_000);

/// The flows of `count` sessions with `each` flows, one session per pair of nodes where no count is given. Sessions that would
/// start after the stop of the workload do not begin.
pub(super) fn members(setting: &mut Setting<'_>, each: u32) -> Vec<DrawnFlow> {
    let count = setting.keys.count.unwrap_or(setting.pairs.len() as u32);
    let spread = setting.keys.start_spread.unwrap_or(SPREAD);
    let mut flows = Vec::new();
    for session in 0..count {
        let ends = setting.pairs[session as usize % setting.pairs.len()];
        let start = setting.start + Span((spread.0 as f64 * setting.arrival.unit()) as u64);
        if start >= setting.stop {
            continue;
        }
        let of = |member| DrawnFlow { ends, start, content: Content::Session { session, member, is_datagrams: false } };
        flows.extend((0..each).map(of));
        if flows.len() > setting.most {
            break;
        }
    }
    flows
}
