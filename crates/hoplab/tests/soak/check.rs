//! What holds in every run, at every moment of it.

use crate::draft::Draft;
use hoplab::kernel::{FlowId, NodeId, RadioId, Span, Time};
use hoplab::measure::{AirtimeUse, AuditError, NodeAirtime};
use hoplab::packet::{Category, Frame, FrameKind, Packet};
use hoplab::scenario::Resolved;
use hoplab::trace::{CaptureSink, DropReason, Loss};
use hoplab::world::{EngineError, World};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which, in one word: shrinking keeps it.
    pub property: &'static str,
    /// What was seen.
    pub what: String,
}

/// What a run without violation came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// Events handled.
    pub events: u64,
    /// Packets of flows that arrived.
    pub delivered: u64,
    /// Looks at all books.
    pub audits: u64,
    /// Runs ended at their most events.
    pub cut: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.what)
    }
}

/// Most events of a run. The longest of honest ones needs a tenth.
const MOST_EVENTS: u64 = 20_000_000;

/// How often a run is stopped for a look at the whole of it.
const LOOKS: u64 = 60;

/// Events in a row after each of which everything is looked at.
const CLOSE_LOOKS: u64 = 400;

/// Events between two looks at the log, as those who keep it take.
const EVENTS_OF_LOG: u64 = 10_000;

/// Time within which a node that has a packet to send, and is on, sends something.
const PATIENCE: Span = Span::from_millis(15_000);

/// A node is let off for as long as its medium was free for no more than one part in so many: stations with short windows starve
/// those that have drawn more slots, or could not read their frames. DIFS after each frame is less than a tenth of the time.
const FREE_PART: u64 = 8;

/// Runs a scenario with all probes.
pub fn check(draft: &Draft) -> Result<Passed, Violation> {
    let text = draft.text();
    let run = AssertUnwindSafe(|| {
        let scenario = draft.resolved().map_err(|error| violation("accepted", error.to_string()))?;
        run(draft, &scenario)
    });
    catch_unwind(run).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().cloned();
        let what = what.or_else(|| panic.downcast_ref::<&str>().map(|&what| what.to_owned()));
        Err(violation("panic", format!("{}\n{text}", what.unwrap_or_default())))
    })
}

/// The fingerprint of a run without probe.
pub fn fingerprint(scenario: &Resolved, seed: u64) -> Result<String, Violation> {
    let mut world = World::build(scenario, seed).map_err(of_engine)?;
    world.run_until(scenario.end()).map_err(of_engine)?;
    Ok(world.ctx().trace.fingerprint().to_string())
}

/// The fingerprint of a run that writes its log, and shows its frames and packets.
fn traced(scenario: &Resolved, seed: u64) -> Result<String, Violation> {
    let mut world = World::build(scenario, seed).map_err(of_engine)?;
    world.keep_log();
    world.set_capture(Box::new(Shown::default()));
    while !world.advance(scenario.end(), EVENTS_OF_LOG).map_err(of_engine)? {
        world.log_mut().expect("a log").clear();
    }
    Ok(world.ctx().trace.fingerprint().to_string())
}

/// What a capture is shown, looked at as its writer does.
#[derive(Debug, Default)]
struct Shown {
    now: Time,
    bytes: u64,
}

impl Shown {
    fn see(&mut self, now: Time, packet: Option<&Packet>) {
        assert!(now >= self.now, "{now} after {}", self.now);
        self.now = now;
        self.bytes += packet.map_or(0, |packet| u64::from(packet.bytes));
    }
}

impl CaptureSink for Shown {
    fn on_frame(&mut self, now: Time, _: &Frame, packet: Option<&Packet>) {
        self.see(now, packet);
    }

    fn on_block_ack(&mut self, now: Time, _: &Frame, _: u64) {
        self.see(now, None);
    }

