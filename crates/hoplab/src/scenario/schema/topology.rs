//! Table `[topology]`: a family of networks and the numbers that make one of it.
//!
//! # Model
//! A table names a family and gives its numbers; defaults are the papers'. Nodes at places of their own (`extra`) and nodes
//! that only walk come after the family's. What cannot be laid out is refused: keys that mean nothing for the family,
//! lengths without length, more nodes than can be simulated. `layout.rs` says where the nodes are.
//!
//! # Parameters
//! `topology.hops`, `rows`, `columns`, `spacing`, `row_spacing`, `shared`, `positions`, `extra`, `walkers`, `nodes`, `area`,
//! `corner`, `connected`, `placement_seed`.

use crate::kernel::Metres;
use crate::scenario::model::layout::Layout;
use crate::scenario::model::placement::{self, Random};
use crate::scenario::schema::reader::{Fields, Reader, join};
use crate::scenario::syntax::source::Trouble;
use crate::scenario::syntax::tree::{Node, Origin, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[topology]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyConfig {
    /// Family of networks.
    pub kind: TopologyKind,
    /// Number of nodes (random).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub nodes: Option<u64>,
    /// Sides of the area, from the origin (random). Default: 1000 m by 1000 m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<[Metres; 2]>,
    /// Where the area begins (random). Default: the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corner: Option<[Metres; 2]>,
    /// Draw places until every node has a path to every other (random). Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected: Option<bool>,
    /// Draw the same places in every run (random). Default: new ones for each seed of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement_seed: Option<u64>,
    /// Links of a path (chain, parallel, spindle, cross).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub hops: Option<u64>,
    /// Rows of a grid. Default: `columns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rows: Option<u64>,
    /// Columns of a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub columns: Option<u64>,
    /// Length of a link (all but positions). Default: 200 m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Metres>,
    /// Distance of the two rows (parallel). Default: `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_spacing: Option<Metres>,
    /// Links that both paths use (spindle). Default: all but the first and the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<u64>,
    /// Places of the nodes in metres (positions), one `[x, y]` each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<[f64; 2]>>,
    /// Places of more nodes in metres, numbered after all others; they take part in nothing but radio and routing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Vec<[f64; 2]>>,
    /// More nodes, numbered after all others: they walk as `[mobility]` says, and all others stand still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub walkers: Option<u64>,
}

/// Families of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TopologyKind {
    /// Nodes on a line.
    Chain,
    /// Rows and columns.
    Grid,
    /// Two chains beside each other.
    Parallel,
    /// Two paths that share their middle.
    Spindle,
    /// Two chains that share one node.
    Cross,
    /// Nodes where the file says.
    Positions,
    /// Nodes at random places.
    Random,
}

/// A network that can be laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Its family, and the numbers that make it.
    pub layout: Layout,
    /// Nodes after those of the layout, in metres.
    pub extra: Vec<(f64, f64)>,
    /// Nodes after those, without a place of their own.
    pub walkers: u32,
}

/// Nodes that a scenario may have.
pub const MAX_NODES: u64 = 1_000_000;

/// Distance of neighbors in the papers.
const SPACING: Metres = Metres(200.0);

/// Farthest coordinate, in metres.
const MAX_COORDINATE: f64 = 1e9;

