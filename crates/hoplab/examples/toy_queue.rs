//! A queue discipline outside the engine: `cargo run -p hoplab --example toy_queue`.
//!
//! The scenario names it, `kind = "program:DropHead@1"`; this program builds it. A bulk transfer competes for one queue with a
//! constant rate. The example compares the queueing of drop-tail with that of a short queue which drops its oldest packet.

use hoplab::kernel::{NodeId, RadioId};
use hoplab::net::link::{Discipline, QueueConfig, QueueCtx, purge_line};
use hoplab::packet::{PacketId, Packets};
use hoplab::scenario::{RegisteredPart, Resolved};
use hoplab::trace::DropReason;
use hoplab::world::{ExternalQueue, Externals, World};
use std::collections::VecDeque;

const SCENARIO: &str = r#"
duration = "20 s"

[topology]
kind = "chain"
hops = 2

[queue]
kind = "program:DropHead@1"
limit = 20

[[flow]]
transport = "udp"
app = "cbr"
rate = "900 kb/s"
"#;

/// First in, first out; a full queue drops its oldest packet, so that no packet waits longer than the queue is long.
#[derive(Debug)]
struct DropHead {
    packets: VecDeque<PacketId>,
    limit: usize,
}

impl Discipline for DropHead {
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason> {
        if self.packets.len() >= self.limit
            && let Some(oldest) = self.packets.pop_front()
        {
            cx.drop(oldest, DropReason::QueueFull);
        }
        if is_urgent {
            self.packets.push_front(packet);
        } else {
            self.packets.push_back(packet);
        }
        Ok(())
    }

    fn dequeue(&mut self, _cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.packets.pop_front()
    }

    fn peek(&self) -> Option<PacketId> {
        self.packets.front().copied()
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.packets.iter().copied().for_each(visit);
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        purge_line(&mut self.packets, next_hop, packets)
    }
}

/// The parts that this program supplies.
struct Parts;

impl Externals for Parts {
    fn queue(&mut self, _: NodeId, named: &RegisteredPart, config: &QueueConfig) -> Result<ExternalQueue, String> {
        match named.part.as_str() {
            "DropHead" => Ok(Box::new(DropHead { packets: VecDeque::new(), limit: config.limit as usize })),
            other => Err(format!("{other} is not a queue discipline of this program")),
        }
    }
}

/// Goodput of the flow in bits per second, and its mean delay in seconds, with a discipline.
///
/// # Errors
/// What is wrong with the scenario, or with the run.
pub fn run(kind: &str, seed: u64) -> Result<(f64, f64), String> {
    let overrides = [("queue.kind".to_owned(), kind.to_owned())];
    let scenario = Resolved::parse(SCENARIO, "toy.toml", &overrides).map_err(|error| error.to_string())?;
    let mut world = World::build_with(&scenario, seed, &mut Parts).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    let report = world.report(&scenario, seed, 0.0);
    let flow = &report.flows[0];
    Ok((flow.goodput_bps, flow.delay_mean_s.unwrap_or(f64::NAN)))
}

fn main() -> Result<(), String> {
    for kind in ["drop_tail", "program:DropHead@1"] {
        let (goodput, delay) = run(kind, 1)?;
        println!("{kind}: {:.1} kb/s, mean delay {:.0} ms", goodput / 1e3, delay * 1e3);
    }
    Ok(())
}