    fn on_loss(&mut self, now: Time, _: RadioId, _: FrameKind, _: RadioId, _: Loss) {
        self.see(now, None);
    }

    fn on_wire(&mut self, now: Time, _: u32, _: bool, packet: &Packet) {
        self.see(now, Some(packet));
    }

    fn on_drop(&mut self, now: Time, _: NodeId, packet: &Packet, _: DropReason) {
        self.see(now, Some(packet));
    }
}

fn run(draft: &Draft, scenario: &Resolved) -> Result<Passed, Violation> {
    let seed = draft.seed;
    let mut world = match World::build(scenario, seed) {
        Ok(world) => world,
        // A random network that is to be connected, and cannot be.
        Err(EngineError::Placement { .. }) => return Ok(Passed::default()),
        Err(error) => return Err(of_engine(error)),
    };
    world.account_airtime();
    world.limit_events(draft.cut_at.unwrap_or(MOST_EVENTS));
    let mut watch = CcaReporting::new(scenario);
    let end = scenario.end();
    // One stretch of the run is looked at event by event: where, follows from the seed.
    let close = seed % LOOKS;
    let mut audits = 0;
    for look in 1..=LOOKS {
        if look - 1 == close {
            for _ in 0..CLOSE_LOOKS {
                let is_over = match world.advance(end, 1) {
                    Err(EngineError::TooManyEvents { .. }) if draft.cut_at.is_some() => return Ok(cut(&world, audits)),
                    is_over => is_over.map_err(of_engine)?,
                };
                watch.look(&world)?;
                audits += 1;
                if is_over {
                    break;
                }
            }
        }
        let until = Time((end.0 as u128 * u128::from(look) / u128::from(LOOKS)) as u64);
        if world.now() < until || look == LOOKS {
            match world.run_until(until) {
                Err(EngineError::TooManyEvents { .. }) if draft.cut_at.is_some() => return Ok(cut(&world, audits)),
                done => done.map_err(of_engine)?,
            }
            watch.look(&world)?;
            audits += 1;
        }
    }
    let watched = world.ctx().trace.fingerprint().to_string();
    // A probe does not alter the run: one run in eight is executed again without.
    if seed.is_multiple_of(8) {
        let alone = fingerprint(scenario, seed)?;
        if alone != watched {
            return Err(violation("same", format!("{watched} while looked at, {alone} alone")));
        }
        let written = scenario.to_toml();
        let written = draft.read(&written).map_err(|error| violation("rewrite", format!("{error}\n{written}")))?;
        let again = fingerprint(&written, seed)?;
        if again != alone {
            return Err(violation("same", format!("{alone} as read, {again} as written out")));
        }
        let traced = traced(scenario, seed)?;
        if traced != alone {
            return Err(violation("same", format!("{alone} alone, {traced} with log and capture")));
        }
    }
    let delivered = world.ctx().trace.counters.classes().iter().skip(1).map(|life| life.delivered).sum();
    Ok(Passed { events: world.events(), delivered, audits, cut: 0 })
}

/// A run that was ended at its most events.
fn cut(world: &World, audits: u64) -> Passed {
    Passed { events: world.events(), audits, cut: 1, ..Passed::default() }
}

/// What is remembered from look to look.
struct CcaReporting<'s> {
    scenario: &'s Resolved,
    now: Time,
    /// For each node: when it last sent or had nothing to send, and its books at that time.
    active: Vec<(Time, NodeAirtime)>,
}

