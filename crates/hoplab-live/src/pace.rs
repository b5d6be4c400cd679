//! The loop that keeps a world at the pace of a clock.

use crate::host::Host;
use crate::lateness::{Lateness, LatenessReport};
use crate::record::Record;
use hoplab::kernel::{Span, Time};
use hoplab::packet::Refusal;
use hoplab::world::{EngineError, World};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use thiserror::Error;

/// Results of a run at the pace of a clock, other than those of the network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveReport {
    /// Simulated time at the end, in nanoseconds.
    pub end_ns: u64,
    /// Hash of the whole event sequence.
    pub fingerprint: String,
    /// Packets that entered the network.
    pub entered: u64,
    /// Packets of programs that the network did not accept, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Packets that the system did not accept for a program.
    pub not_delivered: u64,
    /// Whether the run ended before its end.
    pub is_stopped: bool,
    /// How late it was.
    pub lateness: LatenessReport,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The simulation failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A device or the system failed.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// Packets that are read in one turn, so that a program that floods does not stop the clock.
const BATCH: usize = 256;

/// Events between two looks at the clock and the stop.
const SLICE: u64 = 20_000;

/// Longest wait: the stop is checked as often even if a system does not wake for it.
const LONGEST_WAIT: Span = Span::from_millis(100);

/// Longest packet of a device.
const LONGEST_PACKET: usize = 1 << 16;

/// Runs a world up to `end` at the pace of `host`. A run whose 99th percentile of lateness is above `bound` is graded late.
///
/// # Errors
/// If the simulation or the system fails. The record contains what has entered until then.
pub fn run(
    world: &mut World,
    host: &mut impl Host,
    record: &mut impl Record,
    end: Time,
    bound: Span,
) -> Result<LiveReport, LiveError> {
    let mut lateness = Lateness::new(bound);
    let mut buffer = vec![0; LONGEST_PACKET];
    let mut arrivals = Vec::new();
    let (mut entered, mut delivered, mut not_delivered) = (0, 0, 0);
    let mut is_stopped = false;
    world.keep_arrivals();
    loop {
        // Strictly later than the last turn: no two turns inject at one time, so that a repetition has the same order.
        let now = host.now().max(world.now() + Span(1)).min(end);
        while !is_stopped && !world.advance(now, SLICE)? {
            is_stopped = host.is_stopped();
        }
        if is_stopped || now == end {
            break;
        }
        let mut is_drained = false;
        for _ in 0..BATCH {
            let Some((node, len)) = host.receive(&mut buffer)? else {
                is_drained = true;
                break;
            };
            let bytes = &buffer[..len];
            if world.inject_live(node, Arc::from(bytes), len).is_ok() {
                entered += 1;
                record.entered(now, node, bytes);
            }
        }
        world.take_arrivals(&mut arrivals);
        for arrival in arrivals.drain(..) {
            delivered += 1;
            not_delivered += u64::from(!host.deliver(arrival.node, &arrival.bytes)?);
            lateness.on_delivery(arrival.at, host.now(), arrival.node);
        }
        let after = host.now();
        lateness.on_turn(if after > now { after.since(now) } else { Span::ZERO });
        is_stopped = host.is_stopped();
        if is_stopped {
            break;
        }
        if is_drained {
            let next = if host.skips_events() { world.next_arrival() } else { world.next_time() };
            host.wait(next.unwrap_or(Time::NEVER).min(end).min(after + LONGEST_WAIT))?;
        }
    }
    let refused =
        Refusal::ALL.into_iter().map(|refusal| (refusal.name(), world.live().map_or(0, |live| live.refused(refusal))));
    Ok(LiveReport {
        end_ns: world.now().0,
        fingerprint: world.ctx().trace.fingerprint().to_string(),
        entered,
        refused: refused.filter(|&(_, count)| count > 0).collect(),
        not_delivered,
        is_stopped,
        lateness: lateness.report(delivered),
    })
}
