//! The plan of a run: the trajectory of every node from table `[mobility]`, the topology and a file, with warnings where they
//! differ.

use super::config::{ConfigError, MobilityConfig};
use super::import::{File, ImportError, Movements, Request, Warning};
use super::movement::Movement;
use super::scene::Scene;
use super::trajectory::{Point, Trajectory};
use crate::kernel::{NodeId, Span, Time};

/// The trajectories of all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// By node.
    pub trajectories: Vec<Trajectory>,
    /// By node, the time that its file has it, if its radio is off outside of that.
    pub present: Vec<Option<(Time, Time)>>,
    /// By node, its number in the file, if nodes are renumbered.
    pub numbers: Option<Vec<u32>>,
    /// Nodes that the file lacks and each run places; their trajectories are at the origin.
    pub drawn: Vec<u32>,
    /// Unusual but valid content.
    pub warnings: Vec<Warning>,
}

/// Why nodes cannot move as described.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MobilityError {
    /// Keys of `[mobility]` contradict each other.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The movement file is wrong.
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// The trajectory of every node.
///
/// # Errors
/// If keys contradict each other, or the file is wrong.
pub fn plan(config: &MobilityConfig, scene: &Scene) -> Result<Plan, MobilityError> {
    let known = scene.nodes.or(if config.is_file() { None } else { Some(scene.positions.len() as u32) });
    config.check(known, scene.duration)?;
    let mut plan = match config.kind.movements() {
        Movement::Model { trajectories, .. } => {
            let trajectories = trajectories(config, scene, known.unwrap_or(0))?;
            Plan { trajectories, present: Vec::new(), numbers: None, drawn: Vec::new(), warnings: Vec::new() }
        }
        Movement::File(read) => replay(config, scene, read)?,
    };
    if config.skip > Span::ZERO {
        for way in &mut plan.trajectories {
            *way = way.after(config.skip);
        }
        for (from, to) in plan.present.iter_mut().flatten() {
            (*from, *to) = (earlier(*from, config.skip), earlier(*to, config.skip));
        }
    }
    Ok(plan)
}

fn earlier(t: Time, by: Span) -> Time {
    Time(t.0.saturating_sub(by.0))
}

fn replay(
    config: &MobilityConfig,
    scene: &Scene<'_>,
    read: fn(File<'_>, &Request<'_>) -> Result<Movements, ImportError>,
) -> Result<Plan, MobilityError> {
    let file = scene.file.ok_or_else(|| ConfigError {
        key: "file",
        message: format!("{:?}: file not loaded", config.file.as_deref().unwrap_or("")),
        expected: "contents of a movement file".to_owned(),
        hint: None,
    })?;
    let fixed: Vec<NodeId> = config.stationary_nodes.iter().map(|&node| NodeId(node)).collect();
    let area = config.area.map(|_| config.area());
    let request = Request {
        nodes: scene.nodes,
        fixed: &fixed,
        area,
        positions: scene.positions,
        rules: scene.rules,
        edge: config.edge,
        renumber: config.renumber == Some(true),
        off_when_absent: config.off_when_absent == Some(true),
        dimensions: config.dimensions,
        params: scene.params,
    };
    let Movements { nodes, present, numbers, mut warnings } = read(file, &request)?;
    let (mut trajectories, mut drawn) = (Vec::with_capacity(nodes.len()), Vec::new());
    for (node, way) in nodes.into_iter().enumerate() {
        let mut given = scene.positions.get(node).copied();
        if way.is_none() && given.is_none() && (node as u32) < scene.drawn {
            drawn.push(node as u32);
            given = Some((0.0, 0.0));
        }
        let way = way.or(given.map(|(x, y)| Trajectory::still(x, y))).ok_or_else(|| {
            let message = format!("node {node} has no position in {} or the topology", file.path);
            ConfigError {
                key: "stationary_nodes",
                message,
                expected: "a position for every node".to_owned(),
                hint: Some("add topology.positions".to_owned()),
            }
        })?;
        trajectories.push(way);
    }
    warnings.extend(moved(file, scene.positions, &trajectories));
    let present = if request.off_when_absent { present } else { Vec::new() };
    let present = present.into_iter().map(|span| span.map(|span| (span.from, span.to))).collect();
    Ok(Plan { trajectories, present, numbers, drawn, warnings })
}

/// Positions nearer than this are equal, in metres.
const SAME_PLACE_M: f64 = 1e-6;