impl TopologyKind {
    /// All families, in the order of documentation.
    pub const ALL: [TopologyKind; 7] = [
        TopologyKind::Chain,
        TopologyKind::Grid,
        TopologyKind::Parallel,
        TopologyKind::Spindle,
        TopologyKind::Cross,
        TopologyKind::Positions,
        TopologyKind::Random,
    ];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            TopologyKind::Chain => "chain",
            TopologyKind::Grid => "grid",
            TopologyKind::Parallel => "parallel",
            TopologyKind::Spindle => "spindle",
            TopologyKind::Cross => "cross",
            TopologyKind::Positions => "positions",
            TopologyKind::Random => "random",
        }
    }

    /// What it is, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            TopologyKind::Chain => "hops + 1 nodes on a line",
            TopologyKind::Grid => "rows x columns nodes",
            TopologyKind::Parallel => "two chains beside each other",
            TopologyKind::Spindle => "two paths that share the links of their middle",
            TopologyKind::Cross => "two chains at a right angle that share their middle node",
            TopologyKind::Positions => "nodes where the scenario says",
            TopologyKind::Random => "nodes at random places in an area",
        }
    }

    /// Keys of `[topology]` that mean something here, `kind` and `extra` apart; the first is needed.
    fn keys(self) -> &'static [&'static str] {
        match self {
            TopologyKind::Chain | TopologyKind::Cross => &["hops", "spacing"],
            TopologyKind::Grid => &["columns", "rows", "spacing"],
            TopologyKind::Parallel => &["hops", "spacing", "row_spacing"],
            TopologyKind::Spindle => &["hops", "spacing", "shared"],
            TopologyKind::Positions => &["positions"],
            TopologyKind::Random => &["nodes", "area", "corner", "connected", "placement_seed"],
        }
    }
}

impl Topology {
    /// Reads table `[topology]`; `None` if it is too wrong to be laid out.
    pub(crate) fn read(reader: &mut Reader<'_>, table: Option<&Node>, fields: &Fields) -> Option<Topology> {
        let before = reader.troubles.len();
        if table.is_some_and(|table| !reader.is_table(table, "topology")) {
            return None;
        }
        let Some((table, kind)) = table.and_then(|table| table.get("kind").map(|kind| (table, kind))) else {
            let kinds: Vec<String> = TopologyKind::ALL.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
            let trouble = Trouble {
                key: "topology.kind".to_owned(),
                message: match table {
                    Some(_) => "topology.kind is missing".to_owned(),
                    None => "there is no [topology]".to_owned(),
                },
                expected: format!("one of {}", kinds.join(", ")),
                hint: Some("the simplest: kind = \"chain\" and hops = 4 below [topology]".to_owned()),
                value: None,
            };
            reader.refuse(table.map_or(&Origin::Nowhere, |table| &table.origin), trouble);
            return None;
        };
        let shape = fields.get("kind")?;
        let kind: TopologyKind = serde_json::from_value(reader.read(kind, "topology.kind", shape)?).ok()?;
        let config = reader.overlay_entries(table.entries(), "topology", fields, TopologyConfig::new(kind));
        check_keys(reader, table, kind);
        // Numbers that cannot be read have been reported; their defaults would only lead to more.
        if reader.troubles.len() > before {
            return None;
        }
        check_values(reader, table, &config);
        if reader.troubles.len() > before {
            return None;
        }
        let topology = config.topology()?;
        (topology.check_size(reader, table)).then_some(topology)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u64 {
        self.layout.nodes() + self.extra.len() as u64 + u64::from(self.walkers)
    }

    /// Places of all nodes but walkers, in metres; of a random layout only the `extra` ones.
    pub fn positions(&self) -> Vec<(f64, f64)> {
        let mut positions = self.layout.positions();
        positions.extend_from_slice(&self.extra);
        positions
    }

    /// The table that describes this network.
    pub fn config(&self) -> TopologyConfig {
        let as_pairs = |list: &[(f64, f64)]| list.iter().map(|&(x, y)| [x, y]).collect::<Vec<_>>();
        let mut config = TopologyConfig::new(self.layout.kind());
        match &self.layout {
            Layout::Chain { hops, spacing } | Layout::Cross { hops, spacing } => {
                config.hops = Some(u64::from(*hops));
                config.spacing = Some(Metres(*spacing));
            }
            Layout::Grid { rows, columns, spacing } => {
                config.rows = Some(u64::from(*rows));
                config.columns = Some(u64::from(*columns));
                config.spacing = Some(Metres(*spacing));
            }
            Layout::Parallel { hops, spacing, row_spacing } => {
                config.hops = Some(u64::from(*hops));
                config.spacing = Some(Metres(*spacing));
                config.row_spacing = Some(Metres(*row_spacing));
            }
            Layout::Spindle { hops, shared, spacing } => {
                config.hops = Some(u64::from(*hops));
                config.shared = Some(u64::from(*shared));
                config.spacing = Some(Metres(*spacing));
            }
            Layout::Positions(places) => config.positions = Some(as_pairs(places)),
            Layout::Random(random) => {
                config.nodes = Some(u64::from(random.nodes));
                config.area = Some([Metres(random.area.0), Metres(random.area.1)]);
                let (x, y) = random.corner;
                config.corner = ((x, y) != (0.0, 0.0)).then_some([Metres(x), Metres(y)]);
                config.connected = Some(random.connected);
                config.placement_seed = random.placement_seed;
            }
        }
        if !self.extra.is_empty() {
            config.extra = Some(as_pairs(&self.extra));
        }
        config.walkers = (self.walkers > 0).then_some(u64::from(self.walkers));
        config
    }

    fn check_size(&self, reader: &mut Reader<'_>, table: &Node) -> bool {
        let nodes = self.nodes();
        if nodes <= MAX_NODES {
            return true;
        }
        let keys = match self.layout.kind() {
            TopologyKind::Grid => ["columns", "rows", "walkers"],
            TopologyKind::Positions => ["positions", "extra", "walkers"],
            TopologyKind::Random => ["nodes", "extra", "walkers"],
            _ => ["hops", "extra", "walkers"],
        };
        let blamed = keys.iter().filter_map(|key| table.get(key).map(|node| (*key, node)));
        let size = |node: &Node| match &node.value {
            Value::Integer(number) => number.unsigned_abs(),
            Value::List(items) => items.len() as u64,
            _ => 0,
        };
        let Some((key, node)) = blamed.max_by_key(|(_, node)| size(node)) else { return false };
        let is_list = matches!(node.value, Value::List(_));
        let what = format!("makes {nodes} nodes");
        let mut trouble = reader.wrong(node, &join("topology", key), &what);
        if is_list {
            trouble.message = format!("topology.{key} {what}");
        }
        reader.refuse(&node.origin, Trouble { expected: format!("at most {MAX_NODES} nodes"), ..trouble });
        false
    }
}

impl TopologyConfig {
    /// A table with nothing but its kind.
    pub fn new(kind: TopologyKind) -> TopologyConfig {
        TopologyConfig {
            kind,
            nodes: None,
            area: None,
            corner: None,
            connected: None,
            placement_seed: None,
            hops: None,
            rows: None,
            columns: None,
            spacing: None,
            row_spacing: None,
            shared: None,
            positions: None,
            extra: None,
            walkers: None,
        }
    }

