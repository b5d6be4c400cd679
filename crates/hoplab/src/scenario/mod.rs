//! A scenario: TOML text to the resolved values that a world is built from.
//!
//! The caller reads all files and passes their texts in; every diagnostic cites file and line. Data flows through rooms that
//! use only those before them:
//!
//! 1. `syntax`: text to a tree of values with source positions, units, overrides, diagnostics;
//! 2. `topology`, `traffic`, `transports`: families of networks, generators of flows, and the table of transports, a row each;
//! 3. `schema`: tables and keys, each with defaults and checks, by the published JSON Schema;
//! 4. `imports`: files of other simulators that a scenario names;
//! 5. `model`: the resolved scenario, parsed once and drawn for each seed.
//!
//! `docs/use/reference/scenario.md` lists all keys.

mod imports;
mod model;
mod registry;
mod schema;
mod syntax;
mod topology;
mod traffic;
mod transports;

pub use crate::kernel::RegisteredPart;
pub use imports::{
    ImportedCarrier, ImportedFlow, ImportedSource, ImportedTraffic, TrafficFileError, cbrgen, files_named,
};
pub use model::draw::MAX_BYTES;
pub use model::facts::{Facts, PathFact};
pub use model::flow::FlowSpec;
pub use model::links::link_budget::LinkBudget;
pub use model::movement::PlacementError;
pub use model::parsed::ParsedScenario;
pub use model::resolved::{DrawnTraffic, Resolved};
pub use model::workload::WorkloadSpec;
pub use model::write::defaults;
pub use registry::registry;
pub use schema::network::host::Host;
pub use schema::network::live::{LiveConfig, LiveSettings};
pub use schema::network::node::{NodeConfig, NodeKind, NodeRadio, NodeSettings};
pub use schema::network::wire::{WireBack, WireConfig};
pub use schema::profile::Profile;
pub use schema::protocols::semi_tcp::{SemiTcpConfig, SemiTcpPreset};
pub use schema::root::{ScenarioFile, schema};
pub use schema::traffic::external_controller::ExternalController;
pub use schema::traffic::flow_config::FlowConfig;
pub use schema::traffic::node_ref::{NodeRef, Place};
pub use schema::traffic::workload_config::{NodeSet, WorkloadConfig};
pub use syntax::diagnostic::{Diagnostic, ScenarioError, Snippet};
pub use syntax::named_file::NamedFile;
pub use syntax::quantity;
pub use topology::{Layout, MAX_NODES, Random, Topology, TopologyConfig, TopologyKind, Unconnected};
pub use traffic::{Ends, Pairs, TrafficConfig, TrafficKind};
pub use transports::{Admission, TRANSPORTS, Transport};

/// A checked scenario, by the name that callers look for: `Scenario::parse(text, path, &overrides)`.
pub type Scenario = Resolved;
