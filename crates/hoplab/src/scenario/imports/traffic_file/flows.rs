//! Flows from agents and applications of an ns-2 script: `attach-agent`, `connect` and `start` become one flow.

use super::imported::{ImportedCarrier, ImportedFlow, ImportedSource, Problem};
use super::object::{Act, Class, Object};
use crate::kernel::{NodeId, Rate, Span, Time};

/// When an application sends.
struct Period {
    start: Time,
    line: u32,
    stop: Option<Time>,
    /// Packets of a file.
    packets: Option<u32>,
}

/// The flows of all applications, each start being one.
pub(super) fn of(objects: &[Object], warnings: &mut Vec<(u32, String)>) -> Result<Vec<ImportedFlow>, (u32, Problem)> {
    let mut flows = Vec::new();
    for app in objects.iter().filter(|object| object.class.is_application()) {
        flows.extend(flows_of(app, objects, warnings)?);
    }
    for (id, agent) in objects.iter().enumerate().filter(|(_, object)| object.class.is_sender()) {
        let mut apps = objects.iter().filter(|app| app.agent == Some(id));
        match (apps.next(), apps.next()) {
            (None, _) => {
                warnings.push((agent.line, format!("{} has no application and sends no packets", agent.called())));
            }
            (Some(_), Some(second)) if agent.class != Class::Udp => {
                let message = format!("{} has two applications", agent.called());
                return Err((second.line, Problem::new(message, "use one agent per application")));
            }
            _ => {}
        }
    }
    Ok(flows)
}

fn flows_of(
    app: &Object,
    objects: &[Object],
    warnings: &mut Vec<(u32, String)>,
) -> Result<Vec<ImportedFlow>, (u32, Problem)> {
    let wrong = |message: String| (app.line, Problem::from(message));
    let name = app.called();
    let agent = app.agent.ok_or_else(|| wrong(format!("{name} has no agent: use attach-agent")))?;
    let agent = &objects[agent];
    let agent_name = agent.called();
    let (peer, line) = agent.peer.ok_or_else(|| wrong(format!("{agent_name} has no peer: use connect")))?;
    let sink = &objects[peer];
    let (src, dst) = ends(agent, sink).map_err(|problem| (line, problem))?;
    if app.acts.is_empty() {
        return Err(wrong(format!("{name} has no start: use $ns_ at <t> \"{name} start\"")));
    }
    let (segment, carrier) = carrier(app, agent, sink, warnings)?;
    let periods = periods(app, warnings);
    if periods.is_empty() {
        return Err(wrong(format!("{name} has no start: use $ns_ at <t> \"{name} start\"")));
    }
    if let (Class::Tcp(..), [_, second, ..]) = (agent.class, periods.as_slice()) {
        let message = format!("{name} has two starts over one connection");
        return Err((second.line, Problem::new(message, "use a second agent and application for the second start")));
    }
    let source = match app.class {
        Class::Cbr => ImportedSource::Cbr { interval: app.interval(), random: app.is_random },
        Class::Exponential => {
            ImportedSource::OnOff { rate: Rate(app.rate_bps), on_mean: app.on_mean, off_mean: app.off_mean }
        }
        _ => ImportedSource::Ftp,
    };
    let limits = limits(app, &periods)?;
    let flow = |(Period { start, line, stop, .. }, max_packets)| ImportedFlow {
        line,
        src,
        dst,
        segment,
        start,
        stop,
        max_packets,
        source,
        carrier,
    };
    Ok(periods.into_iter().zip(limits).map(flow).collect())
}

/// The nodes of a flow.
fn ends(agent: &Object, sink: &Object) -> Result<(NodeId, NodeId), Problem> {
    let fits = match agent.class {
        Class::Udp => sink.class == Class::Null,
        _ => matches!(sink.class, Class::Sink { .. }),
    };
    if !fits {
        let message = format!("{} is connected to {}", agent.class_name, sink.class_name);
        let right = if agent.class == Class::Udp { "Agent/Null" } else { "Agent/TCPSink" };
        return Err(Problem::new(message, format!("connect {} to {right}", agent.class_name)));
    }
    match (agent.node, sink.node) {
        (Some(src), Some(dst)) if src == dst => {
            Err(format!("source and destination of {} are node {}", agent.called(), src.0).into())
        }
        (Some(src), Some(dst)) => Ok((src, dst)),
        _ => Err(format!("{} has no node: use attach-agent", agent.called()).into()),
    }
}

