//! Runs a scenario whose flows stacks carry, without Python: `cargo run -p hoplab-stacks --example run_stack -- FILE
//! [KEY=VALUE ...]` prints one run as JSON.

use hoplab::scenario::Resolved;
use hoplab::world::World;
use hoplab_stacks::Stacks;
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
    let path = arguments.next().ok_or("which scenario? run_stack FILE [KEY=VALUE ...]")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let pair = |text: String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let overrides = arguments.map(pair).collect::<Option<Vec<_>>>().ok_or("overrides are KEY=VALUE")?;
    let scenario = Resolved::parse(&text, &path, &overrides).map_err(|error| error.to_string())?;
    let mut world = World::build_with(&scenario, scenario.seed, &mut Stacks).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    let report = world.report(&scenario, scenario.seed, 0.0);
    serde_json::to_string(&report).map_err(|error| error.to_string())
}
