//! Which receivers `tcp.ack_every` reaches.

use super::resolved::Resolved;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::not_supported_with;
use crate::scenario::syntax::tree::Node;
use crate::scenario::traffic::TrafficConfig;
use crate::scenario::transports::Transport;
use crate::transport::{Protocol, StackKind, StreamConfig};

/// Reports a second key that says the same, and warns of receivers with a rule of their own.
pub(super) fn check(reader: &mut Reader<'_>, tree: &Node, scenario: &Resolved) {
    let Some(every) = scenario.tcp.ack_every else { return };
    let delayed = scenario.stream.delayed_ack;
    // Scenarios as they are written out have the default.
    let holds = delayed == every || delayed == StreamConfig::default().delayed_ack;
    let what = not_supported_with(format_args!("tcp.ack_every = {every}, which says the same of real connections"));
    let section = Section { key: "stream", table: tree.get("stream") };
    section.rule(reader, "delayed_ack", holds, &what, "tcp.ack_every or stream.delayed_ack");
    let listed = scenario.flows.iter().map(|flow| flow.transport);
    let of_workloads = scenario.workloads.iter().map(|workload| workload.transport);
    let drawn = scenario.traffic.as_ref().and_then(|traffic| TrafficConfig::transport(&traffic.config));
    let mut named: Vec<&str> = Vec::new();
    for transport in listed.chain(of_workloads).chain(drawn).filter(|transport| !is_reached(transport)) {
        if !named.contains(&transport.name) {
            named.push(transport.name);
            reader.warnings.push(format!(
                "tcp.ack_every: has no effect with transport = \"{}\", whose receiver acknowledges by a rule of its own",
                transport.name
            ));
        }
    }
}

/// Whether the receiver of a transport acknowledges as the key says; datagrams have no acknowledgments.
fn is_reached(transport: &Transport) -> bool {
    match transport.protocol {
        Protocol::Udp | Protocol::Tcp(_) | Protocol::Stream(_) => true,
        Protocol::Stack(kind) => StackKind::takes_ack_every(kind),
        Protocol::Split | Protocol::Rate(_) | Protocol::AdHoc(_) => false,
    }
}
