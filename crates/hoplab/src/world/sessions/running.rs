//! Carries out what sessions do, and reports to them what has arrived.

use crate::app::{Action, SessionReport};
use crate::kernel::{AnyRun, End, FlowId};
use crate::sim::{AppTimer, Event};
use crate::world::run::World;

impl World {
    /// What the sessions of a workload have measured.
    pub(in crate::world) fn session_reports(&self, workload: u32) -> impl Iterator<Item = SessionReport> {
        let all = self.sessions.iter().flat_map(|sessions| &sessions.running);
        let now = self.ctx.now;
        all.filter(move |running| running.workload == workload).map(move |running| running.session.report(now))
    }

    /// The session of a flow starts, or its deadline has expired.
    #[cold]
    #[inline(never)]
    pub(in crate::world) fn on_session_timer(&mut self, flow: FlowId) {
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
    pub(in crate::world) fn on_session_arrival(&mut self, flow: FlowId, end: End) {
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
            self.carry_down::<AnyRun>(flow);
        }
        if let Some(sessions) = &mut self.sessions {
            let running = &mut sessions.running[index];
            let event = Event::App { flow: running.members[0], timer: AppTimer::Session };
            running.timer.arm(&mut self.ctx, running.session.deadline(), event);
        }
    }
}
