//! Table `[topology]`: the keys of all families. A key that another family lacks is refused there.

use super::kind::TopologyKind;
use super::link_row::{Fill, LinkRow};
use crate::kernel::Metres;
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
    /// Sides of the area, from `origin` (random). Default: 1000 m by 1000 m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<[Metres; 2]>,
    /// Corner of the area with the smallest coordinates (random). Default: [0 m, 0 m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<[Metres; 2]>,
    /// Draw positions until every node has a path to every other (random). Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected: Option<bool>,
    /// Draw equal positions in every run (random). Default: new ones for each seed of a run.
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
    /// Positions of the nodes in meters (positions), one `[x, y]` each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<[f64; 2]>>,
    /// Places of the nodes (places; links, for delays), one `[latitude, longitude]` or `[latitude, longitude, height]` each, in
    /// degrees of WGS 84 and meters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geo: Option<Vec<Vec<f64>>>,
    /// CSV file with a link per line (links), relative to the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Links, a table each, instead of `file` (links).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkRow>>,
    /// Power of links that are listed without one (links). Default: refuse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// Names of the nodes in order, for flows and links. Default: numbers; of links the order in which they are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// Positions of more nodes in meters, numbered after all others; they take part in radio and routing only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Vec<[f64; 2]>>,
    /// More nodes, numbered after all others: they move by `[mobility]`, and all others are stationary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub mobile_nodes: Option<u64>,
}

/// Distance of neighbors in the papers.
const SPACING: Metres = Metres(200.0);

impl TopologyConfig {
    /// A table with its kind alone.
    pub fn new(kind: TopologyKind) -> TopologyConfig {
        TopologyConfig {
            kind,
            nodes: None,
            area: None,
            origin: None,
            connected: None,
            placement_seed: None,
            hops: None,
            rows: None,
            columns: None,
            spacing: None,
            row_spacing: None,
            shared: None,
            positions: None,
            geo: None,
            file: None,
            links: None,
            fill: None,
            names: None,
            extra: None,
            mobile_nodes: None,
        }
    }

    /// Length of a link in metres.
    pub(super) fn spacing_or_default(&self) -> f64 {
        self.spacing.unwrap_or(SPACING).0
    }
}
