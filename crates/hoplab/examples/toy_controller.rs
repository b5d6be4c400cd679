//! A congestion control outside the engine: `cargo run -p hoplab --example toy_controller`.
//!
//! The scenario names it, `controller = "program:Gentle@1"`; this program builds it. The digest after `@` identifies its
//! behavior. Change it with the code, so that stored results of earlier code are not reused.

use hoplab::scenario::{ExternalController, FlowSpec, Resolved};
use hoplab::transport::{CongestionControl, Loss, LossSignal, NewAck};
use hoplab::world::{ExternalControl, Externals, World};

const SCENARIO: &str = r#"
duration = "20 s"

[topology]
kind = "chain"
hops = 4

[[flow]]
transport = "new_reno"
controller = "program:Gentle@1"
"#;

/// Grows a quarter as fast as Reno, and keeps three quarters of the window after a loss.
#[derive(Debug)]
struct Gentle {
    cwnd: f64,
    ssthresh: f64,
    initial_window: f64,
}

impl CongestionControl for Gentle {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        if ack.is_syn_ack() {
            self.cwnd = self.initial_window;
        } else if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
        } else {
            self.cwnd += 0.25 / self.cwnd;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.ssthresh = (0.75 * loss.window).max(2.0);
        self.cwnd = match loss.signal {
            LossSignal::DupAcks => self.ssthresh,
            LossSignal::Timeout => 1.0,
        };
    }
}

/// The parts that this program supplies.
struct Parts;

impl Externals for Parts {
    fn controller(&mut self, _flow: &FlowSpec, named: &ExternalController) -> Result<ExternalControl, String> {
        match named.class.as_str() {
            "Gentle" => Ok(Box::new(Gentle { cwnd: 1.0, ssthresh: f64::INFINITY, initial_window: 2.0 })),
            other => Err(format!("{other} is not a controller of this program")),
        }
    }
}

/// Goodput of the flow, in bits per second.
///
/// # Errors
/// What is wrong with the scenario, or with the run.
pub fn run(seed: u64) -> Result<f64, String> {
    let scenario = Resolved::parse(SCENARIO, "toy.toml", &[]).map_err(|error| error.to_string())?;
    let mut world = World::build_with(&scenario, seed, &mut Parts).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    Ok(world.report(&scenario, seed, 0.0).flows[0].goodput_bps)
}

fn main() -> Result<(), String> {
    for seed in 1..=3 {
        println!("seed {seed}: {:.1} kb/s", run(seed)? / 1e3);
    }
    Ok(())
}