    /// The network, with defaults filled in. Sizes beyond 32 bits are clipped: they are refused by their number of nodes.
    fn topology(&self) -> Option<Topology> {
        let size = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let as_places = |list: &[[f64; 2]]| list.iter().map(|&[x, y]| (x, y)).collect::<Vec<_>>();
        let spacing = self.spacing.unwrap_or(SPACING).0;
        let layout = match self.kind {
            TopologyKind::Chain => Layout::Chain { hops: size(self.hops?), spacing },
            TopologyKind::Cross => Layout::Cross { hops: size(self.hops?), spacing },
            TopologyKind::Grid => {
                let columns = size(self.columns?);
                Layout::Grid { rows: self.rows.map_or(columns, size), columns, spacing }
            }
            TopologyKind::Parallel => Layout::Parallel {
                hops: size(self.hops?),
                spacing,
                row_spacing: self.row_spacing.map_or(spacing, |metres| metres.0),
            },
            TopologyKind::Spindle => {
                let hops = size(self.hops?);
                Layout::Spindle { hops, shared: self.shared.map_or(hops.saturating_sub(2), size), spacing }
            }
            TopologyKind::Positions => Layout::Positions(as_places(self.positions.as_deref()?)),
            TopologyKind::Random => {
                let [a, b] = self.area.unwrap_or(placement::AREA);
                Layout::Random(Random {
                    nodes: size(self.nodes?),
                    area: (a.0, b.0),
                    corner: self.corner.map_or((0.0, 0.0), |[x, y]| (x.0, y.0)),
                    connected: self.connected.unwrap_or(false),
                    placement_seed: self.placement_seed,
                })
            }
        };
        let extra = as_places(self.extra.as_deref().unwrap_or_default());
        Some(Topology { layout, extra, walkers: size(self.walkers.unwrap_or(0)) })
    }
}

/// Keys that the family lacks or has no use for.
fn check_keys(reader: &mut Reader<'_>, table: &Node, kind: TopologyKind) {
    let keys = kind.keys();
    let all: Vec<&str> = TopologyKind::ALL.iter().flat_map(|kind| kind.keys()).copied().collect();
    for entry in table.entries().iter().filter(|entry| all.contains(&entry.key.as_str())) {
        if !keys.contains(&entry.key.as_str()) {
            let key = join("topology", &entry.key);
            let message = format!("{key} means nothing for kind = \"{}\"", kind.name());
            let expected =
                format!("only {}", keys.iter().chain(&["extra", "walkers"]).copied().collect::<Vec<_>>().join(", "));
            reader.refuse(&entry.origin, Trouble { key, message, expected, ..Trouble::default() });
        }
    }
    if table.get(keys[0]).is_none() {
        let key = join("topology", keys[0]);
        let message = format!("{key} is missing");
        let example = match kind {
            TopologyKind::Positions => "[[0, 0], [200, 0]]",
            TopologyKind::Random => "50",
            _ => "4",
        };
        let hint = Some(format!("kind = \"{}\" needs it: {} = {example}", kind.name(), keys[0]));
        let origin = table.get("kind").map_or(&table.origin, |kind| &kind.origin).clone();
        reader.refuse(&origin, Trouble { key, message, hint, ..Trouble::default() });
    }
}

/// Values that can be read, but not laid out.
fn check_values(reader: &mut Reader<'_>, table: &Node, config: &TopologyConfig) {
    let lengths = [("spacing", config.spacing), ("row_spacing", config.row_spacing)];
    for (name, length) in lengths {
        if let Some((node, _)) = table.get(name).zip(length).filter(|(_, metres)| metres.0 <= 0.0) {
            let trouble = reader.wrong(node, &join("topology", name), "leaves no distance");
            reader.refuse(&node.origin, Trouble { expected: "a length above 0 m".to_owned(), ..trouble });
        }
    }
    if let (Some(node), Some(sides)) = (table.get("area"), config.area)
        && !sides.iter().all(|side| side.0 > 0.0)
    {
        let trouble = reader.wrong(node, "topology.area", "is no area");
        reader.refuse(&node.origin, Trouble { expected: "two lengths above 0 m".to_owned(), ..trouble });
    }
    if let (Some(node), Some(corner)) = (table.get("corner"), config.corner)
        && !corner.iter().all(|side| (0.0..=MAX_COORDINATE).contains(&side.0))
    {
        let trouble = reader.wrong(node, "topology.corner", "is no place in the quadrant of the topologies");
        reader.refuse(&node.origin, Trouble { expected: "two lengths from 0 m to 1e9 m".to_owned(), ..trouble });
    }
    if let (Some(node), Some(shared), Some(hops)) = (table.get("shared"), config.shared, config.hops)
        && shared >= hops
    {
        let trouble = reader.wrong(node, "topology.shared", "leaves no branches");
        reader.refuse(&node.origin, Trouble { expected: format!("less than hops, which is {hops}"), ..trouble });
    }
    if let (Some(node), Some([])) = (table.get("positions"), config.positions.as_deref()) {
        let trouble = reader.wrong(node, "topology.positions", "has no node");
        reader.refuse(&node.origin, Trouble { expected: "at least one [x, y]".to_owned(), ..trouble });
    }
    for (name, places) in [("positions", &config.positions), ("extra", &config.extra)] {
        let Some(Value::List(items)) = table.get(name).map(|node| &node.value) else { continue };
        for (i, (node, place)) in items.iter().zip(places.iter().flatten()).enumerate() {
            if place.iter().any(|coordinate| coordinate.abs() > MAX_COORDINATE) {
                let trouble = reader.wrong(node, &format!("topology.{name}.{i}"), "is too far away");
                let expected = "coordinates up to 1e9 m".to_owned();
                reader.refuse(&node.origin, Trouble { expected, ..trouble });
            }
        }
    }
}
