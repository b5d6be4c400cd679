//! Movements of a file (ns-2, BonnMotion, CSV). They are equal for all seeds, so they are read once, with the scenario.

use crate::kernel::{RandomStreams, Span, Time};
use crate::mobility::{self, File, MobilityConfig, MobilityKind, Point, Rules, Scene, Trajectory};
use crate::scenario::schema::network::mobility::refuse;
use crate::scenario::schema::reader::Reader;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::tree::Node;
use std::sync::Arc;

/// Movements that a file gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Replay {
    /// By node.
    pub(crate) trajectories: Arc<[Trajectory]>,
    /// By node, the time outside of which its radio is off; `None` if it is on throughout.
    pub(crate) present: Vec<Option<(Time, Time)>>,
    /// By node, its number in the file, if nodes are renumbered.
    pub(crate) numbers: Option<Vec<u32>>,
    /// Nodes that the file lacks: they stand where the topology of each run places them.
    pub(crate) drawn: Vec<u32>,
    /// BLAKE3 of all text read, in hexadecimal digits.
    pub(crate) digest: String,
}

/// Inputs of movements other than their file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'s> {
    /// Number of nodes; `None` for as many as the file has.
    pub(crate) nodes: Option<u32>,
    /// Positions of the topology, in metres.
    pub(crate) positions: &'s [Point],
    /// Nodes below this number have positions that each run draws.
    pub(crate) drawn: u32,
    pub(crate) duration: Span,
    pub(crate) rules: Rules,
}

/// The movements of the file that `[mobility]` names; `None` if they are wrong, which is reported.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    tree: &Node,
    config: &MobilityConfig,
    setting: Setting<'_>,
) -> Option<Replay> {
    let table = tree.get("mobility");
    let (mut file, mut params) = (None, None);
    if let Some(name) = &config.file {
        file = Some(find_or_refuse(reader, table, name)?);
        if config.kind == MobilityKind::Bonnmotion {
            params = find(reader, &params_file(name)).ok();
        }
    }
    let Setting { nodes, positions, drawn, duration, rules } = setting;
    // A file has no random parts; the streams are unused.
    let streams = RandomStreams::new(0);
    let scene = Scene { nodes, positions, drawn, duration, streams: &streams, file, params, rules };
    match mobility::plan(config, &scene) {
        Ok(plan) => {
            reader.warnings.extend(plan.warnings.iter().map(ToString::to_string));
            let mobility::Plan { trajectories, present, numbers, drawn, .. } = plan;
            Some(Replay { trajectories: trajectories.into(), present, numbers, drawn, digest: digest([file, params]) })
        }
        Err(error) => {
            refuse(reader, table, error);
            None
        }
    }
}

/// The parameter file of a movement file of BonnMotion: `a.params` of `a.movements.gz`.
pub(super) fn params_file(file: &str) -> String {
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    format!("{}.params", plain.strip_suffix(".movements").unwrap_or(plain))
}

fn find<'a>(reader: &Reader<'a>, name: &str) -> Result<File<'a>, String> {
    reader.file(name).map(|(path, text)| File { path, text })
}

fn find_or_refuse<'a>(reader: &mut Reader<'a>, table: Option<&Node>, name: &str) -> Option<File<'a>> {
    match find(reader, name) {
        Ok(file) => Some(file),
        Err(what) => {
            let node = table.and_then(|table| table.get("file"))?;
            let raw = reader.wrong(node, "mobility.file", &what);
            let expected = "path of a movement file, relative to the scenario".to_owned();
            reader.refuse(&node.origin, RawDiagnostic { expected, ..raw });
            None
        }
    }
}

/// BLAKE3 of the texts with their lengths, as hexadecimal digits.
fn digest(files: [Option<File<'_>>; 2]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let text = file.map_or("", |file| file.text);
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
