//! Flows that carry on what another flow delivers: which connections a relay can end and begin.

use super::flow::FlowSpec;
use crate::app::AppKind;
use crate::kernel::Bytes;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::traffic::flow::FlowTable;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, not_supported_with, requires};
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::transports::{Admission, Transport};
use crate::transport::Protocol;

/// Keys that say what there is to send: the relayed flow does.
const OF_APPLICATIONS: [&str; 5] = ["source", "rate", "max_packets", "bytes", "max_datagram"];

/// Largest `relay_buffer`: that of a receive buffer.
const MAX_BUFFER: Bytes = Bytes(1_000_000_000);

/// Reports keys that do not combine with `relays`, which depend on the flow alone.
pub(super) fn check_keys(reader: &mut Reader<'_>, tables: &[FlowTable<'_>]) {
    for FlowTable { key, table, config, transport, controller, .. } in tables {
        let section = Section { key, table: Some(table) };
        if config.relays.is_none() {
            let is_given = section.given("relay_buffer").is_some();
            section.rule(reader, "relay_buffer", !is_given, &requires("relays"), "relays = the number of a flow");
            continue;
        }
        let what = not_supported_with("relays: the relayed flow says what there is to send");
        section.rule(reader, "app", config.app == AppKind::Ftp, &what, "no app");
        for other in OF_APPLICATIONS {
            section.rule(reader, other, section.given(other).is_none(), &what, &format!("no {other}"));
        }
        let holds = config.relay_buffer.is_none_or(|buffer| (Bytes(1)..=MAX_BUFFER).contains(&buffer));
        section.rule(reader, "relay_buffer", holds, OUT_OF_RANGE, "1 B to 1 GB");
        let what = not_supported_with("relays: its sender does not say how much waits to be sent");
        let holds = controller.is_some() || is_sender(transport);
        section.rule(reader, "transport", holds, &what, "\"new_reno\", \"semi_tcp\", a tcp_* or the like");
    }
}

/// Reports relays between flows that do not meet.
pub(super) fn check(reader: &mut Reader<'_>, tree: &Node, flows: &[FlowSpec]) {
    let tables = match tree.get("flow").map(|list| &list.value) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    for flow in flows {
        let Some(relayed) = flow.relays else { continue };
        let key = format!("flow.{}", flow.id.0);
        let section = Section { key: &key, table: tables.get(flow.id.index()) };
        let before = flows.iter().find(|other| other.id == relayed.flow && other.id < flow.id);
        let expected = match flow.id.0 {
            0 => "a flow after the one that it relays".to_owned(),
            own => format!("0 to {}, or -1 to -{own}: a flow before this one", own - 1),
        };
        section.rule(reader, "relays", before.is_some(), "{} is no flow before this one", &expected);
        let Some(first) = before else { continue };
        let (end, begin) = (first.dst.0, flow.src.0);
        let what = format!("flow {} ends at node {end}, and this flow begins at node {begin}", first.id.0);
        section.rule(reader, "relays", end == begin, &what, &format!("from = {end}, or another flow"));
        let is_only =
            flows.iter().all(|other| other.id >= flow.id || other.relays.is_none_or(|of| of.flow != first.id));
        section.rule(reader, "relays", is_only, "another flow relays flow {} already", "one relay for each flow");
        let what = format!(
            "flow {} has transport = \"{}\", which a relay cannot slow down",
            first.id.0,
            first.transport_name()
        );
        let hint = Some("give it a tcp_* with its receive window, or \"semi_tcp\"");
        section.rule_with_hint(
            reader,
            "relays",
            is_held_back(first.transport),
            &what,
            "a flow that a relay can hold back",
            hint,
        );
        let reads = first.read_from.is_none() && first.read_rate.is_none();
        let what = not_supported_with(format_args!("read_from or read_rate of flow {}: the relay reads", first.id.0));
        section.rule(reader, "relays", reads, &what, "a flow without these keys");
    }
}

/// Whether the sender of a transport says how much of what it got is not sent.
fn is_sender(transport: &Transport) -> bool {
    matches!(transport.protocol, Protocol::Tcp(_) | Protocol::Stream(_))
}

/// Whether what arrives waits at the receiver, and stops the sender, until it is taken.
fn is_held_back(transport: &Transport) -> bool {
    transport.is_stream() || transport.admission == Admission::Pull
}
