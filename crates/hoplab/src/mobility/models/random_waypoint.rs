//! Random waypoint as a row of the list: the checks of its keys, and the trajectories of a run. The model is `waypoint.rs`.

use super::waypoint::{Waypoint, mean_leg};
use crate::kernel::{NodeId, Span, Time};
use crate::mobility::config::{ConfigError, MobilityConfig};
use crate::mobility::init::Init;
use crate::mobility::scene::Scene;
use crate::mobility::trajectory::{Point, Trajectory};
use std::collections::BTreeSet;

/// Maximum number of legs of all nodes together; each takes 48 bytes of memory.
const MAX_LEGS: f64 = 2e7;

/// The model that the keys describe.
fn model(config: &MobilityConfig) -> Waypoint {
    Waypoint {
        area: config.area(),
        min_speed: config.min_speed.0,
        max_speed: config.max_speed.0,
        pause: config.pause.secs(),
        pause_kind: config.pause_kind,
        init: config.init,
    }
}

pub(crate) fn check(config: &MobilityConfig, nodes: u32, duration: Span) -> Result<(), ConfigError> {
    let wrong = |key, message: String, expected: &str, hint: Option<String>| {
        Err(ConfigError { key, message, expected: expected.to_owned(), hint })
    };
    let (min, max) = (config.min_speed, config.max_speed);
    if max.0 <= 0.0 {
        return wrong(
            "max_speed",
            "must be greater than 0 m/s".to_owned(),
            "speed greater than 0 m/s",
            Some("set kind = \"still\" for stationary nodes".to_owned()),
        );
    }
    if min > max {
        return wrong(
            "min_speed",
            format!("min_speed ({min}) exceeds max_speed ({max})"),
            "min_speed not above max_speed",
            None,
        );
    }
    if min.0 <= 0.0 && !matches!(config.init, Init::Uniform | Init::Topology) {
        let message = format!("must be greater than 0 m/s with init = \"{}\"", config.init);
        let hint = "set min_speed = \"0.1 m/s\", or init = \"uniform\" for the speed decay of ns-2".to_owned();
        return wrong("min_speed", message, "speed greater than 0 m/s", Some(hint));
    }
    let legs = f64::from(nodes) * model(config).most_legs(duration.secs() + config.skip.secs());
    if legs > MAX_LEGS {
        let (a, b) = config.area();
        let message =
            format!("number of legs ({legs:.1e}) exceeds limit ({MAX_LEGS:.0e}); mean leg: {:.3} m", mean_leg(a, b));
        let expected = format!("at most {MAX_LEGS:.0e} legs in a run");
        return wrong(
            "max_speed",
            message,
            &expected,
            Some("decrease speed or duration, or increase mobility.area".to_owned()),
        );
    }
    Ok(())
}

/// Stationary nodes are at their position of the topology, or at a random one.
pub(crate) fn trajectories(
    config: &MobilityConfig,
    scene: &Scene<'_>,
    nodes: u32,
) -> Result<Vec<Trajectory>, ConfigError> {
    let model = model(config);
    let until = Time::ZERO + config.skip + scene.duration;
    let fixed: BTreeSet<u32> = config.stationary_nodes.iter().copied().collect();
    let trajectory = |node: u32| {
        let given = scene.positions.get(node as usize).copied();
        if fixed.contains(&node) {
            let (x, y) = given.unwrap_or_else(|| model.place(scene.streams, NodeId(node)));
            return Ok(Trajectory::still(x, y));
        }
        match given.filter(|_| config.init == Init::Topology) {
            Some(place) if model.has(place) => {
                Ok(model.trajectory_from(Some(place), *scene.streams, NodeId(node), until))
            }
            Some((x, y)) => Err(outside(config, node, (x, y))),
            None => Ok(model.trajectory(*scene.streams, NodeId(node), until)),
        }
    };
    (0..nodes).map(trajectory).collect()
}

fn outside(config: &MobilityConfig, node: u32, (x, y): Point) -> ConfigError {
    let (a, b) = config.area();
    ConfigError {
        key: "init",
        message: format!("node {node} at ({x}, {y}) is outside mobility.area ({a} m x {b} m)"),
        expected: "positions of the topology in mobility.area, or another init".to_owned(),
        hint: Some("increase mobility.area, or add the node to mobility.stationary_nodes".to_owned()),
    }
}
