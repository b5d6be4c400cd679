//! Table `[mobility]`, read. `mobility/check.rs` checks the values, and reports by key or by the line of a movement file.

use crate::kernel::{Metres, Span};
use crate::mobility::{ConfigError, ImportError, MobilityConfig, MobilityError, MobilityKind};
use crate::scenario::schema::reader::{Reader, join, message};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::requires;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;
use crate::scenario::topology::Topology;

/// The table, and whether all of its values are readable.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node) -> (MobilityConfig, bool) {
    let before = reader.diagnostics.len();
    let fields = reader.root.table("mobility");
    let config = reader.overlay(tree.get("mobility"), "mobility", fields, MobilityConfig::default());
    (config, reader.diagnostics.len() == before)
}

/// Random waypoint nodes move in the area of a random topology, if they have no other.
pub(crate) fn default_area(config: &mut MobilityConfig, topology: &Topology) {
    if let (MobilityKind::Waypoint, None, Some(random)) = (config.kind, config.area, topology.layout.random()) {
        config.area = Some([Metres(random.area.0), Metres(random.area.1)]);
    }
}

/// Whether nodes of `topology.mobile_nodes` have a model that moves them; if not, that is reported.
pub(crate) fn check_mobile_nodes(
    reader: &mut Reader<'_>,
    tree: &Node,
    config: &MobilityConfig,
    topology: Option<&Topology>,
) -> bool {
    let has_mobile_nodes = topology.is_some_and(|topology| topology.mobile_nodes > 0);
    if !has_mobile_nodes || config.kind == MobilityKind::Waypoint {
        return true;
    }
    let key = "topology.mobile_nodes".to_owned();
    let message = message(&key, &requires("mobility.kind = \"waypoint\""), None);
    let expected = "mobility.kind = \"waypoint\", which moves these nodes".to_owned();
    let origin = tree.at(&["topology", "mobile_nodes"]).map_or(Origin::Nowhere, |node| node.origin.clone());
    reader.refuse(&origin, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
    false
}

/// Reports keys of a model that do not go together.
pub(crate) fn check(reader: &mut Reader<'_>, tree: &Node, config: &MobilityConfig, nodes: Option<u32>, duration: Span) {
    if let Err(error) = config.check(nodes, duration) {
        refuse(reader, tree.get("mobility"), error.into());
    }
}

/// Reports a key of `[mobility]`, or a line of its file.
pub(crate) fn refuse(reader: &mut Reader<'_>, table: Option<&Node>, error: MobilityError) {
    match error {
        MobilityError::Config(ConfigError { key, message, expected, hint }) => {
            let node = table.and_then(|table| table.get(key));
            let name = join("mobility", key);
            let value = node.and_then(|node| reader.source.written(&node.origin));
            let message = self::message(&name, &message, value.as_deref());
            let origin = node.or(table).map_or(Origin::Nowhere, |node| node.origin.clone());
            reader.refuse(&origin, RawDiagnostic { key: name, value, message, expected, hint });
        }
        MobilityError::Import(ImportError { path, line, message, value, expected, hint }) => {
            let text = reader.files.iter().find(|file| *file.path == *path).and_then(|file| file.text.as_ref().ok());
            let text = text.zip(line).and_then(|(text, line)| text.lines().nth(line as usize - 1));
            let origin = Origin::Beside { path, line, text: text.map(Into::into) };
            let key = "mobility.file".to_owned();
            reader.refuse(&origin, RawDiagnostic { key, value, message, expected: expected.into(), hint });
        }
    }
}
