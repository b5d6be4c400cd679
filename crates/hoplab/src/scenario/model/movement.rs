//! Positions and trajectories of nodes in the run with a given seed.

use super::connectivity;
use super::resolved::Resolved;
use crate::kernel::{NodeId, RandomStreams, Watts};
use crate::mobility::{self, MobilityConfig, MobilityError, MobilityKind, Point, Rules, Scene, Trajectory};
use crate::scenario::topology::Unconnected;
use std::borrow::Cow;

/// Why the nodes of a run have no positions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// No placement was connected.
    #[error(transparent)]
    Unconnected(#[from] Unconnected),
    /// Movements contradict the drawn positions.
    #[error(transparent)]
    Mobility(#[from] MobilityError),
}

impl Resolved {
    /// Whether any node moves.
    pub fn is_moving(&self) -> bool {
        match &self.replay {
            Some(replay) => !replay.trajectories.iter().all(Trajectory::is_still),
            None => self.mobility.kind != MobilityKind::Still,
        }
    }

    /// Whether positions differ from seed to seed.
    pub fn is_drawn(&self) -> bool {
        let is_drawn = self.topology.layout.random().is_some_and(|random| random.placement_seed.is_none());
        match &self.replay {
            Some(replay) => is_drawn && !replay.drawn.is_empty(),
            None => is_drawn || self.mobility.kind == MobilityKind::Waypoint,
        }
    }

    /// The trajectory of every node in the run with this seed.
    ///
    /// # Errors
    /// If a random topology must be connected, and no placement is; or if nodes that start at positions of the topology would
    /// start outside of the area of their movement.
    pub fn trajectories(&self, seed: u64) -> Result<Vec<Trajectory>, PlacementError> {
        if let Some(replay) = &self.replay {
            let mut trajectories = replay.trajectories.to_vec();
            if !replay.drawn.is_empty() {
                let positions = self.topology_positions(seed)?;
                for &node in &replay.drawn {
                    let (x, y) = positions[node as usize];
                    trajectories[node as usize] = Trajectory::still(x, y);
                }
            }
            return Ok(trajectories);
        }
        let positions = self.topology_positions(seed)?;
        let placed = positions.len() as u32;
        let scene = Scene {
            nodes: Some(placed + self.topology.mobile_nodes),
            positions: &positions,
            drawn: 0,
            duration: self.duration,
            streams: &RandomStreams::new(seed),
            file: None,
            params: None,
            rules: Rules::Ns2,
        };
        if self.topology.mobile_nodes == 0 {
            return Ok(mobility::plan(&self.mobility, &scene)?.trajectories);
        }
        // Nodes with a position are stationary; the others start where their model puts them.
        let config = MobilityConfig { stationary_nodes: (0..placed).collect(), ..self.mobility.clone() };
        Ok(mobility::plan(&config, &scene)?.trajectories)
    }

    /// Positions of the topology in the run with this seed.
    fn topology_positions(&self, seed: u64) -> Result<Vec<Point>, Unconnected> {
        let Some(random) = self.topology.layout.random() else { return Ok(self.topology.positions()) };
        let power = |node: NodeId| -> Watts { self.tx_power_of(node) };
        let radios = self.radios();
        let is_connected =
            |positions: &[Point]| connectivity::is_connected(&self.starts(positions), &self.radio, &radios, power);
        let mut positions = random.draw(seed, is_connected)?;
        positions.extend_from_slice(&self.topology.extra);
        Ok(positions)
    }

    /// Where nodes start that have these positions in the topology: a file of movements overrides them.
    fn starts<'a>(&self, positions: &'a [Point]) -> Cow<'a, [Point]> {
        let Some(replay) = &self.replay else { return Cow::Borrowed(positions) };
        let start = |(node, &position): (usize, &Point)| {
            if replay.drawn.binary_search(&(node as u32)).is_ok() {
                position
            } else {
                replay.trajectories[node].start()
            }
        };
        Cow::Owned(positions.iter().enumerate().map(start).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::scenario::{NamedFile, Scenario};

    fn scenario(topology: &str) -> Scenario {
        let text = format!(
            "[topology]\nkind = \"random\"\nnodes = 3\narea = [\"400 m\", \"400 m\"]\n{topology}\n\
             [mobility]\nkind = \"csv\"\nfile = \"m.csv\"\nstationary_nodes = [0, 1]\n[[flow]]\nfrom = 0\nto = 2\n"
        );
        let csv = "t,node,x,y\n0,2,10,20\n10,2,110,20\n".to_owned();
        let file = NamedFile { name: "m.csv".to_owned(), path: "m.csv".to_owned(), text: Ok(csv) };
        Resolved::parse_with(&text, "a.toml", &[], &[file]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn nodes_that_a_file_lacks_stand_where_each_seed_places_them() {
        let moving = scenario("");
        assert!(moving.is_drawn() && moving.is_moving());
        let text = "[topology]\nkind = \"random\"\nnodes = 3\narea = [\"400 m\", \"400 m\"]\n[[flow]]\n";
        let still = Resolved::parse(text, "b.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let ways = |scenario: &Resolved, seed| scenario.trajectories(seed).expect("places");
        for seed in [1, 2] {
            assert_eq!(ways(&moving, seed)[..2], ways(&still, seed)[..2]);
            assert_eq!(ways(&moving, seed)[2].position(Time::from_secs(5.0)), (60.0, 20.0));
        }
        assert_ne!(ways(&moving, 1)[0], ways(&moving, 2)[0]);
        assert!(!scenario("placement_seed = 7").is_drawn());
    }

    #[test]
    fn placements_are_connected_with_the_starts_of_the_file() {
        let moving = scenario("connected = true");
        for seed in 1..20 {
            let starts: Vec<Point> = moving.trajectories(seed).expect("places").iter().map(Trajectory::start).collect();
            let power = |node: NodeId| -> Watts { moving.tx_power_of(node) };
            assert_eq!(starts[2], (10.0, 20.0));
            assert!(connectivity::is_connected(&starts, &moving.radio, &moving.radios(), power), "{seed}");
        }
    }
}
