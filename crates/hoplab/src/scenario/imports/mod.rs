//! Files of other simulators that a scenario names: movements and traffic.

pub(crate) mod cbrgen;
pub(crate) mod movement;
