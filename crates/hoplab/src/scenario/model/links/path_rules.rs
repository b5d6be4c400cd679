//! What static paths of a scenario are found from beside its links: the gateways of hosts, expected transmissions, and the radios of
//! listed links.

use crate::kernel::{NodeId, RadioHop, RadioId, Radios};
use crate::net::routing::static_path::PathRules;
use crate::net::routing::{RouteMetric, RoutingKind};
use crate::net::wires::{WireLoss, WireSpec};
use crate::scenario::model::resolved::Resolved;
use std::collections::BTreeMap;

/// Expected transmissions of a wire that loses nothing, as olsrd counts cables: it takes no time on the air, and fewer wires are
/// better than more.
const WIRE_ETX: f64 = 0.1;

impl Resolved {
    /// The rules of static paths; none for another protocol.
    pub fn path_rules<'a>(&'a self, radios: &'a Radios) -> PathRules<'a> {
        if !self.routing.protocol.is(RoutingKind::Static) {
            return PathRules::default();
        }
        PathRules { barred: self.barred_wires(), etx: self.etx(radios) }
    }

    /// Hosts that name their gateways, each with the wires between other gateways and the hosts that it reaches by wire.
    fn barred_wires(&self) -> Vec<(NodeId, Vec<(NodeId, NodeId)>)> {
        let first = self.topology.nodes() as u32;
        let named = self.hosts.iter().filter(|host| !host.gateways.is_empty());
        let barred = named.map(|host| {
            let mut reached = vec![host.id];
            let mut next = 0;
            while let Some(&here) = reached.get(next) {
                next += 1;
                for [a, b] in self.wires.iter().map(|wire| wire.ends).filter(|ends| ends.contains(&here)) {
                    let there = if a == here { b } else { a };
                    if there.0 >= first && !reached.contains(&there) {
                        reached.push(there);
                    }
                }
            }
            let is_other = |node: NodeId| node.0 < first && !host.gateways.contains(&node);
            let is_barred =
                |&[a, b]: &[NodeId; 2]| (is_other(a) && reached.contains(&b)) || (is_other(b) && reached.contains(&a));
            let links = self.wires.iter().map(|wire| wire.ends).filter(is_barred).map(|[a, b]| (a, b));
            (host.id, links.collect())
        });
        barred.collect()
    }

    /// Radios between two nodes by the list of links: on the first channel of the sender's list on which both receive each other,
    /// or by `routing.metric = "etx"` on the one with the fewest expected transmissions.
    pub(in crate::scenario::model) fn listed_hops(&self, radios: &Radios) -> Vec<RadioHop> {
        let Some(table) = self.radio.links.as_deref() else { return Vec::new() };
        let by_etx = self.routing.metric == Some(RouteMetric::Etx);
        let threshold = self.radio.link_threshold();
        let reads = |from: RadioId, to: RadioId| {
            table.at_start(from).iter().any(|receiver| receiver.radio == to && receiver.power >= threshold)
        };
        let mut best: BTreeMap<(NodeId, NodeId), (f64, (RadioId, RadioId))> = BTreeMap::new();
        // Radios of a node are in the order of its list.
        for own in radios.all() {
            for receiver in table.at_start(own).iter().filter(|receiver| receiver.power >= threshold) {
                let other = receiver.radio;
                if radios.channel(own) != radios.channel(other) || !reads(other, own) {
                    continue;
                }
                let cost = if by_etx { table.etx(own, other) } else { 0.0 };
                let known = best.entry((radios.owner(own), radios.owner(other))).or_insert((cost, (own, other)));
                if cost < known.0 {
                    *known = (cost, (own, other));
                }
            }
        }
        best.into_iter().map(|(ends, (_, hop))| (ends, hop)).collect()
    }

    /// Expected transmissions between two neighbors, if paths are shortest by them.
    fn etx<'a>(&'a self, radios: &'a Radios) -> Option<Box<dyn Fn(NodeId, NodeId) -> f64 + 'a>> {
        let table = self.radio.links.as_deref().filter(|_| self.routing.metric == Some(RouteMetric::Etx))?;
        let of_wire = |wire: &WireSpec| {
            let arrive: f64 = wire.ports.iter().map(|port| 1.0 - mean_loss(port.loss)).product();
            let [a, b] = wire.ends;
            [((a, b), WIRE_ETX / arrive), ((b, a), WIRE_ETX / arrive)]
        };
        let wires: BTreeMap<(NodeId, NodeId), f64> = self.wires.iter().flat_map(of_wire).collect();
        Some(Box::new(move |from, to| {
            let of_radio = || {
                let (own, other) = radios.link(from, to);
                table.etx(own, other)
            };
            wires.get(&(from, to)).copied().unwrap_or_else(of_radio)
        }))
    }
}

/// Share of packets that a port loses.
fn mean_loss(loss: WireLoss) -> f64 {
    match loss {
        WireLoss::Independent(loss) => loss,
        WireLoss::Bursts(bursts) => {
            let [good, bad] = [bursts.good_mean, bursts.bad_mean].map(crate::kernel::Span::secs);
            (good * bursts.good_loss + bad * bursts.bad_loss) / (good + bad)
        }
    }
}
