//! An application outside the engine: `cargo run -p hoplab --example toy_application`.
//!
//! The scenario names it, `source = "program:Sawtooth@1"`; this program builds it. It goes over any transport, here over
//! NewReno and UDP.

use hoplab::app::{Supply, Traffic};
use hoplab::kernel::{Span, Time};
use hoplab::scenario::{FlowSpec, RegisteredPart, Resolved};
use hoplab::world::{ExternalSource, Externals, World};

const SCENARIO: &str = r#"
duration = "20 s"

[topology]
kind = "chain"
hops = 4

[[flow]]
transport = "new_reno"
segment = 512
source = "program:Sawtooth@1"
"#;

/// Bursts of 1, 2, ... packets, up to a largest one, then of 1 again; one burst per interval.
#[derive(Debug)]
struct Sawtooth {
    interval: Span,
    largest: u32,
    burst: u32,
    next: Option<Time>,
}

impl Sawtooth {
    fn burst(&mut self, now: Time) -> Supply {
        self.next = Some(now + self.interval);
        self.burst = self.burst % self.largest + 1;
        Supply::Segments(self.burst)
    }
}

impl Traffic for Sawtooth {
    fn on_start(&mut self, now: Time) -> Supply {
        self.burst(now)
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        self.burst(now)
    }

    fn on_stop(&mut self) {
        self.next = None;
    }

    fn deadline(&self) -> Option<Time> {
        self.next
    }
}

/// The parts that this program supplies.
struct Parts;

impl Externals for Parts {
    fn source(&mut self, _flow: &FlowSpec, named: &RegisteredPart) -> Result<ExternalSource, String> {
        match named.part.as_str() {
            "Sawtooth" => Ok(Box::new(Sawtooth { interval: Span::from_millis(200), largest: 5, burst: 0, next: None })),
            other => Err(format!("{other} is not an application of this program")),
        }
    }
}

/// Goodput of the flow over a transport, in bits per second.
///
/// # Errors
/// What is wrong with the scenario, or with the run.
pub fn run(transport: &str, seed: u64) -> Result<f64, String> {
    let overrides = [("flow.transport".to_owned(), transport.to_owned())];
    let scenario = Resolved::parse(SCENARIO, "toy.toml", &overrides).map_err(|error| error.to_string())?;
    let mut world = World::build_with(&scenario, seed, &mut Parts).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    Ok(world.report(&scenario, seed, 0.0).flows[0].goodput_bps)
}

fn main() -> Result<(), String> {
    for transport in ["new_reno", "udp"] {
        println!("{transport}: {:.1} kb/s", run(transport, 1)? / 1e3);
    }
    Ok(())
}
