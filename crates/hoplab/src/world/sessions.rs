//! Sessions of workloads: what their ends do in turn, carried out by their connections.

use super::deadline::DeadlineTimer;
use super::run::World;
use crate::app::{Action, Session, SessionReport};
use crate::kernel::{End, FlowId};
use crate::sim::{AppTimer, Event};

/// All sessions of a run.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    running: Vec<Running>,
    /// By flow: its session, and its number there.
    of_flow: Vec<Option<(usize, usize)>>,
}

/// A session and its flows.
#[derive(Debug)]
struct Running {
    session: Box<dyn Session + Send>,
    /// Number of its workload.
    workload: u32,
    members: Vec<FlowId>,
    timer: DeadlineTimer,
    has_started: bool,
}

impl Sessions {
    /// Adds a session of a workload.
    pub(super) fn add(&mut self, workload: u32, session: Box<dyn Session + Send>, members: Vec<FlowId>) {
        let index = self.running.len();
        for (member, flow) in members.iter().enumerate() {
            if self.of_flow.len() <= flow.index() {
                self.of_flow.resize(flow.index() + 1, None);
            }
            self.of_flow[flow.index()] = Some((index, member));
        }
        self.running.push(Running { session, workload, members, timer: DeadlineTimer::default(), has_started: false });
    }
}

impl World {
    /// What the sessions of a workload have measured.
    pub(super) fn session_reports(&self, workload: u32) -> impl Iterator<Item = SessionReport> {
        let all = self.sessions.iter().flat_map(|sessions| &sessions.running);
        let now = self.ctx.now;
        all.filter(move |running| running.workload == workload).map(move |running| running.session.report(now))
    }

    /// The session of a flow starts, or its deadline has expired.
    pub(super) fn on_session_timer(&mut self, flow: FlowId) {
        let now = self.ctx.now;
        let Some(sessions) = &mut self.sessions else { return };
        let Some(&Some((index, _))) = sessions.of_flow.get(flow.index()) else { return };
        let running = &mut sessions.running[index];
        let mut actions = Vec::new();
        if running.has_started {
            running.timer.on_fired();
            if running.session.deadline().is_some_and(|at| at <= now) {
                running.session.on_deadline(now, &mut actions);
            }
        } else {
            running.has_started = true;
            running.session.on_start(now, &mut actions);
        }
        self.carry_out(index, &actions);
    }

    /// A packet of a flow has arrived at `end`.
    #[cold]
    #[inline(never)]
    pub(super) fn on_session_arrival(&mut self, flow: FlowId, end: End) {
        let Some(sessions) = &mut self.sessions else { return };
        let Some(&Some((index, member))) = sessions.of_flow.get(flow.index()) else { return };
        let total = self.flows[flow.index()].connection.received(end);
        let mut actions = Vec::new();
        sessions.running[index].session.on_arrival(self.ctx.now, member, end, total, &mut actions);
        self.carry_out(index, &actions);
    }

    fn carry_out(&mut self, index: usize, actions: &[Action]) {
        let now = self.ctx.now;
        for action in actions {
            let Some(sessions) = &self.sessions else { return };
            let flow = sessions.running[index].members[action.member];
            let connection = &mut self.flows[flow.index()].connection;
            connection.on_act(action.end, action.act, now, &mut self.outbox.emits);
            self.carry_down(flow);
        }
        if let Some(sessions) = &mut self.sessions {
            let running = &mut sessions.running[index];
            let event = Event::App { flow: running.members[0], timer: AppTimer::Session };
            running.timer.arm(&mut self.ctx, running.session.deadline(), event);
        }
    }
}
