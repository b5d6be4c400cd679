//! How nodes move: table `[mobility]`, the file that it names, and where everybody is at the start of a run.
//!
//! A file's movements are the same for every seed and are read with the scenario. Those of a model, and the places of a
//! random topology, are drawn for each run from its own seed: [`Resolved::ways`].

use crate::kernel::{Metres, Span, Streams, Watts};
use crate::mobility::{
    self, ConfigError, File, ImportError, MobilityConfig, MobilityError, MobilityKind, Point, Rules, Scene, Trajectory,
};
use crate::phy::RadioConfig;
use crate::scenario::model::connectivity;
use crate::scenario::model::layout::Layout;
use crate::scenario::model::placement::Unconnected;
use crate::scenario::model::read::tree_of;
use crate::scenario::model::resolved::{NodeSettings, Resolved};
use crate::scenario::schema::external_controller;
use crate::scenario::schema::file::{Profile, root};
use crate::scenario::schema::reader::{Reader, join};
use crate::scenario::schema::topology::Topology;
use crate::scenario::syntax::source::{Source, Trouble};
use crate::scenario::syntax::tree::{Node, Origin, Value};
use std::sync::Arc;

/// A file that a scenario names, as its caller has found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its name as the scenario writes it: one of [`files_named`].
    pub name: String,
    /// How messages name it.
    pub path: String,
    /// What it holds, unpacked; or why it could not be read, as the end of a sentence that begins with its name.
    pub text: Result<String, String>,
}

/// Why the nodes of a run stand nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// No placement was connected.
    #[error(transparent)]
    Unconnected(#[from] Unconnected),
    /// Movements do not go together with the places drawn.
    #[error(transparent)]
    Mobility(#[from] MobilityError),
}

/// Movements that come from a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Replay {
    /// By node.
    pub(crate) ways: Arc<[Trajectory]>,
    /// BLAKE3 of all that was read, in hexadecimal digits.
    pub(crate) digest: String,
}

/// Names of the files that a scenario needs beside it: its movement file, the parameters that BonnMotion writes
/// beside one (which may be absent), its traffic file, and those of its controllers. None if the scenario names none, or cannot be read.
pub fn files_named(text: &str, path: &str, overrides: &[(String, String)]) -> Vec<String> {
    let source = Source::new(text, path, overrides);
    let Some(tree) = tree_of(&source) else { return Vec::new() };
    let value = |table: &str, key: &str| match tree.get(table).and_then(|table| table.get(key)).map(|node| &node.value)
    {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let movement = value("mobility", "file");
    let params = movement.filter(|_| value("mobility", "kind") == Some("bonnmotion")).map(params_beside);
    let named = [movement.map(str::to_owned), params, value("traffic", "file").map(str::to_owned)];
    let mut files: Vec<String> = named.into_iter().flatten().collect();
    let listed = match tree.get("flow").map(|node| &node.value) {
        Some(Value::List(flows)) => flows.as_slice(),
        _ => &[],
    };
    for flow in listed.iter().chain(tree.get("traffic")) {
        if let Some(Value::Text(name)) = flow.get("controller").map(|node| &node.value)
            && let Some(file) = external_controller::file_of(name)
            && !files.iter().any(|known| known == file)
        {
            files.push(file.to_owned());
        }
    }
    files
}

/// `a.params` of `a.movements.gz`.
fn params_beside(file: &str) -> String {
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    format!("{}.params", plain.strip_suffix(".movements").unwrap_or(plain))
}

/// Table `[mobility]`, its file, and the topology if only that file says where nodes are. `topology` is that of
/// `[topology]`, `has_topology` whether there is such a table.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    tree: &Node,
    profile: Profile,
    duration: Span,
) -> (MobilityConfig, Option<Replay>, Option<Topology>) {
    let table = tree.get("mobility");
    let before = reader.troubles.len();
    let mut config = reader.overlay(table, "mobility", root().table("mobility"), MobilityConfig::default());
    let is_clean = reader.troubles.len() == before;
    let from_file = is_clean && config.is_file() && tree.get("topology").is_none();
    let topology =
        if from_file { None } else { Topology::read(reader, tree.get("topology"), root().table("topology")) };
    if !is_clean || (topology.is_none() && !from_file) {
        return (config, None, topology);
    }
    let random = topology.as_ref().and_then(|topology| match &topology.layout {
        Layout::Random(random) => Some(random),
        _ => None,
    });
    if let (MobilityKind::Waypoint, None, Some(random)) = (config.kind, config.area, random) {
        config.area = Some([Metres(random.area.0), Metres(random.area.1)]);
    }
    let nodes = topology.as_ref().map(|topology| topology.nodes() as u32);
    if topology.as_ref().is_some_and(|topology| topology.walkers > 0) && config.kind != MobilityKind::Waypoint {
        let message = "topology.walkers: nobody walks".to_owned();
        let expected = "mobility.kind = \"waypoint\" beside it".to_owned();
        let node = tree.get("topology").and_then(|table| table.get("walkers"));
        let origin = node.map_or(Origin::Nowhere, |node| node.origin.clone());
        let key = "topology.walkers".to_owned();
        reader.refuse(&origin, Trouble { key, message, expected, ..Trouble::default() });
        return (config, None, topology);
    }
    if !config.is_file() {
        if let Err(error) = config.check(nodes, duration) {
            refuse(reader, table, error.into());
        }
        return (config, None, topology);
    }
    // A random topology says how many nodes there are, and leaves their places to the file.
    let places = topology.as_ref().filter(|_| random.is_none()).map(Topology::positions).unwrap_or_default();
    match replay(reader, table, &config, nodes, &places, profile, duration) {
        Some(replay) => {
            let topology = topology.unwrap_or_else(|| Topology {
                layout: Layout::Positions(replay.ways.iter().map(Trajectory::start).collect()),
                extra: Vec::new(),
                walkers: 0,
            });
            (config, Some(replay), Some(topology))
        }
        None => (config, None, topology),
    }
}

