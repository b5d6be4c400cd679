//! Where every packet is: created = ended + held, for each class of packets; and that stations go on.

use super::{EngineError, World};
use crate::mac::Mac;
use crate::packet::PacketId;
use crate::sim::Event;
use crate::trace::class_of;
use crate::transport::proxy::Proxy;
use std::collections::BTreeSet;

impl World {
    /// Packets held somewhere, by class: control first, then data and acknowledgments of each flow. A packet that the
    /// next hop has taken over already is counted there, not at the MAC that still awaits its acknowledgment.
    pub fn held(&self) -> Vec<u64> {
        let mut held = vec![0; self.ctx.trace.counters.classes().len()];
        for (_, packet) in self.ctx.packets.iter() {
            held[class_of(packet)] += 1;
        }
        for mac in &self.macs {
            for (packet, _) in mac.in_service().filter(|&(_, reached_next_hop)| reached_next_hop) {
                held[class_of(self.ctx.packet(packet))] -= 1;
            }
        }
        held
    }

    /// Checks that no packet has appeared or disappeared without a cause, and that no station waits for nothing.
    pub fn audit(&self) -> Result<(), EngineError> {
        let held = self.held();
        for (class, life) in self.ctx.trace.counters.classes().iter().enumerate() {
            if life.begun() != life.ended() + held[class] {
                let what = format!("class {class}: {life:?}, {} held", held[class]);
                return Err(EngineError::NotConserved { what });
            }
        }
        for (node, proxy) in self.proxies() {
            let counts = proxy.counts();
            if !counts.is_balanced() || counts.held != proxy.held().len() as u64 {
                let what = format!("the proxy at {node}: {counts:?}, {} held", proxy.held().len());
                return Err(EngineError::NotConserved { what });
            }
        }
        for split in self.split_reports() {
            if !split.is_whole {
                let what = format!("flow {} has delivered another stream than was sent: {split:?}", split.flow);
                return Err(EngineError::NotConserved { what });
            }
        }
        self.audit_places()?;
        self.audit_stations()
    }

    /// Checks that every backoff counts where the medium is idle.
    fn audit_stations(&self) -> Result<(), EngineError> {
        let waits = |mac: &&Mac| mac.waits_for_nothing(self.ctx.now, self.medium.radio(mac.node()));
        match self.macs.iter().find(waits) {
            Some(mac) => {
                let radio = self.medium.radio(mac.node());
                Err(EngineError::Stalled { what: format!("{} at {}: {radio:?}", mac.node(), self.ctx.now) })
            }
            None => Ok(()),
        }
    }

    /// Checks that every packet that exists is in exactly one place: a packet in none would be held for ever.
    fn audit_places(&self) -> Result<(), EngineError> {
        let mut places = BTreeSet::new();
        let mut twice = None;
        let mut put = |packet: PacketId| {
            if !places.insert(packet.0) {
                twice = Some(packet);
            }
        };
        for (mac, net) in self.macs.iter().zip(&self.nets) {
            mac.in_service().for_each(|(packet, _)| put(packet));
            net.link.queue.iter().for_each(&mut put);
            net.link.held().for_each(&mut put);
            net.routing.held().for_each(&mut put);
        }
        let delayed = |event| match event {
            Event::Link { packet, .. } | Event::BroadcastEnd { packet, .. } => Some(packet),
            _ => None,
        };
        self.ctx.events.iter().filter_map(delayed).for_each(put);
        if let Some(packet) = twice {
            return Err(EngineError::NotConserved { what: format!("{:?} is in two places", self.ctx.packet(packet)) });
        }
        let lost = self.ctx.packets.iter().find(|(id, _)| !places.contains(id));
        match lost {
            Some((_, packet)) => Err(EngineError::NotConserved { what: format!("{packet:?} is nowhere") }),
            None => Ok(()),
        }
    }
}
