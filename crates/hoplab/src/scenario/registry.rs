//! The names that a scenario can use, for `hoplab list` and menus: derived from the rows of each family.

use crate::app::{AppKind, WorkloadKind};
use crate::kernel::PartKind;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::ObserverKind;
use crate::mac::rate::RateControlKind;
use crate::net::explicit_feedback::FeedbackKind;
use crate::net::link::QueueKind;
use crate::net::routing::RoutingKind;
use crate::phy::{ErrorKind, PropagationKind, Standard};
use crate::scenario::topology::TopologyKind;
use crate::scenario::transports::TRANSPORTS;
use serde_json::{Value as Json, json};

/// Page of a queue discipline, below `docs/protocols`.
fn queue_page(kind: QueueKind) -> &'static str {
    if kind == QueueKind::DropTail { "link" } else { "queues" }
}

/// Families of names, each an array of `{"name", "summary", "page"}` in the order of documentation; `page` is below `docs`. A
/// transport also has `title`, `group`, and `conversation` (`datagrams`, `one_way` or `connection`); that of a library also
/// `feature`, that of a build that has it.
pub fn registry() -> Json {
    let entry = |name: &str, summary: &str, page: &str| json!({ "name": name, "summary": summary, "page": page });
    let protocol = |name: &str, summary: &str, page: &str| entry(name, summary, &format!("protocols/{page}.md"));
    let transports = TRANSPORTS.iter().map(|transport| {
        let mut row = protocol(transport.name, transport.summary, transport.page);
        row["title"] = json!(transport.title);
        row["group"] = json!(transport.group.title());
        row["conversation"] = json!(transport.conversation().name());
        if let Some(stack) = transport.stack() {
            row["feature"] = json!(stack.feature());
        }
        row
    });
    let topologies =
        TopologyKind::ALL.iter().map(|kind| entry(kind.name(), kind.summary(), "use/reference/topologies.md"));
    let routing = RoutingKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), kind.name()));
    let queues = QueueKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), queue_page(*kind)));
    let apps = AppKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), kind.page()));
    let workloads = WorkloadKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), "workload"));
    let handshakes = HandshakeKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), kind.page()));
    let observers = ObserverKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), kind.page()));
    let routers = FeedbackKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), kind.page()));
    let standards = Standard::ALL.iter();
    let standards = standards.map(|row| protocol(row.name, row.summary.trim_end_matches('.'), row.page));
    let propagation = PropagationKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), "radio"));
    let errors = ErrorKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), "radio"));
    let rates = RateControlKind::ALL.iter().map(|kind| protocol(kind.name(), kind.summary(), "wifi"));
    json!({
        "transports": transports.collect::<Vec<_>>(),
        "topologies": topologies.collect::<Vec<_>>(),
        "routing": routing.collect::<Vec<_>>(),
        "queues": queues.collect::<Vec<_>>(),
        "apps": apps.collect::<Vec<_>>(),
        "workloads": workloads.collect::<Vec<_>>(),
        "handshakes": handshakes.collect::<Vec<_>>(),
        "observers": observers.collect::<Vec<_>>(),
        "feedback_routers": routers.collect::<Vec<_>>(),
        "standards": standards.collect::<Vec<_>>(),
        "propagation": propagation.collect::<Vec<_>>(),
        "errors": errors.collect::<Vec<_>>(),
        "rate_controls": rates.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_name_has_a_summary_and_a_page() {
        let registry = registry();
        for family in [
            "transports",
            "topologies",
            "routing",
            "queues",
            "apps",
            "workloads",
            "handshakes",
            "observers",
            "feedback_routers",
            "standards",
            "propagation",
            "errors",
            "rate_controls",
        ] {
            let entries = registry[family].as_array().expect("a list");
            assert!(entries.len() >= 2 || family == "queues" && entries.len() == 1, "{family}");
            for entry in entries {
                assert!(entry["name"].as_str().is_some_and(|name| !name.is_empty()), "{family}: {entry}");
                assert!(entry["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{family}: {entry}");
                let page = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../../docs")
                    .join(entry["page"].as_str().unwrap_or("-"));
                assert!(page.is_file(), "{family}: {entry} has no page");
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
