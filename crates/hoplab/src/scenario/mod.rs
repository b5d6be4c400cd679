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
//! `docs/use/reference/scenario.md` lists all keys.

mod imports;
mod model;
mod registry;
mod schema;
mod scheme;
mod syntax;

pub use imports::cbrgen::{ImportedFlow, ImportedSource, TrafficFileError, cbrgen};
pub use imports::movement::{NamedFile, PlacementError, files_named};
pub use model::connectivity::{Facts, PathFact};
pub use model::layout::Layout;
pub use model::placement::{Random, Unconnected};
pub use model::resolved::{DrawnTraffic, FlowSpec, NodeSettings, Resolved};
pub use registry::registry;
pub use schema::external_controller::ExternalController;
pub use schema::file::{AppKind, FlowConfig, NodeConfig, NodeRadio, NodeRef, Place, Profile, ScenarioFile, schema};
pub use schema::semi_tcp::{SemiTcpConfig, SemiTcpPreset};
pub use schema::topology::{MAX_NODES, Topology, TopologyConfig, TopologyKind};
pub use schema::traffic::{Ends, Pairs, TrafficConfig, TrafficKind};
pub use scheme::{Admission, SCHEMES, Scheme};
pub use syntax::diagnostic::{Problem, ScenarioError, Snippet};

pub use syntax::quantity;

/// A checked scenario, by the name that callers look for: `Scenario::parse(text, path, &overrides)`.
pub type Scenario = Resolved;