fn replay(
    reader: &mut Reader<'_>,
    table: Option<&Node>,
    config: &MobilityConfig,
    nodes: Option<u32>,
    places: &[Point],
    profile: Profile,
    duration: Span,
) -> Option<Replay> {
    let (mut file, mut params) = (None, None);
    let mut hasher = blake3::Hasher::new();
    if let Some(name) = &config.file {
        match find(reader, name) {
            Ok(found) => file = Some(found),
            Err(what) => {
                let key = "mobility.file";
                let node = table.and_then(|table| table.get("file"))?;
                let trouble = reader.wrong(node, key, &what);
                let expected = "a movement file, its path seen from the scenario's folder".to_owned();
                reader.refuse(&node.origin, Trouble { expected, ..trouble });
                return None;
            }
        }
        if config.kind == MobilityKind::Bonnmotion {
            params = find(reader, &params_beside(name)).ok();
        }
    }
    for file in [file, params] {
        let text = file.map_or("", |file: File<'_>| file.text);
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    // A file's movements have nothing of chance in them.
    let streams = Streams::new(0);
    let rules = if profile == Profile::Ns2 { Rules::Ns2 } else { Rules::Std };
    let scene = Scene { nodes, positions: places, duration, streams: &streams, file, params, rules };
    match mobility::plan(config, &scene) {
        Ok(plan) => {
            reader.warnings.extend(plan.warnings.iter().map(ToString::to_string));
            Some(Replay { ways: plan.trajectories.into(), digest: hasher.finalize().to_hex().to_string() })
        }
        Err(error) => {
            refuse(reader, table, error);
            None
        }
    }
}

fn find<'a>(reader: &Reader<'a>, name: &str) -> Result<File<'a>, String> {
    reader.file(name).map(|(path, text)| File { path, text })
}

