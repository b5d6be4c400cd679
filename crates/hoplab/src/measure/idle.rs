//! Times of transfers on the idle path, to which slowdowns refer.

use crate::kernel::NodeId;
use crate::metrics::Completion;
use crate::scenario::FlowSpec;
use std::collections::BTreeMap;

/// A path: sender, receiver, transport and segment.
pub type IdlePath = (NodeId, NodeId, &'static str, u32);

/// Transfers that each had their path for themselves.
#[derive(Clone, Debug, Default)]
pub struct IdleTimes {
    /// By path, in order of size.
    transfers: BTreeMap<IdlePath, Vec<Completion>>,
}

impl IdleTimes {
    /// The path of a finite transfer over a connection of the engine.
    pub fn path_of(flow: &FlowSpec) -> Option<IdlePath> {
        flow.bytes
            .filter(|_| flow.transport.is_stream())
            .map(|_| (flow.src, flow.dst, flow.transport.name, flow.segment.0))
    }

    /// Adds a transfer with its progress; sizes of a path do not decrease.
    pub fn add(&mut self, path: IdlePath, transfer: Completion) {
        self.transfers.entry(path).or_default().push(transfer);
    }

    /// The time of a flow's size: when that many bytes had arrived of the next larger transfer.
    pub fn of(&self, flow: &FlowSpec) -> Option<f64> {
        let bytes = u64::from(flow.bytes?.0);
        let transfers = self.transfers.get(&IdleTimes::path_of(flow)?)?;
        let larger = transfers.iter().find(|transfer| transfer.bytes() >= bytes)?;
        larger.secs_until(bytes)
    }
}