/// Payload of a packet, and what carries it.
fn carrier(
    app: &Object,
    agent: &Object,
    sink: &Object,
    warnings: &mut Vec<(u32, String)>,
) -> Result<(u32, ImportedCarrier), (u32, Problem)> {
    let Class::Tcp(transport, is_linux) = agent.class else {
        if app.class == Class::Ftp {
            let message = format!("{} over Agent/UDP is not supported: no flow control", app.called());
            return Err((app.line, Problem::new(message, "use Application/Traffic/CBR, or Agent/TCP")));
        }
        let longest = (app.size > agent.size).then_some(agent.size);
        return Ok((app.size, ImportedCarrier::Udp { longest }));
    };
    if app.class != Class::Ftp && app.size != agent.size {
        let message = format!("packetSize_ of {} ({}) differs from its agent ({})", app.called(), app.size, agent.size);
        return Err((app.line, Problem::new(message, "set packetSize_ of both to the same value")));
    }
    let Class::Sink { has_sack, is_delayed } = sink.class else { unreachable!("the ends fit") };
    if transport == "sack" && !has_sack {
        let message = format!("{} sends SACK blocks to {}, unlike ns-2", sink.class_name, agent.called());
        warnings.push((sink.line, message));
    }
    Ok((agent.size, ImportedCarrier::Tcp { transport, window: agent.window, is_linux, is_delayed }))
}

/// When an application sends. A start of one that sends already restarts it, as in ns-2.
fn periods(app: &Object, warnings: &mut Vec<(u32, String)>) -> Vec<Period> {
    let mut periods: Vec<Period> = Vec::new();
    let is_open = |periods: &[Period]| periods.last().is_some_and(|period| period.stop.is_none());
    for &(t, line, act) in &app.acts {
        let packets = if let Act::Produce(packets) = act { Some(packets) } else { None };
        match act {
            Act::Stop if is_open(&periods) => {
                if let Some(period) = periods.last_mut() {
                    period.stop = Some(t);
                }
            }
            Act::Stop => warnings.push((line, format!("stop of {} ignored: not started", app.called()))),
            Act::Start | Act::Produce(_) if app.class == Class::Ftp && is_open(&periods) => {
                warnings.push((line, format!("start of {} ignored: started before", app.called())));
            }
            Act::Start | Act::Produce(_) => {
                if is_open(&periods)
                    && let Some(period) = periods.last_mut()
                {
                    period.stop = Some(t);
                    let message = || format!("start of {} restarts the period of line {}", app.called(), period.line);
                    warnings.push((line, message()));
                }
                periods.push(Period { start: t, line, stop: None, packets });
            }
        }
    }
    periods.retain(|period| period.stop.is_none_or(|stop| stop > period.start));
    periods
}

/// The limit of packets of each period. ns-2 counts packets through all of them, and sends one at each start.
fn limits(app: &Object, periods: &[Period]) -> Result<Vec<Option<u32>>, (u32, Problem)> {
    let Some(mut left) = app.max_packets else { return Ok(periods.iter().map(|period| period.packets).collect()) };
    if periods.len() == 1 {
        return Ok(vec![Some(periods[0].packets.map_or(left, |packets| packets.min(left)))]);
    }
    let most = |period: &Period| -> u32 {
        let Some(stop) = period.stop else { return u32::MAX };
        let shortest = if app.is_random { Span(app.interval().0 / 2) } else { app.interval() };
        stop.since(period.start).0.div_ceil(shortest.0.max(1)).min(u64::from(u32::MAX)) as u32
    };
    let is_exact = app.class == Class::Cbr && !app.is_random;
    let mut limits = Vec::new();
    for period in periods {
        limits.push(Some(left));
        let sent = most(period);
        let is_last = periods.last().is_some_and(|last| std::ptr::eq(period, last));
        if !is_exact && !is_last && sent > left {
            let message = format!("maxpkts_ of {} may expire before its next start", app.called());
            return Err((period.line, Problem::new(message, "remove maxpkts_, or use one application per start")));
        }
        left = left.saturating_sub(sent).max(1);
    }
    Ok(limits)
}
