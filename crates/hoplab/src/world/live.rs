//! Packets of real programs enter and leave a run as bytes.

use super::error::EngineError;
use super::run::World;
use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::{NewPacket, Payload, Refusal};
use crate::sim::{Arrival, LiveTraffic};
use std::sync::Arc;

impl World {
    /// Keeps packets of real programs that arrive from now on, for [`World::take_arrivals`].
    pub fn keep_arrivals(&mut self) {
        if let Some(live) = &mut self.ctx.live {
            live.keep_arrivals();
        }
    }

    /// Moves packets that have arrived since the last call to `out`.
    pub fn take_arrivals(&mut self, out: &mut Vec<Arrival>) {
        if let Some(live) = &mut self.ctx.live {
            live.take_arrivals(out);
        }
    }

    /// Packets of real programs, if the scenario has a table `[live]`.
    pub fn live(&self) -> Option<&LiveTraffic> {
        self.ctx.live.as_deref()
    }

    /// Time of the next event.
    pub fn next_time(&self) -> Option<Time> {
        self.ctx.events.next_time()
    }

    /// A packet of `len` bytes of a real program enters at `node` now. `bytes` are its first ones, or all.
    ///
    /// # Errors
    /// If the network does not accept it.
    pub fn inject_live(&mut self, node: NodeId, bytes: Arc<[u8]>, len: usize) -> Result<(), Refusal> {
        let live = self.ctx.live.as_mut().ok_or(Refusal::UnknownAddress)?;
        let (header, content, carried) = live.accept(node, bytes, len)?;
        let packet = NewPacket {
            flow: FlowId::NONE,
            src: node,
            dst: header.to,
            bytes: carried,
            payload: Payload::Live(content),
        };
        let (net, mut cx) = self.net(node);
        net.send_live(&mut cx, packet, header.ttl);
        self.settle(node);
        self.report_new_routes();
        Ok(())
    }

    /// Handles events up to `until`; recorded packets enter after all events of their time, as they did when they were recorded.
    ///
    /// # Errors
    /// As for [`World::advance`].
    #[cold]
    pub(super) fn advance_recorded(&mut self, until: Time, events: u64) -> Result<bool, EngineError> {
        let next = |world: &World| world.live().and_then(LiveTraffic::next_recorded).filter(|at| *at <= until);
        while let Some(at) = next(self) {
            if !self.advance_events(at, events)? {
                return Ok(false);
            }
            while let Some(recorded) = self.ctx.live.as_mut().and_then(|live| live.take_recorded(at)) {
                // The scenario contains accepted packets only.
                let _ = self.inject_live(recorded.node, recorded.head, recorded.len as usize);
            }
        }
        self.advance_events(until, events)
    }
}
