//! Nodes without positions: what each pair receives is listed.

use super::family::{Family, Invalid};
use super::places::invalid_geo;
use crate::mobility::Point;
use crate::scenario::topology::geo;
use crate::scenario::topology::keys::TopologyConfig;
use crate::scenario::topology::link_row::{Fill, LinkRow, ListedLink};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Listed links.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    nodes: u32,
    file: Option<String>,
    rows: Vec<LinkRow>,
    fill: Option<Fill>,
    geo: Option<Vec<Vec<f64>>>,
    /// The links by number of node.
    pub(crate) listed: Arc<[ListedLink]>,
}

/// Distance of neighbors in drawings of networks without places, in meters.
const DRAWN_SPACING: f64 = 100.0;

impl Family for Links {
    const SUMMARY: &'static str = "links with measured power or delivery, in place of positions";
    const KEYS: &'static [&'static str] = &["file", "links", "fill", "geo"];
    const SIZE_KEYS: &'static [&'static str] = &["names", "links"];
    const EXAMPLE: &'static str = "\"mesh.links.csv\"";

    fn invalid(keys: &TopologyConfig) -> Vec<Invalid> {
        invalid_geo(keys)
    }

    /// The links themselves follow by [`Links::set`]. Names are known by then.
    fn from_keys(keys: &TopologyConfig) -> Option<Links> {
        Some(Links {
            nodes: keys.names.as_ref().map_or(0, |names| u32::try_from(names.len()).unwrap_or(u32::MAX)),
            file: keys.file.clone(),
            rows: keys.links.clone().unwrap_or_default(),
            fill: keys.fill,
            geo: keys.geo.clone(),
            listed: Arc::default(),
        })
    }

    fn write_keys(&self, keys: &mut TopologyConfig) {
        keys.file.clone_from(&self.file);
        keys.links = (!self.rows.is_empty()).then(|| self.rows.clone());
        keys.fill = self.fill;
        keys.geo.clone_from(&self.geo);
    }

    fn nodes(&self) -> u64 {
        u64::from(self.nodes)
    }

    /// Places if there are any; else a circle, for drawings only.
    fn positions(&self) -> Vec<Point> {
        if let Some(geo) = &self.geo {
            return geo::plane(geo);
        }
        let count = f64::from(self.nodes);
        let radius = DRAWN_SPACING * count / TAU;
        let place = |node: u32| {
            let angle = TAU * f64::from(node) / count;
            (radius * (1.0 + libm::cos(angle)), radius * (1.0 + libm::sin(angle)))
        };
        (0..self.nodes).map(place).collect()
    }

    fn natural_pairs(&self) -> usize {
        usize::from(self.nodes > 1)
    }

    fn natural_pair(&self, _: usize) -> (u32, u32) {
        (0, self.nodes - 1)
    }

    /// There is no middle without positions.
    fn center(&self) -> u32 {
        0
    }
}

impl Links {
    /// Sets the links.
    pub(crate) fn set(&mut self, listed: Vec<ListedLink>) {
        self.listed = listed.into();
    }

    /// Power of links without one.
    pub(crate) fn fill(&self) -> Fill {
        self.fill.unwrap_or_default()
    }

    /// Places, for delays and `fill = "propagation"`.
    pub(crate) fn geo(&self) -> Option<&[Vec<f64>]> {
        self.geo.as_deref()
    }

    /// Positions of the places, in meters.
    pub(crate) fn places(&self) -> Vec<Point> {
        self.positions()
    }

    /// Whether nodes have places.
    pub fn is_placed(&self) -> bool {
        self.geo.is_some()
    }

    /// The file of the links.
    pub(crate) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }
}
