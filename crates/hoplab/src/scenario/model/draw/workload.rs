//! The flows of `[[workload]]`, drawn for each run. They do not depend on transports.

use super::error::DrawError;
use crate::app::{AppConfig, Content, DrawnFlow, Ftp, Poisson, Setting};
use crate::kernel::{Bytes, FlowId, Purpose, RandomStreams, Span};
use crate::scenario::model::flow::FlowSpec;
use crate::scenario::model::resolved::Resolved;
use crate::scenario::model::workload::WorkloadSpec;
use crate::scenario::transports::Transport;

/// Maximum number of flows of a scenario.
const MAX_FLOWS: usize = 100_000;

/// Payload of a ping.
const PING: Bytes = Bytes(64);

/// Default of the maximum number of segments in flight, as of `[[flow]]`.
const WINDOW: u32 = 20;

/// Adds the flows of all workloads in the run with this seed.
pub(super) fn add(scenario: &mut Resolved, seed: u64) -> Result<(), DrawError> {
    let streams = RandomStreams::new(seed);
    for (workload, id) in std::mem::take(&mut scenario.workloads).into_iter().zip(0_u32..) {
        let keys = workload.keys();
        let most = MAX_FLOWS.saturating_sub(scenario.flows.len());
        let end = scenario.end();
        let mut setting = Setting {
            keys: &keys,
            pairs: &workload.pairs,
            arrivals: workload.arrivals,
            is_datagrams: workload.transport.is_udp(),
            segment: workload.segment().0,
            start: workload.config.start,
            stop: workload.config.stop.unwrap_or(end).min(end),
            most,
            arrival: streams.stream(Purpose::WorkloadArrival, id),
            sizes: streams.stream(Purpose::WorkloadSize, id),
        };
        let drawn = workload.config.kind.flows(&mut setting);
        if drawn.len() > most {
            return Err(DrawError::TooManyFlows { workload: id as usize, most: MAX_FLOWS });
        }
        if drawn.is_empty() {
            scenario.warnings.push(format!("workload.{id}: nothing begins before the end of the run"));
        }
        let first = scenario.flows.len();
        scenario.flows.extend(drawn.into_iter().zip(first..).map(|(drawn, number)| flow(&workload, id, number, drawn)));
        scenario.workloads.push(workload);
    }
    let is_empty = scenario.flows.is_empty() && !scenario.workloads.is_empty();
    if is_empty { Err(DrawError::NothingBegins) } else { Ok(()) }
}

fn flow(workload: &WorkloadSpec, id: u32, number: usize, drawn: DrawnFlow) -> FlowSpec {
    let (mut transport, mut segment) = (workload.transport, workload.segment());
    let file = AppConfig::Ftp(Ftp);
    let (app, bytes) = match drawn.content {
        Content::Transfer(bytes) => (file, Some(bytes)),
        Content::Packets(rate) => (AppConfig::Poisson(Poisson { rate }), None),
        Content::Endless | Content::Session { .. } => (file, None),
    };
    let session = match drawn.content {
        Content::Session { session, member, .. } => Some((session, member)),
        _ => None,
    };
    if let (Content::Session { is_datagrams: true, .. }, Some(udp)) = (drawn.content, Transport::named("udp")) {
        (transport, segment) = (udp, PING);
    }
    let (src, dst) = drawn.ends;
    FlowSpec {
        id: FlowId(number as u32),
        src,
        dst,
        app,
        transport,
        priority: workload.config.priority.unwrap_or_default(),
        controller: workload.controller.clone().filter(|_| !transport.is_udp()),
        source: None,
        segment,
        window: workload.config.window.unwrap_or(WINDOW),
        start: drawn.start,
        start_spread: Span::ZERO,
        stop: if drawn.content == Content::Endless { workload.config.stop } else { None },
        // Agents that count segments send whole ones.
        max_packets: bytes.filter(|_| !transport.counts_bytes()).map(|bytes| bytes.div_ceil(segment.0)),
        max_datagram: None,
        bytes: bytes.filter(|_| transport.counts_bytes()).map(Bytes),
        read_from: None,
        read_rate: None,
        relays: None,
        workload: Some(id),
        session,
    }
}
