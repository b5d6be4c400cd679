//! Runs a scenario without Python: `cargo run -p hoplab --example run -- FILE [KEY=VALUE ...]` prints one run as JSON.
//!
//! For work on the engine: an edit shows after one build of one crate. Scenarios that name files (movements, traffic,
//! controllers) need the command line.

use hoplab::scenario::Resolved;
use hoplab::world::World;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<String, String> {
    let path = arguments.next().ok_or("which scenario? run FILE [KEY=VALUE ...]")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let overrides = arguments
        .map(|pair| match pair.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("{pair:?} is not KEY=VALUE")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let scenario = Resolved::parse(&text, &path, &overrides).map_err(|error| error.to_string())?;
    let mut world = World::build(&scenario, scenario.seed).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    let report = world.report(&scenario, scenario.seed, 0.0);
    serde_json::to_string(&report).map_err(|error| error.to_string())
}
