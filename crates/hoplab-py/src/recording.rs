//! Recordings of a run in progress: tables of events and samples, and a capture of frames.

pub(crate) mod capture;
pub(crate) mod rows;

use crate::failure::Failure;
use crate::job::Job;
use crate::recording::capture::Capture;
use crate::recording::rows::Tables;
use hoplab::measure::{Sample, Sampler};
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// What a job records of its run in addition to the report.
pub(crate) struct Recording {
    tables: Option<Tables>,
    sampler: Option<Sampler>,
    samples: Vec<Sample>,
    capture: Option<(String, Capture)>,
}

impl Recording {
    pub(crate) fn new(job: &Job, resolved: &Resolved, world: &mut World) -> Result<Recording, Failure> {
        let mut tables = None;
        if let Some(path) = &job.trace {
            world.keep_log();
            let has_categories = world.log_mut().is_some_and(|log| log.has_categories());
            tables = Some(Tables::create(path, job.seed, has_categories)?);
        }
        if job.trace.is_some() || job.airtime {
            world.account_airtime();
        }
        let mut capture = None;
        if let Some(path) = &job.capture {
            let (begun, tap) = Capture::create(path, resolved).map_err(|error| Failure::File(path.clone(), error))?;
            world.set_capture(tap);
            capture = Some((path.clone(), begun));
        }
        let sampler = tables.is_some().then(|| Sampler::new(resolved));
        Ok(Recording { tables, sampler, samples: Vec::new(), capture })
    }

    /// Completes all files.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        if let Some(tables) = self.tables {
            tables.finish()?;
        }
        match &self.capture {
            Some((path, capture)) => capture.finish().map_err(|error| Failure::File(path.clone(), error)),
            None => Ok(()),
        }
    }

    pub(crate) fn sample(&mut self, world: &World) {
        if let Some(sampler) = &mut self.sampler {
            world.sample(sampler, &mut self.samples);
        }
    }

    /// Writes the rows since the last call, if they are more than `least`.
    pub(crate) fn write(&mut self, world: &mut World, least: usize) -> Result<(), Failure> {
        let Some(tables) = &mut self.tables else { return Ok(()) };
        if let Some(log) = world.log_mut() {
            tables.take_events(log, least)?;
        }
        tables.take_samples(&mut self.samples, least)
    }
}
