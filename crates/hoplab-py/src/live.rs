//! Runs at the pace of the wall clock, for `hoplab live`.

use crate::failure::Failure;
use crate::job::Job;
use crate::limits::interrupt::interruptible;
use crate::scenarios::resolve;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Runs a scenario at the pace of the wall clock, and returns a report of its pace as JSON. `ports` are nodes, and the
/// descriptors of their devices; the run ends early once descriptor `stop` is readable. Packets that enter are recorded in
/// the file `record`. `clock` is `real`, `precise` or `virtual`.
#[pyfunction]
#[pyo3(signature = (job, ports, stop, record, *, bound_s, clock))]
pub(crate) fn run_live(
    py: Python<'_>,
    job: &Job,
    ports: Vec<(u32, i32)>,
    stop: i32,
    record: &str,
    bound_s: f64,
    clock: &str,
) -> PyResult<String> {
    let asked = job.clone();
    let resolved = interruptible(py, move || resolve(&asked))?;
    let found =
        resolved.and_then(|scenario| py.detach(|| pace(&scenario, job.seed, ports, (stop, clock), record, bound_s)));
    found.map_err(|failure| failure.raised(py, job).unwrap_or_else(|| PyOSError::new_err("interrupted")))
}

#[cfg(target_os = "linux")]
fn pace(
    scenario: &hoplab::scenario::Resolved,
    seed: u64,
    ports: Vec<(u32, i32)>,
    (stop, clock): (i32, &str),
    record: &str,
    bound_s: f64,
) -> Result<String, Failure> {
    use crate::controller::{Failures, Maker};
    use hoplab::kernel::{NodeId, Span};
    use hoplab::world::World;
    use hoplab_live::{Clock, LinuxHost, LiveError, TextRecord, run};
    use std::io::BufWriter;
    use std::sync::PoisonError;

    let clock = match clock {
        "real" => Clock::Real,
        "precise" => Clock::Precise,
        "virtual" => Clock::Virtual,
        other => {
            return Err(Failure::Engine(format!("clock: unknown value {other:?}, expected real, precise or virtual")));
        }
    };
    let of_file = |error| Failure::File(record.to_owned(), error);
    let of_system = |error| Failure::File("devices of nodes".to_owned(), error);
    let failures = Failures::default();
    let failed =
        || failures.lock().unwrap_or_else(PoisonError::into_inner).take().map(Box::new).map(Failure::Controller);
    let mut maker = Maker { tcp: &scenario.tcp, stream: &scenario.stream, failures: &failures };
    let built = World::build_with(scenario, seed, &mut maker);
    let mut world = built.map_err(|error| failed().unwrap_or_else(|| error.into()))?;
    let file = std::fs::File::create(record).map_err(of_file)?;
    let mut text = TextRecord::start(BufWriter::new(file)).map_err(of_file)?;
    let mut ports: Vec<(NodeId, i32)> = ports.into_iter().map(|(node, fd)| (NodeId(node), fd)).collect();
    ports.sort_unstable();
    let mut host = LinuxHost::new(&ports, stop, clock).map_err(of_system)?;
    host.start_clock();
    let report = run(&mut world, &mut host, &mut text, scenario.end(), Span::from_secs(bound_s));
    text.finish().map_err(of_file)?;
    let report = report.map_err(|error| match error {
        LiveError::Engine(error) => error.into(),
        LiveError::System(error) => of_system(error),
    })?;
    // One that has failed is not called any more: the pace of the run does not wait for it.
    failed().map_or(Ok(()), Err)?;
    Ok(serde_json::to_string(&report).expect("numbers and strings are always JSON"))
}

#[cfg(not(target_os = "linux"))]
fn pace(
    _: &hoplab::scenario::Resolved,
    _: u64,
    _: Vec<(u32, i32)>,
    _: (i32, &str),
    _: &str,
    _: f64,
) -> Result<String, Failure> {
    Err(Failure::Engine("hoplab live requires Linux: network namespaces and TUN devices".to_owned()))
}
