//! What a scenario can name, for lists and menus.

use crate::app::AppKind;
use crate::net::routing::RoutingKind;
use crate::phy::PropagationKind;
use crate::scenario::scheme::SCHEMES;
use crate::scenario::topology::TopologyKind;
use serde_json::{Value as Json, json};

/// Families of names, each an array of `{"name", "summary"}` in the order of documentation.
pub fn registry() -> Json {
    let entry = |name: &str, summary: &str| json!({ "name": name, "summary": summary });
    let list = |entries: Vec<Json>| Json::from(entries);
    json!({
        "transports": list(SCHEMES.iter().map(|scheme| entry(scheme.name, scheme.summary)).collect()),
        "topologies": list(TopologyKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect()),
        "routing": list(RoutingKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect()),
        "apps": list(AppKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect()),
        "propagation": list(PropagationKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary())).collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_names_and_summaries() {
        let registry = registry();
        for family in ["transports", "topologies", "routing", "apps", "propagation"] {
            let entries = registry[family].as_array().expect("a list");
            assert!(entries.len() >= 2, "{family}");
            for entry in entries {
                assert!(entry["name"].as_str().is_some_and(|name| !name.is_empty()), "{family}: {entry}");
                assert!(entry["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{family}: {entry}");
            }
        }
        let transports = registry["transports"].as_array().expect("a list");
        let names: Vec<&str> = transports.iter().filter_map(|entry| entry["name"].as_str()).collect();
        assert_eq!(names[..6], ["udp", "tahoe", "reno", "new_reno", "sack", "vegas"]);
        assert!(
            [
                "split_tcp",
                "veno",
                "westwood",
                "westwood_plus",
                "bic",
                "cubic",
                "compound",
                "semi_tcp",
                "tcp_ap",
                "xcp",
                "rcp"
            ]
            .iter()
            .all(|name| names.contains(name))
        );
    }
}
