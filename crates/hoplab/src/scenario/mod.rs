//! TOML to a checked scenario.
//!
//! The caller reads the file and hands its text in; every message still cites file and line. Reading goes in steps, each
//! of which adds what it finds wrong, so that one look shows everything:
//!
//! 1. `source`/`tree`: the text as values that know where they were written, with `--set` applied on top;
//! 2. `section`: each table over the defaults of its profile, led by the published JSON Schema;
//! 3. `topology`, `layout`, `movement`, `flow`, `node`: numbers become positions, flows get ends, nodes their own settings;
//! 4. `check`: ranges, and values that contradict each other;
//! 5. `reach`: warnings about what is allowed and yet probably not meant.
//!
//! `docs/scenario.md` lists all keys.

mod cbrgen;
mod check;
mod config;
mod error;
mod external_controller;
mod flow;
mod later;
mod layout;
mod movement;
mod muzha;
mod nearest;
mod node;
mod placement;
pub mod quantity;
mod reach;
mod read;
mod registry;
mod resolved;
mod scheme;
mod section;
mod semi_tcp;
mod source;
mod topology;
mod traffic;
mod tree;
mod write;

pub use cbrgen::{ImportedFlow, ImportedSource, TrafficFileError, cbrgen};
pub use config::{AppKind, FlowConfig, NodeConfig, NodeRadio, NodeRef, Place, Profile, ScenarioFile, schema};
pub use error::{Problem, ScenarioError, Snippet};
pub use external_controller::ExternalController;
pub use layout::Layout;
pub use movement::{NamedFile, PlacementError, files_named};
pub use placement::{Random, Unconnected};
pub use reach::{Facts, PathFact};
pub use registry::registry;
pub use resolved::{DrawnTraffic, FlowSpec, NodeSettings, Resolved};
pub use scheme::{Admission, SCHEMES, Scheme};
pub use semi_tcp::{SemiTcpConfig, SemiTcpPreset};
pub use topology::{MAX_NODES, Topology, TopologyConfig, TopologyKind};
pub use traffic::{Ends, Pairs, TrafficConfig, TrafficKind};

/// A checked scenario, by the name that callers look for: `Scenario::parse(text, path, &overrides)`.
pub type Scenario = Resolved;