/// A warning if nodes start at other positions than those of the topology.
fn moved(file: File, positions: &[Point], ways: &[Trajectory]) -> Option<Warning> {
    let mut apart = positions.iter().zip(ways).enumerate().filter_map(|(node, (&place, way))| {
        let start = way.start();
        (libm::hypot(start.0 - place.0, start.1 - place.1) > SAME_PLACE_M).then_some((node, place, start))
    });
    let (node, place, start) = apart.next()?;
    let more = match apart.count() {
        0 => String::new(),
        more => format!(", and {more} more nodes"),
    };
    let message = format!(
        "positions of the file override those of the topology: node {node} starts at ({}, {}) instead of ({}, {}){more}",
        start.0, start.1, place.0, place.1
    );
    Some(Warning { path: file.path.to_owned(), line: None, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{RandomStreams, Time};
    use crate::mobility::Rules;

    const SCEN: &str = "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$ns_ at 1 \"$node_(0) setdest 11 2 1\"\n";

    fn planned(toml: &str, nodes: Option<u32>, positions: &[Point], text: &str) -> Result<Plan, String> {
        let config: MobilityConfig = toml::from_str(toml).expect("a table");
        let streams = RandomStreams::new(1);
        let file = Some(File { path: "scen", text });
        let duration = Span::from_secs(100.0);
        let scene =
            Scene { nodes, positions, drawn: 0, duration, streams: &streams, file, params: None, rules: Rules::Ns2 };
        plan(&config, &scene).map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_are_stationary_by_default() {
        let plan = planned("", None, &[(1.0, 2.0), (3.0, 4.0)], "").expect("a plan");
        assert_eq!(plan.trajectories, [Trajectory::still(1.0, 2.0), Trajectory::still(3.0, 4.0)]);
    }

    #[test]
    fn stationary_nodes_rest_and_others_move() {
        let plan =
            planned("kind = 'waypoint'\nstationary_nodes = [0, 3]", Some(4), &[(380.0, 380.0)], "").expect("a plan");
        assert_eq!(plan.trajectories[0], Trajectory::still(380.0, 380.0));
        let moves: Vec<bool> = plan.trajectories.iter().map(|way| !way.is_still()).collect();
        assert_eq!(moves, [false, true, true, false]);
        let ((x, y), _) = plan.trajectories[3].bounding_box();
        assert!(x > 0.0 && x < 1000.0 && y > 0.0 && y < 1000.0 && (x, y) != (0.0, 0.0));
    }

    #[test]
    fn stationary_node_leaves_other_trajectories() {
        let all = planned("kind = 'waypoint'", Some(5), &[], "").expect("a plan");
        let fixed = planned("kind = 'waypoint'\nstationary_nodes = [2]", Some(9), &[], "").expect("a plan");
        for node in [0, 1, 3, 4] {
            assert_eq!(all.trajectories[node], fixed.trajectories[node]);
        }
    }

    #[test]
    fn nodes_start_at_the_topology_if_asked() {
        let table = "kind = 'waypoint'\ninit = 'topology'\npause = '5 s'";
        let places = [(10.0, 20.0), (300.0, 400.0)];
        let plan = planned(table, None, &places, "").expect("a plan");
        for (way, place) in plan.trajectories.iter().zip(places) {
            assert_eq!((way.start(), way.next_change(Time::ZERO)), (place, Time::from_secs(5.0)));
        }
        let error = planned(table, None, &[(10.0, 20.0), (10.0, 1001.0)], "").expect_err("a node outside");
        assert!(error.starts_with("mobility.init: node 1 at (10, 1001) is outside"), "{error}");
    }

    #[test]
    fn positions_of_the_file_override_with_a_warning() {
        let table = "kind = 'setdest'\nfile = 'scen'";
        let plan = planned(table, None, &[(1.0, 2.0)], SCEN).expect("a plan");
        assert!(plan.warnings.is_empty());
        let plan = planned(table, None, &[(5.0, 2.0)], SCEN).expect("a plan");
        assert_eq!(plan.trajectories[0].start(), (1.0, 2.0));
        assert_eq!(
            plan.warnings[0].to_string(),
            "scen: positions of the file override those of the topology: node 0 starts at (1, 2) instead of (5, 2)"
        );
    }

    #[test]
    fn topology_positions_nodes_missing_in_file() {
        let table = "kind = 'setdest'\nfile = 'scen'";
        let script = "$ns_ at 1 \"$node_(1) setdest 17 8 1\"\n";
        let plan = planned(table, Some(2), &[(1.0, 2.0), (7.0, 8.0)], script).expect("a plan");
        assert_eq!(plan.trajectories[0], Trajectory::still(1.0, 2.0));
        assert_eq!(plan.trajectories[1].position(Time::from_secs(6.0)), (12.0, 8.0));
        let warnings: Vec<String> = plan.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["scen:1: node 0 is not in the file; it is stationary at its position of the topology"]);
    }

    #[test]
    fn stationary_nodes_may_be_missing_in_the_file() {
        let table = "kind = 'setdest'\nfile = 'scen'\nstationary_nodes = [1]";
        let plan = planned(table, Some(2), &[(1.0, 2.0), (7.0, 8.0)], SCEN).expect("a plan");
        assert_eq!(plan.trajectories[1], Trajectory::still(7.0, 8.0));
        let error = planned(table, Some(2), &[], SCEN).expect_err("no place");
        assert!(
            error.starts_with("mobility.stationary_nodes: node 1 has no position in scen or the topology"),
            "{error}"
        );
        let error = planned("kind = 'setdest'\nfile = 'scen'", Some(2), &[], SCEN).expect_err("no node 1");
        assert!(error.starts_with("scen:3: missing movement of node 1"), "{error}");
    }

    #[test]
    fn skip_removes_the_start() {
        let plan = planned("kind = 'setdest'\nfile = 'scen'\nskip = '6 s'", None, &[], SCEN).expect("a plan");
        assert_eq!(plan.trajectories[0].start(), (6.0, 2.0));
        assert_eq!(plan.trajectories[0].position(Time::from_secs(2.0)), (8.0, 2.0));
    }
}
