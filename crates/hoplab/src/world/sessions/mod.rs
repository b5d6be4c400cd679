//! Sessions of workloads, and the flows that are their members.

mod running;

use super::deadline::DeadlineTimer;
use crate::app::Session;
use crate::kernel::FlowId;

/// All sessions of a run.
#[derive(Debug, Default)]
pub(in crate::world) struct Sessions {
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
    pub(in crate::world) fn add(&mut self, workload: u32, session: Box<dyn Session + Send>, members: Vec<FlowId>) {
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
