//! Packets of real programs enter and leave a run as bytes.

use super::error::EngineError;
use super::run::World;
use crate::kernel::{AnyRun, FlowId, NodeId, RadioId, Span, Time};
use crate::net::Net;
use crate::net::link::Link;
use crate::packet::{NewPacket, Payload, Refusal};
use crate::sim::{Arrival, Event, LinkTimer, LiveTraffic, PhyTimer, Quiet};
use std::sync::Arc;

impl World {
    /// Keeps packets of real programs that arrive from now on, for [`World::take_arrivals`].
    pub fn keep_arrivals(&mut self) {
        let shortest: Option<Vec<Span>> = self.macs.iter().map(|mac| mac.timing().shortest_data()).collect();
        let delay = self.nets.iter().flat_map(Net::links).map(Link::delay_up).min().unwrap_or(Span::ZERO);
        let quiet = shortest.and_then(|found| found.into_iter().min()).map(|frame| Quiet { frame, delay });
        if let Some(live) = &mut self.ctx.live {
            live.keep_arrivals(quiet);
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

    /// No packet arrives for a program before this time, if none enters: until then a program sees no event, and all of them
    /// may be handled together. `None`: no event is pending.
    pub fn next_arrival(&self) -> Option<Time> {
        let live = self.live()?;
        self.ctx.events.iter().map(|(at, event)| self.earliest_arrival(live, at, event)).min()
    }

    /// The earliest time at which a packet can arrive because of an event. A packet arrives a delay of the link layer after
    /// the end of a data frame, and every other event precedes the start of that frame.
    fn earliest_arrival(&self, live: &LiveTraffic, at: Time, event: Event) -> Time {
        let Some(quiet) = live.quiet() else { return at };
        let is_port = |radio: RadioId| radio.is_broadcast() || live.is_port(self.ctx.radios.owner(radio));
        match event {
            Event::Phy { timer: PhyTimer::SignalEnd, transmission, .. } => {
                let frame = self.medium.frame(transmission);
                if frame.kind.is_data() && is_port(frame.ra) { at + quiet.delay } else { at + quiet.span() }
            }
            Event::Link { radio, timer: LinkTimer::ToNetwork, .. } if is_port(radio) => at,
            Event::Wire { .. } => at,
            _ => at + quiet.span(),
        }
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
        self.settle::<AnyRun>(node);
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
            if !self.advance_events::<AnyRun>(at, events)? {
                return Ok(false);
            }
            while let Some(recorded) = self.ctx.live.as_mut().and_then(|live| live.take_recorded(at)) {
                // The scenario contains accepted packets only.
                let _ = self.inject_live(recorded.node, recorded.head, recorded.len as usize);
            }
        }
        self.advance_events::<AnyRun>(until, events)
    }
}
