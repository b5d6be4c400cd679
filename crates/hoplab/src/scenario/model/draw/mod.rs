//! The random draws of a run: positions, movements and generated flows, from its seed. They are separate from parsing, so
//! that a batch parses a scenario once.

mod error;
mod memory;
mod traffic;
mod workload;

pub(super) use error::DrawError;
pub use memory::MAX_BYTES;
pub(super) use traffic::imported;

use traffic::Generated;

use super::resolved::Resolved;
use super::{connectivity, warnings};
use crate::mac::handshake::HandshakeKind;
use crate::mobility::Trajectory;

impl Resolved {
    /// Whether runs differ in positions or flows from seed to seed.
    pub(super) fn is_seed_dependent(&self) -> bool {
        let draws_flows = self.traffic.as_ref().is_some_and(|traffic| traffic.config.seed.is_none());
        self.is_drawn() || draws_flows || !self.workloads.is_empty()
    }

    /// Adds the draws of this seed to a scenario without draws; `memory` is the limit of its run, in bytes.
    pub(super) fn drawn(mut self, seed: u64, memory: f64) -> Result<Resolved, DrawError> {
        let trajectories = self.trajectories(seed).map_err(DrawError::Placement)?;
        self.positions = trajectories.iter().map(Trajectory::start).collect();
        if let Some(traffic) = &self.traffic {
            let graph =
                || connectivity::graph(&self.positions, &self.radio, &self.radios(), |node| self.tx_power_of(node));
            let Generated { flows, warning } = traffic::generate(&self, &traffic.config, seed, graph)?;
            self.flows.extend(flows);
            self.warnings.extend(warning);
        }
        workload::add(&mut self, seed)?;
        let late = traffic::late_flows(&self.flows, self.end());
        if late > 0 && late == self.flows.len() {
            return Err(DrawError::AllLate);
        }
        self.handshake = self.handshake_of_flows();
        self.check_memory(memory).map_err(DrawError::TooLarge)?;
        warnings::add(&mut self, late);
        Ok(self)
    }

    /// The handshake policy that the flows' protocols need.
    fn handshake_of_flows(&self) -> HandshakeKind {
        let mut needed = self.flows.iter().map(|flow| flow.transport.nodes.handshake);
        needed.find(|&kind| kind != HandshakeKind::Plain).unwrap_or(HandshakeKind::Plain)
    }
}
