//! What a scenario can name.

use hoplab::net::routing::RoutingKind;
use hoplab::phy::PropagationKind;
use hoplab::scenario::{AppKind, SCHEMES, TopologyKind};
use serde_json::{Value, json};

/// Names with a line about each, by family.
pub(crate) fn names() -> Value {
    let entry = |name: &str, summary: &str| json!({ "name": name, "summary": summary });
    let transports: Vec<Value> = SCHEMES.iter().map(|scheme| entry(scheme.name, scheme.summary)).collect();
    let topologies: Vec<Value> = TopologyKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect();
    let routing: Vec<Value> = RoutingKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect();
    let apps: Vec<Value> = AppKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect();
    let propagation: Vec<Value> = PropagationKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect();
    json!({
        "transports": transports,
        "topologies": topologies,
        "routing": routing,
        "apps": apps,
        "propagation": propagation,
    })
}
