//! Builds the sessions of workloads.

use crate::app::SessionPlan;
use crate::kernel::{FlowId, Purpose};
use crate::scenario::Resolved;
use crate::sim::{AppTimer, Event};
use crate::world::run::World;
use crate::world::sessions::Sessions;
use std::collections::BTreeMap;

/// Numbers of the random streams of sessions: above those of workloads.
const SESSIONS: u32 = 1_000;

impl World {
    /// Adds the sessions of a scenario, if it has any.
    pub(super) fn add_sessions(&mut self, scenario: &Resolved) {
        let mut members: BTreeMap<(u32, u32), Vec<FlowId>> = BTreeMap::new();
        for flow in &scenario.flows {
            if let (Some(workload), Some((session, _))) = (flow.workload, flow.session) {
                members.entry((workload, session)).or_default().push(flow.id);
            }
        }
        if members.is_empty() {
            return;
        }
        let mut sessions = Sessions::default();
        for (number, ((id, _), flows)) in members.into_iter().enumerate() {
            let workload = &scenario.workloads[id as usize];
            let start = self.flows[flows[0].index()].start;
            let end = scenario.end();
            let plan = SessionPlan {
                keys: &workload.keys(),
                start,
                stop: workload.config.stop.unwrap_or(end).min(end),
                sizes: self.ctx.streams.stream(Purpose::WorkloadSize, SESSIONS + number as u32),
            };
            if let Some(session) = workload.config.kind.session(plan) {
                self.ctx.events.schedule(start, Event::App { flow: flows[0], timer: AppTimer::Session });
                sessions.add(id, session, flows);
            }
        }
        self.sessions = Some(Box::new(sessions));
    }
}
