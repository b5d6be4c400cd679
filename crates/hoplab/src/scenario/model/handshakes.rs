//! Transports whose stations need a handshake policy: a station has one.

use super::flow::FlowSpec;
use super::workload::WorkloadSpec;
use crate::mac::handshake::HandshakeKind;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::not_supported_with;
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::traffic::TrafficConfig;
use crate::scenario::transports::Transport;

/// Reports transports that need another handshake than one before them.
pub(super) fn check(
    reader: &mut Reader<'_>,
    tree: &Node,
    (flows, workloads): (&[FlowSpec], &[WorkloadSpec]),
    traffic: Option<&TrafficConfig>,
) {
    let tables = |key: &str| match tree.get(key).map(|list| &list.value) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    let of_flows =
        flows.iter().map(|flow| (format!("flow.{}", flow.id.0), tables("flow").get(flow.id.index()), flow.transport));
    let of_workloads = workloads
        .iter()
        .enumerate()
        .map(|(i, one)| (format!("workload.{i}"), tables("workload").get(i), one.transport));
    let drawn =
        traffic.and_then(TrafficConfig::transport).map(|drawn| ("traffic".to_owned(), tree.get("traffic"), drawn));
    let mut first: Option<&'static Transport> = None;
    for (key, table, transport) in of_flows.chain(of_workloads).chain(drawn) {
        if transport.nodes.handshake == HandshakeKind::Plain {
            continue;
        }
        let first = *first.get_or_insert(transport);
        let holds = first.nodes.handshake == transport.nodes.handshake;
        let what = not_supported_with(format_args!(
            "transport = \"{}\", whose stations have another handshake policy: a station has one",
            first.name
        ));
        let expected = format!("\"{}\", or a transport without a handshake policy", first.name);
        Section { key: &key, table }.rule(reader, "transport", holds, &what, &expected);
    }
}
