//! Times of transfers on the idle path, to which slowdowns refer.

use crate::kernel::NodeId;
use crate::metrics::Completion;
use crate::scenario::FlowSpec;
use std::collections::BTreeMap;

/// A path: sender, receiver, transport or controller, and segment.
pub type IdlePath = (NodeId, NodeId, String, u32);

/// Transfers that each had their path for themselves.
#[derive(Clone, Debug, Default)]
pub struct IdleTimes {
    /// By path, in order of size: several transfers of each.
    transfers: BTreeMap<IdlePath, Vec<Vec<Completion>>>,
}

impl IdleTimes {
    /// The path of a finite transfer over a connection of the engine.
    pub fn path_of(flow: &FlowSpec) -> Option<IdlePath> {
        flow.bytes
            .filter(|_| flow.transport.is_stream())
            .map(|_| (flow.src, flow.dst, flow.transport_name().to_owned(), flow.segment.0))
    }

    /// Adds transfers of one size with their progress; sizes of a path do not decrease.
    pub fn add(&mut self, path: IdlePath, transfers: Vec<Completion>) {
        self.transfers.entry(path).or_default().push(transfers);
    }

    /// The time of a flow's size: when that many bytes had arrived of the next larger transfers, their mean.
    pub fn of(&self, flow: &FlowSpec) -> Option<f64> {
        let bytes = u64::from(flow.bytes?.0);
        let transfers = self.transfers.get(&IdleTimes::path_of(flow)?)?;
        let larger = transfers.iter().find(|alike| alike.first().is_some_and(|transfer| transfer.bytes() >= bytes))?;
        let secs: Option<Vec<f64>> = larger.iter().map(|transfer| transfer.secs_until(bytes)).collect();
        let secs = secs?;
        Some(secs.iter().sum::<f64>() / secs.len() as f64)
    }
}
