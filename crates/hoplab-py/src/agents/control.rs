//! The controller of a flow whose window an agent sets, and what the agent observes.

use hoplab::kernel::{Span, Time};
use hoplab::packet::Ack;
use hoplab::transport::{CongestionControl, Loss, LossSignal, Needs, NewAck, RateSample, SenderState};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Fields of an observation, in order. Counts are of the last interval.
///
/// `hoplab.gym.observation` documents them, and `hoplab.gym.policy` counts the same for a policy outside an environment.
pub(super) const FIELDS: [&str; 8] =
    ["acked_bps", "rtt_s", "min_rtt_s", "losses", "timeouts", "cwnd", "in_flight", "silence_s"];

/// A window after an action: changed by that power of two, of -1 to 1, within one segment and `most`.
#[pyfunction]
pub(crate) fn scaled_window(window: f64, action: f64, most: f64) -> f64 {
    (window * libm::exp2(action.clamp(-1.0, 1.0))).clamp(1.0, most)
}

/// A flow with an agent.
#[derive(Debug)]
pub(super) struct Flow {
    window: f64,
    segment: u32,
    is_established: bool,
    acked: u64,
    rtt_sum: f64,
    rtts: u32,
    /// Mean of the last interval that had a sample.
    rtt: f64,
    min_rtt: f64,
    losses: u32,
    timeouts: u32,
    in_flight: u32,
    last_ack: Time,
}

/// The flow, of which agent and controller have a share each. They take turns, so that neither waits.
pub(super) fn lock(flow: &Mutex<Flow>) -> MutexGuard<'_, Flow> {
    flow.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flow {
    pub(super) fn new(window: f64, segment: u32) -> Flow {
        Flow {
            window,
            segment,
            is_established: false,
            acked: 0,
            rtt_sum: 0.0,
            rtts: 0,
            rtt: 0.0,
            min_rtt: 0.0,
            losses: 0,
            timeouts: 0,
            in_flight: 0,
            last_ack: Time::ZERO,
        }
    }

    /// The agent's window; one segment until the connection is established.
    fn shown(&self) -> f64 {
        if self.is_established { self.window } else { 1.0 }
    }

    pub(super) fn act(&mut self, action: f64, most: f64) {
        self.window = scaled_window(self.window, action, most);
    }

    /// The observation of an interval that ends now, by [`FIELDS`]. The next interval begins.
    pub(super) fn observe(&mut self, now: Time, elapsed: Span) -> [f64; FIELDS.len()] {
        let seconds = elapsed.secs();
        let bits = (self.acked * u64::from(self.segment) * 8) as f64;
        if self.rtts > 0 {
            self.rtt = self.rtt_sum / f64::from(self.rtts);
        }
        let observed = [
            if seconds > 0.0 { bits / seconds } else { 0.0 },
            self.rtt,
            self.min_rtt,
            f64::from(self.losses),
            f64::from(self.timeouts),
            self.window,
            f64::from(self.in_flight),
            now.since(self.last_ack).secs(),
        ];
        (self.acked, self.rtt_sum, self.rtts, self.losses, self.timeouts) = (0, 0.0, 0, 0, 0);
        observed
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if !ack.is_syn_ack() {
            self.acked += u64::from(ack.newly_acked);
        }
        self.is_established = true;
        self.note(ack.now, ack.in_flight, ack.rtt);
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        self.acked += u64::from(state.newly_delivered);
        self.note(state.now, state.flights.1, sample.rtt);
    }

    fn note(&mut self, now: Time, in_flight: u32, rtt: Option<Span>) {
        (self.in_flight, self.last_ack) = (in_flight, now);
        if let Some(rtt) = rtt.map(Span::secs) {
            self.rtt_sum += rtt;
            self.rtts += 1;
            self.min_rtt = if self.min_rtt == 0.0 { rtt } else { self.min_rtt.min(rtt) };
        }
    }
}

/// A congestion control with the window that an agent has set. Recovery and idle times leave it; a timeout sets one segment,
/// until the agent sets it again.
#[derive(Debug)]
pub(super) struct AgentControl {
    flow: Arc<Mutex<Flow>>,
    /// The window as of the last event, if the sender is that of a complete connection, which sends between events, too. It reports
    /// what is delivered in samples.
    at_event: Option<f64>,
}

impl AgentControl {
    pub(super) fn new(flow: Arc<Mutex<Flow>>, is_connection: bool) -> AgentControl {
        AgentControl { flow, at_event: is_connection.then_some(1.0) }
    }

    /// Lets an event change the flow, and the window take effect.
    fn hear(&mut self, act: impl FnOnce(&mut Flow)) {
        let mut flow = lock(&self.flow);
        act(&mut flow);
        if let Some(window) = &mut self.at_event {
            *window = flow.shown();
        }
    }
}

impl CongestionControl for AgentControl {
    fn cwnd(&self) -> f64 {
        self.at_event.unwrap_or_else(|| lock(&self.flow).shown())
    }

    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.hear(|flow| flow.on_ack(ack));
    }

    fn on_recovery_ack(&mut self, ack: &NewAck<'_>) {
        self.hear(|flow| flow.on_ack(ack));
    }

    fn on_dup_ack(&mut self, _now: Time, _ack: &Ack) {
        self.hear(|_| {});
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        self.hear(|flow| flow.on_sample(sample, state));
    }

    fn needs(&self) -> Needs {
        Needs { owns_window: self.at_event.is_some(), ..Needs::default() }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.hear(|flow| match loss.signal {
            LossSignal::Timeout => {
                flow.timeouts += 1;
                flow.window = 1.0;
            }
            LossSignal::DupAcks => flow.losses += 1,
        });
    }
}