impl CcaReporting<'_> {
    fn new(scenario: &Resolved) -> CcaReporting<'_> {
        CcaReporting {
            scenario,
            now: Time::ZERO,
            active: vec![(Time::ZERO, NodeAirtime::default()); scenario.positions.len()],
        }
    }

    fn look(&mut self, world: &World) -> Result<(), Violation> {
        let now = world.now();
        if now < self.now {
            return Err(violation("clock", format!("{now} after {}", self.now)));
        }
        self.now = now;
        world.audit().map_err(of_engine)?;
        for node in 0..self.scenario.positions.len() {
            self.node(world, NodeId(node as u32), now)?;
        }
        for flow in 0..self.scenario.flows.len() {
            timers(world, flow)?;
            counts(world, flow)?;
        }
        Ok(())
    }

    /// The books of a node's time, its queue, and whether it does something about it.
    fn node(&mut self, world: &World, node: NodeId, now: Time) -> Result<(), Violation> {
        let spent = world.airtime(node).unwrap_or_default();
        if spent.total() != now.0 {
            return Err(violation("airtime", format!("{} ns booked of node {node} at {now}", spent.total())));
        }
        // A queue of each radio and access category. Drop-tail holds one packet less than its limit, as in ns-2; routing
        // messages pass the others without limit.
        let (queue, radios) = (self.scenario.queue_of(node), self.scenario.radios().of(node).count());
        let categories = if world.ctx().trace.counters.has_categories() { Category::COUNT } else { 1 };
        let is_drop_tail = queue.kind.name() == "drop_tail";
        let most = (queue.limit as usize - usize::from(is_drop_tail)) * radios * categories;
        let is_limited = is_drop_tail || !self.scenario.routing.discovers_routes();
        let waiting = world.queue_len(node);
        if is_limited && waiting > most {
            return Err(violation("queue", format!("{waiting} packets at node {node}, at most {most}")));
        }
        let (since, before) = &mut self.active[node.index()];
        let goes_on = [AirtimeUse::Off, AirtimeUse::Data, AirtimeUse::Broadcast, AirtimeUse::Rts, AirtimeUse::Parked]
            .into_iter()
            .any(|what| spent.of(what) != before.of(what));
        if waiting == 0 || goes_on {
            (*since, *before) = (now, spent);
            return Ok(());
        }
        let silent = now.since(*since);
        let free: u64 =
            [AirtimeUse::Idle, AirtimeUse::Backoff].into_iter().map(|what| spent.of(what) - before.of(what)).sum();
        let starves = free <= silent.0 / FREE_PART;
        if silent > PATIENCE && !starves {
            let what = format!("node {node} has {waiting} packets to send and is silent from {since} to {now}");
            return Err(violation("liveness", what));
        }
        Ok(())
    }
}

/// An application gets no more than what has arrived, and that once.
fn counts(world: &World, flow: usize) -> Result<(), Violation> {
    let counts = world.connection(FlowId(flow as u32)).meter().total();
    if counts.in_order > counts.unique || counts.unique > counts.arrived {
        return Err(violation("counts", format!("flow {flow}: {counts:?}")));
    }
    Ok(())
}

/// A sender that waits for an acknowledgment waits for a timer as well.
fn timers(world: &World, flow: usize) -> Result<(), Violation> {
    let Some(sender) = world.connection(FlowId(flow as u32)).sender() else { return Ok(()) };
    let tcb = sender.tcb();
    if tcb.in_flight() > 0 && sender.deadline().is_none() {
        return Err(violation("liveness", format!("flow {flow}: {} in flight, no timer", tcb.in_flight())));
    }
    let cwnd = sender.cwnd();
    if !cwnd.is_finite() || cwnd < 0.0 {
        return Err(violation("window", format!("flow {flow}: cwnd {cwnd}")));
    }
    Ok(())
}

fn violation(property: &'static str, what: String) -> Violation {
    Violation { property, what }
}

#[allow(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn of_engine(error: EngineError) -> Violation {
    let property = match &error {
        EngineError::Livelock { .. } => "livelock",
        EngineError::TooManyEvents { .. } => "events",
        EngineError::Audit(AuditError::NotConserved { .. }) => "conserved",
        EngineError::Audit(AuditError::Stalled { .. }) => "stuck",
        EngineError::External { .. } | EngineError::Placement { .. } => "build",
    };
    violation(property, error.to_string())
}
