//! The audit of a run between two events: packets are conserved, and no station is stalled.
//!
//! For each class of packets, created = ended + in transit; each packet in transit is in exactly one place.

use super::report::split_reports;
use super::view::RunView;
use crate::mac::Mac;
use crate::net::link::Discipline;
use crate::net::routing::Routing;
use crate::packet::PacketId;
use crate::sim::Event;
use crate::trace::class_of;
use crate::transport::proxy::Proxy;
use std::collections::BTreeSet;
use thiserror::Error;

/// A fault of the engine, found by an audit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AuditError {
    /// Packets have appeared or disappeared without a cause.
    #[error("packets are not conserved: {what}")]
    NotConserved {
        /// Which packets.
        what: String,
    },
    /// A backoff is frozen on an idle medium, and no event would resume it.
    #[error("a station is stalled: {what}")]
    Stalled {
        /// Which station.
        what: String,
    },
}

impl RunView<'_> {
    /// Packets in transit by class: control, packets of real programs, then data and acknowledgments of each flow. A packet that the next hop
    /// has already received counts there, not at the MAC that still awaits its acknowledgment.
    pub fn in_transit(&self) -> Vec<u64> {
        let mut counts = vec![0; self.ctx.trace.counters.classes().len()];
        for (_, packet) in self.ctx.packets.iter() {
            counts[class_of(packet)] += 1;
        }
        for mac in self.macs {
            for (packet, _) in mac.in_service().filter(|&(_, reached_next_hop)| reached_next_hop) {
                counts[class_of(self.ctx.packet(packet))] -= 1;
            }
        }
        counts
    }

    /// Checks that packets and streams are conserved, and that no station is stalled.
    ///
    /// # Errors
    /// The first fault found.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.audit_classes()?;
        self.audit_proxies()?;
        self.audit_places()?;
        self.audit_stations()
    }

    fn audit_classes(&self) -> Result<(), AuditError> {
        let in_transit = self.in_transit();
        for (class, life) in self.ctx.trace.counters.classes().iter().enumerate() {
            if life.begun() != life.ended() + in_transit[class] {
                return not_conserved(format!("class {class}: {life:?}, {} in transit", in_transit[class]));
            }
        }
        Ok(())
    }

    /// Checks the segments of proxies, and the streams that have passed them.
    fn audit_proxies(&self) -> Result<(), AuditError> {
        for (node, proxy) in self.proxies() {
            let counts = proxy.counts();
            if !counts.is_balanced() || counts.held != proxy.held().len() as u64 {
                return not_conserved(format!("the proxy at {node}: {counts:?}, {} held", proxy.held().len()));
            }
        }
        for split in split_reports(self) {
            if !split.is_whole {
                return not_conserved(format!("flow {} has delivered another stream than sent: {split:?}", split.flow));
            }
        }
        Ok(())
    }

    /// Checks that every backoff counts down where the medium is idle.
    fn audit_stations(&self) -> Result<(), AuditError> {
        let is_stalled = |mac: &&Mac| mac.is_stalled(self.now(), self.medium.radio(mac.radio()));
        match self.macs.iter().find(is_stalled) {
            Some(mac) => {
                let radio = self.medium.radio(mac.radio());
                Err(AuditError::Stalled { what: format!("{} at {}: {radio:?}", mac.radio(), self.now()) })
            }
            None => Ok(()),
        }
    }

    /// Checks that every packet is stored exactly once: a packet without an owner would be in transit forever.
    fn audit_places(&self) -> Result<(), AuditError> {
        let mut places = BTreeSet::new();
        let mut twice = None;
        let mut put = |packet: PacketId| {
            if !places.insert(packet.0) {
                twice = Some(packet);
            }
        };
        for mac in self.macs {
            mac.in_service().for_each(|(packet, _)| put(packet));
            mac.held().for_each(&mut put);
        }
        for port in self.wires.iter().flat_map(|wires| wires.ports()) {
            port.each_waiting(&mut put);
        }
        for net in self.nets {
            for link in net.links() {
                link.queue.visit(&mut put);
                link.held().for_each(&mut put);
            }
            net.routing.each_waiting(&mut put);
        }
        let delayed = |(_, event)| match event {
            Event::Link { packet, .. } | Event::Wire { packet, .. } | Event::BroadcastEnd { packet, .. } => {
                Some(packet)
            }
            _ => None,
        };
        self.ctx.events.iter().filter_map(delayed).for_each(put);
        if let Some(packet) = twice {
            return not_conserved(format!("{:?} is in two places", self.ctx.packet(packet)));
        }
        match self.ctx.packets.iter().find(|(id, _)| !places.contains(id)) {
            Some((_, packet)) => not_conserved(format!("{packet:?} is in no place")),
            None => Ok(()),
        }
    }
}

fn not_conserved(what: String) -> Result<(), AuditError> {
    Err(AuditError::NotConserved { what })
}