/// A key of `[mobility]`, or a line of its file, is wrong.
pub(crate) fn refuse(reader: &mut Reader<'_>, table: Option<&Node>, error: MobilityError) {
    match error {
        MobilityError::Config(ConfigError { key, message, expected, hint }) => {
            let node = table.and_then(|table| table.get(key));
            let name = join("mobility", key);
            let written = node.and_then(|node| reader.source.written(&node.origin));
            let message = match &written {
                Some(value) => format!("{name} = {value}: {message}"),
                None => format!("{name}: {message}"),
            };
            let origin = node.or(table).map_or(Origin::Nowhere, |node| node.origin.clone());
            reader.refuse(&origin, Trouble { key: name, value: written, message, expected, hint });
        }
        MobilityError::Import(ImportError { path, line, message, value, expected, hint }) => {
            let text = reader.files.iter().find(|file| *file.path == *path).and_then(|file| file.text.as_ref().ok());
            let text = text.zip(line).and_then(|(text, line)| text.lines().nth(line as usize - 1));
            let origin = Origin::Beside { path, line, text: text.map(Into::into) };
            let key = "mobility.file".to_owned();
            reader.refuse(&origin, Trouble { key, value, message, expected: expected.into(), hint });
        }
    }
}

/// What of movements and places is allowed and yet probably not meant.
pub(crate) fn doubts(resolved: &Resolved) -> Vec<String> {
    let mut doubts = Vec::new();
    let is_random = resolved.topology.layout.random().is_some();
    let is_model = resolved.mobility.kind == MobilityKind::Waypoint;
    if is_model && resolved.mobility.init != mobility::Init::Topology && resolved.topology.walkers == 0 {
        if !is_random && resolved.mobility.fixed.len() < resolved.positions.len() {
            doubts.push(format!(
                "of topology.kind = \"{}\" only the number of nodes counts for nodes that move: \
                 mobility.init = \"topology\" has them begin there",
                resolved.topology.layout.kind().name()
            ));
        }
        if resolved.topology.layout.random().is_some_and(|random| random.connected) {
            doubts.push("topology.connected is about places where nodes that move do not begin".to_owned());
        }
    }
    if resolved.is_moving() && resolved.routing.protocol == crate::net::routing::RoutingKind::Static {
        doubts.push("routing.protocol = \"static\" keeps the routes of the start while nodes move".to_owned());
    }
    doubts
}

impl Resolved {
    /// Whether any node moves.
    pub fn is_moving(&self) -> bool {
        match &self.replay {
            Some(replay) => !replay.ways.iter().all(Trajectory::is_still),
            None => self.mobility.kind != MobilityKind::Still,
        }
    }

    /// Whether places differ from seed to seed.
    pub fn is_drawn(&self) -> bool {
        let is_drawn = self.topology.layout.random().is_some_and(|random| random.placement_seed.is_none());
        self.replay.is_none() && (is_drawn || self.mobility.kind == MobilityKind::Waypoint)
    }

    /// The way of every node in the run with this seed.
    ///
    /// # Errors
    /// If a random topology is to be connected, and no placement is; or if nodes that begin in the topology's places
    /// would begin outside of the area of their movement.
    pub fn ways(&self, seed: u64) -> Result<Vec<Trajectory>, PlacementError> {
        if let Some(replay) = &self.replay {
            return Ok(replay.ways.to_vec());
        }
        let places = places(&self.topology, seed, &self.radio, self.radio.tx_power, &self.nodes)?;
        let own = places.len() as u32;
        let scene = Scene {
            nodes: Some(own + self.topology.walkers),
            positions: &places,
            duration: self.duration,
            streams: &Streams::new(seed),
            file: None,
            params: None,
            rules: Rules::Ns2,
        };
        if self.topology.walkers == 0 {
            return Ok(mobility::plan(&self.mobility, &scene)?.trajectories);
        }
        // Only the walkers walk, wherever they begin.
        let config = MobilityConfig { fixed: (0..own).collect(), ..self.mobility.clone() };
        Ok(mobility::plan(&config, &scene)?.trajectories)
    }
}

/// Where the topology puts nodes in the run with this seed.
pub(crate) fn places(
    topology: &Topology,
    seed: u64,
    radio: &RadioConfig,
    tx_power: Watts,
    nodes: &[NodeSettings],
) -> Result<Vec<Point>, Unconnected> {
    let Some(random) = topology.layout.random() else { return Ok(topology.positions()) };
    let power = |node| {
        let own = nodes.binary_search_by_key(&node, |settings: &NodeSettings| settings.id);
        own.map_or(tx_power, |at| nodes[at].tx_power)
    };
    let mut places = random.draw(seed, |places| connectivity::is_connected(places, radio, power))?;
    places.extend_from_slice(&topology.extra);
    Ok(places)
}
