//! Passes on what connections deliver at relays.

use super::{Relay, Relays};
use crate::kernel::{AnyRun, FlowId};
use crate::packet::Payload;
use crate::scenario::{FlowSpec, Resolved};
use crate::transport::{Emit, End};
use crate::world::run::World;
use std::collections::VecDeque;

impl World {
    /// Adds the relays of a scenario, if it has any.
    pub(in crate::world) fn add_relays(&mut self, scenario: &Resolved) {
        let relay = |flow: &FlowSpec| {
            let relayed = flow.relays?;
            let first = &scenario.flows[relayed.flow.index()];
            Some(Relay {
                node: flow.src,
                first: first.id,
                second: flow.id,
                buffer: u64::from(relayed.buffer.0),
                segments: (u64::from(first.segment.0), u64::from(flow.segment.0)),
                is_pulled: self.flows[first.id.index()].connection.is_pulled(),
                has_started: false,
                is_over: false,
                departures: VecDeque::new(),
                departed: 0,
                taken: 0,
                passed: 0,
            })
        };
        let relays: Vec<Relay> = scenario.flows.iter().filter_map(relay).collect();
        self.relays = (!relays.is_empty()).then(|| Box::new(Relays(relays)));
    }

    /// A flow starts or stops.
    pub(in crate::world) fn on_relay_switched(&mut self, flow: FlowId, has_started: bool) {
        let Some(relays) = &mut self.relays else { return };
        for relay in relays.0.iter_mut().filter(|relay| relay.second == flow) {
            (relay.has_started, relay.is_over) = (true, relay.is_over || !has_started);
        }
    }

    /// A flow sends packets: notes when its data leaves for the first time.
    pub(in crate::world) fn note_departures(&mut self, flow: FlowId, emits: &[Emit]) {
        let Some(relays) = &mut self.relays else { return };
        for relay in relays.0.iter_mut().filter(|relay| relay.first == flow) {
            for emit in emits.iter().filter(|emit| emit.end == End::Source) {
                let bytes = match &emit.payload {
                    Payload::Segment(segment) if !segment.is_retransmission => segment.payload,
                    Payload::Tcp(segment) if !segment.is_retransmission => segment.len,
                    _ => 0,
                };
                if bytes > 0 {
                    relay.departed += u64::from(bytes);
                    relay.departures.push_back((relay.departed, self.ctx.now));
                }
            }
        }
    }

    /// After an event of a flow: its relays take what has arrived, as far as there is room.
    #[inline(never)]
    pub(in crate::world) fn pass_on(&mut self, flow: FlowId) {
        let Some(relays) = &self.relays else { return };
        let of_flow =
            |relay: &Relay| relay.has_started && !relay.is_over && (relay.first == flow || relay.second == flow);
        let touched: Vec<usize> = (0..relays.0.len()).filter(|&index| of_flow(&relays.0[index])).collect();
        for index in touched {
            self.relay(index);
        }
    }

    fn relay(&mut self, index: usize) {
        let now = self.ctx.now;
        let World { relays, flows, outbox, .. } = self;
        let Some(relay) = relays.as_mut().map(|relays| &mut relays.0[index]) else { return };
        let (first, second) = (relay.first, relay.second);
        let delivered = flows[first.index()].connection.meter().total().in_order;
        let room = relay.buffer.saturating_sub(flows[second.index()].connection.unsent());
        let bytes = (delivered - relay.taken).min(room);
        let is_last = relay.taken + bytes == delivered && flows[first.index()].connection.is_over();
        if bytes == 0 && !is_last {
            return;
        }
        relay.taken += bytes;
        relay.is_over = is_last;
        let segment = relay.segments.1;
        let whole = if is_last { relay.taken.div_ceil(segment) } else { relay.taken / segment };
        let mut departures = Vec::new();
        while relay.passed < whole {
            relay.passed += 1;
            let end = (relay.passed * segment).min(relay.taken);
            departures.push(relay.departure(end).unwrap_or(now));
        }
        // The second flow comes first: what either sends calls this again, and what waits to be sent is to be counted then.
        flows[second.index()].connection.on_relayed(&departures, is_last, now, &mut outbox.emits);
        self.carry_down::<AnyRun>(second);
        self.flows[first.index()].connection.read(bytes, now, &mut self.outbox.emits);
        self.carry_down::<AnyRun>(first);
    }
}
